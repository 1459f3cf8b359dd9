// SPDX-License-Identifier: MIT
// Prints the version of the linked library; fails if the headers have another one.
#include <cstdio>
#include <string>
#include <vkmoye/base/version.hpp>
#include <vkmoye/runtime/device.hpp>

int main() {
  std::printf("%s\n", std::string(vkmoye::version()).c_str());
  return vkmoye::version() == VKMOYE_VERSION ? 0 : 1;
}
