// SPDX-License-Identifier: MIT
#pragma once
// Text to tokens and back, by the vocabulary in the file. With that of stories260K, of SPM, whose pieces have U+2581
// for a blank:
//
//   "Once upon"  ->  1, 403, 407      the beginning, " Once", " upon"
//
// Control, user-defined and unknown pieces in a text, such as "<|im_start|>", become their tokens, the longest pieces
// first. What lies between them is cut by SPM into characters, by BPE into words (pre_tokenizer.hpp) and bytes, which
// are joined (merges.hpp). What is no piece then becomes tokens of its bytes.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gguf.hpp"
#include "pre_tokenizer.hpp"
#include "vocabulary.hpp"

namespace llama {

class Tokenizer {
 public:
  /// Throws std::runtime_error with the reasons if text cannot be read by this file.
  explicit Tokenizer(const Gguf& gguf);
  Tokenizer(const Tokenizer&) = delete;

  /// With the tokens of the beginning and the end of a text if the file asks for them. `text` may have bytes that are
  /// no UTF-8. Throws std::runtime_error if it has a character for which the vocabulary has no token.
  std::vector<std::uint32_t> encode(std::string_view text) const;
  /// The text of a token: "" if it is a control token. Characters may be split between tokens (TextStream).
  const std::string& text_of(std::uint32_t token) const;
  std::size_t size() const { return texts_.size(); }

 private:
  using Tokens = std::vector<std::uint32_t>;
  std::string piece_text(std::size_t token) const;
  void append_spm(std::string_view text, bool is_after_special, Tokens& out) const;
  void append_bpe(std::string_view text, Tokens& out) const;
  void append_bytes(std::string_view bytes, Tokens& out) const;

  Vocabulary vocabulary_;
  std::optional<PreTokenizer> pre_tokenizer_;  // BPE
  std::unordered_map<std::string_view, std::uint32_t> tokens_;
  std::unordered_map<std::string_view, std::size_t> ranks_;  // BPE, by "left right"
  std::array<std::optional<std::uint32_t>, 256> byte_tokens_;
  std::vector<std::uint32_t> specials_;  // the longest first
  std::vector<std::string> texts_;
};

}  // namespace llama
