// SPDX-License-Identifier: MIT
#include "io/device_file_name.hpp"

namespace vkmoye::bench {

std::string device_file_name(const std::string& device) {
  std::string name;
  for (const char c : device) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  return name;
}

}  // namespace vkmoye::bench
