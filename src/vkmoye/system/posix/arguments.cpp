// SPDX-License-Identifier: MIT
#include "vkmoye/system/arguments.hpp"

namespace vkmoye::system {

std::vector<std::string> arguments_of_main(int argc, const char* const* argv) {
  return {argv, argv + argc};
}

}  // namespace vkmoye::system
