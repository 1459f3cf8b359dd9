// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/moves/moves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/moves/transpose/auto.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/kernels/relayout_entries.hpp"
#include "vkmoye/gen/numbers/number.hpp"

namespace vkmoye::gen {
namespace {

constexpr std::uint64_t kChunk = std::uint64_t{1} << 21;  // elements
constexpr double kMovedInASecond = 0x1p26;                // that are checked
constexpr std::int64_t kSampledChunks = 24;               // in addition to the first and the last

// An array as rows along its last axis; a scalar is one row with one element.
Arguments rows_and_cols(const Extents& shape) {
  if (shape.empty()) return {{"rows", 1}, {"cols", 1}};
  return {{"rows", number_of_elements({shape.begin(), shape.end() - 1})}, {"cols", shape.back()}};
}

using Move = std::unique_ptr<MoveProblem>;

// An array in Fortran order is moved as the C-order array with its axes in reverse, which has the same memory. The
// result of a copy or transpose is then in Fortran order as well, like NumPy's.
Move in_order(Move move, bool fortran_order) {
  ProblemArray& dst = move->arrays[1];
  dst.fortran_order = fortran_order;
  if (fortran_order) dst.shape = reversed(dst.shape);
  return move;
}

Move make_copy(const ProblemText&, MovedTypes types, const Extents& given, bool fortran_order) {
  const Extents shape = fortran_order ? reversed(given) : given;
  Extents strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) strides[axis] = stride;
  auto copy = std::make_unique<MoveProblem>(types, MoveMap{shape, shape, strides});
  copy->arguments = rows_and_cols(shape);
  return in_order(std::move(copy), fortran_order);
}

// Like NumPy: reverses the axes; an array of one dimension stays the same.
Move make_transpose(const ProblemText& text, MovedTypes types, const Extents& given,
                    bool fortran_order) {
  if (given.size() > 2) {
    throw ArgumentError(fmt::format("{} takes up to 2 dimensions, {} has {}; relayout takes any",
                                    text.entry->name, shape_text(given), given.size()));
  }
  if (given.size() < 2) return make_copy(text, types, given, fortran_order);
  const Extents shape = fortran_order ? reversed(given) : given;
  auto transpose =
      std::make_unique<MoveProblem>(types, MoveMap{shape, {shape[1], shape[0]}, {1, shape[1]}});
  const bool is_baked =
      text.entry->name == "transpose/auto" && text.config.empty() && is_narrow_transpose(shape);
  if (is_baked) {
    std::get<ElementsForm>(transpose->form).shape = shape;
  } else {
    transpose->arguments = rows_and_cols(shape);
  }
  return in_order(std::move(transpose), fortran_order);
}

// The permutation of `options` for the reversed shape, where axis i is axis rank - 1 - i.
std::string axes_in_reverse(const Options& options, std::size_t rank) {
  const auto named = options.find("permute");
  std::vector<std::string> axes;
  for (std::size_t i = 0; i < rank; ++i) axes.push_back(std::to_string(rank - 1 - i));
  if (named != options.end()) axes = split(named->second, ',');
  for (std::string& axis : axes) axis = std::to_string(rank - 1 - std::stoul(axis));
  return join(axes, ",");
}

Move make_relayout(const ProblemText& text, MovedTypes types, const Extents& given,
                   bool fortran_order) {
  Extents shape = given;
  Options options = text.config, changed;
  PermutedArray array = permuted_array(ElementsForm(types.src, shape), options);
  if (fortran_order) {  // the same result, in C order
    changed["permute"] = options["permute"] = axes_in_reverse(options, given.size());
    shape = reversed(given);
    array = permuted_array(ElementsForm(types.src, shape), options);
  }
  auto relayout = std::make_unique<MoveProblem>(
      types, MoveMap{shape, std::move(array.shape), std::move(array.strides)});
  std::get<ElementsForm>(relayout->form).shape = shape;
  relayout->kernel_options = changed;
  return relayout;
}

// Makes the problem; its parameters are what differs among the three.
using MakeMove = Move (*)(const ProblemText&, MovedTypes, const Extents&, bool fortran_order);

Operation move(const char* name, SizeForm form, MakeMove make, bool converts = false) {
  Operation operation;
  operation.converts = converts;
  operation.name = name;
  operation.size = std::move(form);
  const auto types_of = [converts](const ProblemText& text) {
    return parse_moved_types(
        text.type, text.entry->name,
        converts ? "one type, or those of src and dst" : "one type; copy/auto converts", converts);
  };
  operation.of_size = [make, types_of](const ProblemText& text, const Extents& size) {
    return make(text, types_of(text), size, /*fortran_order=*/false);
  };
  operation.of_arrays = [make, types_of](const ProblemText& text,
                                         const std::vector<GivenArray>& given) {
    if (given.size() != 1) {
      throw ArgumentError(
          fmt::format("{} takes one array, got {}", text.entry->name, given.size()));
    }
    const GivenArray& array = given.front();
    MovedTypes types = {array.type, array.type};
    if (!text.type.empty()) types = types_of(text);
    if (types.src != array.type) {
      throw ArgumentError(fmt::format("{}: has type {}, but --type is {}", array.name,
                                      to_string(array.type), text.type));
    }
    return make(text, types, array.shape, array.fortran_order);
  };
  operation.takes_fortran_order = [](const GivenArray&, std::size_t) { return true; };
  return operation;
}

}  // namespace

std::uint64_t MoveMap::source_of(std::uint64_t index) const {
  std::uint64_t source = 0;
  for (std::size_t axis = dst.size(); axis-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(dst[axis]);
    source += index % extent * static_cast<std::uint64_t>(strides[axis]);
    index /= extent;
  }
  return source;
}

MoveProblem::MoveProblem(MovedTypes types, MoveMap map) : types_(types), map_(std::move(map)) {
  ElementsForm elements(types.src, {}, types.result());
  elements.elements = map_.elements();
  form = elements;
  type_text = operands_text(types.src, types.dst);
  size = map_.src;
  add_input("src", types.src, map_.src);
  add_result("dst", types.dst, map_.dst);
  bytes = static_cast<double>(arrays[0].bytes + arrays[1].bytes);
  seconds_to_check = static_cast<double>(map_.elements()) / kMovedInASecond;
}

void MoveProblem::fill(ArrayMemory& memory, std::uint64_t seed) const {
  const std::uint64_t all = arrays[0].bytes;
  std::vector<std::byte> chunk(std::min(kChunk * width(), all));
  for (std::uint64_t at = 0; at < all; at += chunk.size()) {
    const std::span part(chunk.data(), std::min<std::size_t>(chunk.size(), all - at));
    for (std::uint64_t i = 0; i * width() < part.size(); ++i) {
      random_moved(part.subspan(i * width(), width()), types_, seed, at / width() + i);
    }
    memory.write(0, part, at);
  }
}

CheckResult MoveProblem::check(const ArrayMemory& memory, Verify verify, std::uint64_t seed) const {
  CheckResult checked;
  const std::uint64_t elements = map_.elements();
  const std::size_t result_width = size_of(types_.dst);
  const auto chunks = static_cast<std::int64_t>((elements + kChunk - 1) / kChunk);
  std::vector<std::byte> chunk(std::min(kChunk, elements) * result_width);
  for (const std::int64_t number : parts_to_check(chunks, kSampledChunks, verify, seed)) {
    const std::uint64_t first = static_cast<std::uint64_t>(number) * kChunk,
                        count = std::min(kChunk, elements - first);
    const std::span part(chunk.data(), count * result_width);
    memory.read(1, part, first * result_width);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t source = map_.source_of(first + i);
      const std::byte* got = part.data() + i * result_width;
      std::byte expected[16];
      random_moved({expected, width()}, types_, seed, source);
      if (is_moved(types_, expected, got) || checked.mismatches++ > 0) continue;
      checked.first = fmt::format("element {} of dst is not element {} of src", first + i, source);
      if (!types_.converts()) continue;
      checked.first += fmt::format(" converted: {} became {}", load_number(types_.src, expected),
                                   load_number(types_.dst, got));
    }
  }
  return checked;
}

Operation copies() {
  return move("copy", {.text = "ROWSxCOLUMNS", .rank = 2, .example = {2048, 2048}}, make_copy,
              /*converts=*/true);
}

Operation transposes() {
  return move("transpose", {.text = "ROWSxCOLUMNS", .rank = 2, .example = {2048, 2048}},
              make_transpose);
}

Operation relayouts() {
  return move("relayout",
              {.text = "EXTENTxEXTENTx..", .any_rank = true, .example = kRelayoutExample},
              make_relayout);
}

}  // namespace vkmoye::gen
