# SPDX-License-Identifier: MIT
# What `cmake --install` puts there, in components, of which packages.cmake makes packages:
#   c_library   libvkmoye_c, as programs need it that were built with it
#   runtime     layouts, the Vulkan runtime and the C interface: libraries, public headers, what find_package and
#               pkg-config need. For the C interface, install c_library as well
#   generator   what describes and compiles kernels, if it is built (VKMOYE_BUILD_GENERATOR)
#   compile_library  libvkmoye_compile, as programs need it that were built with it
#   bench       vkmoye-bench as libraries: vkmoye::bench, which needs generator, and headers for libvkmoye_compile
#   tools       vkmoye-bench, its manual page and completions, and descriptions of devices
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/vkmoye)
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(public_headers ${PROJECT_SOURCE_DIR}/src/public_headers.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers})
file(STRINGS ${public_headers} headers REGEX "^vkmoye/")
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  set(part src)
  set(component runtime)
  if(header MATCHES "^vkmoye/(gen/|vkmoye[.]hpp)")
    set(part generator)
    set(component generator)
  endif()
  if(component STREQUAL generator AND NOT VKMOYE_BUILD_GENERATOR)
    continue()
  endif()
  install(FILES ${PROJECT_SOURCE_DIR}/${part}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
          COMPONENT ${component})
endforeach()

set(installed_targets vkmoye_core vkmoye_runtime)
install(TARGETS vkmoye_core vkmoye_runtime EXPORT vkmoyeRuntimeTargets COMPONENT runtime)
if(VKMOYE_BUILD_C)
  install(FILES ${PROJECT_SOURCE_DIR}/src/vkmoye/vkmoye.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vkmoye
          COMPONENT runtime)
  list(APPEND installed_targets vkmoye_c)
  install(TARGETS vkmoye_c EXPORT vkmoyeCTargets
          RUNTIME COMPONENT c_library
          LIBRARY COMPONENT c_library NAMELINK_COMPONENT runtime
          ARCHIVE COMPONENT runtime)
  install(EXPORT vkmoyeCTargets NAMESPACE vkmoye:: DESTINATION ${package_folder} COMPONENT runtime)
  set(c_component c)
endif()
install(EXPORT vkmoyeRuntimeTargets NAMESPACE vkmoye:: DESTINATION ${package_folder} COMPONENT runtime)
if(VKMOYE_BUILD_GENERATOR)
  list(APPEND installed_targets vkmoye_gen)
  install(TARGETS vkmoye_gen EXPORT vkmoyeGeneratorTargets COMPONENT generator)
  install(EXPORT vkmoyeGeneratorTargets NAMESPACE vkmoye:: DESTINATION ${package_folder} COMPONENT generator)
  install(FILES generator/FindIsl.cmake generator/FindShaderc.cmake DESTINATION ${package_folder}
          COMPONENT generator)
  set(generator_component generator)
endif()
# fmt's symbols carry its major version, so programs must link the one that our libraries were compiled with.
set(fmt_dependency "")
set(fmt_library "")
if(NOT VKMOYE_EMBED_FMT)
  math(EXPR next_fmt "${fmt_VERSION_MAJOR} + 1")
  set(fmt_dependency "find_dependency(fmt ${fmt_VERSION_MAJOR}...<${next_fmt})")
  set(fmt_library " -lfmt")
endif()
configure_package_config_file(src/vkmoyeConfig.cmake.in vkmoyeConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(vkmoyeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/vkmoyeConfig.cmake ${PROJECT_BINARY_DIR}/vkmoyeConfigVersion.cmake
              src/vkmoyeKernels.cmake src/vkmoyeKernelHeader.cmake
        DESTINATION ${package_folder} COMPONENT runtime)
# So that the folder may move; libraries lie two levels deep or three.
file(RELATIVE_PATH include_from_pkgconfig ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(component runtime ${generator_component} ${c_component})
  configure_file(src/vkmoye-${component}.pc.in vkmoye-${component}.pc @ONLY)
  set(installed_with ${component})
  if(component STREQUAL c)
    set(installed_with runtime)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/vkmoye-${component}.pc DESTINATION ${pkgconfig_folder}
          COMPONENT ${installed_with})
endforeach()
install(FILES LICENSE TYPE DOC COMPONENT runtime)
if(VKMOYE_BUILD_TOOLS)
  list(APPEND installed_targets vkmoye-bench vkmoye_bench vkmoye_work vkmoye_report vkmoye_layout_tool)
  install(TARGETS vkmoye-bench COMPONENT tools)
  # vkmoye-bench finds them from where it is (tools/vkmoye-bench/CMakeLists.txt).
  install(DIRECTORY tools/devices/ DESTINATION ${CMAKE_INSTALL_DATADIR}/vkmoye/devices COMPONENT tools
          FILES_MATCHING PATTERN *.json)
  if(TARGET vkmoye_bench_written)
    list(APPEND installed_targets vkmoye_bench_written)
    set(written ${PROJECT_BINARY_DIR}/tools/vkmoye-bench/written)
    install(FILES ${written}/vkmoye-bench.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
    install(FILES ${written}/vkmoye-bench COMPONENT tools
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${written}/_vkmoye-bench COMPONENT tools
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${written}/vkmoye-bench.fish COMPONENT tools
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
  if(TARGET vkmoye_compile)
    list(APPEND installed_targets vkmoye_compile)
    install(TARGETS vkmoye_compile EXPORT vkmoyeCompileTargets
            RUNTIME COMPONENT compile_library
            LIBRARY COMPONENT compile_library NAMELINK_COMPONENT bench
            ARCHIVE COMPONENT bench)
    install(EXPORT vkmoyeCompileTargets NAMESPACE vkmoye:: DESTINATION ${package_folder} COMPONENT bench)
    install(FILES tools/vkmoye-bench/vkmoye/compile.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/vkmoye COMPONENT bench)
    configure_file(src/vkmoye-compile.pc.in vkmoye-compile.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/vkmoye-compile.pc DESTINATION ${pkgconfig_folder} COMPONENT bench)
  endif()
  install(TARGETS vkmoye_bench vkmoye_work vkmoye_report vkmoye_layout_tool
          EXPORT vkmoyeBenchTargets COMPONENT bench)
  install(EXPORT vkmoyeBenchTargets NAMESPACE vkmoye:: DESTINATION ${package_folder} COMPONENT bench)
  install(DIRECTORY tools/vkmoye-bench/vkmoye TYPE INCLUDE COMPONENT bench FILES_MATCHING PATTERN *.hpp)
endif()
# What must be built before `cmake --install`: all but the tests. tools/demo builds it.
add_custom_target(installed DEPENDS ${installed_targets})
