// SPDX-License-Identifier: MIT
#include "workloads/moves/moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "io/array_order.hpp"
#include "numbers/number.hpp"
#include "numbers/random.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/move_entries.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/gen/kernels/relayout_entries.hpp"
#include "workloads/moves/baselines.hpp"
#include "workloads/moves/conversion.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::uint64_t kChunkElements = std::uint64_t{1} << 21;
constexpr std::uint64_t kFullVerification = std::uint64_t{1} << 26;
constexpr std::uint64_t kSampledChunks = 24;  // in addition to the first and the last

// The first element of each chunk to compare.
std::vector<std::uint64_t> chunks_to_check(std::uint64_t elements, Verify verify,
                                           std::uint64_t seed) {
  const std::uint64_t chunks = (elements + kChunkElements - 1) / kChunkElements;
  std::vector<std::uint64_t> out;
  if (verify == Verify::full || chunks <= kSampledChunks + 2) {
    for (std::uint64_t i = 0; i < chunks; ++i) out.push_back(i);
  } else {
    out = {0, chunks - 1};
    for (std::uint64_t i = 0; i < kSampledChunks; ++i) {
      out.push_back(random_bits(~seed, i) % chunks);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  for (std::uint64_t& chunk : out) chunk *= kChunkElements;
  return out;
}

// An array as rows along its last axis; a scalar is one row with one element.
Arguments rows_and_cols(const Extents& shape) {
  if (shape.empty()) return {{"rows", 1}, {"cols", 1}};
  return {{"rows", product({shape.begin(), shape.end() - 1})}, {"cols", shape.back()}};
}

class Move : public Workload {
 public:
  /// `fortran_order`: whether the result is in Fortran order; its axes are then those of `map` in reverse.
  Move(const gen::KernelEntry& entry, gen::KernelRequest request, MoveMap map, Arguments arguments,
       bool fortran_order = false)
      : Workload(entry, with_elements(std::move(request), map), map.src),
        map_(std::move(map)),
        arguments_(std::move(arguments)),
        fortran_order_(fortran_order) {}

  std::vector<Array> arrays() const override {
    return {{"src", array_bytes(), 0},
            {"dst", map_.elements() * size_of(result_type()), std::nullopt}};
  }
  Arguments arguments() const override { return arguments_; }

  std::string type_text() const override {
    return gen::operands_text(request().type, result_type());
  }

  double bytes() const override {
    return static_cast<double>(map_.elements() * (width() + size_of(result_type())));
  }
  bool is_bound_by_memory() const override { return true; }
  bool is_checked_in_full() const override { return map_.elements() <= kFullVerification; }

  void fill(Execution& execution, std::uint64_t seed) const override {
    std::vector<std::byte> chunk(std::min(kChunkElements * width(), array_bytes()));
    for (std::uint64_t at = 0; at < array_bytes(); at += chunk.size()) {
      const std::span part(chunk.data(), std::min(chunk.size(), array_bytes() - at));
      if (converts()) {
        for (std::uint64_t i = 0; i * width() < part.size(); ++i) {
          random_convertible(part.subspan(i * width(), width()), request().type, result_type(),
                             seed, at / width() + i);
        }
      } else {
        fill_random(part, width(), seed, at / width());
      }
      execution.write(0, part, at);
    }
  }

  CheckResult check(const Execution& execution, Verify verify, std::uint64_t seed) const override {
    CheckResult checked;
    const std::uint64_t elements = map_.elements();
    const std::size_t result_width = size_of(result_type());
    std::vector<std::byte> chunk(std::min(kChunkElements, elements) * result_width);
    for (const std::uint64_t first : chunks_to_check(elements, verify, seed)) {
      const std::uint64_t count = std::min(kChunkElements, elements - first);
      const std::span part(chunk.data(), count * result_width);
      execution.read(1, part, first * result_width);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t source = map_.source_of(first + i);
        const std::byte* got = part.data() + i * result_width;
        std::byte expected[16];
        if (converts()) {
          random_convertible({expected, width()}, request().type, result_type(), seed, source);
          if (is_converted(request().type, expected, result_type(), got)) continue;
        } else {
          random_element({expected, width()}, seed, source);
          if (std::memcmp(expected, got, width()) == 0) continue;
        }
        if (checked.mismatches++ > 0) continue;
        checked.first =
            fmt::format("element {} of dst is not element {} of src", first + i, source);
        if (converts()) {
          checked.first +=
              fmt::format(" converted: {} became {}", load_number(request().type, expected),
                          load_number(result_type(), got));
        }
      }
    }
    return checked;
  }

  Timing time_baseline(const std::string& name, const BaselineRun& run) const override {
    if (converts()) return time_bytes_baseline(name, run, static_cast<std::uint64_t>(bytes()));
    return time_move_baseline(name, run, request().type, map_);
  }

  std::vector<std::int64_t> result_shape() const override {
    return fortran_order_ ? reversed(map_.dst) : map_.dst;
  }
  bool result_in_fortran_order() const override { return fortran_order_; }
  ScalarType result_type() const override { return request().result.value_or(request().type); }

 private:
  bool converts() const { return result_type() != request().type; }
  static gen::KernelRequest with_elements(gen::KernelRequest request, const MoveMap& map) {
    request.elements = map.elements();
    return request;
  }
  std::size_t width() const { return size_of(request().type); }
  std::uint64_t array_bytes() const { return map_.elements() * width(); }

  MoveMap map_;
  Arguments arguments_;
  bool fortran_order_;
};

// "f32", or "f32*f16": the types of src and dst.
struct MoveTypes {
  ScalarType src, dst;
};

MoveTypes parse_move_types(const std::string& text, const std::string& kernel, bool converts) {
  const std::vector<std::string> parts = split(text, '*');
  if (parts.size() > (converts ? 2u : 1u)) {
    throw ArgumentError(fmt::format(
        "type '{}' has {} parts; {} takes {}", text, parts.size(), kernel,
        converts ? "one type, or those of src and dst" : "one type; copy/auto converts"));
  }
  return {parse_type(parts.front()), parse_type(parts.back())};
}

gen::KernelRequest request_of(const WorkloadSpec& spec, MoveTypes types) {
  gen::KernelRequest request = {.type = types.src, .options = spec.config};
  if (types.dst != types.src) request.result = types.dst;
  return request;
}

// An array in Fortran order is moved as the C-order array with its axes in reverse, which has the same memory. The
// result of a copy or transpose is then in Fortran order as well, like NumPy's.
std::unique_ptr<Workload> make_copy(const WorkloadSpec& spec, MoveTypes types, const Extents& given,
                                    bool fortran_order) {
  const Extents shape = fortran_order ? reversed(given) : given;
  Extents strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) strides[axis] = stride;
  return std::make_unique<Move>(*spec.entry, request_of(spec, types),
                                MoveMap{shape, shape, strides}, rows_and_cols(shape),
                                fortran_order);
}

// Like NumPy: reverses the axes; an array of one dimension stays the same.
std::unique_ptr<Workload> make_transpose(const WorkloadSpec& spec, MoveTypes types,
                                         const Extents& given, bool fortran_order) {
  if (given.size() > 2) {
    throw ArgumentError(fmt::format("{} takes up to 2 dimensions, {} has {}; relayout takes any",
                                    spec.entry->name, shape_text(given), given.size()));
  }
  if (given.size() < 2) return make_copy(spec, types, given, fortran_order);
  const Extents shape = fortran_order ? reversed(given) : given;
  gen::KernelRequest request = request_of(spec, types);
  const bool is_baked = spec.entry->name == "transpose/auto" && spec.config.empty() &&
                        gen::is_narrow_transpose(shape);
  if (is_baked) request.shape = shape;
  return std::make_unique<Move>(*spec.entry, request,
                                MoveMap{shape, {shape[1], shape[0]}, {1, shape[1]}},
                                is_baked ? Arguments() : rows_and_cols(shape), fortran_order);
}

// The permutation of `request` for the reversed shape, where axis i is axis rank - 1 - i.
std::string axes_in_reverse(const gen::KernelRequest& request) {
  const auto named = request.options.find("permute");
  std::vector<std::string> axes;
  const std::size_t rank = request.shape->size();
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(std::to_string(rank - 1 - i));
  if (named != request.options.end()) axes = split(named->second, ',');
  for (std::string& axis : axes) axis = std::to_string(rank - 1 - std::stoul(axis));
  return join(axes, ",");
}

std::unique_ptr<Workload> make_relayout(const WorkloadSpec& spec, MoveTypes types,
                                        const Extents& given, bool fortran_order) {
  gen::KernelRequest request = request_of(spec, types);
  request.shape = given;
  gen::PermutedArray array = gen::permuted_array(request);
  if (fortran_order) {  // the same result, in C order
    request.options["permute"] = axes_in_reverse(request);
    request.shape = reversed(given);
    array = gen::permuted_array(request);
  }
  return std::make_unique<Move>(
      *spec.entry, request,
      MoveMap{*request.shape, std::move(array.shape), std::move(array.strides)},
      Arguments());  // baked
}

// Makes the operation; its parameters are what differs among the three.
using MakeMove = std::unique_ptr<Workload> (*)(const WorkloadSpec&, MoveTypes, const Extents&,
                                               bool fortran_order);

Operation move(const char* name, SizeForm form, std::vector<std::string> baselines, MakeMove make,
               bool converts = false) {
  Operation operation;
  operation.converts = converts;
  operation.name = name;
  operation.size = std::move(form);
  operation.baselines = std::move(baselines);
  operation.of_size = [make, converts](const WorkloadSpec& spec, const Extents& size) {
    return make(spec, parse_move_types(spec.type, spec.entry->name, converts), size,
                /*fortran_order=*/false);
  };
  operation.of_arrays = [make, converts](const WorkloadSpec& spec,
                                         const std::vector<GivenArray>& given) {
    if (given.size() != 1) {
      throw ArgumentError(
          fmt::format("{} takes one array, got {}", spec.entry->name, given.size()));
    }
    const GivenArray& array = given.front();
    MoveTypes types = {array.type, array.type};
    if (!spec.type.empty()) types = parse_move_types(spec.type, spec.entry->name, converts);
    if (types.src != array.type) {
      throw ArgumentError(fmt::format("{}: has type {}, but --type is {}", array.name,
                                      to_string(array.type), spec.type));
    }
    return make(spec, types, array.shape, array.fortran_order);
  };
  operation.takes_fortran_order = [](const GivenArray&, std::size_t) { return true; };
  return operation;
}

}  // namespace

Operation copies() {
  return move("copy", {.text = "ROWSxCOLUMNS", .rank = 2, .example = {2048, 2048}},
              {"copy", "vkcmdcopy", "cudamemcpy"}, make_copy, /*converts=*/true);
}

Operation transposes() {
  return move("transpose", {.text = "ROWSxCOLUMNS", .rank = 2, .example = {2048, 2048}},
              {"pattern", "copy", "vkcmdcopy", "cudamemcpy", "cublas"}, make_transpose);
}

Operation relayouts() {
  return move("relayout",
              {.text = "EXTENTxEXTENTx..", .any_rank = true, .example = gen::kRelayoutExample},
              {"pattern", "copy", "vkcmdcopy", "cudamemcpy"}, make_relayout);
}

std::uint64_t MoveMap::elements() const { return static_cast<std::uint64_t>(product(dst)); }

std::uint64_t MoveMap::source_of(std::uint64_t index) const {
  std::uint64_t source = 0;
  for (std::size_t axis = dst.size(); axis-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(dst[axis]);
    source += index % extent * static_cast<std::uint64_t>(strides[axis]);
    index /= extent;
  }
  return source;
}

}  // namespace vkmoye::bench
