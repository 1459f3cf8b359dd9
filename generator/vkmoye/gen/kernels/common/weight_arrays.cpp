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

constexpr const char* kGroups = "g_idx";

std::int64_t product(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

// One extent of an array: `elements` with `inside` weights each, every one `repeat` times.
struct Axis {
  std::int64_t elements = 1, inside = 1, repeat = 1;
};

// `weights` along an axis: elements are repeated 1, 2, 4, 8, .. times, the last one as far as there are weights, or
// else all equally often. 576 weights with 5 scales: 128 have the first one, 64 the last one.
std::optional<Axis> axis_of(std::int64_t elements, std::int64_t inside, std::int64_t weights) {
  if (elements <= 0) return std::nullopt;
  for (std::int64_t repeat = 1; repeat * inside < 2 * weights; repeat *= 2) {
    const std::int64_t of_element = repeat * inside;
    if ((weights + of_element - 1) / of_element == elements) return Axis{elements, inside, repeat};
  }
  if (weights % (elements * inside) != 0) return std::nullopt;
  return Axis{elements, inside, weights / (elements * inside)};
}

// The numbers of an array by weight.
class ArrayReader {
 public:
  ArrayReader(const NumberArray& place, const CheckpointArray& array, Axis k, Axis n)
      : array_(array), k_first_(place.k_first), k_(k), n_(n), bytes_(size_of(array.type)) {
    for (std::int64_t i = 0; i < k.inside; ++i) k_bits_.push_back(place.k(i));
    for (std::int64_t i = 0; i < n.inside; ++i) n_bits_.push_back(place.n(i));
  }
  std::uint64_t operator()(std::int64_t k, std::int64_t n) const {
    k /= k_.repeat;
    n /= n_.repeat;
    const std::int64_t of_k = k / k_.inside, of_n = n / n_.inside;
    const std::int64_t at = k_first_ ? of_k * n_.elements + of_n : of_n * k_.elements + of_k;
    std::uint64_t element = 0;
    std::memcpy(&element, &array_.data[static_cast<std::size_t>(at) * bytes_], bytes_);
    return element >> (k_bits_[static_cast<std::size_t>(k % k_.inside)] +
                       n_bits_[static_cast<std::size_t>(n % n_.inside)]);
  }

 private:
  const CheckpointArray& array_;
  bool k_first_;
  Axis k_, n_;
  std::size_t bytes_;
  std::vector<std::int64_t> k_bits_, n_bits_;
};

class BlockWriter {
 public:
  BlockWriter(const WeightScheme& scheme, const WeightFormat& format,
              std::span<const CheckpointArray> arrays)
      : scheme_(scheme),
        format_(format),
        arrays_(arrays),
        places_(scheme.arrays(format.code.bits())) {}

  BlocksOfArrays blocks() {
    find_arrays();
    refuse();
    find_extents();
    refuse();
    check_groups();
    out_.shape.back() = K_ / format_.elements * format_.bytes;
    out_.blocks.resize(static_cast<std::size_t>(product(out_.shape)));
    for (std::size_t i = 0; i < places_.size(); ++i) store(i);
    for (const std::string& reason :
         reasons_against_blocks(format_, out_.blocks, out_.shape.back())) {
      reasons_.push_back(reason);
    }
    refuse();
    return std::move(out_);
  }

 private:
  void refuse() const {
    if (reasons_.empty()) return;
    throw ArgumentError(
        with_reasons(fmt::format("{} as {}", scheme_.name, format_.name), reasons_));
  }

  const CheckpointArray* find(const std::vector<std::string>& words) {
    const CheckpointArray* found = nullptr;
    for (const CheckpointArray& array : arrays_) {
      if (std::none_of(words.begin(), words.end(),
                       [&](const std::string& word) { return ends_in(array.name, word); })) {
        continue;
      }
      if (found != nullptr) {
        reasons_.push_back(
            fmt::format("{} and {} are both {}", found->name, array.name, join(words, " or ")));
      }
      found = &array;
      ++known_;
    }
    return found;
  }

  void find_arrays() {
    std::vector<std::string> all;
    for (const NumberArray& place : places_) {
      const std::string words = join(place.ends, " or ");
      found_.push_back(find(place.ends));
      all.push_back(words);
      if (found_.back() == nullptr && !place.otherwise) {
        reasons_.push_back(fmt::format("there is no array {}", words));
      }
    }
    groups_ = find({kGroups});
    if (known_ < arrays_.size()) {
      reasons_.push_back(fmt::format("{} arrays are given, of which {} have names that end in {}",
                                     arrays_.size(), known_, join(all, ", ")));
    }
  }

  // The shape (N,K) or (K,N) of elements; of a single element (1,1).
  bool extents_of(const NumberArray& place, const CheckpointArray& array, std::int64_t& k,
                  std::int64_t& n) {
    const std::span<const std::int64_t> shape = array.shape;
    k = n = 1;
    if (product(shape) == 1) return true;
    if (place.k_first ? shape.size() != 2 : shape.size() <= place.k_axes) {
      reasons_.push_back(fmt::format("{} has {} axes, but must have {}{}", array.name, shape.size(),
                                     place.k_first ? 2 : place.k_axes + 1,
                                     place.k_first ? "" : " or more"));
      return false;
    }
    k = place.k_first ? shape[0] : product(shape.last(place.k_axes));
    n = place.k_first ? shape[1] : product(shape.first(shape.size() - place.k_axes));
    return true;
  }

  bool has_type(const NumberArray& place, const CheckpointArray& array) {
    const WeightNumber& number = number_called(format_, place.number);
    const auto bits = static_cast<std::int64_t>(8 * size_of(array.type));
    const bool is_float = number.kind == NumberKind::floating;
    // Numbers of e4m3 and e8m0 may be bytes; others with a type are numbers.
    const bool fits =
        is_float ? is_floating(array.type) || (array.type == ScalarType::u8 && number.bits() == 8)
                 : !is_floating(array.type) &&
                       bits >= cosize(place.k) + cosize(place.n) - 2 + place.bits;
    if (!fits) {
      reasons_.push_back(
          fmt::format("{} has type {}, but must have {}", array.name, to_string(array.type),
                      is_float ? "a floating-point type"
                               : fmt::format("whole numbers of {} bits",
                                             cosize(place.k) + cosize(place.n) - 2 + place.bits)));
    }
    return fits;
  }

  void find_extents() {
    k_.resize(places_.size());
    n_.resize(places_.size());
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const NumberArray& place = places_[i];
      if (found_[i] == nullptr) continue;
      const CheckpointArray& array = *found_[i];
      std::int64_t k = 0, n = 0;
      if (!extents_of(place, array, k, n) || !has_type(place, array)) continue;
      if (i == 0) {
        K_ = k * size(place.k);
        N_ = n * size(place.n);
        out_.shape = place.k_first ? std::vector<std::int64_t>{N_, K_} : array.shape;
        if (!place.k_first) {
          out_.shape.resize(array.shape.size() - place.k_axes);
          out_.shape.back() *= size(place.n);
          out_.shape.push_back(K_);
        }
        if (K_ <= 0 || N_ <= 0 || K_ % format_.elements != 0) {
          reasons_.push_back(
              fmt::format("{} has {} weights along k, not a multiple of the {} of a block",
                          array.name, K_, format_.elements));
          return;
        }
      }
      const auto of_k = axis_of(k, size(place.k), K_), of_n = axis_of(n, size(place.n), N_);
      if (K_ == 0 || !of_k || !of_n) {
        if (K_ != 0) {
          reasons_.push_back(fmt::format("{} {} does not fit {} x {} weights, K x N", array.name,
                                         shape_text(array.shape), K_, N_));
        }
        continue;
      }
      k_[i] = *of_k;
      n_[i] = *of_n;
      const std::int64_t run = run_of(number_called(format_, place.number), format_.elements);
      if (of_k->repeat % run != 0 && run != 1 && cosize(place.k) == 1) {
        reasons_.push_back(fmt::format(
            "{} has a number for {} weights along k, but {} one for {}; its formats are {}",
            array.name, of_k->repeat, format_.name, run, join(scheme_.formats, ", ")));
      }
    }
  }

  // g_idx in order: weights k of each group follow each other.
  void check_groups() {
    if (groups_ == nullptr) return;
    const std::size_t bytes = size_of(groups_->type);
    const bool is_whole = !is_floating(groups_->type) && bytes >= 4;
    if (!is_whole || groups_->shape != std::vector<std::int64_t>{K_}) {
      reasons_.push_back(fmt::format("{} {} {} must be {} whole numbers of 32 bits", groups_->name,
                                     shape_text(groups_->shape), to_string(groups_->type), K_));
      refuse();
    }
    const std::int64_t of_group = k_[1].repeat;
    for (std::int64_t k = 0; k < K_; ++k) {
      std::int32_t group = 0;
      std::memcpy(&group, &groups_->data[static_cast<std::size_t>(k) * bytes], 4);
      if (group == k / of_group) continue;
      reasons_.push_back(fmt::format(
          "{}: weight {} is in group {}, not in {}: groups out of order (desc_act) are not taken",
          groups_->name, k, group, k / of_group));
      refuse();
    }
  }

  // Stores the numbers of array `i` in all blocks.
  void store(std::size_t i) {
    const NumberArray& place = places_[i];
    const WeightNumber& number = number_called(format_, place.number);
    const std::int64_t run = run_of(number, format_.elements), elements = format_.elements;
    const std::int64_t blocks_of_row = K_ / elements;
    const std::uint64_t mask = (std::uint64_t{1} << place.bits) - 1;
    const auto each = [&](const auto& bits_at) {
      for (std::int64_t block = 0; block < blocks_of_row; ++block) {
        for (std::int64_t n = 0; n < N_; ++n) {
          const auto to =
              std::span(out_.blocks)
                  .subspan(static_cast<std::size_t>((n * blocks_of_row + block) * format_.bytes),
                           static_cast<std::size_t>(format_.bytes));
          for (std::int64_t e = 0; e < elements; e += run) {
            store_bits(number, bits_at(block * elements + e, n), to, e);
          }
        }
      }
    };
    if (found_[i] == nullptr)
      return each([&](std::int64_t, std::int64_t) { return *place.otherwise; });
    const CheckpointArray& array = *found_[i];
    const ArrayReader read(place, array, k_[i], n_[i]);
    const auto refuse_at = [&](std::int64_t k, std::int64_t n, const std::string& what) {
      if (reasons_.size() < kMaxWeightReasons) {
        reasons_.push_back(fmt::format("{}: weight k {} of row {}: {}", array.name, k, n, what));
      }
      return std::uint64_t{0};
    };
    if (number.kind != NumberKind::floating) {
      const auto last = static_cast<std::uint64_t>(number.codes() - 1);
      return each([&](std::int64_t k, std::int64_t n) {
        const std::uint64_t bits = (read(k, n) & mask) + place.added;
        if (bits <= last) return bits;
        return refuse_at(k, n,
                         fmt::format("{} is beyond {}, the largest {} of {}", bits, last,
                                     place.number, format_.name));
      });
    }
    if (array.type == number.type || !is_floating(array.type)) return each(read);
    each([&](std::int64_t k, std::int64_t n) {
      const double value = number_of(array.type, read(k, n));
      const std::uint64_t bits = bits_of(number.type, value);
      if (std::isnan(value) || number_of(number.type, bits) == value) return bits;
      return refuse_at(k, n,
                       fmt::format("{:.9g} of {} is not a number of {}", value,
                                   to_string(array.type), to_string(number.type)));
    });
  }

  const WeightScheme& scheme_;
  const WeightFormat& format_;
  std::span<const CheckpointArray> arrays_;
  std::vector<NumberArray> places_;
  std::vector<const CheckpointArray*> found_;  // of each place; null: the array is missing
  const CheckpointArray* groups_ = nullptr;
  std::size_t known_ = 0;
  std::vector<Axis> k_, n_;
  std::int64_t K_ = 0, N_ = 0;
  std::vector<std::string> reasons_;
  BlocksOfArrays out_;
};

}  // namespace

std::vector<std::string> words_of(const WeightScheme& scheme, const WeightFormat& format) {
  std::vector<std::string> words;
  for (const NumberArray& place : scheme.arrays(format.code.bits())) {
    words.insert(words.end(), place.ends.begin(), place.ends.end());
  }
  words.emplace_back(kGroups);
  return words;
}

bool ends_in(std::string_view name, std::string_view word) {
  if (!name.ends_with(word)) return false;
  name.remove_suffix(word.size());
  return name.empty() || name.ends_with('.') || name.ends_with('_') || name.ends_with('/');
}

BlocksOfArrays blocks_of(const WeightScheme& scheme, const WeightFormat& format,
                         std::span<const CheckpointArray> arrays) {
  if (std::find(scheme.formats.begin(), scheme.formats.end(), format.name) ==
      scheme.formats.end()) {
    throw ArgumentError(fmt::format("{} as {}: weights of {} become {}", scheme.name, format.name,
                                    scheme.name, join(scheme.formats, ", ")));
  }
  return BlockWriter(scheme, format, arrays).blocks();
}

}  // namespace vkmoye::gen
