# Drivers that stand in for a GPU's in tests: libcuda.so.1 as of 13.0, and as older drivers have it.
function(cf_stub_cuda name version)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/stub/cuda/*.c)
  add_library(stub.${name} SHARED ${sources} ${PROJECT_SOURCE_DIR}/tests/stub/fail.c)
  cf_flags(stub.${name})
  target_compile_options(stub.${name} PRIVATE -Wno-missing-prototypes)
  target_compile_definitions(stub.${name} PRIVATE STUB_VERSION=${version})
  target_link_libraries(stub.${name} PRIVATE cf_device)
  set_target_properties(stub.${name} PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub/${name})
endfunction()

cf_stub_cuda(cuda 13000)
cf_stub_cuda(cuda-12.8 12080)
cf_stub_cuda(cuda-12.0 12000)

# Level Zero's loader with a driver behind it: as of 1.32, and as old as Debian 12's 1.8.12.
function(cf_stub_level_zero name)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/stub/level_zero/*.c)
  add_library(stub.${name} SHARED ${sources} ${PROJECT_SOURCE_DIR}/tests/stub/fail.c)
  cf_flags(stub.${name})
  target_compile_options(stub.${name} PRIVATE -Wno-missing-prototypes)
  target_compile_definitions(stub.${name} PRIVATE ${ARGN})
  target_link_libraries(stub.${name} PRIVATE cf_device Threads::Threads)
  set_target_properties(stub.${name} PROPERTIES PREFIX "" OUTPUT_NAME libze_loader SUFFIX .so.1
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub/${name})
endfunction()

cf_stub_level_zero(level-zero)
cf_stub_level_zero(level-zero-old STUB_OLD=1)

# OpenCL's loader with calls that fail on demand.
add_library(stub.opencl SHARED ${PROJECT_SOURCE_DIR}/tests/stub/opencl/forward.c)
cf_flags(stub.opencl)
target_link_libraries(stub.opencl PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
set_target_properties(stub.opencl PROPERTIES PREFIX "" OUTPUT_NAME libOpenCL-forward SUFFIX .so
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub)

# A driver with asynchronous streams for the preloaded library, and a program that reaches it in three ways.
add_library(stub.inject.cuda SHARED ${PROJECT_SOURCE_DIR}/tests/stub/inject/driver.c)
cf_flags(stub.inject.cuda)
target_compile_options(stub.inject.cuda PRIVATE -Wno-missing-prototypes)
target_link_libraries(stub.inject.cuda PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(stub.inject.cuda PROPERTIES PREFIX "" OUTPUT_NAME libcuda SUFFIX .so.1
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub/inject)
foreach(way LINKED LOADED ASKED)
  string(TOLOWER ${way} name)
  add_executable(stub.inject.${name} ${PROJECT_SOURCE_DIR}/tests/stub/inject/program.c)
  cf_flags(stub.inject.${name})
  target_compile_options(stub.inject.${name} PRIVATE -Wno-missing-prototypes -Wno-pedantic)
  target_compile_definitions(stub.inject.${name} PRIVATE ${way})
  target_link_libraries(stub.inject.${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(stub.inject.${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub/inject
    BUILD_RPATH ${PROJECT_BINARY_DIR}/stub/inject)
endforeach()
target_link_libraries(stub.inject.linked PRIVATE stub.inject.cuda)

add_executable(stub.inject.unusual ${PROJECT_SOURCE_DIR}/tests/stub/inject/unusual.c)
cf_flags(stub.inject.unusual)
target_compile_options(stub.inject.unusual PRIVATE -Wno-pedantic)
target_link_libraries(stub.inject.unusual PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(stub.inject.unusual PROPERTIES OUTPUT_NAME unusual
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub/inject)

# OpenCL programs: one that computes, and one that copies beside a kernel.
foreach(name opencl opencl_beside)
  string(REPLACE _ - target ${name})
  add_executable(stub.inject.${target} ${PROJECT_SOURCE_DIR}/tests/stub/inject/${name}.c)
  cf_flags(stub.inject.${target})
  target_compile_options(stub.inject.${target} PRIVATE -Wno-pedantic)
  target_link_libraries(stub.inject.${target} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(stub.inject.${target} PROPERTIES OUTPUT_NAME ${target}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub/inject)
endforeach()

# A Level Zero program, linked and loading.
foreach(way LINKED LOADED)
  string(TOLOWER level-zero-${way} name)
  add_executable(stub.inject.${name} ${PROJECT_SOURCE_DIR}/tests/stub/inject/level_zero.c)
  cf_flags(stub.inject.${name})
  target_compile_options(stub.inject.${name} PRIVATE -Wno-missing-prototypes -Wno-pedantic)
  target_compile_definitions(stub.inject.${name} PRIVATE ${way})
  target_link_libraries(stub.inject.${name} PRIVATE ${CMAKE_DL_LIBS})
  set_target_properties(stub.inject.${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/stub/inject)
endforeach()
target_link_libraries(stub.inject.level-zero-linked PRIVATE stub.level-zero)
