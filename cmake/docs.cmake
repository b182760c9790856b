# Manual pages, completions and docs/commands.md, made from the tables of options.
if(NOT EXISTS ${PROJECT_SOURCE_DIR}/src/cli/main.c)
  return()
endif()
set(CONFOUND_DATE "November 29, 2026") # of this version, in its manual

file(GLOB docgen_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/gen/*.c)
add_executable(docgen ${docgen_sources})
cf_flags(docgen)
target_include_directories(docgen PRIVATE ${PROJECT_SOURCE_DIR}/docs/gen)
target_link_libraries(docgen PRIVATE cf_cli cf_emulator)

set(docs_folder ${PROJECT_BINARY_DIR}/docs)
set(docs_commands run exec judge report devices models jobs plan help)
list(TRANSFORM docs_commands REPLACE "(.+)" "${docs_folder}/confound-\\1.1" OUTPUT_VARIABLE docs_manual)
list(PREPEND docs_manual ${docs_folder}/confound.1)
set(docs_pages ${docs_manual} ${docs_folder}/confound-emulate.1 ${docs_folder}/confound.bash ${docs_folder}/_confound ${docs_folder}/confound.fish
    ${docs_folder}/commands.md)
add_custom_command(
  OUTPUT ${docs_pages}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${docs_folder}
  COMMAND docgen ${docs_folder} ${CONFOUND_DATE}
  DEPENDS docgen
  COMMENT "Making manual pages and completions"
  VERBATIM)
add_custom_target(docs ALL DEPENDS ${docs_pages})
# Writes docs/commands.md anew; a test fails while it differs from what the table says.
add_custom_target(
  docs-renew
  COMMAND ${CMAKE_COMMAND} -E copy ${docs_folder}/commands.md ${PROJECT_SOURCE_DIR}/docs/commands.md
  DEPENDS docs
  VERBATIM)

install(FILES ${docs_manual} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
if(TARGET confound-emulate)
  install(FILES ${docs_folder}/confound-emulate.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES ${docs_folder}/confound.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
        RENAME confound)
install(FILES ${docs_folder}/_confound DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${docs_folder}/confound.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

if(BUILD_TESTING)
  add_test(NAME docs.commands_are_up_to_date
           COMMAND ${CMAKE_COMMAND} -E compare_files ${docs_folder}/commands.md
                   ${PROJECT_SOURCE_DIR}/docs/commands.md)
  set_tests_properties(docs.commands_are_up_to_date PROPERTIES LABELS docs TIMEOUT 60)
endif()
