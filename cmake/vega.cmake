# The charts of `report --html` are drawn by Vega, which Debian and Ubuntu package as libjs-vega. Its components are put
# into one script when the program is built, and the script into the program: a page fetches nothing. Without them the
# program is built all the same, and its pages have tables and no charts.
#
# As a script (cmake -D OUT=FILE.js -D LICENCE=FILE -D FILES=a.js;b.js -P vega.cmake) it writes that script. The
# components are CommonJS modules: as browser globals each would throw away what the one before it put there.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${LICENCE} licence)
  string(CONCAT text "/*\n${licence}*/\nvar cf_vega = (function () {\nvar modules = {};\n"
      "function require(name) { return modules[name]; }\n"
      "function add(name, body) { var module = {exports: {}}; body(module, module.exports, require); "
      "modules[name] = module.exports; }\n")
  foreach(file ${FILES})
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "\\.min\\.js$" "" name ${name})
    if(name STREQUAL "vega-selection") # its file has another name than the module
      set(name vega-selections)
    endif()
    file(READ ${file} body)
    string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" body "${body}")
    string(TOLOWER "${body}" lower)
    if(lower MATCHES "</script|<!--")
      message(FATAL_ERROR "${file}: it would end the script element that it is put into")
    endif()
    string(APPEND text "add(\"${name}\", function (module, exports, require) {\n${body}\n});\n")
  endforeach()
  file(WRITE ${OUT} "${text}return modules;\n})();\n")
  return()
endif()

# In the order in which they need each other.
set(CF_VEGA_COMPONENTS util time format loader dataflow canvas statistics scale scenegraph expression event-selector
    selection functions parser runtime view transforms view-transforms encode interpreter)
option(CONFOUND_VEGA "Put Vega into the program, for the charts of report --html" ON)
set(CONFOUND_VEGA_DIR "$ENV{CONFOUND_VEGA_DIR}" CACHE PATH "Where Vega's components vega-*.min.js are, before the usual places")

# ret: the components' files in order; empty where one is missing.
function(cf_find_vega ret)
  set(found "")
  if(NOT CONFOUND_VEGA)
    set(${ret} "" PARENT_SCOPE)
    return()
  endif()
  foreach(component ${CF_VEGA_COMPONENTS})
    find_file(CONFOUND_VEGA_${component} vega-${component}.min.js
      HINTS ${CONFOUND_VEGA_DIR}
      PATHS /usr/share/javascript/vega /usr/local/share/javascript/vega
            /usr/share/nodejs/vega-${component}/build /usr/share/nodejs/vega-${component}s/build
      NO_CMAKE_FIND_ROOT_PATH)
    mark_as_advanced(CONFOUND_VEGA_${component})
    if(NOT CONFOUND_VEGA_${component})
      message(STATUS "vega-${component}.min.js is not here (Debian: libjs-vega): reports in HTML will have no charts")
      set(${ret} "" PARENT_SCOPE)
      return()
    endif()
    list(APPEND found ${CONFOUND_VEGA_${component}})
  endforeach()
  set(${ret} "${found}" PARENT_SCOPE)
endfunction()
