# The emulated GPU: a room that the program knows nothing of, the object that is loaded before a program, its launcher.
set(emulator ${PROJECT_SOURCE_DIR}/emulator)
file(GLOB models CONFIGURE_DEPENDS ${emulator}/models/*.ini)
set(emulator_models ${PROJECT_BINARY_DIR}/generated/emulator_builtin.c)
add_custom_command(
  OUTPUT ${emulator_models}
  COMMAND ${CMAKE_COMMAND} -D "OUT=${emulator_models}" -D "FILES=${models}" -D HEADER=emulator/launcher.h
          -D TYPE=cf_emu_builtin -D TABLE=cf_emu_builtins -D FROM=emulator/models/
          -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${models} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding emulator/models/"
  VERBATIM)
target_sources(cf_emulator PRIVATE ${emulator_models})
# Every x86-64 of the last 15 years stores 16 bytes at once, but a compiler is not told so.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  set_source_files_properties(${emulator}/device.c PROPERTIES COMPILE_OPTIONS -mcx16)
endif()

# Loaded into programs of others: it takes no library but C's with it, and shows no symbol but those that it stands in
# for. Not under sanitizers, whose own runtime would have to come first.
if(NOT CONFOUND_SANITIZE AND NOT CONFOUND_FUZZ)
  file(GLOB preload CONFIGURE_DEPENDS ${emulator}/preload*.c)
  add_library(confound-emulator MODULE ${preload})
  cf_flags(confound-emulator)
  target_link_libraries(confound-emulator PRIVATE cf_emulator)
  target_link_options(confound-emulator PRIVATE -Wl,--as-needed -Wl,--exclude-libs,ALL -Wl,-z,now)
  install(TARGETS confound-emulator LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/confound)

  add_executable(confound-emulate ${emulator}/main.c)
  cf_flags(confound-emulate)
  target_link_libraries(confound-emulate PRIVATE cf_emulator)
  add_dependencies(confound-emulate confound-emulator)
  install(TARGETS confound-emulate RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(PROGRAMS ${emulator}/fetch.sh DESTINATION ${CMAKE_INSTALL_BINDIR} RENAME confound-emulate-fetch)
endif()
