# libconfound: the api room and what it joins, as one shared library that exports what cmake/confound.map lists, with
# its headers, a pkg-config file and a CMake package.
include(CMakePackageConfigHelpers)

add_library(libconfound SHARED $<TARGET_OBJECTS:cf_api>)
set_target_properties(libconfound PROPERTIES
  OUTPUT_NAME confound
  EXPORT_NAME confound
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/confound.map)
cf_flags(libconfound)
target_link_libraries(libconfound PRIVATE cf_api)
target_link_options(libconfound PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/confound.map"
                    LINKER:--as-needed LINKER:--gc-sections)
if(NOT CONFOUND_SANITIZE) # sanitizers leave their own symbols to the program
  target_link_options(libconfound PRIVATE LINKER:--no-undefined)
endif()
target_include_directories(libconfound INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

install(TARGETS libconfound EXPORT confound
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/confound DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/confound)
install(EXPORT confound NAMESPACE confound:: FILE confoundTargets.cmake DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/confoundConfig.cmake.in
  ${PROJECT_BINARY_DIR}/confoundConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/confoundConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/confoundConfig.cmake ${PROJECT_BINARY_DIR}/confoundConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT development)

# Paths relative to the file, so that the prefix may be chosen at install time and the tree moved afterwards.
file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/confound.pc.in ${PROJECT_BINARY_DIR}/confound.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/confound.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
