// SPDX-License-Identifier: MIT
#pragma once
// The parts of the test. Each returns how many of its checks failed.

#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "model.hpp"
#include "random_model.hpp"

namespace llama {

/// Says that the check `what` failed with `got`, which is "" for a model that is taken. Returns 1.
int failed(const std::string& what, const std::string& got);

/// The error that `action` throws; "" if it throws none.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
    return "";
  } catch (const std::exception& error) {
    return error.what();
  }
}
/// Whether the error `got` lacks `reason`, as 0 or 1; then says so.
int lacks(const std::string& got, const std::string& reason);

/// One layer of 64 elements, of q4_0.
RandomModel small_model();

/// A random model, read from its file.
struct ReadModel {
  explicit ReadModel(const RandomModel& random)
      : file(random_model(random)), gguf(parse_gguf(file)), model(model_of(gguf)) {}

  const std::vector<std::byte> file;
  const Gguf gguf;
  const Model model;
};
void write_file(const std::string& path, const std::vector<std::byte>& file);

/// The reason why `file` is refused; empty if it is a model.
std::string refusal(const std::vector<std::byte>& file);

/// Malformed and unsuitable files are refused, with the reason.
int check_files();

/// Keys that change what a model computes are read, or refused by their names.
int check_keys();

/// Matrices that share an array are packed, part by part, as they would be as one matrix; those that cannot share one
/// do not. On the host, for matrix units of which none may be at hand.
int check_matrices();

/// Tokenizers of random vocabularies join pieces as defined, and random texts come back.
int check_tokenizers();

/// That, and words, special pieces and characters; vocabularies that this program would read wrongly are refused.
/// Unless `folder` is empty, text.gguf is written there: a model with a tokenizer, which says an end as the third token
/// after token 1.
int check_text(const std::string& folder);

/// Tokens are drawn with their probabilities, and the same ones for the same seed.
int check_sampling();

/// The model stories260K of `folder`, whose heads have 8 elements, continues its first token as expected_bos.json says;
/// a prompt in parts and activations of f16 lead to the same. Where there is no such folder, nothing is checked.
int check_real_model(const std::string& folder);

}  // namespace llama
