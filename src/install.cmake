# What `cmake --install` puts there: public headers, libraries, the licence, what find_package(vkmoye)
# needs, and the program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/vkmoye)

set(internal_headers ${PROJECT_SOURCE_DIR}/src/internal_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${internal_headers})
file(STRINGS ${internal_headers} lines REGEX "^vkmoye/")
set(excluded)
foreach(line IN LISTS lines)
  string(REGEX REPLACE "/? .*" "" header "${line}")
  string(REPLACE "." "[.]" header "${header}")
  list(APPEND excluded REGEX "/${header}$" EXCLUDE)
endforeach()
install(DIRECTORY src/vkmoye generator/vkmoye TYPE INCLUDE FILES_MATCHING PATTERN *.hpp ${excluded})

install(TARGETS vkmoye_core vkmoye_gen vkmoye_runtime EXPORT vkmoyeTargets)
install(EXPORT vkmoyeTargets NAMESPACE vkmoye:: DESTINATION ${package_folder})
math(EXPR next_fmt "${fmt_VERSION_MAJOR} + 1")
configure_package_config_file(src/vkmoyeConfig.cmake.in vkmoyeConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(vkmoyeConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vkmoyeConfig.cmake ${PROJECT_BINARY_DIR}/vkmoyeConfigVersion.cmake
              generator/FindShaderc.cmake DESTINATION ${package_folder})
install(FILES LICENSE TYPE DOC)
if(VKMOYE_BUILD_TOOLS)
  install(TARGETS vkmoye-bench)
endif()
