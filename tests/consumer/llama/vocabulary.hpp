// SPDX-License-Identifier: MIT
#pragma once
// The keys tokenizer.ggml.* of a file, checked.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gguf.hpp"

namespace llama {

/// The numbers are those of tokenizer.ggml.token_type.
enum class PieceKind {
  normal = 1,
  unknown,       // stands for text that has no token
  control,       // such as the beginning of a text: it is printed as nothing
  user_defined,  // taken from a text before anything else
  unused,
  byte  // "<0x0A>"
};

struct Vocabulary {
  bool is_bpe = false;  // else SPM
  std::vector<std::string> pieces;
  std::vector<PieceKind> kinds;
  std::vector<double> scores;       // SPM
  std::vector<std::string> merges;  // BPE: "left right", the first one joined first
  std::string pre;                  // BPE: the name of what cuts a text into words
  std::optional<std::uint32_t> bos, eos, unknown;
  std::optional<bool> adds_bos, adds_eos;
  bool adds_space = true;  // SPM: a text begins with a blank
};

/// Throws std::runtime_error, with all reasons, if the file has no tokenizer of these kinds, or one with
/// contradictions.
Vocabulary vocabulary_of(const Gguf& gguf);

/// The tokens that end a text or an answer: those that the file calls so, and those whose pieces are commonly used so,
/// such as "<|im_end|>". Of any kind of tokenizer, also of none.
std::set<std::uint32_t> ends_of(const Gguf& gguf);

}  // namespace llama
