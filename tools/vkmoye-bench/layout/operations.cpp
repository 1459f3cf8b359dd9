#include "layout/operations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/layout/analysis.hpp"
#include "vkmoye/layout/search.hpp"
#include "vkmoye/tensor/partition.hpp"

namespace vkmoye::bench {
namespace {

[[noreturn]] void refuse_kind(const Value& value, std::string_view wanted) {
  throw LayoutError(fmt::format("expected {}, got {}: {}", wanted, kind_of(value), to_text(value)));
}

/// A shape without strides is its compact layout.
Layout to_layout(const Value& value) {
  if (const auto* layout = std::get_if<Layout>(&value)) return *layout;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return Layout(*shape);
  if (const auto* part = std::get_if<OffsetLayout>(&value); part && part->offset == 0)
    return part->layout;
  if (const auto* copy = std::get_if<TiledCopy>(&value)) return copy->layout_tv;
  refuse_kind(value, "a layout");
}

Tiler to_tiler(const Value& value) {
  if (const auto* tiler = std::get_if<Tiler>(&value)) return *tiler;
  if (const auto* layout = std::get_if<Layout>(&value)) return *layout;
  if (const auto* shape = std::get_if<IntTuple>(&value)) return *shape;
  refuse_kind(value, "a tiler");
}

const IntTuple& to_tuple(const Value& value) {
  if (const auto* tuple = std::get_if<IntTuple>(&value)) return *tuple;
  refuse_kind(value, "a tuple");
}

std::int64_t to_integer(const Value& value) {
  const auto* tuple = std::get_if<IntTuple>(&value);
  if (tuple == nullptr || !tuple->is_leaf() || tuple->leaf(0) == _) refuse_kind(value, "a number");
  return tuple->leaf(0);
}

int to_small(const Value& value) {
  const std::int64_t number = to_integer(value);
  if (number < -1000 || number > 1000) refuse_kind(value, "a small number");
  return static_cast<int>(number);
}

Swizzle to_swizzle(const Value& value) {
  if (const auto* swizzle = std::get_if<Swizzle>(&value)) return *swizzle;
  const auto* tuple = std::get_if<IntTuple>(&value);
  if (tuple == nullptr || tuple->leaf_count() != 3 || tuple->depth() != 1)
    refuse_kind(value, "a swizzle [bits, base, shift]");
  const auto part = [&](int i) { return to_small(IntTuple(tuple->leaf(i))); };
  return {part(0), part(1), part(2)};
}

/// A swizzled layout is divided, composed and sliced inside its swizzle.
template <class F>
Value on_layout(const Value& value, F f) {
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) return composed->with(f);
  return f(to_layout(value));
}

Value number(std::int64_t value) { return IntTuple(value); }

ComposedLayout to_storage(const Value& value) {
  if (const auto* composed = std::get_if<ComposedLayout>(&value)) return *composed;
  return {{}, 0, to_layout(value)};
}

TileAccess to_access(const Value& value) {
  if (const auto* access = std::get_if<TileAccess>(&value)) return *access;
  return {to_layout(value)};
}

bool is_number(const Value& value) {
  const auto* tuple = std::get_if<IntTuple>(&value);
  return tuple != nullptr && tuple->is_leaf();
}

/// access, .. [, element bytes] [, bank model]
struct SharedAccesses {
  std::vector<TileAccess> accesses;
  std::int64_t element_bytes = 4;
  BankModel model;
};

SharedAccesses to_accesses(Arguments rest) {
  SharedAccesses result;
  const auto at_access = [&] {
    return !rest.empty() && !is_number(rest[0]) && !std::holds_alternative<BankModel>(rest[0]);
  };
  for (; at_access(); rest = rest.subspan(1)) result.accesses.push_back(to_access(rest[0]));
  if (result.accesses.empty()) refuse_kind(rest[0], "an access");
  if (!rest.empty() && is_number(rest[0])) {
    result.element_bytes = to_integer(rest[0]);
    rest = rest.subspan(1);
  }
  if (!rest.empty()) {
    const auto* model = std::get_if<BankModel>(&rest[0]);
    if (model == nullptr) refuse_kind(rest[0], "a bank model");
    result.model = *model;
    rest = rest.subspan(1);
  }
  if (!rest.empty()) refuse_kind(rest[0], "nothing after the bank model");
  return result;
}

SharedAccesses to_one_access(Arguments rest) {
  SharedAccesses result = to_accesses(rest);
  if (result.accesses.size() != 1) throw LayoutError("expected one access, got several");
  return result;
}

/// A search's answer; without swizzle it is a plain layout.
using Search = std::optional<StorageSearch> (*)(const Layout&, std::span<const TileAccess>,
                                                std::int64_t, const BankModel&);

template <Search search>
Value found_by(Arguments a) {
  const SharedAccesses given = to_accesses(a.subspan(1));
  const auto found = search(to_layout(a[0]), given.accesses, given.element_bytes, given.model);
  if (!found) return std::monostate();
  if (found->storage.swizzle == Swizzle()) return found->storage.layout;
  return found->storage;
}

using A = Arguments;
constexpr int kMany = 16;

constexpr auto kOperations = std::to_array<LayoutOperation>({
    {"access", "elements by (thread, value) [, width]", 1, 2,
     [](A a) -> Value { return TileAccess{to_layout(a[0]), a.size() == 1 ? 1 : to_integer(a[1])}; }},
    {"append", "layout, modes", 2, 2,
     [](A a) -> Value { return append(to_layout(a[0]), to_small(a[1])); }},
    {"bank_conflicts", "storage, access [, element bytes] [, bank_model]", 2, 4,
     [](A a) -> Value {
       const SharedAccesses given = to_one_access(a.subspan(1));
       const BankConflicts found = bank_conflicts(to_storage(a[0]), given.accesses[0],
                                                  given.element_bytes, given.model);
       return Findings{{"degree", found.degree},
                       {"phases", found.phases},
                       {"wavefronts", found.wavefronts}};
     }},
    {"bank_map", "storage, access [, element bytes] [, bank_model]", 2, 4,
     [](A a) -> Value {
       const SharedAccesses given = to_one_access(a.subspan(1));
       return bank_table(to_storage(a[0]), given.accesses[0], given.element_bytes, given.model);
     }},
    {"bank_model", "lanes, banks, bank bytes", 3, 3,
     [](A a) -> Value { return BankModel{to_small(a[0]), to_small(a[1]), to_small(a[2])}; }},
    {"blocked_product", "block, layout", 2, 2,
     [](A a) -> Value { return blocked_product(to_layout(a[0]), to_layout(a[1])); }},
    {"ceil_div", "shape, tiler", 2, 2,
     [](A a) -> Value { return ceil_div(to_tuple(a[0]), to_tuple(a[1])); }},
    {"coalesce", "layout [, profile]", 1, 2,
     [](A a) -> Value {
       return on_layout(a[0], [&](const Layout& layout) {
         return a.size() == 1 ? coalesce(layout) : coalesce(layout, to_tuple(a[1]));
       });
     }},
    {"compatible", "shape, shape", 2, 2,
     [](A a) -> Value { return compatible(to_tuple(a[0]), to_tuple(a[1])); }},
    {"complement", "layout [, cotarget]", 1, 2,
     [](A a) -> Value {
       return a.size() == 1 ? complement(to_layout(a[0])) : complement(to_layout(a[0]), to_tuple(a[1]));
     }},
    {"composed_swizzle", "swizzle, offset, layout", 3, 3,
     [](A a) -> Value {
       const std::int64_t offset = to_integer(a[1]);
       if (offset < 0) raise("composed_swizzle", {offset}, "the offset is below 0");
       return ComposedLayout{to_swizzle(a[0]), offset, to_layout(a[2])};
     }},
    {"composition", "layout or swizzle, tiler", 2, 2,
     [](A a) -> Value {
       if (const auto* swizzle = std::get_if<Swizzle>(&a[0])) {
         if (const auto* inner = std::get_if<Swizzle>(&a[1])) return composition(*swizzle, *inner);
         if (const auto* inner = std::get_if<ComposedLayout>(&a[1]))
           return composition(*swizzle, *inner);
         return composition(*swizzle, to_layout(a[1]));
       }
       return on_layout(a[0], [&](const Layout& left) { return composition(left, to_tiler(a[1])); });
     }},
    {"congruent", "shape, shape", 2, 2,
     [](A a) -> Value { return congruent(to_tuple(a[0]), to_tuple(a[1])); }},
    {"contiguous_run", "layout", 1, 1,
     [](A a) -> Value { return number(contiguous_run(to_layout(a[0]))); }},
    {"cosize", "layout", 1, 1,
     [](A a) -> Value {
       if (const auto* composed = std::get_if<ComposedLayout>(&a[0]))
         return number(composed->cosize());
       return number(to_layout(a[0]).cosize());
     }},
    {"crd2idx", "coordinate, shape [, stride]", 2, 3,
     [](A a) -> Value {
       if (a.size() == 3) return number(crd2idx(to_tuple(a[0]), to_tuple(a[1]), to_tuple(a[2])));
       return number(to_layout(a[1])(to_tuple(a[0])));
     }},
    {"depth", "layout", 1, 1, [](A a) -> Value { return number(to_layout(a[0]).depth()); }},
    {"dice", "coordinate, layout", 2, 2,
     [](A a) -> Value { return dice(to_tuple(a[0]), to_layout(a[1])); }},
    {"domain_distribute", "shape, count", 2, 2,
     [](A a) -> Value { return domain_distribute(to_tuple(a[0]), to_integer(a[1])); }},
    {"domain_offset", "coordinate, layout", 2, 2,
     [](A a) -> Value { return domain_offset(to_tuple(a[0]), to_layout(a[1])); }},
    {"downcast", "layout, factor", 2, 2,
     [](A a) -> Value { return downcast(to_layout(a[0]), to_integer(a[1])); }},
    {"elem_less", "coordinate, bound", 2, 2,
     [](A a) -> Value { return elem_less(to_tuple(a[0]), to_tuple(a[1])); }},
    {"evenly_divides", "shape, tiler", 2, 2,
     [](A a) -> Value { return evenly_divides(to_tuple(a[0]), to_tuple(a[1])); }},
    {"filter", "layout", 1, 1, [](A a) -> Value { return filter(to_layout(a[0])); }},
    {"filter_zeros", "layout", 1, 1, [](A a) -> Value { return filter_zeros(to_layout(a[0])); }},
    {"find_collision", "layout", 1, 1,
     [](A a) -> Value {
       const auto found = find_collision(to_layout(a[0]));
       if (!found) return std::monostate();
       return Findings{
           {"first", found->first}, {"second", found->second}, {"offset", found->offset}};
     }},
    {"flat_divide", "layout, tiler", 2, 2,
     [](A a) -> Value {
       return on_layout(a[0], [&](const Layout& l) { return flat_divide(l, to_tiler(a[1])); });
     }},
    {"flat_product", "layout, tiler", 2, 2,
     [](A a) -> Value { return flat_product(to_layout(a[0]), to_tiler(a[1])); }},
    {"flatten", "layout", 1, 1,
     [](A a) -> Value { return on_layout(a[0], [](const Layout& l) { return flatten(l); }); }},
    {"group", "layout, begin, end", 3, 3,
     [](A a) -> Value { return group(to_layout(a[0]), to_small(a[1]), to_small(a[2])); }},
    {"idx2crd", "index, shape [, stride]", 2, 3,
     [](A a) -> Value {
       if (a.size() == 3) return idx2crd(to_tuple(a[0]), to_tuple(a[1]), to_tuple(a[2]));
       if (const auto* layout = std::get_if<Layout>(&a[1])) return idx2crd(to_tuple(a[0]), *layout);
       return idx2crd(to_tuple(a[0]), to_tuple(a[1]));
     }},
    {"is_injective", "layout", 1, 1, [](A a) -> Value { return is_injective(to_layout(a[0])); }},
    {"layout", "shape [, stride]", 1, 2,
     [](A a) -> Value {
       return a.size() == 1 ? Layout(to_tuple(a[0])) : Layout(to_tuple(a[0]), to_tuple(a[1]));
     }},
    {"left_inverse", "layout", 1, 1, [](A a) -> Value { return left_inverse(to_layout(a[0])); }},
    {"local_partition", "layout, threads, id [, projection]", 3, 4,
     [](A a) -> Value {
       return local_partition(to_layout(a[0]), to_layout(a[1]), to_integer(a[2]),
                              a.size() == 3 ? IntTuple(_) : to_tuple(a[3]));
     }},
    {"local_tile", "layout, tiler, coordinate", 3, 3,
     [](A a) -> Value { return local_tile(to_layout(a[0]), to_tiler(a[1]), to_tuple(a[2])); }},
    {"logical_divide", "layout, tiler", 2, 2,
     [](A a) -> Value {
       return on_layout(a[0], [&](const Layout& l) { return logical_divide(l, to_tiler(a[1])); });
     }},
    {"logical_product", "layout, tiler", 2, 2,
     [](A a) -> Value { return logical_product(to_layout(a[0]), to_tiler(a[1])); }},
    {"make_fragment_like", "layout", 1, 1,
     [](A a) -> Value { return make_fragment_like(to_layout(a[0])); }},
    {"make_layout", "layout, ..", 1, kMany,
     [](A a) -> Value {
       std::vector<Layout> modes;
       for (const Value& mode : a) modes.push_back(to_layout(mode));
       return make_layout(std::span<const Layout>(modes));
     }},
    {"make_layout_like", "layout", 1, 1,
     [](A a) -> Value { return make_layout_like(to_layout(a[0])); }},
    {"make_ordered_layout", "shape, order", 2, 2,
     [](A a) -> Value { return make_ordered_layout(to_tuple(a[0]), to_tuple(a[1])); }},
    {"make_swizzle", "bits, base, shift", 3, 3,
     [](A a) -> Value { return Swizzle(to_small(a[0]), to_small(a[1]), to_small(a[2])); }},
    {"make_tiled_copy", "threads, values", 2, 2,
     [](A a) -> Value { return make_tiled_copy(to_layout(a[0]), to_layout(a[1])); }},
    {"max_alignment", "layout", 1, 1,
     [](A a) -> Value { return number(max_alignment(to_layout(a[0]))); }},
    {"max_common_layout", "layout, layout", 2, 2,
     [](A a) -> Value { return max_common_layout(to_layout(a[0]), to_layout(a[1])); }},
    {"max_common_vector", "layout, layout", 2, 2,
     [](A a) -> Value { return number(max_common_vector(to_layout(a[0]), to_layout(a[1]))); }},
    {"mode", "layout, number", 2, 2,
     [](A a) -> Value { return to_layout(a[0]).mode(to_small(a[1])); }},
    {"nullspace", "layout", 1, 1, [](A a) -> Value { return nullspace(to_layout(a[0])); }},
    {"parallelize", "layout, threads", 2, 2,
     [](A a) -> Value {
       const Layout threads = to_layout(a[1]);
       return thread_value_layout(thread_split(to_layout(a[0]), threads), threads);
     }},
    {"prepend", "layout, modes", 2, 2,
     [](A a) -> Value { return prepend(to_layout(a[0]), to_small(a[1])); }},
    {"product_each", "shape", 1, 1, [](A a) -> Value { return product_each(to_tuple(a[0])); }},
    {"raked_product", "block, layout", 2, 2,
     [](A a) -> Value { return raked_product(to_layout(a[0]), to_layout(a[1])); }},
    {"rank", "layout", 1, 1, [](A a) -> Value { return number(to_layout(a[0]).rank()); }},
    {"recast", "layout, old bits, new bits", 3, 3,
     [](A a) -> Value { return recast(to_layout(a[0]), to_integer(a[1]), to_integer(a[2])); }},
    {"replace", "layout, mode, layout", 3, 3,
     [](A a) -> Value { return replace(to_layout(a[0]), to_small(a[1]), to_layout(a[2])); }},
    {"right_inverse", "layout", 1, 1, [](A a) -> Value { return right_inverse(to_layout(a[0])); }},
    {"row_major", "shape", 1, 1,
     [](A a) -> Value { return make_layout(to_tuple(a[0]), Major::kRow); }},
    {"search_padding", "tile, access, .. [, element bytes] [, bank_model]", 2, kMany,
     found_by<search_padding>},
    {"search_storage", "tile, access, .. [, element bytes] [, bank_model]", 2, kMany,
     found_by<search_storage>},
    {"search_swizzle", "tile, access, .. [, element bytes] [, bank_model]", 2, kMany,
     found_by<search_swizzle>},
    {"sectors_per_request", "layout, access [, element bytes [, lanes [, sector bytes]]]", 2, 5,
     [](A a) -> Value {
       const SectorCount found = sectors_per_request(
           to_layout(a[0]), to_access(a[1]), a.size() > 2 ? to_integer(a[2]) : 4,
           a.size() > 3 ? to_small(a[3]) : 32, a.size() > 4 ? to_integer(a[4]) : 32);
       return Findings{{"most", found.most}, {"ideal", found.ideal}};
     }},
    {"select", "layout, mode, ..", 2, kMany,
     [](A a) -> Value {
       std::vector<int> modes;
       for (const Value& mode : a.subspan(1)) modes.push_back(to_small(mode));
       return select(to_layout(a[0]), std::span<const int>(modes));
     }},
    {"shape", "layout", 1, 1, [](A a) -> Value { return to_layout(a[0]).shape(); }},
    {"size", "layout", 1, 1,
     [](A a) -> Value {
       if (const auto* composed = std::get_if<ComposedLayout>(&a[0]))
         return number(composed->size());
       return number(to_layout(a[0]).size());
     }},
    {"slice", "coordinate, layout", 2, 2,
     [](A a) -> Value {
       if (const auto* composed = std::get_if<ComposedLayout>(&a[1]))
         return slice(to_tuple(a[0]), *composed);
       return slice(to_tuple(a[0]), to_layout(a[1]));
     }},
    {"slice_and_offset", "coordinate, layout", 2, 2,
     [](A a) -> Value { return slice_and_offset(to_tuple(a[0]), to_layout(a[1])); }},
    {"stride", "layout", 1, 1, [](A a) -> Value { return to_layout(a[0]).stride(); }},
    {"swizzle", "swizzle, offset", 2, 2,
     [](A a) -> Value { return number(to_swizzle(a[0])(to_integer(a[1]))); }},
    {"take", "layout, begin, end", 3, 3,
     [](A a) -> Value { return take(to_layout(a[0]), to_small(a[1]), to_small(a[2])); }},
    {"tile_to_shape", "block, shape [, order]", 2, 3,
     [](A a) -> Value {
       if (a.size() == 2) return tile_to_shape(to_layout(a[0]), to_tuple(a[1]));
       return tile_to_shape(to_layout(a[0]), to_tuple(a[1]), to_tuple(a[2]));
     }},
    {"tiled_divide", "layout, tiler", 2, 2,
     [](A a) -> Value {
       return on_layout(a[0], [&](const Layout& l) { return tiled_divide(l, to_tiler(a[1])); });
     }},
    {"tiled_product", "layout, tiler", 2, 2,
     [](A a) -> Value { return tiled_product(to_layout(a[0]), to_tiler(a[1])); }},
    {"transpose", "layout", 1, 1,
     [](A a) -> Value { return on_layout(a[0], [](const Layout& l) { return transpose(l); }); }},
    {"unflatten", "layout, profile", 2, 2,
     [](A a) -> Value { return unflatten(to_layout(a[0]), to_tuple(a[1])); }},
    {"upcast", "layout, factor", 2, 2,
     [](A a) -> Value { return upcast(to_layout(a[0]), to_integer(a[1])); }},
    {"weakly_congruent", "shape, shape", 2, 2,
     [](A a) -> Value { return weakly_congruent(to_tuple(a[0]), to_tuple(a[1])); }},
    {"widest_access", "values, starts, element bytes, alignment [, most bytes]", 4, 5,
     [](A a) -> Value {
       return number(widest_access(to_layout(a[0]), to_layout(a[1]), to_integer(a[2]),
                                   to_integer(a[3]), a.size() > 4 ? to_integer(a[4]) : 16));
     }},
    {"zipped_divide", "layout, tiler", 2, 2,
     [](A a) -> Value {
       return on_layout(a[0], [&](const Layout& l) { return zipped_divide(l, to_tiler(a[1])); });
     }},
    {"zipped_product", "layout, tiler", 2, 2,
     [](A a) -> Value { return zipped_product(to_layout(a[0]), to_tiler(a[1])); }},
});

static_assert(std::is_sorted(kOperations.begin(), kOperations.end(),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

}  // namespace

std::string_view kind_of(const Value& value) {
  constexpr std::string_view kNames[] = {
      "nothing",      "a truth value",     "a tuple",          "a layout",     "a tiler",
      "a swizzle",    "a swizzled layout", "an offset layout", "a tiled copy", "an access",
      "a bank model", "findings",          "a picture"};
  static_assert(std::size(kNames) == std::variant_size_v<Value>);
  return kNames[value.index()];
}

std::string to_text(const Value& value) {
  const auto swizzle = [](const Swizzle& s) {
    return fmt::format("Swizzle<{},{},{}>", s.bits(), s.base(), s.shift());
  };
  return std::visit(Overload{[](std::monostate) -> std::string { return "none"; },
                             [](bool truth) -> std::string { return truth ? "true" : "false"; },
                             [](const IntTuple& tuple) { return to_string(tuple); },
                             [](const Layout& layout) { return to_string(layout); },
                             [](const Tiler& tiler) { return to_string(tiler); }, swizzle,
                             [&](const ComposedLayout& a) {
                               return fmt::format("{} o {} o {}", swizzle(a.swizzle), a.offset,
                                                  to_string(a.layout));
                             },
                             [](const OffsetLayout& a) {
                               return fmt::format("{} + {}", a.offset, to_string(a.layout));
                             },
                             [](const TileAccess& access) {
                               return fmt::format("{} elements at {}", access.width,
                                                  to_string(access.elements));
                             },
                             [](const BankModel& model) {
                               return fmt::format("{} lanes, {} banks of {} bytes", model.lanes,
                                                  model.banks, model.bank_bytes);
                             },
                             [](const Findings& findings) {
                               std::vector<std::string> parts;
                               for (const auto& [name, what] : findings)
                                 parts.push_back(fmt::format("{} {}", name, to_string(what)));
                               return join(parts, ", ");
                             },
                             [](const Table& table) { return draw_text(table); },
                             [](const TiledCopy& copy) {
                               return fmt::format("layout_tv {}, tiler {}",
                                                  to_string(copy.layout_tv), to_string(copy.tiler));
                             }},
                    value);
}

Table table_of(const Value& value) {
  return std::visit(
      Overload{[](const Layout& layout) { return offset_table(layout); },
               [](const OffsetLayout& layout) { return offset_table(layout); },
               [](const ComposedLayout& layout) { return offset_table(layout); },
               [](const TiledCopy& copy) { return thread_value_table(copy.layout_tv, copy.tiler); },
               [](const IntTuple& shape) { return offset_table(Layout(shape)); },
               [](const Table& table) { return table; },
               [&](const auto&) -> Table { refuse_kind(value, "a layout to draw"); }},
      value);
}

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
                                meant.empty() ? "" : fmt::format(", did you mean '{}'?", meant)));
}

Value apply_operation(const LayoutOperation& operation, Arguments arguments) {
  const int count = static_cast<int>(arguments.size());
  if (count < operation.least || count > operation.most)
    throw LayoutError(fmt::format("{}({}) takes {} arguments, not {}", operation.name,
                                  operation.parameters,
                                  operation.least == operation.most
                                      ? std::to_string(operation.least)
                                      : fmt::format("{} to {}", operation.least, operation.most),
                                  count));
  return operation.apply(arguments);
}

}  // namespace vkmoye::bench
