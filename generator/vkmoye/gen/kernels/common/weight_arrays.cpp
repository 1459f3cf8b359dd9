// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/weight_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/extents.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"

namespace vkmoye::gen {
namespace {

using Names = std::vector<std::string>;

std::int64_t product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

std::uint64_t element_of(const CheckpointArray& array, std::int64_t at) {
  std::uint64_t bits = 0;
  const std::size_t bytes = size_of(array.type);
  std::memcpy(&bits, &array.data[static_cast<std::size_t>(at) * bytes], bytes);
  return bits;
}

// One axis of an array: `elements` with `inside` weights each, every one repeated for as many weights.
struct Axis {
  std::int64_t elements = 1, inside = 1, repeat = 1;
};

// The numbers of an array by weight.
class ArrayReader {
 public:
  ArrayReader(const NumberArray& place, const CheckpointArray& array, Axis k, Axis n,
              std::int64_t rows)
      : array_(array), k_first_(place.k_first), k_(k), n_(n), rows_(rows) {
    for (std::int64_t i = 0; i < k.inside; ++i) k_bits_.push_back(place.k(i));
    for (std::int64_t i = 0; i < n.inside; ++i) n_bits_.push_back(place.n(i));
    if (product(array.shape) == 1) matrix_ = 0;
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
  Axis k_, n_;
  std::int64_t rows_, matrix_ = 1;  // rows of a matrix; 0: all matrices have the same element
  std::vector<std::int64_t> k_bits_, n_bits_;
};

class BlockWriter {
 public:
  BlockWriter(const WeightScheme& scheme, const WeightFormat& format,
              std::span<const CheckpointArray> arrays)
      : scheme_(scheme),
        format_(format),
        arrays_(arrays),
        places_(scheme.arrays(format.code.bits())),
        k_(places_.size()),
        n_(places_.size()) {}

  BlocksOfArrays blocks() {
    find_arrays();
    refuse();
    find_weights();
    refuse();
    for (std::size_t i = 1; i < places_.size(); ++i) find_axes(i);
    refuse();
    check_groups();
    check_shape();
    take_scale_of_tensor();
    refuse();
    out_.k = K_;
    out_.group = k_[1].repeat * k_[1].inside;
    out_.blocks.resize(static_cast<std::size_t>(product(out_.shape)));
    for (std::size_t i = 0; i < places_.size(); ++i) store(i);
    refuse();
    reasons_ = reasons_against_blocks(format_, out_.blocks, out_.shape.back());
    refuse();
    return std::move(out_);
  }

 private:
  void refuse() const {
    if (reasons_.empty()) return;
    throw ArgumentError(
        with_reasons(fmt::format("{} as {}", scheme_.name, format_.name), reasons_));
  }
  void refuse_if(bool wrong, const std::string& reason) {
    if (wrong) reasons_.push_back(reason);
  }

  const CheckpointArray* find(const Names& names) {
    const CheckpointArray* found = nullptr;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const CheckpointArray& array = arrays_[i];
      const auto is_its_end = [&](const std::string& word) { return ends_in(array.name, word); };
      if (std::none_of(names.begin(), names.end(), is_its_end)) continue;
      refuse_if(found != nullptr,
                fmt::format("{} and {} are both {}", found != nullptr ? found->name : "",
                            array.name, join(names, " or ")));
      found = &array;
      is_known_[i] = true;
    }
    return found;
  }

  void find_arrays() {
    is_known_.resize(arrays_.size());
    for (const NumberArray& place : places_) {
      found_.push_back(find(place.names));
      refuse_if(found_.back() == nullptr && !place.if_missing,
                fmt::format("there is no array {}", join(place.names, " or ")));
    }
    groups_ = find(scheme_.groups);
    shape_ = find(scheme_.shapes);
    factor_ = find(scheme_.factors);
    divisor_ = find(scheme_.divisors);
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      const CheckpointArray& array = arrays_[i];
      refuse_if(!is_known_[i], fmt::format("the name of {} ends in none of {}", array.name,
                                           join(words_of(scheme_, format_), ", ")));
      check_data(array);
    }
  }

  void check_data(const CheckpointArray& array) {
    constexpr std::int64_t kMax = std::int64_t{1} << 40;
    std::int64_t elements = 1;
    for (const std::int64_t extent : array.shape) {
      const bool fits = extent >= 0 && (elements == 0 || extent <= kMax / elements);
      elements = fits ? elements * extent : kMax;
    }
    const auto bytes = array.data.size() / size_of(array.type);
    refuse_if(bytes != static_cast<std::size_t>(elements) ||
                  std::any_of(array.shape.begin(), array.shape.end(),
                              [](std::int64_t extent) { return extent > kMax; }),
              fmt::format("{} {} has {} bytes of data", array.name, shape_text(array.shape),
                          array.data.size()));
  }

  bool has_type(const NumberArray& place, const CheckpointArray& array) {
    const WeightNumber& number = *number_called(format_, place.number);
    const std::int64_t bits = cosize(place.k) + cosize(place.n) - 2 + place.bits;
    const bool is_float = number.kind == NumberKind::floating;
    // Bytes: codes of e4m3, or scales that are powers of two.
    const bool fits = is_float ? is_floating(array.type) || array.type == ScalarType::u8
                               : !is_floating(array.type) &&
                                     static_cast<std::int64_t>(8 * size_of(array.type)) >= bits;
    refuse_if(!fits,
              fmt::format("{} has type {}, but must have {}", array.name, to_string(array.type),
                          is_float ? "a floating-point type"
                                   : fmt::format("whole numbers of {} bits", bits)));
    return fits;
  }

  // The codes: N, K and the matrices of a batch.
  void find_weights() {
    const NumberArray& place = places_[0];
    const CheckpointArray& array = *found_[0];
    const std::span<const std::int64_t> shape = array.shape;
    if (!has_type(place, array)) return;
    if (place.k_first ? shape.size() != 2 : shape.size() <= place.k_axes) {
      refuse_if(true, fmt::format("{} has {} axes, but must have {}{}", array.name, shape.size(),
                                  place.k_axes + 1, place.k_first ? "" : " or more"));
      return;
    }
    const std::size_t before = shape.size() - place.k_axes;
    const std::int64_t k = place.k_first ? shape[0] : product(shape.subspan(before));
    const std::int64_t n = place.k_first ? shape[1] : shape[before - 1];
    k_[0] = {k, size(place.k), 1};
    n_[0] = {n, size(place.n), 1};
    K_ = k * size(place.k);
    N_ = n * size(place.n);
    if (!place.k_first) batch_.assign(shape.begin(), shape.begin() + static_cast<long>(before - 1));
    out_.shape = batch_;
    out_.shape.insert(out_.shape.end(), {N_, K_ / format_.elements * format_.bytes});
    refuse_if(K_ == 0 || N_ == 0 || product(batch_) == 0,
              fmt::format("{} {} has no weights", array.name, shape_text(array.shape)));
    refuse_if(K_ % format_.elements != 0,
              fmt::format("{} has {} weights along k, not a multiple of the {} of a block of {}",
                          array.name, K_, format_.elements, format_.name));
  }

  // The axes of another array.
  void find_axes(std::size_t i) {
    const NumberArray& place = places_[i];
    if (found_[i] == nullptr) return;
    const CheckpointArray& array = *found_[i];
    if (!has_type(place, array)) return;
    std::vector<std::int64_t> shape = array.shape;
    const auto rest = static_cast<long>(batch_.size());
    const bool is_one = product(shape) == 1;
    if (is_one) shape.assign(batch_.size() + 2, 1);
    if (shape.size() == batch_.size() + 1) {  // a number for each row
      shape.insert(place.k_first ? shape.begin() : shape.end(), 1);
    }
    if (shape.size() != batch_.size() + 2 ||
        (!is_one && !std::equal(batch_.begin(), batch_.end(), shape.begin()))) {
      refuse_if(true, fmt::format("{} {} must have {} axes{}", array.name, shape_text(array.shape),
                                  batch_.size() + 2,
                                  batch_.empty() ? "" : ", the first ones as " + found_[0]->name));
      return;
    }
    const std::int64_t k = shape[static_cast<std::size_t>(rest + (place.k_first ? 0 : 1))];
    const std::int64_t n = shape[static_cast<std::size_t>(rest + (place.k_first ? 1 : 0))];
    const auto of_n = rows_of(place, n, is_one), of_k = groups_of(place, k);
    const auto group_of_scales = k_[1].repeat;
    if (!of_n || !of_k || (i > 1 && !is_one && of_k->repeat != group_of_scales)) {
      refuse_if(true, fmt::format(
                          "{} {} does not fit {} x {} weights, K x N{}", array.name,
                          shape_text(array.shape), K_, N_,
                          i > 1 ? fmt::format(", in groups of {} along k", group_of_scales) : ""));
      return;
    }
    k_[i] = *of_k;
    n_[i] = *of_n;
    const std::int64_t run = run_of(*number_called(format_, place.number), format_.elements);
    refuse_if(
        of_k->repeat % run != 0,
        fmt::format("{} has a {} for {} weights along k, but a block of {} one for {}: choose "
                    "another format of {}",
                    array.name, place.what, of_k->repeat, format_.name, run,
                    join(scheme_.formats, ", ")));
  }

  // One element for the numbers of each row; for all rows; or for as many as a block has.
  std::optional<Axis> rows_of(const NumberArray& place, std::int64_t elements, bool is_one) const {
    const std::int64_t inside = size(place.n);
    if (elements == (N_ + inside - 1) / inside) return Axis{elements, inside, 1};
    if (is_one && inside == 1) return Axis{1, 1, N_};
    if (elements == (N_ + place.block - 1) / place.block) return Axis{elements, 1, place.block};
    return std::nullopt;
  }
  // Groups of equally many weights; or of as many as a block has, the last one of fewer.
  std::optional<Axis> groups_of(const NumberArray& place, std::int64_t elements) const {
    const std::int64_t inside = size(place.k);
    if (elements > 0 && elements <= K_ && K_ % (elements * inside) == 0) {
      return Axis{elements, inside, K_ / (elements * inside)};
    }
    if (elements == (K_ + place.block - 1) / place.block) return Axis{elements, 1, place.block};
    return std::nullopt;
  }

  void check_groups() {
    if (groups_ == nullptr || groups_->data.empty()) return;
    const bool is_whole = !is_floating(groups_->type) && size_of(groups_->type) >= 4;
    if (!is_whole || product(groups_->shape) != K_) {
      refuse_if(true,
                fmt::format("{} {} {} must be {} whole numbers of 32 or 64 bits", groups_->name,
                            shape_text(groups_->shape), to_string(groups_->type), K_));
      return;
    }
    for (std::int64_t k = 0; k < K_; ++k) {
      const std::uint64_t group = element_of(*groups_, k);
      if (group == static_cast<std::uint64_t>(k / k_[1].repeat)) continue;
      refuse_if(true, fmt::format("{}: weight {} is in group {}, not in {}: groups out of order "
                                  "(desc_act, actorder) are not taken",
                                  groups_->name, k, group, k / k_[1].repeat));
      return;
    }
  }

  void check_shape() {
    if (shape_ == nullptr) return;
    const bool fits = product(shape_->shape) == 2 && !is_floating(shape_->type) &&
                      element_of(*shape_, 0) == static_cast<std::uint64_t>(N_) &&
                      element_of(*shape_, 1) == static_cast<std::uint64_t>(K_);
    refuse_if(!fits, fmt::format("{} is not {}, {}: codes may not have {} bits", shape_->name, N_,
                                 K_, format_.code.bits()));
  }

  void take_scale_of_tensor() {
    for (const CheckpointArray* array : {factor_, divisor_}) {
      if (array == nullptr) continue;
      const bool is_one = product(array->shape) == 1 && is_floating(array->type);
      refuse_if(!is_one, fmt::format("{} {} must be one number: matrices with scales of their own "
                                     "are packed one by one",
                                     array->name, shape_text(array->shape)));
      if (!is_one) continue;
      const double number = number_of(array->type, element_of(*array, 0));
      out_.alpha = array == factor_ ? number : 1 / number;
      refuse_if(!std::isfinite(out_.alpha), fmt::format("{} is {}", array->name, number));
    }
  }

  // Stores the numbers of array `i` in all blocks.
  void store(std::size_t i) {
    const NumberArray& place = places_[i];
    const WeightNumber& number = *number_called(format_, place.number);
    const std::int64_t elements = format_.elements, run = run_of(number, elements);
    const std::int64_t rows = product(batch_) * N_, blocks_of_row = K_ / elements;
    const auto each = [&](const auto& bits_at) {
      for (std::int64_t block = 0; block < blocks_of_row; ++block) {
        for (std::int64_t n = 0; n < rows; ++n) {
          const auto at = static_cast<std::size_t>((n * blocks_of_row + block) * format_.bytes);
          const auto to =
              std::span(out_.blocks).subspan(at, static_cast<std::size_t>(format_.bytes));
          for (std::int64_t e = 0; e < elements; e += run) {
            store_bits(number, bits_at(block * elements + e, n), to, e);
          }
        }
      }
    };
    if (found_[i] == nullptr) {
      return each([&](std::int64_t, std::int64_t) { return *place.if_missing; });
    }
    const CheckpointArray& array = *found_[i];
    const ArrayReader read(place, array, k_[i], n_[i], N_);
    const auto refuse_at = [&](std::int64_t k, std::int64_t n, const std::string& what) {
      refuse_if(reasons_.size() < kMaxWeightReasons,
                fmt::format("{}: row {}, weight {}: {}", array.name, n, k, what));
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
                                     last, format_.name));
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

  const WeightScheme& scheme_;
  const WeightFormat& format_;
  std::span<const CheckpointArray> arrays_;
  std::vector<NumberArray> places_;
  std::vector<const CheckpointArray*> found_;  // of each place; null: the array is missing
  const CheckpointArray *groups_ = nullptr, *shape_ = nullptr, *factor_ = nullptr,
                        *divisor_ = nullptr;
  std::vector<bool> is_known_;  // of each array
  std::vector<Axis> k_, n_;     // of each place
  std::vector<std::int64_t> batch_;
  std::int64_t K_ = 0, N_ = 0;
  std::vector<std::string> reasons_;
  BlocksOfArrays out_;
};

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
  return BlockWriter(scheme, format, arrays).blocks();
}

}  // namespace vkmoye::gen
