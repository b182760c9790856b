# What a page of `report --html` is made of, as bytes in the program: Vega, the page's own script and its style.
include(${PROJECT_SOURCE_DIR}/cmake/vega.cmake)

set(html ${PROJECT_SOURCE_DIR}/src/report/html)
set(generated ${PROJECT_BINARY_DIR}/generated)
set(vega ${generated}/vega.js)
set(app ${generated}/app.js)
file(GLOB app_sources CONFIGURE_DEPENDS ${html}/app/*.js) # in the order of their names

cf_find_vega(vega_files)
if(vega_files)
  add_custom_command(
    OUTPUT ${vega}
    COMMAND ${CMAKE_COMMAND} -D "OUT=${vega}" -D "LICENCE=${html}/vega-licence.txt" -D "FILES=${vega_files}"
            -P ${PROJECT_SOURCE_DIR}/cmake/vega.cmake
    DEPENDS ${vega_files} ${html}/vega-licence.txt ${PROJECT_SOURCE_DIR}/cmake/vega.cmake
    COMMENT "Putting Vega into one script"
    VERBATIM)
else()
  file(WRITE ${vega} "")
endif()
add_custom_command(
  OUTPUT ${app}
  COMMAND ${CMAKE_COMMAND} -E cat ${app_sources} > ${app}
  DEPENDS ${app_sources}
  COMMENT "Putting the page's script together"
  VERBATIM)
set_source_files_properties(${html}/assets.c PROPERTIES
  COMPILE_DEFINITIONS "CF_HTML_VEGA=\"${vega}\";CF_HTML_APP=\"${app}\";CF_HTML_STYLE=\"${html}/style.css\""
  OBJECT_DEPENDS "${vega};${app};${html}/style.css")
