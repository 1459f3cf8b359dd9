// SPDX-License-Identifier: MIT
#pragma once
// What the program is called, for all that it says: ours is vkmoye-bench, a user's is not.

#include <string>
#include <string_view>

namespace vkmoye::bench {

/// Takes the name of the program from what it was started as. Once, before anything is said.
///
///   name_program("/opt/bin/own_bench")    own_bench: cannot ..
void name_program(std::string_view started_as);

/// "vkmoye-bench" until it was named.
const std::string& program_name();

/// `text` as this program says it: its own name in place of each "vkmoye-bench".
std::string in_own_name(std::string_view text);

/// Writes the program's name, what it says and a new line to stderr: "vkmoye-bench: TEXT".
void complain(std::string_view text);

}  // namespace vkmoye::bench
