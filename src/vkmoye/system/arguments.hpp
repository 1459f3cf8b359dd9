// SPDX-License-Identifier: MIT
#pragma once
// The arguments of the program, in UTF-8.

#include <string>
#include <vector>

namespace vkmoye::system {

/// What main got as `argc` and `argv`. Windows converts these to the code page of the machine, which lacks most
/// letters. If they are the program's own arguments, they are read from its command line instead.
std::vector<std::string> arguments_of_main(int argc, const char* const* argv);

}  // namespace vkmoye::system
