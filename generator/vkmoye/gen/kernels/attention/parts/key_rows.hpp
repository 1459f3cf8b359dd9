// SPDX-License-Identifier: MIT
#pragma once
// How rows of keys or of values lie in memory, and how threads read them: elements, or blocks of codes and scales
// (common/weight_format.hpp). A row has `width / vector` parts of `vector` elements, which one thread reads.
//
//   64 f16                  8 parts of 8 elements, each an access of 16 bytes
//   64 of q8_0, 8 a part    68 bytes:   scale | part 0 | .. | part 3 | scale | part 4 | .. | part 7
//   64 of q4_0, 8 a part    36 bytes; part 1 has bytes 4 to 7 of the codes: elements 4 5 6 7 20 21 22 23
//   64 of q5_0, 8 a part    44 bytes; part 1 has elements as in q4_0, and their bits 4 at bits 4 to 7 of two words
//
// Places are the elements in the order of the parts: place 8 of q4_0 is element 4. Parts consist of whole words of the
// first field of codes; of other fields and numbers, each part reads the words that contain its bits. Blocks begin at
// multiples of 2 bytes, so that they are read in words of 16 bits, of type u16.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/kernels/common/weight_numbers.hpp"

namespace vkmoye::gen {

/// Bits of a number of a format in words of 16 bits.
struct FieldOfPart {
  NamedNumber named;
  BitField field;
  FieldInWords at;  // (place in a part, part of a block) -> word of the block, and bit

  /// Words of a part, as many as from the first to the last one that it needs.
  std::int64_t words() const { return cosize(at.word.mode(0)); }
};

struct KeyRows {
  const WeightFormat* format = nullptr;  // null: elements
  std::int64_t width = 64;
  std::int64_t vector = 8;  // elements of a part

  std::int64_t parts() const { return width / vector; }
  /// (place in a part, part of a block) -> element of the block.
  Layout order() const;
  /// The bits of the codes, then those of other numbers, of which none is wider than a word.
  std::vector<FieldOfPart> fields() const;
  /// Consecutive elements at consecutive places.
  std::int64_t run() const;
  /// What a thread holds of a part before it is decoded, in registers of 32 bits, if elements have `bytes`.
  std::int64_t registers(std::int64_t bytes) const;
  /// Elements (width, ..) at their places.
  View at_places(const View& elements) const;
};

/// The fewest elements of a part of blocks: those of 32 bits of the first field of codes. The most: what a thread holds
/// in registers when they are decoded.
inline std::int64_t min_part(const WeightFormat& format) {
  return std::min<std::int64_t>(format.elements, 32 / format.code.fields.front().bits);
}
inline std::int64_t max_part(const WeightFormat& format) {
  return std::min<std::int64_t>(format.elements, 32);
}

/// Rows whose parts have as many elements as one access, or as a few words of codes, but not more than leave each of
/// `threads` threads a part.
KeyRows key_rows(const WeightFormat* format, ScalarType type, std::int64_t width,
                 std::int64_t threads);

/// Threads that share keys, and others that read other keys: thread t reads each part p of its keys for which
/// p % threads_per_key is t % threads_per_key.
struct KeyThreads {
  Layout threads;  // (threads_per_key, keys)
  Expr thread;

  /// The thread's part of a view (elements, keys): (vector, parts, keys).
  View part(const View& view, std::int64_t vector) const;
};

/// What decodes keys and values in blocks. If both have the same format, they share its table of numbers.
class KeyNumbers {
 public:
  /// Declares the tables in shared memory that the formats need. Null: elements. `builder` must outlive this object.
  KeyNumbers(Builder& builder, const WeightFormat* of_k, const WeightFormat* of_v);
  KeyNumbers(const KeyNumbers&) = delete;

  /// Fills the tables. All invocations must pass a barrier before parts are decoded.
  void fill_tables();
  bool has_tables() const;
  /// Null for elements.
  WeightNumbers* k() { return k_ ? &*k_ : nullptr; }
  WeightNumbers* v() { return v_ ? &*v_ : is_shared_ ? k() : nullptr; }

 private:
  bool is_shared_;
  std::optional<WeightNumbers> k_, v_;
};
/// The bytes of these tables.
std::int64_t bytes_of_tables(const WeightFormat* of_k, const WeightFormat* of_v);

/// A thread's parts of a tile of keys or values, between memory and f32.
class KeyParts {
 public:
  /// Declares registers for parts of `tile`, rows in memory: `prefix` and `name`, and for blocks scales_of_`name` and
  /// the like. `numbers` decodes blocks. `builder` and `numbers` must outlive this object.
  KeyParts(Builder& builder, const std::string& name, const KeyRows& rows, ScalarType type,
           const View& tile, const KeyThreads& by, WeightNumbers* numbers,
           const std::string& prefix = "read_");

  /// Loads the parts of `tile`, rows in memory; 0 outside the buffer. With `round`, `tile` is one key, which becomes
  /// key number `round` of the thread.
  void load(const View& tile, const KeyThreads& by, const std::optional<Expr>& round = {});
  /// elements <- the parts in f32: (vector, parts, keys).
  void decode(const View& elements) const;

  /// The parts of elements as they were loaded.
  const View& read() const { return read_.front(); }

 private:
  View words(const View& tile, const FieldOfPart& field) const;
  View bits(const View& tile, const FieldOfPart& field, const KeyThreads& by) const;

  Builder& builder_;
  KeyRows rows_;
  WeightNumbers* numbers_;
  std::vector<FieldOfPart> fields_;  // of blocks
  std::vector<View> read_;  // elements, or the words of each field: (vector or words, parts, keys)
  View first_bits_;         // an axis for each field: (vector, parts, keys) -> bit of its word
};

}  // namespace vkmoye::gen
