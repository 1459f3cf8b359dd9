// SPDX-License-Identifier: MIT
#pragma once
// Random inputs of attention, and rows of its arrays in either order of axes.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/numbers/hard.hpp"

namespace vkmoye::gen {

/// The number of keys of an entry of the batch in random problems with lengths, whatever their seed.
std::int64_t length_of(const AttentionCall& call, std::int64_t entry);

/// The number of the page with the keys from place * page on of an entry: pages are shared if fewer are stored than the
/// batch uses. If no key of the page counts, a number that belongs to no page.
std::int64_t page_of(const AttentionCall& call, std::int64_t entry, std::int64_t place);

/// A row of a head in an array (batch, heads, rows, width) or (batch, rows, heads, width): where its elements begin.
std::uint64_t begin_of_row(AttentionOrder order, std::int64_t heads, std::int64_t rows,
                           std::int64_t width, std::int64_t entry, std::int64_t head,
                           std::int64_t row);

/// Random inputs, reproducible from a seed. A quarter of a mask is -infinity. Keys and values beyond the length of
/// their entry, or in no page of one, are NaN.
class AttentionData {
 public:
  /// `hard`: rows of hard numbers, see numbers/hard.hpp.
  AttentionData(const AttentionCall& call, ScalarType type, std::uint64_t seed, bool hard = false);

  /// The bytes of each input, in the order of arrays_of.
  const std::vector<std::vector<std::byte>>& inputs() const { return inputs_; }

  /// Rows of q, k and v.
  void load_query(std::int64_t entry, std::int64_t head, std::int64_t query,
                  std::span<double> out) const;
  /// All keys, or all values, of a head of K and V: those of one key after those of another.
  void load_keys(std::int64_t entry, std::int64_t head, std::span<double> out) const;
  void load_values(std::int64_t entry, std::int64_t head, std::span<double> out) const;
  /// The mask of a query.
  void load_mask(std::int64_t entry, std::int64_t head, std::int64_t query,
                 std::span<double> out) const;
  double slope(std::int64_t head) const { return number("slopes", head); }
  double sink(std::int64_t head) const { return number("sinks", head); }

 private:
  std::size_t place_of(const char* name) const;
  double number(const char* name, std::int64_t head) const;
  // K or V.
  struct Rows {
    std::size_t which;
    AttentionOrder order;
    std::int64_t width;
    const WeightFormat* format;
    std::int64_t of_row;  // elements of a row in memory, of which the first `width` count
  };
  Rows keys() const {
    const AttentionForm& form = call_.form;
    return {1, form.orders.k, form.width, form.key_format, form.width};
  }
  Rows values() const {
    const AttentionForm& form = call_.form;
    return {form.values_in_keys ? 1u : 2u, form.orders.v, form.value_width, form.value_format,
            form.values_in_keys ? form.width : form.value_width};
  }
  std::size_t begin_of(const Rows& rows, std::int64_t entry, std::int64_t head,
                       std::int64_t key) const;
  // Where keys lie: (entry, key), or (page, key in it), and how many there are of either.
  struct Place {
    std::int64_t entry, key;
  };
  Place place_of_key(std::int64_t entry, std::int64_t key) const;
  Place stored() const;
  void load_heads(const Rows& rows, std::int64_t entry, std::int64_t head,
                  std::span<double> out) const;
  void fill(std::size_t which, std::uint64_t seed);
  void fill_hard(std::size_t which, std::uint64_t seed);
  HardNumbers hard_numbers(const std::string& array) const;
  void fill_blocks(const Rows& rows, std::uint64_t seed);
  void poison(const Rows& rows);

  AttentionCall call_;
  ScalarType type_;
  bool hard_;
  std::uint64_t seed_;
  std::vector<AttentionArray> arrays_;
  std::vector<std::vector<std::byte>> inputs_;
};

}  // namespace vkmoye::gen
