// SPDX-License-Identifier: MIT
#pragma once
// Writes GGUF files of version 3; see gguf.hpp for their parts.
//
//   GgufWriter file;
//   file.set("llama.block_count", std::uint32_t{2});
//   file.add("output_norm.weight", {256}, tensor_type("f32"), numbers);
//   const std::vector<std::byte> bytes = file.bytes();

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gguf.hpp"

namespace llama {

class GgufWriter {
 public:
  void set(const std::string& key, std::uint32_t value);
  void set(const std::string& key, float value);
  void set(const std::string& key, const std::string& value);
  void set(const std::string& key, const std::vector<std::string>& values);
  /// Whole numbers as u32, others and those of arrays as f32.
  void set(const std::string& key, const Value& value);

  /// `numbers`, in the order of memory, are rounded to `type`. The first of `extents` is contiguous.
  void add(const std::string& name, const std::vector<std::uint64_t>& extents,
           const TensorType& type, std::span<const double> numbers);

  std::vector<std::byte> bytes() const;

 private:
  using Bytes = std::vector<std::byte>;
  Bytes values_, infos_, data_;
  std::uint64_t value_count_ = 0, tensor_count_ = 0;
};

}  // namespace llama
