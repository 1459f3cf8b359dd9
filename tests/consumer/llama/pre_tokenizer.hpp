// SPDX-License-Identifier: MIT
#pragma once
// Cuts a text into words, inside of which BPE joins bytes: with llama-bpe, "It's 1234\n" is
//
//   It | 's |   | 123 | 4 | \n
//
// Each is one or several regular expressions as its model's tokenizer.json publishes them, matched by PCRE2 with its
// classes of Unicode characters. Matches are words, and so is what lies between two matches; a further expression cuts
// the words of the one before it.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace llama {

class PreTokenizer {
 public:
  /// By the name in tokenizer.ggml.pre. Throws std::runtime_error, which lists the known ones, if it is unknown.
  explicit PreTokenizer(const std::string& name);

  /// The words of `text`, which together are the text. Bytes that are no UTF-8 are words of their own.
  std::vector<std::string_view> words(std::string_view text) const;
  /// Whether a word that is a piece is a token even if no merges lead to it.
  bool takes_whole_words() const { return takes_whole_words_; }
  /// Whether a text begins with a token of its own if the file does not say so.
  bool adds_bos() const { return adds_bos_; }

 private:
  struct Expression;

  std::vector<std::shared_ptr<const Expression>> expressions_;
  bool takes_whole_words_ = false, adds_bos_ = false;
};

}  // namespace llama
