# The built-in models: every file in models/, as text in the program.
file(GLOB models CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/models/*.ini)
set(builtin ${PROJECT_BINARY_DIR}/generated/model_builtin.c)
add_custom_command(
  OUTPUT ${builtin}
  COMMAND ${CMAKE_COMMAND} -D "OUT=${builtin}" -D "FILES=${models}" -P ${PROJECT_SOURCE_DIR}/src/model/embed.cmake
  DEPENDS ${models} ${PROJECT_SOURCE_DIR}/src/model/embed.cmake
  COMMENT "Embedding models/"
  VERBATIM)
target_sources(cf_model PRIVATE ${builtin})
