// SPDX-License-Identifier: MIT
#include "layout/layout_operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "layout/call.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/layout/analysis.hpp"
#include "vkmoye/layout/search.hpp"
#include "vkmoye/tensor/partition.hpp"

namespace vkmoye::bench {

SharedAccesses Parameter<SharedAccesses>::take(Arguments& rest) {
  const auto is_number = [](const Value& value) {
    const auto* tuple = std::get_if<IntTuple>(&value);
    return tuple != nullptr && tuple->is_leaf();
  };
  SharedAccesses result;
  const Value& first = rest[0];
  for (; !rest.empty() && !is_number(rest[0]) && !std::holds_alternative<BankModel>(rest[0]);
       rest = rest.subspan(1))
    result.accesses.push_back(to_access(rest[0]));
  if (result.accesses.empty()) refuse_kind(first, "an access");
  if (!rest.empty() && is_number(rest[0]))
    result.element_bytes = Parameter<std::int64_t>::take(rest);
  if (!rest.empty()) {
    const auto* model = std::get_if<BankModel>(&rest[0]);
    if (model == nullptr) refuse_kind(rest[0], "a bank model");
    result.model = *model;
    rest = rest.subspan(1);
  }
  if (!rest.empty()) refuse_kind(rest[0], "nothing after the bank model");
  return result;
}

namespace {

const TileAccess& only_access(const SharedAccesses& given) {
  if (given.accesses.size() != 1) throw LayoutError("expected one access, got several");
  return given.accesses[0];
}

/// The result of a search: a plain layout if it has no swizzle.
Value found_value(const std::optional<StorageSearch>& found) {
  if (!found) return std::monostate();
  if (found->storage.swizzle == Swizzle()) return found->storage.layout;
  return found->storage;
}

/// Like the overloads in C++: shape; shape, stride; or layouts. A shape among layouts is ambiguous and an error.
Value make_layout_of(const std::vector<Value>& given) {
  const auto is_shape = [](const Value& v) { return std::holds_alternative<IntTuple>(v); };
  if (given.size() <= 2 && std::all_of(given.begin(), given.end(), is_shape))
    return given.size() == 1 ? Layout(to_tuple(given[0]))
                             : Layout(to_tuple(given[0]), to_tuple(given[1]));
  std::vector<Layout> modes;
  for (const Value& mode : given) {
    if (is_shape(mode))
      throw LayoutError(
          fmt::format("argument {} of make_layout is a shape among {} others; make_layout takes "
                      "layouts, one shape, "
                      "or a shape and a stride; this shape as a layout is {}",
                      modes.size() + 1, given.size() - 1, to_string(to_layout(mode))));
    modes.push_back(to_layout(mode));
  }
  return make_layout(std::span<const Layout>(modes));
}

Value composition_of(const Value& outer, const Value& inner) {
  if (const auto* composed = std::get_if<ComposedLayout>(&outer))
    return composition(*composed, to_tiler(inner));
  const auto* swizzle = std::get_if<Swizzle>(&outer);
  if (swizzle == nullptr) return composition(to_layout(outer), to_tiler(inner));
  if (const auto* second = std::get_if<Swizzle>(&inner)) return composition(*swizzle, *second);
  if (const auto* composed = std::get_if<ComposedLayout>(&inner))
    return composition(*swizzle, *composed);
  return composition(*swizzle, to_layout(inner));
}

using Tuple = IntTuple;
using Integer = std::int64_t;
template <class Kind>
using Optional = std::optional<Kind>;

constexpr auto kOperations = std::to_array<LayoutOperation>({
    {"access", "elements by (thread, value) [, width]",
     call([](Layout elements, Optional<Integer> width) {
       return TileAccess{elements, width.value_or(1)};
     })},
    {"append", "layout, modes", call([](Layout a, int modes) { return append(a, modes); })},
    {"bank_conflicts", "storage, access [, element bytes] [, bank_model]",
     call([](ComposedLayout storage, SharedAccesses given) {
       const BankConflicts found =
           bank_conflicts(storage, only_access(given), given.element_bytes, given.model);
       return Findings{
           {"degree", found.degree}, {"phases", found.phases}, {"wavefronts", found.wavefronts}};
     })},
    {"bank_map", "storage, access [, element bytes] [, bank_model]",
     call([](ComposedLayout storage, SharedAccesses given) {
       return bank_table(storage, only_access(given), given.element_bytes, given.model);
     })},
    {"bank_model", "lanes, banks, bank bytes", call([](int lanes, int banks, int bytes) {
       return BankModel{lanes, banks, bytes};
     })},
    {"blocked_product", "block, layout",
     call([](Layout block, Layout tiler) { return blocked_product(block, tiler); })},
    {"ceil_div", "shape, tiler",
     call([](Tuple shape, Tuple tiler) { return ceil_div(shape, tiler); })},
    {"coalesce", "layout [, profile]", inside_swizzle([](Layout a, Optional<Tuple> profile) {
       return profile ? coalesce(a, *profile) : coalesce(a);
     })},
    {"compatible", "shape, shape", call([](Tuple a, Tuple b) { return compatible(a, b); })},
    {"complement", "layout [, cotarget]", call([](Layout a, Optional<Tuple> cotarget) {
       return cotarget ? complement(a, *cotarget) : complement(a);
     })},
    {"composed_swizzle", "swizzle, offset, layout",
     call([](Swizzle swizzle, Integer offset, Layout a) {
       return from_parts({{"swizzle", swizzle}, {"offset", IntTuple(offset)}, {"layout", a}});
     })},
    {"composition", "layout or swizzle, tiler",
     call([](Value outer, Value inner) { return composition_of(outer, inner); })},
    {"congruent", "shape, shape", call([](Tuple a, Tuple b) { return congruent(a, b); })},
    {"contiguous_run", "layout", call([](Layout a) { return contiguous_run(a); })},
    {"cosize", "layout", call([](ComposedLayout a) { return a.cosize(); })},
    {"crd2idx", "coordinate, shape [, stride]",
     call([](Tuple at, Value shape, Optional<Tuple> stride) {
       return stride ? crd2idx(at, to_tuple(shape), *stride) : to_layout(shape)(at);
     })},
    {"depth", "layout", call([](Layout a) { return a.depth(); })},
    {"dice", "coordinate, layout", call([](Tuple at, Layout a) { return dice(at, a); })},
    {"domain_distribute", "shape, count",
     call([](Tuple shape, Integer count) { return domain_distribute(shape, count); })},
    {"domain_offset", "coordinate, layout",
     call([](Tuple at, Layout a) { return domain_offset(at, a); })},
    {"downcast", "layout, factor",
     call([](Layout a, Integer factor) { return downcast(a, factor); })},
    {"elem_less", "coordinate, bound",
     call([](Tuple at, Tuple bound) { return elem_less(at, bound); })},
    {"evenly_divides", "shape, tiler",
     call([](Tuple shape, Tuple tiler) { return evenly_divides(shape, tiler); })},
    {"filter", "layout", call([](Layout a) { return filter(a); })},
    {"filter_zeros", "layout", call([](Layout a) { return filter_zeros(a); })},
    {"find_collision", "layout", call([](Layout a) -> Value {
       const auto found = find_collision(a);
       if (!found) return std::monostate();
       return Findings{
           {"first", found->first}, {"second", found->second}, {"offset", found->offset}};
     })},
    {"flat_divide", "layout, tiler",
     inside_swizzle([](Layout a, Tiler by) { return flat_divide(a, by); })},
    {"flat_product", "layout, tiler", call([](Layout a, Tiler by) { return flat_product(a, by); })},
    {"flatten", "layout", inside_swizzle([](Layout a) { return flatten(a); })},
    {"group", "layout, begin, end",
     call([](Layout a, int begin, int end) { return group(a, begin, end); })},
    {"idx2crd", "index, shape [, stride]",
     call([](Tuple index, Value shape, Optional<Tuple> stride) {
       if (stride) return idx2crd(index, to_tuple(shape), *stride);
       if (const auto* layout = std::get_if<Layout>(&shape)) return idx2crd(index, *layout);
       return idx2crd(index, to_tuple(shape));
     })},
    {"is_compact", "layout", call([](Layout a) { return is_compact(a); })},
    {"is_injective", "layout", call([](Layout a) { return is_injective(a); })},
    {"layout", "shape [, stride]", call([](Tuple shape, Optional<Tuple> stride) {
       return stride ? Layout(shape, *stride) : Layout(shape);
     })},
    {"left_inverse", "layout", call([](Layout a) { return left_inverse(a); })},
    {"local_partition", "layout, threads, id [, projection]",
     call([](Layout a, Layout threads, Integer id, Optional<Tuple> projection) {
       return local_partition(a, threads, id, projection.value_or(_));
     })},
    {"local_tile", "layout, tiler, coordinate",
     call([](Layout a, Tiler by, Tuple at) { return local_tile(a, by, at); })},
    {"logical_divide", "layout, tiler",
     inside_swizzle([](Layout a, Tiler by) { return logical_divide(a, by); })},
    {"logical_product", "layout, tiler",
     call([](Layout a, Tiler by) { return logical_product(a, by); })},
    {"make_fragment_like", "layout", call([](Layout a) { return make_fragment_like(a); })},
    {"make_layout", "shape [, stride] or layout, ..",
     call([](std::vector<Value> given) { return make_layout_of(given); })},
    {"make_layout_like", "layout", call([](Layout a) { return make_layout_like(a); })},
    {"make_ordered_layout", "shape, order",
     call([](Tuple shape, Tuple order) { return make_ordered_layout(shape, order); })},
    {"make_swizzle", "bits, base, shift",
     call([](int bits, int base, int shift) { return Swizzle(bits, base, shift); })},
    {"make_tiled_copy", "threads, values",
     call([](Layout threads, Layout values) { return make_tiled_copy(threads, values); })},
    {"make_tiled_mma", "threads [, rows of a thread [, columns]]",
     call([](Layout threads, Optional<Integer> rows, Optional<Integer> columns) {
       return make_tiled_mma(threads, rows.value_or(1), columns.value_or(1));
     })},
    {"max_alignment", "layout", call([](Layout a) { return max_alignment(a); })},
    {"max_common_layout", "layout, layout",
     call([](Layout a, Layout b) { return max_common_layout(a, b); })},
    {"max_common_vector", "layout, layout",
     call([](Layout a, Layout b) { return max_common_vector(a, b); })},
    {"mode", "layout, number", call([](Layout a, int i) { return a.mode(i); })},
    {"nullspace", "layout", call([](Layout a) { return nullspace(a); })},
    {"parallelize", "layout, threads", call([](Layout a, Layout threads) {
       return thread_value_layout(thread_split(a, threads), threads);
     })},
    {"prepend", "layout, modes", call([](Layout a, int modes) { return prepend(a, modes); })},
    {"product_each", "shape", call([](Tuple shape) { return product_each(shape); })},
    {"raked_product", "block, layout",
     call([](Layout block, Layout tiler) { return raked_product(block, tiler); })},
    {"rank", "layout", call([](Layout a) { return a.rank(); })},
    {"recast", "layout, old bits, new bits",
     call([](Layout a, Integer from, Integer to) { return recast(a, from, to); })},
    {"replace", "layout, mode, layout",
     call([](Layout a, int i, Layout mode) { return replace(a, i, mode); })},
    {"right_inverse", "layout", call([](Layout a) { return right_inverse(a); })},
    {"row_major", "shape", call([](Tuple shape) { return make_layout(shape, Major::kRow); })},
    {"search_padding", "tile, access, .. [, element bytes] [, bank_model]",
     call([](Layout tile, SharedAccesses given) {
       return found_value(search_padding(tile, given.accesses, given.element_bytes, given.model));
     })},
    {"search_storage", "tile, access, .. [, element bytes] [, bank_model]",
     call([](Layout tile, SharedAccesses given) {
       return found_value(search_storage(tile, given.accesses, given.element_bytes, given.model));
     })},
    {"search_swizzle", "tile, access, .. [, element bytes] [, bank_model]",
     call([](Layout tile, SharedAccesses given) {
       return found_value(search_swizzle(tile, given.accesses, given.element_bytes, given.model));
     })},
    {"sectors_per_request", "layout, access [, element bytes [, lanes [, sector bytes]]]",
     call([](Layout a, TileAccess access, Optional<Integer> bytes, Optional<int> lanes,
             Optional<Integer> sector) {
       const SectorCount found = sectors_per_request(a, access, bytes.value_or(4),
                                                     lanes.value_or(32), sector.value_or(32));
       return Findings{{"most", found.most}, {"ideal", found.ideal}};
     })},
    {"select", "layout, mode, ..",
     call([](Layout a, std::vector<int> modes) { return select(a, std::span<const int>(modes)); })},
    {"shape", "layout", call([](Layout a) { return a.shape(); })},
    {"size", "layout", call([](ComposedLayout a) { return a.size(); })},
    {"slice", "coordinate, layout", call([](Tuple at, Value a) -> Value {
       if (const auto* composed = std::get_if<ComposedLayout>(&a)) return slice(at, *composed);
       return slice(at, to_layout(a));
     })},
    {"slice_and_offset", "coordinate, layout",
     call([](Tuple at, Layout a) { return slice_and_offset(at, a); })},
    {"stride", "layout", call([](Layout a) { return a.stride(); })},
    {"swizzle", "swizzle, offset",
     call([](Swizzle swizzle, Integer offset) { return swizzle(offset); })},
    {"take", "layout, begin, end",
     call([](Layout a, int begin, int end) { return take(a, begin, end); })},
    {"tile_to_shape", "block, shape [, order]",
     call([](Layout block, Tuple shape, Optional<Tuple> order) {
       return order ? tile_to_shape(block, shape, *order) : tile_to_shape(block, shape);
     })},
    {"tiled_divide", "layout, tiler",
     inside_swizzle([](Layout a, Tiler by) { return tiled_divide(a, by); })},
    {"tiled_product", "layout, tiler",
     call([](Layout a, Tiler by) { return tiled_product(a, by); })},
    {"transpose", "layout", inside_swizzle([](Layout a) { return transpose(a); })},
    {"unflatten", "layout, profile",
     call([](Layout a, Tuple profile) { return unflatten(a, profile); })},
    {"upcast", "layout, factor", call([](Layout a, Integer factor) { return upcast(a, factor); })},
    {"weakly_congruent", "shape, shape",
     call([](Tuple a, Tuple b) { return weakly_congruent(a, b); })},
    {"widest_access", "values, starts, element bytes, alignment [, most bytes]",
     call([](Layout values, Layout starts, Integer bytes, Integer alignment,
             Optional<Integer> max_width) {
       return widest_access(values, starts, bytes, alignment, max_width.value_or(16));
     })},
    {"zipped_divide", "layout, tiler",
     inside_swizzle([](Layout a, Tiler by) { return zipped_divide(a, by); })},
    {"zipped_product", "layout, tiler",
     call([](Layout a, Tiler by) { return zipped_product(a, by); })},
});

static_assert(std::is_sorted(kOperations.begin(), kOperations.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));

}  // namespace

std::span<const LayoutOperation> layout_operations() { return kOperations; }

const LayoutOperation& find_layout_operation(std::string_view name) {
  const auto found = std::lower_bound(
      kOperations.begin(), kOperations.end(), name,
      [](const LayoutOperation& row, std::string_view to) { return row.name < to; });
  if (found != kOperations.end() && found->name == name) return *found;
  std::vector<std::string> names;
  for (const LayoutOperation& row : kOperations) names.emplace_back(row.name);
  const std::string shown(name.substr(0, 40));
  const std::string meant = did_you_mean(shown, names);
  throw LayoutError(fmt::format("unknown operation '{}'{}", shown,
                                meant.empty() ? "; 'layout operations' lists all of them"
                                              : fmt::format(", did you mean '{}'?", meant)));
}

Value apply_operation(const LayoutOperation& operation, Arguments arguments) {
  const auto& [min, max, apply] = operation.call;
  const int count = static_cast<int>(arguments.size());
  if (count < min || count > max)
    throw LayoutError(
        fmt::format("{}({}) takes {} arguments, not {}", operation.name, operation.parameters,
                    min == max ? std::to_string(min) : fmt::format("{} to {}", min, max), count));
  return apply(arguments);
}

}  // namespace vkmoye::bench
