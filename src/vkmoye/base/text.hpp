// SPDX-License-Identifier: MIT
#pragma once
// Small text helpers shared by messages and printers.

#include <string>
#include <string_view>
#include <vector>

namespace vkmoye {

/// `join({"a","b"}, ", ")` is "a, b".
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The parts of `text` between separators: "a,b" -> {"a", "b"}, "" -> {""}.
std::vector<std::string> split(std::string_view text, char separator);

/// "SUBJECT: REASON"; for several reasons, "SUBJECT:" and a line "  - REASON" for each.
std::string with_reasons(std::string_view subject, const std::vector<std::string>& reasons);

/// ASCII letters in lower case.
std::string lower_case(std::string_view text);

/// `text` with control characters, including line ends and tabs, replaced by spaces.
std::string in_one_line(std::string text);

/// Every non-empty line of `text` moved right by `spaces`.
std::string indent(std::string_view text, int spaces);

/// `text` with right-aligned line numbers from 1, for error reports.
std::string number_lines(std::string_view text);

/// The candidate that a user who typed `word` most likely meant, or "" if none is close
/// (edit distance at most a third of the word's length, and at least 1; swapping two neighbours counts as one edit,
/// and another case as none).
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace vkmoye
