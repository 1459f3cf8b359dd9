// SPDX-License-Identifier: MIT
#pragma once
// The keys of a file, so that none that changes what a model computes is passed over.
//
//   Keys keys(gguf);
//   const std::uint32_t layers = keys.count(".block_count");   // of the architecture: llama.block_count, ..
//   keys.refuse_others();     keys that were not read
//   keys.throw_if_refused();
//
// A key is read; or it has a value that changes nothing (llama.attention.causal is true); or it never changes what is
// computed (llama.expert_used_count); or the file is refused, with the names of all such keys. The keys of a model have
// the name of its architecture before a point: names that begin with a point stand for those. Keys of other groups,
// such as general and tokenizer, describe the model and its text.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gguf.hpp"

namespace llama {

/// Throws std::runtime_error with all of `reasons`, if there are any.
void throw_if_any(const std::vector<std::string>& reasons);

class Keys {
 public:
  explicit Keys(const Gguf& gguf) : gguf_(gguf), architecture_(text("general.architecture", "")) {}

  const std::string& architecture() const { return architecture_; }
  /// The whole name of a key.
  std::string name(const std::string& key) const {
    return key.front() == '.' ? architecture_ + key : key;
  }

  /// The value of a key, or `otherwise` if it is missing. A value of another type, or out of range, is refused, and so
  /// is a missing key without `otherwise`; the result is then `otherwise` or 0.
  std::string text(const std::string& key, const std::string& otherwise);
  std::uint32_t count(const std::string& key, std::optional<std::uint32_t> otherwise = {});
  double real(const std::string& key, std::optional<double> otherwise = {});  // finite, from 0 on
  double positive(const std::string& key, double otherwise);                  // finite, above 0
  bool has(const std::string& key) const { return gguf_.values.count(name(key)) != 0; }

  void refuse(const std::string& reason) { reasons_.push_back(reason); }
  /// The keys that were not read and may change what the model computes.
  void refuse_others();
  bool is_refused() const { return !reasons_.empty(); }
  void throw_if_refused() const { throw_if_any(reasons_); }

 private:
  const Value* find(const std::string& key);
  std::string quoted(const std::string& key) const;

  const Gguf& gguf_;
  std::set<std::string> read_;
  std::vector<std::string> reasons_;
  std::string architecture_;
};

}  // namespace llama
