# SPDX-License-Identifier: MIT
# `cpack` in the build folder writes Debian packages of the components of install.cmake (tools/packages/README.md):
#   libvkmoye-c1        libvkmoye_c, which programs load; its number is that of the interface in the library's name
#   libvkmoye-dev       for programs that run kernels, in C and C++
#   libvkmoye-gen-dev   for programs that describe kernels
#   libvkmoye-compile1  libvkmoye_compile, likewise
#   vkmoye-bench        the command
set(CPACK_PACKAGE_NAME vkmoye)
set(CPACK_PACKAGE_VENDOR "the vkmoye authors")
set(CPACK_PACKAGE_CONTACT "vkmoye authors")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)  # so that packages of programs depend on the library's
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
# Copyright files, compressed manual pages, and the time of every file.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/tools/packages/debian/finish.cmake)

# deb_package(NAME SECTION DESCRIPTION COMPONENTS component... [DEPENDS depends] [RECOMMENDS recommends] [SHLIBDEPS]
#             [BUILT_WITH package...])
# The first line of the description is a summary. BUILT_WITH: packages of which code is compiled in.
macro(deb_package name section description)
  cmake_parse_arguments(deb "SHLIBDEPS" "DEPENDS;RECOMMENDS" "COMPONENTS;BUILT_WITH" ${ARGN})
  string(MAKE_C_IDENTIFIER ${name} group)
  string(TOUPPER ${group} GROUP)
  set(CPACK_COMPONENT_GROUP_${GROUP}_DESCRIPTION "${description}")
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${GROUP}_DESCRIPTION "${description}")
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_DEPENDS "${deb_DEPENDS}")
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_RECOMMENDS "${deb_RECOMMENDS}")
  set(CPACK_DEBIAN_${GROUP}_PACKAGE_SHLIBDEPS ${deb_SHLIBDEPS})
  set(CPACK_VKMOYE_${group}_BUILT_WITH ${deb_BUILT_WITH})
  foreach(component IN LISTS deb_COMPONENTS)
    string(TOUPPER ${component} COMPONENT)
    set(CPACK_COMPONENT_${COMPONENT}_GROUP ${group})
    list(APPEND CPACK_COMPONENTS_ALL ${component})
  endforeach()
  list(APPEND CPACK_VKMOYE_GROUPS ${group})
  set(CPACK_VKMOYE_${group}_PACKAGE ${name})
endmacro()

set(CPACK_COMPONENTS_ALL "")
set(fmt_package "")
set(embedded "")
if(VKMOYE_EMBED_FMT)
  set(embedded libfmt-dev)
else()
  set(fmt_package ", libfmt-dev")
endif()
set(runtime_embeds libvulkan-memory-allocator-dev libxxhash-dev nlohmann-json3-dev ${embedded})
set(c_package "")
if(VKMOYE_BUILD_C)
  get_target_property(c_major vkmoye_c SOVERSION)
  deb_package(libvkmoye-c${c_major} libs
    "runs GPU kernels through Vulkan (shared library)
libvkmoye_c loads kernels that vkmoye-bench compiled, and records or runs
them on a device with Vulkan 1.2. It opens Vulkan's loader at run time."
    COMPONENTS c_library SHLIBDEPS RECOMMENDS libvulkan1 BUILT_WITH ${runtime_embeds})
  set(c_package "libvkmoye-c${c_major} (= ${PROJECT_VERSION}), ")
endif()
deb_package(libvkmoye-dev libdevel
  "runs GPU kernels through Vulkan (development files)
Headers and libraries of vkmoye's layouts and of its runtime, which records
or runs kernels from C++ and C; for CMake and pkg-config."
  COMPONENTS runtime DEPENDS "${c_package}libvulkan-dev${fmt_package}" RECOMMENDS libvulkan1
  BUILT_WITH ${runtime_embeds})
if(VKMOYE_BUILD_GENERATOR)
  set(generator_components generator)
  if(VKMOYE_BUILD_TOOLS)
    list(APPEND generator_components bench)
  endif()
  set(compile_package "")
  if(TARGET vkmoye_compile)
    get_target_property(compile_major vkmoye_compile SOVERSION)
    deb_package(libvkmoye-compile${compile_major} libs
      "compiles GPU kernels for Vulkan (shared library)
libvkmoye_compile makes kernels when a program needs them, which libvkmoye_c
then runs. It needs no device. Descriptions of devices are in vkmoye-bench."
      COMPONENTS compile_library SHLIBDEPS RECOMMENDS vkmoye-bench
      BUILT_WITH ${runtime_embeds} libcli11-dev spirv-tools)
    set(compile_package ", libvkmoye-compile${compile_major} (= ${PROJECT_VERSION})")
  endif()
  deb_package(libvkmoye-gen-dev libdevel
    "describes GPU kernels by layouts (development files)
Headers and libraries of vkmoye's generator, which turns descriptions of
kernels into verified GLSL and SPIR-V, of libvkmoye_compile, and of the
benchmark vkmoye::bench."
    COMPONENTS ${generator_components}
    DEPENDS "libvkmoye-dev (= ${PROJECT_VERSION})${compile_package}, libisl-dev, libshaderc-dev, spirv-tools"
    BUILT_WITH libxxhash-dev nlohmann-json3-dev libcli11-dev ${embedded})
endif()
if(VKMOYE_BUILD_TOOLS)
  deb_package(vkmoye-bench utils
    "verifies, times and explains GPU kernels on Vulkan
The command vkmoye-bench runs kernels of vkmoye on the data of NumPy files,
compiles them for programs, checks their results, measures their speed, and
shows what each memory access costs. With its manual page and completions."
    COMPONENTS tools SHLIBDEPS RECOMMENDS libvulkan1
    BUILT_WITH ${runtime_embeds} libcli11-dev spirv-tools)
endif()
include(CPack)
