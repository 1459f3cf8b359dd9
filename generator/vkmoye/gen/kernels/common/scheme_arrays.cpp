// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/common/scheme_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/extents.hpp"
#include "vkmoye/contract/scalar_value.hpp"

namespace vkmoye::gen {
namespace {

class ArrayFinder {
 public:
  ArrayFinder(const WeightScheme& scheme, const WeightFormat& format,
              std::span<const CheckpointArray> arrays)
      : scheme_(scheme), format_(format), arrays_(arrays) {}

  FoundArrays found() {
    find_all();
    refuse(scheme_, format_, reasons_);
    find_weights();
    refuse(scheme_, format_, reasons_);
    for (std::size_t i = 1; i < out_.numbers.size(); ++i) find_axes(out_.numbers[i]);
    refuse(scheme_, format_, reasons_);
    check_groups();
    check_shape();
    take_scale_of_tensor();
    refuse(scheme_, format_, reasons_);
    return std::move(out_);
  }

 private:
  void refuse_if(bool wrong, const std::string& reason) {
    if (wrong) reasons_.push_back(reason);
  }

  const CheckpointArray* find(const std::vector<std::string>& names) {
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

  void find_all() {
    is_known_.resize(arrays_.size());
    for (const NumberArray& place : scheme_.arrays(format_.code.bits())) {
      out_.numbers.push_back({place, find(place.names)});
      refuse_if(out_.numbers.back().array == nullptr && !place.if_missing,
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
    FoundNumber& codes = out_.numbers[0];
    const NumberArray& place = codes.place;
    const CheckpointArray& array = *codes.array;
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
    codes.k = {k, size(place.k), 1};
    codes.n = {n, size(place.n), 1};
    out_.K = k * size(place.k);
    out_.N = n * size(place.n);
    if (!place.k_first) {
      out_.batch.assign(shape.begin(), shape.begin() + static_cast<long>(before - 1));
    }
    refuse_if(out_.K == 0 || out_.N == 0 || product(out_.batch) == 0,
              fmt::format("{} {} has no weights", array.name, shape_text(array.shape)));
    refuse_if(out_.K % format_.elements != 0,
              fmt::format("{} has {} weights along k, not a multiple of the {} of a block of {}",
                          array.name, out_.K, format_.elements, format_.name));
  }

  // The axes of another array.
  void find_axes(FoundNumber& number) {
    const NumberArray& place = number.place;
    if (number.array == nullptr) return;
    const CheckpointArray& array = *number.array;
    if (!has_type(place, array)) return;
    std::vector<std::int64_t> shape = array.shape;
    const auto rest = static_cast<long>(out_.batch.size());
    const bool is_one = product(shape) == 1;
    if (is_one) shape.assign(out_.batch.size() + 2, 1);
    if (shape.size() == out_.batch.size() + 1) {  // a number for each row
      shape.insert(place.k_first ? shape.begin() : shape.end(), 1);
    }
    if (shape.size() != out_.batch.size() + 2 ||
        (!is_one && !std::equal(out_.batch.begin(), out_.batch.end(), shape.begin()))) {
      refuse_if(true, fmt::format("{} {} must have {} axes{}", array.name, shape_text(array.shape),
                                  out_.batch.size() + 2,
                                  out_.batch.empty()
                                      ? ""
                                      : ", the first ones as " + out_.numbers[0].array->name));
      return;
    }
    const std::int64_t k = shape[static_cast<std::size_t>(rest + (place.k_first ? 0 : 1))];
    const std::int64_t n = shape[static_cast<std::size_t>(rest + (place.k_first ? 1 : 0))];
    const auto of_n = rows_of(place, n, is_one), of_k = groups_of(place, k);
    const auto group_of_scales = out_.numbers[1].k.repeat;
    const bool is_after_scales = &number > &out_.numbers[1];
    if (!of_n || !of_k || (is_after_scales && !is_one && of_k->repeat != group_of_scales)) {
      refuse_if(true, fmt::format("{} {} does not fit {} x {} weights, K x N{}", array.name,
                                  shape_text(array.shape), out_.K, out_.N,
                                  is_after_scales
                                      ? fmt::format(", in groups of {} along k", group_of_scales)
                                      : ""));
      return;
    }
    number.k = *of_k;
    number.n = *of_n;
    const std::int64_t run = run_of(*number_called(format_, place.number), format_.elements);
    refuse_if(
        of_k->repeat % run != 0,
        fmt::format("{} has a {} for {} weights along k, but a block of {} one for {}: choose "
                    "another format of {}",
                    array.name, place.what, of_k->repeat, format_.name, run,
                    join(scheme_.formats, ", ")));
  }

  // One element for the numbers of each row; for all rows; or for as many as a block has.
  std::optional<ArrayAxis> rows_of(const NumberArray& place, std::int64_t elements,
                                   bool is_one) const {
    const std::int64_t inside = size(place.n);
    if (elements == (out_.N + inside - 1) / inside) return ArrayAxis{elements, inside, 1};
    if (is_one && inside == 1) return ArrayAxis{1, 1, out_.N};
    if (elements == (out_.N + place.block - 1) / place.block)
      return ArrayAxis{elements, 1, place.block};
    return std::nullopt;
  }
  // Groups of equally many weights; or of as many as a block has, the last one of fewer.
  std::optional<ArrayAxis> groups_of(const NumberArray& place, std::int64_t elements) const {
    const std::int64_t inside = size(place.k);
    if (elements > 0 && elements <= out_.K && out_.K % (elements * inside) == 0) {
      return ArrayAxis{elements, inside, out_.K / (elements * inside)};
    }
    if (elements == (out_.K + place.block - 1) / place.block)
      return ArrayAxis{elements, 1, place.block};
    return std::nullopt;
  }

  void check_groups() {
    if (groups_ == nullptr || groups_->data.empty()) return;
    const bool is_whole = !is_floating(groups_->type) && size_of(groups_->type) >= 4;
    if (!is_whole || product(groups_->shape) != out_.K) {
      refuse_if(true,
                fmt::format("{} {} {} must be {} whole numbers of 32 or 64 bits", groups_->name,
                            shape_text(groups_->shape), to_string(groups_->type), out_.K));
      return;
    }
    for (std::int64_t k = 0; k < out_.K; ++k) {
      const std::uint64_t group = element_of(*groups_, k);
      if (group == static_cast<std::uint64_t>(k / out_.numbers[1].k.repeat)) continue;
      refuse_if(true, fmt::format("{}: weight {} is in group {}, not in {}: groups out of order "
                                  "(desc_act, actorder) are not taken",
                                  groups_->name, k, group, k / out_.numbers[1].k.repeat));
      return;
    }
  }

  void check_shape() {
    if (shape_ == nullptr) return;
    const bool fits = product(shape_->shape) == 2 && !is_floating(shape_->type) &&
                      element_of(*shape_, 0) == static_cast<std::uint64_t>(out_.N) &&
                      element_of(*shape_, 1) == static_cast<std::uint64_t>(out_.K);
    refuse_if(!fits, fmt::format("{} is not {}, {}: codes may not have {} bits", shape_->name,
                                 out_.N, out_.K, format_.code.bits()));
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

  const WeightScheme& scheme_;
  const WeightFormat& format_;
  std::span<const CheckpointArray> arrays_;
  const CheckpointArray *groups_ = nullptr, *shape_ = nullptr, *factor_ = nullptr,
                        *divisor_ = nullptr;
  std::vector<bool> is_known_;  // of each array
  std::vector<std::string> reasons_;
  FoundArrays out_;
};

}  // namespace

void refuse(const WeightScheme& scheme, const WeightFormat& format,
            const std::vector<std::string>& reasons) {
  if (reasons.empty()) return;
  throw ArgumentError(with_reasons(fmt::format("{} as {}", scheme.name, format.name), reasons));
}

FoundArrays find_arrays(const WeightScheme& scheme, const WeightFormat& format,
                        std::span<const CheckpointArray> arrays) {
  return ArrayFinder(scheme, format, arrays).found();
}

}  // namespace vkmoye::gen
