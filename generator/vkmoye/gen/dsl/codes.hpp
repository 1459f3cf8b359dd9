// SPDX-License-Identifier: MIT
#pragma once
// Views of codes: numbers of a few bits, several in each word of an array, as quantised weights are stored.
//
//   weight: u32 (word, row), 8 codes of 4 bits in a word, the first in the lowest bits
//   Codes codes = k.unsigned_codes(tile(weight, {64, 1}, {part, row}), 4);     // (512, 1)
//   Codes mine = tile(codes, {16, 1}, {k.thread() % 32, 0});                   // (16, 1): two words
//   k.copy(mine, weights);                                                     // registers of 16 numbers
//
// A view of words becomes a view of codes, whose layouts count codes. It is split like any other view, and its values
// may have any order within a word: composition(block, (16,2):(2,1)) reads bytes that contain the codes i and i + 16. A
// copy loads each word once, unless it is in registers, and extracts its codes there, so a thread must begin at a whole
// word. Accesses are in words, and are verified like all others. The last word of a row may contain codes that belong
// to no number of the row.
//
// There are no stores of single codes: two invocations could write into one word. Let one invocation compute a whole
// word (pack_bits in functions.hpp), and store that.

#include <cstdint>
#include <vector>

#include "vkmoye/gen/dsl/view.hpp"

namespace vkmoye::gen {

/// Codes of `bits` bits; code c along axis 0 of `view` is part c % per_word of word c / per_word.
/// Made by Builder::unsigned_codes and Builder::signed_codes.
struct Codes {
  View view;
  std::uint32_t bits = 4, per_word = 8;
  bool is_signed = false;  // whether the last bit of a code is its sign

  /// Codes of the same kind in the words of another view.
  Codes with(View other) const { return {std::move(other), bits, per_word, is_signed}; }
};

/// The functions of view.hpp, in which extents and coordinates count codes.
inline Codes tile(const Codes& codes, const IntTuple& extents, const std::vector<Expr>& at) {
  return codes.with(tile(codes.view, extents, at));
}
inline Codes parallelize(const Codes& codes, const Layout& threads, const Expr& thread) {
  return codes.with(parallelize(codes.view, threads, thread));
}
inline Codes parallelize(const Codes& codes, const Layout& threads, const Expr& thread,
                         const IntTuple& projection) {
  return codes.with(parallelize(codes.view, threads, thread, projection));
}
inline Codes partition(const Codes& codes, const TiledCopy& copy, const Expr& thread) {
  return codes.with(partition(codes.view, copy, thread));
}
inline Codes composition(const Codes& codes, const Layout& layout) {
  return codes.with(composition(codes.view, layout));
}
inline Codes slice(const Codes& codes, const IntTuple& coordinate) {
  return codes.with(slice(codes.view, coordinate));
}
inline Codes select(const Codes& codes, int mode, const Expr& index) {
  return codes.with(select(codes.view, mode, index));
}
inline Codes permute(const Codes& codes, const std::vector<int>& order) {
  return codes.with(permute(codes.view, order));
}
inline Codes transpose(const Codes& codes) { return codes.with(transpose(codes.view)); }

/// The view of `words`, an array whose words have `per_word` codes, in codes: its first mode has `per_word` times as
/// many values.
View in_codes(const View& words, std::uint32_t per_word);

/// The words that contain the values of a view of codes, and the places of these values in them.
struct CodePlaces {
  View words;  // each word once
  /// Map each value, in the shape of the view of codes, to its word in `words`, and to its number in that word.
  Layout word, place;
  std::uint32_t first = 0;  // to be added to `place`
};

/// Throws LayoutError if the values of a thread do not begin at a whole word, or at a number that is known, and if
/// they are not at the same places of each word.
CodePlaces places_of(const Codes& codes);

}  // namespace vkmoye::gen
