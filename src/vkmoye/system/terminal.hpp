// SPDX-License-Identifier: MIT
#pragma once
// Standard streams, and the terminals that they may lead to.

#include <cstddef>
#include <cstdint>

namespace vkmoye::system {

enum class Stream : std::uint8_t { input, output, error };

bool is_terminal(Stream stream);

/// The columns of its terminal; 0 if it leads to none, or to one that does not say.
std::size_t terminal_columns(Stream stream);

/// Whether the terminal understands the escape sequences of ECMA-48, such as colours; turns them on where that is
/// needed. Precondition: it is a terminal.
bool has_escape_sequences(Stream stream);

/// A program calls this when it begins. A standard stream that is closed would be reused for the next file that is
/// opened, so that a report went into that file: it leads nowhere instead, and standard output stays unwritable.
/// Exceeding a limit of file sizes becomes an error of a write, and does not end the program. On Windows, output is
/// UTF-8 until the program ends, and its lines end as on POSIX.
void prepare_standard_streams();

}  // namespace vkmoye::system
