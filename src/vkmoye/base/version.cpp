// SPDX-License-Identifier: MIT
#include "vkmoye/base/version.hpp"

namespace vkmoye {

std::string_view version() { return VKMOYE_VERSION; }

}  // namespace vkmoye
