// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"
#include "vkmoye/gen/kernels/common/scheme_arrays.hpp"

namespace vkmoye::gen {
namespace {

using Names = std::vector<std::string>;

// The numbers of an array by weight.
class ArrayReader {
 public:
  ArrayReader(const FoundNumber& number, std::int64_t rows)
      : array_(*number.array),
        k_first_(number.place.k_first),
        k_(number.k),
        n_(number.n),
        rows_(rows) {
    for (std::int64_t i = 0; i < k_.inside; ++i) k_bits_.push_back(number.place.k(i));
    for (std::int64_t i = 0; i < n_.inside; ++i) n_bits_.push_back(number.place.n(i));
    if (product(array_.shape) == 1) matrix_ = 0;
  }
  // Bits from that number on. `n`: a row of any matrix.
  std::uint64_t operator()(std::int64_t k, std::int64_t n) const {
    const std::int64_t matrix = n / rows_ * matrix_;
    const std::int64_t of_k = k / k_.repeat, of_n = n % rows_ / n_.repeat;
    const std::int64_t at_k = of_k / k_.inside, at_n = of_n / n_.inside;
    const std::int64_t at =
        k_first_ ? at_k * n_.elements + at_n : (matrix * n_.elements + at_n) * k_.elements + at_k;
    return element_of(array_, at) >> (k_bits_[static_cast<std::size_t>(of_k % k_.inside)] +
                                      n_bits_[static_cast<std::size_t>(of_n % n_.inside)]);
  }

 private:
  const CheckpointArray& array_;
  bool k_first_;
  ArrayAxis k_, n_;
  std::int64_t rows_, matrix_ = 1;  // rows of a matrix; 0: all matrices have the same element
  std::vector<std::int64_t> k_bits_, n_bits_;
};

// Stores a number in all blocks, and adds the reasons why it cannot.
void store(const FoundNumber& found, const FoundArrays& all, const WeightFormat& format,
           std::vector<std::byte>& blocks, std::vector<std::string>& reasons) {
  const NumberArray& place = found.place;
  const WeightNumber& number = *number_called(format, place.number);
  const std::int64_t elements = format.elements, run = run_of(number, elements);
  const std::int64_t rows = product(all.batch) * all.N, blocks_of_row = all.K / elements;
  const auto each = [&](const auto& bits_at) {
    for (std::int64_t block = 0; block < blocks_of_row; ++block) {
      for (std::int64_t n = 0; n < rows; ++n) {
        const auto at = static_cast<std::size_t>((n * blocks_of_row + block) * format.bytes);
        const auto to = std::span(blocks).subspan(at, static_cast<std::size_t>(format.bytes));
        for (std::int64_t e = 0; e < elements; e += run) {
          store_bits(number, bits_at(block * elements + e, n), to, e);
        }
      }
    }
  };
  if (found.array == nullptr) {
    return each([&](std::int64_t, std::int64_t) { return *place.if_missing; });
  }
  const CheckpointArray& array = *found.array;
  const ArrayReader read(found, all.N);
  const auto refuse_at = [&](std::int64_t k, std::int64_t n, const std::string& what) {
    if (reasons.size() < kMaxWeightReasons) {
      reasons.push_back(fmt::format("{}: row {}, weight {}: {}", array.name, n, k, what));
    }
    return std::uint64_t{0};
  };
  if (number.kind != NumberKind::floating) {
    const std::uint64_t mask = (std::uint64_t{1} << place.bits) - 1;
    const auto last = static_cast<std::uint64_t>(number.codes() - 1);
    return each([&](std::int64_t k, std::int64_t n) {
      const std::uint64_t bits = (read(k, n) & mask) + place.added;
      if (bits <= last) return bits;
      return refuse_at(k, n,
                       fmt::format("the {} is {}, beyond {}, the largest of {}", place.what, bits,
                                   last, format.name));
    });
  }
  const bool is_power = array.type == ScalarType::u8 && number.bits() > 8;  // e8m0
  if (array.type == number.type || (!is_floating(array.type) && !is_power)) return each(read);
  each([&](std::int64_t k, std::int64_t n) {
    const std::uint64_t from = read(k, n);
    const double value = !is_power     ? number_of(array.type, from)
                         : from == 255 ? std::nan("")
                                       : std::ldexp(1, static_cast<int>(from) - 127);
    const std::uint64_t bits = bits_of(number.type, value);
    if (std::isnan(value) || number_of(number.type, bits) == value) return bits;
    return refuse_at(k, n,
                     fmt::format("the {} {:.9g} of {} is not exactly a number of {}", place.what,
                                 value, to_string(array.type), to_string(number.type)));
  });
}

}  // namespace

Names words_of(const WeightScheme& scheme, const WeightFormat& format) {
  Names words;
  const auto add = [&](const Names& more) { words.insert(words.end(), more.begin(), more.end()); };
  for (const NumberArray& place : scheme.arrays(format.code.bits())) add(place.names);
  for (const Names& more : {scheme.groups, scheme.shapes, scheme.factors, scheme.divisors})
    add(more);
  return words;
}

bool ends_in(std::string_view name, std::string_view word) {
  if (!name.ends_with(word)) return false;
  name.remove_suffix(word.size());
  return name.empty() || name.ends_with('.') || name.ends_with('_') || name.ends_with('/');
}

BlocksOfArrays blocks_of(const WeightScheme& scheme, const WeightFormat& format,
                         std::span<const CheckpointArray> arrays) {
  const auto is_of_scheme = [&](const std::string& name) { return name == format.name; };
  bool fits = std::any_of(scheme.formats.begin(), scheme.formats.end(), is_of_scheme);
  for (const NumberArray& place : scheme.arrays(fits ? format.code.bits() : 4)) {
    fits = fits && number_called(format, place.number) != nullptr;
  }
  if (!fits) {
    throw ArgumentError(fmt::format("{} as {}: weights of {} become {}", scheme.name, format.name,
                                    scheme.name, join(scheme.formats, ", ")));
  }
  const FoundArrays found = find_arrays(scheme, format, arrays);
  const ArrayAxis& scales = found.numbers[1].k;
  BlocksOfArrays out{found.batch, {}, found.K, scales.repeat * scales.inside, found.alpha};
  out.shape.insert(out.shape.end(), {found.N, found.K / format.elements * format.bytes});
  out.blocks.resize(static_cast<std::size_t>(product(out.shape)));
  std::vector<std::string> reasons;
  for (const FoundNumber& number : found.numbers) {
    store(number, found, format, out.blocks, reasons);
  }
  refuse(scheme, format, reasons);
  refuse(scheme, format, reasons_against_blocks(format, out.blocks, out.shape.back()));
  return out;
}

}  // namespace vkmoye::gen
