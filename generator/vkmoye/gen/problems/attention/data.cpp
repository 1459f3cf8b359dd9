// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/attention/data.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::gen {

namespace {

constexpr double kLargestInBlocks = 2e3;  // of hard numbers: every format has a scale for them

}  // namespace

std::int64_t length_of(const AttentionCall& call, std::int64_t entry) {
  if (!call.form.lengths) return call.keys;
  const std::uint64_t bits = random_bits(0x1e9, static_cast<std::uint64_t>(entry));
  return static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(call.keys + 1));
}

std::int64_t page_of(const AttentionCall& call, std::int64_t entry, std::int64_t place) {
  const std::int64_t stored = call.stored_pages;
  if (place * call.form.page >= length_of(call, entry) || stored == 0) {
    return place % 2 == 0 ? -1 : stored;
  }
  // A step that has no divisor in common with the number of pages leads to each of them.
  std::int64_t step = stored * 5 / 8 + 1;
  while (std::gcd(step, stored) != 1) ++step;
  return (entry * call.pages() + place) % stored * step % stored;
}

std::uint64_t begin_of_row(AttentionOrder order, std::int64_t heads, std::int64_t rows,
                           std::int64_t width, std::int64_t entry, std::int64_t head,
                           std::int64_t row) {
  const std::int64_t number = order == AttentionOrder::bhsd ? (entry * heads + head) * rows + row
                                                            : (entry * rows + row) * heads + head;
  return static_cast<std::uint64_t>(number * width);
}

AttentionData::AttentionData(const AttentionCall& call, ScalarType type, std::uint64_t seed,
                             bool hard)
    : call_(call), type_(type), hard_(hard), seed_(seed), arrays_(arrays_of(call, type)) {
  for (const AttentionArray& array : arrays_) {
    if (array.is_result) continue;
    inputs_.emplace_back(array.bytes());
    fill(inputs_.size() - 1, random_bits(seed, inputs_.size() - 1));
  }
  poison(keys());
  poison(values());
}

void AttentionData::fill(std::size_t which, std::uint64_t seed) {
  for (const Rows& rows : {keys(), values()}) {
    if (rows.which == which && rows.format != nullptr) return fill_blocks(rows, seed);
  }
  const AttentionArray& array = arrays_[which];
  if (hard_ && array.name != "lengths" && array.name != "pages") return fill_hard(which, seed);
  const std::size_t width = size_of(array.type);
  std::vector<std::byte>& out = inputs_[which];
  for (std::uint64_t i = 0; i * width < out.size(); ++i) {
    const std::uint64_t bits = random_bits(seed, i);
    if (array.name == "lengths") {
      const std::int64_t length = length_of(call_, static_cast<std::int64_t>(i));
      store_number(array.type, static_cast<double>(length), &out[i * width]);
      continue;
    }
    if (array.name == "pages") {
      const auto place = static_cast<std::int64_t>(i);
      const std::int64_t page = page_of(call_, place / call_.pages(), place % call_.pages());
      store_number(array.type, static_cast<double>(page), &out[i * width]);
      continue;
    }
    double number = random_number(array.type, bits);
    // Scores of 64 products of numbers in [-2, 2) have a standard deviation of 11 before they are scaled.
    if (array.name == "q" || array.name == "k") number *= 2;
    if (array.name == "sinks" || array.name == "mask") number *= 4;
    const bool is_hidden = array.name == "mask" && random_bits(bits, 1) % 4 == 0;
    if (is_hidden) number = -std::numeric_limits<double>::infinity();
    store_number(array.type, number, &out[i * width]);
  }
}

// Most problems have scores of any size that a softmax can tell apart; some have any numbers.
HardNumbers AttentionData::hard_numbers(const std::string& array) const {
  const std::uint64_t bits = random_bits(seed_, ~std::uint64_t{0});
  const bool is_any = bits % 8 == 0;
  HardNumbers numbers;
  if (array == "q" || array == "k") {
    constexpr double kLargest[] = {2, 16, 0x1p10, 0x1p16};
    if (!is_any) numbers.largest = kLargest[bits / 8 % 4];
    numbers.nonfinite = is_any;
  } else if (array == "v") {
    numbers.nonfinite = is_any;
  } else {
    numbers.masks = true;
    numbers.nonfinite = false;
    if (array == "slopes") numbers = {.largest = 8, .nonfinite = false};
  }
  return numbers;
}

void AttentionData::fill_hard(std::size_t which, std::uint64_t seed) {
  const AttentionArray& array = arrays_[which];
  const std::size_t width = size_of(array.type);
  std::vector<std::byte>& out = inputs_[which];
  const bool is_q_or_k = array.name == "q" || array.name == "k";
  const std::int64_t row = is_q_or_k              ? call_.form.width
                           : array.name == "v"    ? call_.form.value_width
                           : array.name == "mask" ? call_.keys
                                                  : call_.heads;
  HardNumbers numbers = hard_numbers(array.name);
  numbers.type = array.type;
  const auto count = static_cast<std::int64_t>(out.size() / width);
  for (std::int64_t first = 0; row > 0 && first < count; first += row) {
    const HardLine line(numbers, random_bits(seed, static_cast<std::uint64_t>(first)), row);
    for (std::int64_t i = 0; i < std::min(row, count - first); ++i) {
      store_number(array.type, line[i], &out[static_cast<std::size_t>(first + i) * width]);
    }
  }
}

void AttentionData::fill_blocks(const Rows& rows, std::uint64_t seed) {
  std::vector<std::byte>& out = inputs_[rows.which];
  const auto elements = static_cast<std::size_t>(rows.format->elements),
             bytes = static_cast<std::size_t>(rows.format->bytes);
  std::vector<double> numbers(elements);
  for (std::size_t block = 0; block * bytes < out.size(); ++block) {
    const HardLine hard({.type = type_, .largest = kLargestInBlocks, .nonfinite = false},
                        random_bits(seed, block), rows.format->elements);
    for (std::size_t i = 0; i < elements; ++i) {
      const double number = random_number(type_, random_bits(seed, block * elements + i));
      numbers[i] = hard_             ? hard[static_cast<std::int64_t>(i)]
                   : rows.which == 1 ? 2 * number
                                     : number;
    }
    rows.format->quantise(*rows.format, numbers, std::span(out).subspan(block * bytes, bytes));
  }
}

AttentionData::Place AttentionData::place_of_key(std::int64_t entry, std::int64_t key) const {
  if (call_.form.page == 0) return {entry, key};
  return {page_of(call_, entry, key / call_.form.page), key % call_.form.page};
}

AttentionData::Place AttentionData::stored() const {
  if (call_.form.page == 0) return {call_.batch, call_.keys};
  return {call_.stored_pages, call_.form.page};
}

// The first byte of a row, of an entry or of a page.
std::size_t AttentionData::begin_of(const Rows& rows, std::int64_t entry, std::int64_t head,
                                    std::int64_t key) const {
  return begin_of_row(rows.order, call_.kv_heads, stored().key,
                      row_elements(rows.format, rows.of_row), entry, head, key) *
         size_of(arrays_[rows.which].type);
}

// What no kernel may use: NaN, of blocks as their scales.
void AttentionData::poison(const Rows& rows) {
  if (!call_.form.lengths && call_.form.page == 0) return;
  const auto bytes = static_cast<std::size_t>(row_elements(rows.format, rows.width)) *
                     size_of(arrays_[rows.which].type);
  const auto [entries, keys] = stored();
  std::vector<bool> is_used(static_cast<std::size_t>(entries * keys));
  for (std::int64_t entry = 0; entry < call_.batch; ++entry) {
    for (std::int64_t key = 0; key < length_of(call_, entry); ++key) {
      const Place at = place_of_key(entry, key);
      if (at.entry >= 0 && at.entry < entries) {
        is_used[static_cast<std::size_t>(at.entry * keys + at.key)] = true;
      }
    }
  }
  for (std::int64_t place = 0; place < entries * keys; ++place) {
    if (is_used[static_cast<std::size_t>(place)]) continue;
    for (std::int64_t head = 0; head < call_.kv_heads; ++head) {
      const auto row = std::span(inputs_[rows.which])
                           .subspan(begin_of(rows, place / keys, head, place % keys), bytes);
      std::fill(row.begin(), row.end(), std::byte{0xff});  // NaN in each type, and in scales
    }
  }
}

std::size_t AttentionData::place_of(const char* name) const {
  return static_cast<std::size_t>(
      std::find_if(arrays_.begin(), arrays_.end(),
                   [&](const auto& array) { return array.name == name; }) -
      arrays_.begin());
}

double AttentionData::number(const char* name, std::int64_t head) const {
  const std::size_t which = place_of(name);
  return load_number(
      arrays_[which].type,
      &inputs_[which][static_cast<std::size_t>(head) * size_of(arrays_[which].type)]);
}

void AttentionData::load_query(std::int64_t entry, std::int64_t head, std::int64_t query,
                               std::span<double> out) const {
  load_numbers(type_, inputs_[0].data(),
               begin_of_row(call_.form.orders.q, call_.heads, call_.queries, call_.form.width,
                            entry, head, query),
               1, out);
}

void AttentionData::load_heads(const Rows& rows, std::int64_t entry, std::int64_t head,
                               std::span<double> out) const {
  const auto count = static_cast<std::size_t>(rows.width);
  const std::span<const std::byte> data = inputs_[rows.which];
  for (std::int64_t key = 0; key < length_of(call_, entry); ++key) {
    const Place at = place_of_key(entry, key);
    const std::span<double> row = out.subspan(static_cast<std::size_t>(key) * count, count);
    if (at.entry < 0 || at.entry >= stored().entry) {  // in no page
      std::fill(row.begin(), row.end(), 0.0);
      continue;
    }
    const std::size_t begin = begin_of(rows, at.entry, head, at.key);
    if (rows.format == nullptr) {
      const ScalarType type = arrays_[rows.which].type;
      load_numbers(type, data.data(), begin / size_of(type), 1, row);
    } else {
      const auto numbers = dequantise(*rows.format, data.subspan(begin), rows.width);
      std::copy(numbers.begin(), numbers.end(), row.begin());
    }
  }
}

void AttentionData::load_keys(std::int64_t entry, std::int64_t head, std::span<double> out) const {
  load_heads(keys(), entry, head, out);
}

void AttentionData::load_values(std::int64_t entry, std::int64_t head,
                                std::span<double> out) const {
  load_heads(values(), entry, head, out);
}

void AttentionData::load_mask(std::int64_t entry, std::int64_t head, std::int64_t query,
                              std::span<double> out) const {
  const std::size_t which = place_of("mask");
  load_numbers(arrays_[which].type, inputs_[which].data(),
               begin_of_row(AttentionOrder::bhsd, call_.mask_heads, call_.queries, call_.keys,
                            std::min(entry, call_.mask_batch - 1),
                            std::min(head, call_.mask_heads - 1), query),
               1, out);
}

}  // namespace vkmoye::gen
