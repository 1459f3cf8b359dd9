# SPDX-License-Identifier: MIT
# A port of the repository that it is in: vcpkg install vkmoye --overlay-ports=tools/packages/vcpkg
# The static libraries of layouts and of the runtime. libvkmoye_c, which is always shared, is not in it, nor is the
# generator, which needs isl.
vcpkg_check_linkage(ONLY_STATIC_LIBRARY)
get_filename_component(source "${CURRENT_PORT_DIR}/../../.." ABSOLUTE)

vcpkg_cmake_configure(
  SOURCE_PATH "${source}"
  OPTIONS -DVKMOYE_BUILD_GENERATOR=OFF -DVKMOYE_BUILD_C=OFF -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=20)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/vkmoye)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share"
     "${CURRENT_PACKAGES_DIR}/share/doc")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE")
