// SPDX-License-Identifier: MIT
#pragma once
// Small vocabularies, as the keys of a file, for the tests of tokenizers.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gguf.hpp"
#include "tokenizer.hpp"
#include "vocabulary.hpp"

namespace llama {

using Tokens = std::vector<std::uint32_t>;

struct TestVocabulary {
  std::string model = "llama", pre = {};
  Texts pieces = {};
  Numbers kinds = {}, scores = {};
  Texts merges = {};
  std::vector<std::pair<std::string, Value>> keys = {};  // further ones

  /// Returns its token.
  std::uint32_t add(const std::string& piece, PieceKind kind = PieceKind::normal, double score = 0);
  Gguf file() const;
};

/// Of SPM: tokens 0 to 2 are <unk>, <s> and </s>, 3 to 258 bytes.
TestVocabulary spm_vocabulary();
/// Of BPE: tokens 0 to 255 are bytes.
TestVocabulary bpe_vocabulary(const std::string& pre);
/// What BPE has in place of these bytes, by GPT-2's definition.
std::string printable(std::string_view bytes);

/// "1,403,407"
std::string numbers_text(const Tokens& tokens);
/// What tokens print, one after the other.
std::string decoded(const Tokenizer& tokenizer, const Tokens& tokens);
/// Whether `got` is not `expected`, as 0 or 1; then says so.
int differs(const std::string& what, const std::string& got, const std::string& expected);

}  // namespace llama
