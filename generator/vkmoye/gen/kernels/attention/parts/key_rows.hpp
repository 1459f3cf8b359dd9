// SPDX-License-Identifier: MIT
#pragma once
// How rows of keys or of values lie in memory, and how threads read them: elements, or blocks of codes and scales
// (common/weight_format.hpp). A row has `width / vector` parts of `vector` elements, which one thread reads.
//
//   64 f16                  8 parts of 8 elements, each an access of 16 bytes
//   64 of q8_0, 8 a part    68 bytes:   scale | part 0 | .. | part 3 | scale | part 4 | .. | part 7
//   64 of q4_0, 8 a part    36 bytes; part 1 has bytes 4 to 7 of the codes: elements 4 5 6 7 20 21 22 23
//
// Places are the elements in the order of the parts: place 8 of q4_0 is element 4. Blocks begin at multiples of 2
// bytes, so that they are read in words of 16 bits, of type u16.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

struct KeyRows {
  const WeightFormat* format = nullptr;  // null: elements
  std::int64_t width = 64;
  std::int64_t vector = 8;  // elements of a part

  std::int64_t parts() const { return width / vector; }
  /// Consecutive elements at consecutive places.
  std::int64_t run() const;
  /// What a thread holds of a part before it is decoded, in registers of 32 bits, if elements have `bytes`.
  std::int64_t registers(std::int64_t bytes) const;
  /// Elements (width, ..) at their places.
  View at_places(const View& elements) const;
};

/// The fewest elements of a part of blocks: those of 32 bits of codes.
inline std::int64_t min_part(const WeightFormat& format) { return 32 / format.code.bits(); }

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

/// A thread's parts of a tile of keys or values, between memory and f32.
class KeyParts {
 public:
  /// Declares registers for parts of `tile`, rows in memory: `prefix` and `name`, and for blocks scales_of_`name` and
  /// minima_of_`name`. `builder` must outlive this object.
  KeyParts(Builder& builder, const std::string& name, const KeyRows& rows, ScalarType type,
           const View& tile, const KeyThreads& by, const std::string& prefix = "read_");

  /// Loads the parts of `tile`, rows in memory; 0 outside the buffer. With `round`, `tile` is one key, which becomes
  /// key number `round` of the thread.
  void load(const View& tile, const KeyThreads& by, const std::optional<Expr>& round = {});
  /// elements <- the parts in f32: (vector, parts, keys).
  void decode(const View& elements) const;

  /// The parts as they were loaded.
  const View& read() const { return read_; }

 private:
  View words(const View& tile, std::int64_t at, std::int64_t count) const;

  Builder& builder_;
  KeyRows rows_;
  View read_;
  std::vector<View> scales_;  // of blocks: the words of scales, and of minima
};

}  // namespace vkmoye::gen
