# The ready jobs: every file in jobs/, `default` first, as text in the program.
file(GLOB jobs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/jobs/*.ini)
list(REMOVE_ITEM jobs ${PROJECT_SOURCE_DIR}/jobs/default.ini)
list(PREPEND jobs ${PROJECT_SOURCE_DIR}/jobs/default.ini)
set(ready ${PROJECT_BINARY_DIR}/generated/job_builtin.c)
add_custom_command(
  OUTPUT ${ready}
  COMMAND ${CMAKE_COMMAND} -D "OUT=${ready}" -D "FILES=${jobs}" -D HEADER=cli/cli.h -D TYPE=cf_job_builtin
          -D TABLE=cf_job_builtins -D FROM=jobs/ -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${jobs} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
  COMMENT "Embedding jobs/"
  VERBATIM)
target_sources(cf_cli PRIVATE ${ready})

# Where `exec --toggle` finds its library once both are installed.
file(RELATIVE_PATH inject_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/confound)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/cli/exec_toggle_run.c PROPERTIES
  COMPILE_DEFINITIONS CONFOUND_INJECT_FROM_BIN="${inject_from_bin}")
