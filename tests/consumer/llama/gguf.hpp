// SPDX-License-Identifier: MIT
#pragma once
// Reads GGUF files, version 3 (and 2, which differs from it in nothing that matters here), little-endian:
//
//   "GGUF" | version u32 | tensors u64 | values u64          the header
//   key, type u32, value                                     for each value of the metadata
//   name, rank u32, extents u64 .., type u32, offset u64     for each tensor; extents[0] is contiguous
//   .. padding to general.alignment, 32 by default ..
//   the tensors; offsets are relative to this place
//
// A string is its length, u64, and its bytes. Specification: ggml, docs/gguf.md.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <variant>
#include <vector>
#include <vkmoye/contract/scalar_type.hpp>
#include <vkmoye/gen/kernels/common/weight_format.hpp>

namespace llama {

/// A type of a tensor's elements. The numbers are those of ggml's enum ggml_type.
struct TensorType {
  std::string name;
  std::uint32_t number;
  std::uint64_t block_elements, block_bytes;
  /// Of the elements; kWeightType for blocks.
  vkmoye::ScalarType scalar;
  /// The format of its blocks; null for elements.
  const vkmoye::gen::WeightFormat* blocks;
};

/// f32, f16, bf16, and the formats of blocks that vkmoye has in common with ggml.
const std::vector<TensorType>& tensor_types();
/// The one of that name; throws std::runtime_error if there is none.
const TensorType& tensor_type(const std::string& name);

struct FileTensor {
  std::string name;
  const TensorType* type;
  std::vector<std::uint64_t> extents;  // the first one is contiguous
  std::span<const std::byte> bytes;    // in the file

  std::uint64_t elements() const;
};

/// The decoded elements, in the order of memory.
std::vector<double> numbers_of(const FileTensor& tensor);

/// A value of metadata: a whole number of any type, f32 or f64, bool, a string, or an array. Arrays of numbers of any
/// type, and of bool as 0 and 1, are `Numbers`; whole numbers beyond 2^53 are rounded there.
using Numbers = std::vector<double>;
using Texts = std::vector<std::string>;
using Value = std::variant<std::int64_t, double, bool, std::string, Numbers, Texts>;

struct Gguf {
  std::map<std::string, Value> values;
  std::map<std::string, FileTensor> tensors;
};

/// Throws std::runtime_error with the reason if `file` is truncated or malformed. The tensors point into `file`.
Gguf parse_gguf(std::span<const std::byte> file);

/// A file, mapped into memory.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace llama
