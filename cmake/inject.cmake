# libconfound-inject.so: what `confound exec --toggle` preloads into a program. It needs the C library alone, exports what
# it stands in front of, and is never built with a sanitizer: it goes into programs that have none.
function(cf_inject)
  set(CONFOUND_SANITIZE "")
  set(CONFOUND_FUZZ OFF)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/inject/*.c ${PROJECT_SOURCE_DIR}/src/inject/*.S)
  add_library(confound-inject SHARED ${sources}
    ${PROJECT_SOURCE_DIR}/src/toggle/period.c ${PROJECT_SOURCE_DIR}/src/toggle/schedule.c
    ${PROJECT_SOURCE_DIR}/src/base/rng.c ${PROJECT_SOURCE_DIR}/src/base/clock.c
    ${PROJECT_SOURCE_DIR}/src/base/emulated.c)
  set_target_properties(confound-inject PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/inject.map)
  cf_flags(confound-inject)
  target_compile_options(confound-inject PRIVATE -O2 -fno-semantic-interposition -ffunction-sections
                         -ftls-model=initial-exec)
  target_link_libraries(confound-inject PRIVATE Threads::Threads ${CMAKE_DL_LIBS} m)
  target_link_options(confound-inject PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/inject.map"
                      LINKER:--as-needed LINKER:--gc-sections LINKER:--no-undefined LINKER:-z,now LINKER:-z,nodelete
                      LINKER:-Bsymbolic-functions)
  add_dependencies(confound confound-inject) # who builds the program alone can toggle
  install(TARGETS confound-inject LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/confound COMPONENT runtime)
endfunction()

# The driver of bench/inject.c, beside the benchmarks.
function(cf_inject_bench)
  set(CONFOUND_SANITIZE "")
  add_library(bench.inject.driver SHARED EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/inject/driver/driver.c)
  cf_flags(bench.inject.driver)
  target_compile_options(bench.inject.driver PRIVATE -Wno-missing-prototypes -Wno-unused-parameter)
  set_target_properties(bench.inject.driver PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench-inject)
  foreach(name inject inject_opencl)
    target_compile_options(bench.${name} PRIVATE -Wno-pedantic)
    target_include_directories(bench.${name} PRIVATE ${PROJECT_SOURCE_DIR})
    add_dependencies(bench.${name} bench.inject.driver confound-inject)
  endforeach()
endfunction()
