// SPDX-License-Identifier: MIT
#pragma once
// Drivers on the shims of package mesa-drm-shim: devices that compile but execute nothing.

#include <filesystem>
#include <string>
#include <vector>

namespace vkmoye::test {

struct Shim {
  std::string missing;  // why there is no such device on this machine; "" if there is one
  std::vector<std::string> environment;  // the environment in which it is the only device
};

inline Shim shim(const std::string& gpu, const std::string& library, const std::string& manifest) {
  for (const std::string& file : {library, manifest}) {
    // The programs may have been copied to another machine.
    if (!std::filesystem::exists(file)) {
      return {"a file of package mesa-drm-shim or mesa-vulkan-drivers is missing: " +
                  (file.empty() ? "its place was not found by CMake" : file),
              {}};
    }
  }
  return {"", {gpu, "LD_PRELOAD=" + library, "VK_DRIVER_FILES=" + manifest}};
}

inline Shim radv_shim() { return shim("AMDGPU_GPU_ID=navi31", VKMOYE_DRM_SHIM, VKMOYE_RADV); }
inline Shim nvk_shim() { return shim("NOUVEAU_CHIPSET=172", VKMOYE_NOUVEAU_SHIM, VKMOYE_NVK); }

}  // namespace vkmoye::test
