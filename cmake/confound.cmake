# Helpers of the build: one static library a room, one executable a test file.

set(CF_WARNINGS -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
    -Wformat=2)

function(cf_flags target)
  # No fused multiply-add behind our back: a judgement has the same bytes on every machine.
  target_compile_options(${target} PRIVATE ${CF_WARNINGS} -ffp-contract=off)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE CONFOUND_VERSION="${PROJECT_VERSION}")
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR})
  if(CONFOUND_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(CONFOUND_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${CONFOUND_SANITIZE} -fno-sanitize-recover=all
                           -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=${CONFOUND_SANITIZE})
  endif()
  if(CONFOUND_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# cf_room(NAME [DEPENDS room...] [LIBS lib...]): static library cf_NAME of src/NAME/**.c, or of NAME/**.c where there is no
# such folder. A room without .c files yet is an interface library. main.c and preload*.c belong to what is made of it.
function(cf_room name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;LIBS" ${ARGN})
  set(folder ${PROJECT_SOURCE_DIR}/src/${name})
  if(NOT EXISTS ${folder})
    set(folder ${PROJECT_SOURCE_DIR}/${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "/(main|preload[a-z_]*)\\.c$")
  list(TRANSFORM ROOM_DEPENDS PREPEND cf_ OUTPUT_VARIABLE needs)
  if(NOT sources)
    add_library(cf_${name} INTERFACE)
    target_link_libraries(cf_${name} INTERFACE ${needs} ${ROOM_LIBS})
    return()
  endif()
  add_library(cf_${name} STATIC ${sources})
  cf_flags(cf_${name})
  target_link_libraries(cf_${name} PUBLIC ${needs} ${ROOM_LIBS})
  if(EXISTS ${PROJECT_SOURCE_DIR}/src/${name}/room.cmake)
    include(${PROJECT_SOURCE_DIR}/src/${name}/room.cmake)
  endif()
endfunction()

# cf_program(NAME ROOM room): executable of src/ROOM/main.c.
function(cf_program name)
  cmake_parse_arguments(PROGRAM "" "ROOM" "" ${ARGN})
  if(EXISTS ${PROJECT_SOURCE_DIR}/src/${PROGRAM_ROOM}/main.c)
    add_executable(${name} ${PROJECT_SOURCE_DIR}/src/${PROGRAM_ROOM}/main.c)
    cf_flags(${name})
    target_link_libraries(${name} PRIVATE cf_${PROGRAM_ROOM})
    install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()

set(CF_SANITIZER_OPTIONS
    "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")

# A test that uses the soft device, or says that it measures real time, runs alone.
function(cf_test_properties name room source)
  set_tests_properties(${name} PROPERTIES LABELS ${room} TIMEOUT 600 SKIP_RETURN_CODE 77)
  if(room STREQUAL "browser") # a browser on a busy machine takes its time
    set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
  endif()
  if(room STREQUAL "intel") # whole runs of a driver on modelled engines, in real time
    set_tests_properties(${name} PROPERTIES TIMEOUT 2400)
  endif()
  if(CONFOUND_SANITIZE)
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${CF_SANITIZER_OPTIONS}")
  endif()
  file(STRINGS ${source} real_time REGEX "(^|[^a-z])soft([^a-z]|$)|real[ _-]time" LIMIT_COUNT 1)
  if(real_time)
    set_tests_properties(${name} PROPERTIES LABELS "${room};real_time" RUN_SERIAL ON)
  endif()
endfunction()

function(cf_test_program source relative)
  string(REGEX REPLACE "/.*" "" room ${relative})
  string(REGEX REPLACE "\\.c$" "" name ${relative})
  string(REPLACE "/" "." name ${name})
  add_executable(test.${name} ${source})
  cf_flags(test.${name})
  target_compile_options(test.${name} PRIVATE -Wno-missing-prototypes)
  target_compile_definitions(test.${name} PRIVATE CF_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                             CF_BINARY_DIR="${PROJECT_BINARY_DIR}")
  target_include_directories(test.${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test.${name} PRIVATE cf_${room} PkgConfig::CMOCKA PkgConfig::JANSSON)
  add_test(NAME ${name} COMMAND test.${name})
  cf_test_properties(${name} ${room} ${source})
endfunction()

function(cf_test_script source relative)
  string(REGEX REPLACE "/.*" "" room ${relative})
  string(REGEX REPLACE "\\.py$" "" name ${relative})
  string(REPLACE "/" "." name ${name})
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${source} -v)
  cf_test_properties(${name} ${room} ${source})
  set_property(TEST ${name} APPEND PROPERTY ENVIRONMENT
    "CONFOUND=${PROJECT_BINARY_DIR}/confound;CONFOUND_SOURCE=${PROJECT_SOURCE_DIR};CONFOUND_BUILD=${PROJECT_BINARY_DIR};CONFOUND_SANITIZE=${CONFOUND_SANITIZE};CONFOUND_INTEL=${PROJECT_SOURCE_DIR}/build/intel;CC=${CMAKE_C_COMPILER};PYTHONDONTWRITEBYTECODE=1")
endfunction()

# Every tests/ROOM/NAME.c is a cmocka program ROOM.NAME that links its room (tests/cli: the cli room). Scripts
# tests/ROOM/test_NAME.py run with python3 and get CONFOUND=path of the program. Skips exit with 77.
function(cf_tests)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*.c ${PROJECT_SOURCE_DIR}/tests/test_*.py)
  if(CONFOUND_SANITIZE) # what is built with sanitizers is not installed
    list(FILTER sources EXCLUDE REGEX "/tests/consumer/")
    list(FILTER sources EXCLUDE REGEX "/tests/python/") # Python itself is not built with them
  else() # nothing to prove
    list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/tests/infra/test_sanitizers.py)
  endif()
  foreach(source ${sources})
    file(RELATIVE_PATH relative ${PROJECT_SOURCE_DIR}/tests ${source})
    if(relative MATCHES "(^|/)data/|^stub/|^consumer/.*\\.c$|^infra/planted/|^intel/programs/")
      continue()
    elseif(relative MATCHES "\\.py$")
      cf_test_script(${source} ${relative})
    else()
      cf_test_program(${source} ${relative})
    endif()
  endforeach()
  cf_replays()
  cf_planted()
endfunction()

# Mistakes that a gate must catch. Those of the sanitizers are run by tests/infra/test_sanitizers.py.
function(cf_planted)
  set(planted ${PROJECT_SOURCE_DIR}/tests/infra/planted)
  add_library(planted.warning OBJECT EXCLUDE_FROM_ALL ${planted}/warning.c)
  cf_flags(planted.warning)
  if(CONFOUND_SANITIZE)
    foreach(name address undefined thread)
      add_executable(planted.${name} ${planted}/${name}.c)
      cf_flags(planted.${name})
      target_link_libraries(planted.${name} PRIVATE Threads::Threads)
    endforeach()
  endif()
endfunction()

# The inputs kept for a fuzz target, fuzz/corpus/NAME/*, are run in every build, with or without libFuzzer. (The hyphen:
# for a function f that it cannot see into, clang's analyzer reads a file f.model where there is one.)
function(cf_replays)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(fuzz-replay.${name} ${source} ${PROJECT_SOURCE_DIR}/fuzz/replay/main.c)
    cf_flags(fuzz-replay.${name})
    target_compile_options(fuzz-replay.${name} PRIVATE -Wno-missing-prototypes)
    target_link_libraries(fuzz-replay.${name} PRIVATE cf_cli cf_emulator)
    add_test(NAME fuzz.${name} COMMAND fuzz-replay.${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name})
    cf_test_properties(fuzz.${name} fuzz ${source})
  endforeach()
endfunction()

# Every bench/NAME.c is an executable bench.NAME linked with the cli room; ./dev bench runs them. Not part of `all`, so
# that those who package the program don't build them.
function(cf_benches)
  add_custom_target(benches)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(bench.${name} EXCLUDE_FROM_ALL ${source})
    cf_flags(bench.${name})
    target_link_libraries(bench.${name} PRIVATE cf_cli)
    add_dependencies(benches bench.${name})
  endforeach()
  foreach(name study study_metric)
    target_sources(bench.${name} PRIVATE ${PROJECT_SOURCE_DIR}/bench/study/study.c)
  endforeach()
endfunction()

# Every fuzz/NAME.c has LLVMFuzzerTestOneInput.
function(cf_fuzzers)
  add_custom_target(fuzzers)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.c)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    cf_fuzzer(fuzz.${name} ${source})
    add_dependencies(fuzzers fuzz.${name})
  endforeach()
  cf_fuzzer(planted.fuzz ${PROJECT_SOURCE_DIR}/tests/infra/planted/fuzz.c)
endfunction()

function(cf_fuzzer target source)
  add_executable(${target} EXCLUDE_FROM_ALL ${source})
  cf_flags(${target})
  target_compile_options(${target} PRIVATE -fsanitize=fuzzer -Wno-missing-prototypes)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${target} PRIVATE cf_cli cf_emulator)
endfunction()
