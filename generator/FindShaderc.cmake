# SPDX-License-Identifier: MIT
# Finds shaderc, from the Vulkan SDK that VULKAN_SDK names or from the system: target Shaderc::shaderc.
find_path(SHADERC_INCLUDE_DIR shaderc/shaderc.hpp HINTS $ENV{VULKAN_SDK}/include)
find_library(SHADERC_LIBRARY NAMES shaderc_shared shaderc HINTS $ENV{VULKAN_SDK}/lib)
mark_as_advanced(SHADERC_INCLUDE_DIR SHADERC_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Shaderc REQUIRED_VARS SHADERC_LIBRARY SHADERC_INCLUDE_DIR)

if(Shaderc_FOUND AND NOT TARGET Shaderc::shaderc)
  add_library(Shaderc::shaderc UNKNOWN IMPORTED)
  set_target_properties(Shaderc::shaderc PROPERTIES
    IMPORTED_LOCATION ${SHADERC_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${SHADERC_INCLUDE_DIR})
endif()
