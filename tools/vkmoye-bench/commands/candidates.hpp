// SPDX-License-Identifier: MIT
#pragma once
// What may stand at the end of a command line that is being typed. The completion scripts of all shells call the
// program for it, so that they always know the options and kernels of the program that is typed:
//
//   vkmoye-bench completion words -- run gemm/simt --ver
//     --verify	full, sample or off

#include <optional>
#include <string>
#include <vector>

namespace vkmoye::bench {

struct Candidate {
  std::string word;
  std::string help;  // in one line; may be empty
};

struct Candidates {
  std::vector<Candidate> words;
  bool files = false;  // or the name of a file
};

/// The words after "completion words --", of which the last is being typed; nullopt: the command line is another.
std::optional<std::vector<std::string>> words_to_complete(const std::vector<std::string>& line);

/// What the last of `words` may become; the words before it are as typed, without the name of the program. Quotes are
/// ignored. For the value of "--format=js" as one word, candidates begin with "--format="; bash passes three words,
/// and candidates are values.
Candidates candidates_for(const std::vector<std::string>& words);

/// A line for each word, with a tab and its help if it has one; then ":files" if a file may stand there.
std::string completion_lines(const Candidates& candidates);

}  // namespace vkmoye::bench
