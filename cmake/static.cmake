# CONFOUND_STATIC_DEPS: jansson, inih, nettle and libyaml go into the program where their archives are installed, so that one file
# can be carried to a machine that has none of them.
option(CONFOUND_STATIC_DEPS "Link jansson, inih, nettle and libyaml statically where their .a files exist" OFF)

function(cf_static_dep target)
  foreach(library ${ARGN})
    find_library(CONFOUND_ARCHIVE_${library} lib${library}.a)
    if(CONFOUND_ARCHIVE_${library})
      list(APPEND archives ${CONFOUND_ARCHIVE_${library}})
    else()
      message(STATUS "lib${library}.a is not installed: ${target} stays shared")
      return()
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${archives}")
endfunction()

if(CONFOUND_STATIC_DEPS)
  cf_static_dep(PkgConfig::JANSSON jansson)
  cf_static_dep(PkgConfig::INIH inih)
  cf_static_dep(PkgConfig::NETTLE nettle)
  cf_static_dep(PkgConfig::YAML yaml)
endif()
