// SPDX-License-Identifier: MIT
#pragma once
// The name of the program in its messages: vkmoye-bench, or that of a user's own program.

#include <string>
#include <string_view>

namespace vkmoye::bench {

/// Sets the name of the program from argv[0]. Call it once, before the first message.
///
///   name_program("/opt/bin/own_bench")    own_bench: cannot ..
void name_program(std::string_view started_as);

/// "vkmoye-bench" until name_program is called.
const std::string& program_name();

/// `text` with the name of this program in place of each "vkmoye-bench".
std::string with_program_name(std::string_view text);

/// Prints an error on stderr: "vkmoye-bench: TEXT".
void print_error(std::string_view text);

}  // namespace vkmoye::bench
