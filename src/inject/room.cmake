# The parts as a library are for tests alone; cmake/inject.cmake makes what is installed.
target_sources(cf_inject PRIVATE ${PROJECT_SOURCE_DIR}/src/inject/entry.S)
