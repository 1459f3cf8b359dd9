// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/dsl/mma.hpp"
#include "vkmoye/gen/dsl/titles.hpp"
#include "vkmoye/gen/dsl/unverified.hpp"
#include "vkmoye/gen/ir/names.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// Whether two dimensions have the same tiles: tiles of 2 parts of 16 elements are tiles of 32 elements. Of extents that
// are numbers, only how many tiles there are counts.
bool is_same_grid(const GridDimension& a, const GridDimension& b) {
  if (!a.extent.is_symbol() && !b.extent.is_symbol()) {
    return Extent::parts(a.extent, a.tile) == Extent::parts(b.extent, b.tile);
  }
  const auto whole_of = [](const GridDimension& dimension) {
    return std::pair(dimension.extent.whole(), dimension.tile * dimension.extent.per);
  };
  return whole_of(a) == whole_of(b);
}

}  // namespace

Builder::Builder(std::string name, std::int64_t threads, std::uint32_t lanes) {
  detail::begin_description();
  kernel_.name = std::move(name);
  kernel_.threads = to_index(threads);
  kernel_.subgroup_size = lanes;
  if (lanes == 0 || (std::has_single_bit(lanes) && threads % lanes == 0)) return;
  throw KernelError(
      kernel_.name,
      {fmt::format("{} threads cannot be split into subgroups of {} lanes: the number "
                   "of lanes must be a power of two that divides the threads",
                   threads, lanes)});
}

void Builder::header(std::vector<std::pair<std::string, std::string>> config, std::string why) {
  kernel_.config = std::move(config);
  kernel_.why = std::move(why);
}

Tensor Builder::input(const std::string& name, ScalarType type, const std::vector<AxisSpec>& axes) {
  return buffer(name, type, Access::read, axes);
}

Tensor Builder::output(const std::string& name, ScalarType type,
                       const std::vector<AxisSpec>& axes) {
  return buffer(name, type, Access::write, axes);
}

Tensor Builder::in_out(const std::string& name, ScalarType type,
                       const std::vector<AxisSpec>& axes) {
  return buffer(name, type, Access::read_write, axes);
}

void Builder::add_argument(const PushConstant& argument) {
  auto& arguments = kernel_.arguments;
  if (std::find(arguments.begin(), arguments.end(), argument) == arguments.end()) {
    arguments.push_back(argument);
  }
}

Expr Builder::argument(const std::string& name, ScalarType type) {
  add_argument({name, type});
  return ir::variable(name, type == ScalarType::u32 ? ir::kIndex : ir::element(type));
}

Tensor Builder::buffer(const std::string& name, ScalarType type, Access access,
                       const std::vector<AxisSpec>& axes) {
  ir::Array array{name, type, ir::Array::Space::buffer, access, {}, ""};
  Expr stride = 1;
  for (const AxisSpec& axis : axes) {
    const Extent none = 1;
    for (const Extent& number : {axis.extent, axis.stride.value_or(none)}) {
      for (const std::string& name : number.arguments()) add_argument(name);
    }
    if (axis.stride) stride = ir::stride_from(*axis.stride);
    array.axes.push_back({axis.coordinate, axis.extent, stride});
    stride = ir::next_stride(stride, axis.extent);
  }
  array.addressing = addressing_;
  kernel_.arrays.push_back(array);
  return {array};
}

View Builder::shared(const std::string& name, ScalarType type, const Layout& layout) {
  return shared(name, type, ComposedLayout{{}, 0, layout});
}

View Builder::shared(const std::string& name, ScalarType type, const ComposedLayout& layout) {
  // A swizzle is injective, so it suffices to check the layout.
  if (const auto clash = find_collision(layout.layout)) {
    throw LayoutError(
        fmt::format("{} cannot be the layout of shared {}: coordinates {} and {} share "
                    "address {}",
                    text_of(layout), name, to_string(clash->first), to_string(clash->second),
                    layout.swizzle(layout.offset + clash->offset)));
  }
  return array_of(name, type, layout, ir::Array::Space::shared);
}

View Builder::shared(const std::string& name, ScalarType type, const ComposedLayout& layout,
                     std::int64_t elements) {
  const View view = shared(name, type, layout);
  Extent& extent = kernel_.arrays.back().axes[0].extent;
  extent = Extent(std::max(extent.value, elements));
  return view;
}

View Builder::registers(const std::string& name, ScalarType type, const Layout& layout,
                        std::uint32_t vector) {
  if (vector == 0 || layout.cosize() % vector != 0) {
    throw LayoutError(fmt::format("registers {}: {} elements cannot be split into vectors of {}",
                                  name, layout.cosize(), vector));
  }
  const View view = array_of(name, type, {{}, 0, layout}, ir::Array::Space::registers);
  kernel_.arrays.back().vector = vector;
  return view;
}

View Builder::make_fragment_like(const std::string& name, ScalarType type, const View& view,
                                 std::uint32_t vector) {
  return registers(name, type, Layout(view.shape()), vector);
}

View Builder::array_of(const std::string& name, ScalarType type, const ComposedLayout& layout,
                       ir::Array::Space space) {
  kernel_.arrays.push_back(
      {name, type, space, Access::read_write, {{"at", layout.cosize(), 1}}, text_of(layout)});
  View view{name, {{{}, layout.layout}}, {}, name, layout.swizzle};
  view.axes[0].shift(layout.offset);
  return view;
}

void Builder::take_grid_from(const View& view) {
  for (const View::Tiling& tiling : view.tilings) {
    for (std::size_t i = 0; i < has_grid_.size(); ++i) {
      if (!ir::same(tiling.coordinate, ir::variable(kBlockNames[i]))) continue;
      GridDimension& grid = kernel_.grid[i];
      if (!has_grid_[i]) grid = {tiling.extent, tiling.tile};
      has_grid_[i] = true;
      if (is_same_grid(grid, {tiling.extent, tiling.tile})) {
        if (grid.extent.per != 1) grid = {tiling.extent, tiling.tile, grid.max_groups};
        continue;
      }
      reasons_.push_back(
          fmt::format("{} counts tiles of {} along {}, but '{}' takes tiles of {} "
                      "along {} at it",
                      kBlockNames[i], grid.tile, to_string(grid.extent), view.name, tiling.tile,
                      to_string(tiling.extent)));
    }
  }
}

void Builder::grid(std::size_t dimension, const Extent& extent, std::int64_t tile,
                   std::int64_t max_groups) {
  kernel_.grid[dimension] = {extent, tile, max_groups};
  has_grid_[dimension] = true;
}

Expr Builder::block_x() const { return ir::variable(kBlockNames[0]); }
Expr Builder::block_y() const { return ir::variable(kBlockNames[1]); }
Expr Builder::block_z() const { return ir::variable(kBlockNames[2]); }
Expr Builder::thread() const { return ir::variable("thread", ir::kIndex, kernel_.threads); }

const ir::Array& Builder::array(const std::string& name, const std::string& user) const {
  const ir::Array* found = kernel_.find(name);
  if (name.empty()) {
    throw KernelError(
        kernel_.name,
        {fmt::format(
            "'{}' has coordinates and no elements (make_identity_view); only `apply` takes "
            "it, as the places whose coordinates its function gets",
            user)});
  }
  if (found == nullptr) {
    throw KernelError(kernel_.name, {fmt::format("'{}' uses the array {}, which this kernel "
                                                 "does not declare",
                                                 user, name)});
  }
  return *found;
}

void Builder::copy(const View& from, const View& to, const CopyOptions& options) {
  ir::Titled block = copy_statements(with_array(from), with_array(to), options);
  take_grid_from(from);
  take_grid_from(to);
  if (is_single_register(from) && is_single_register(to)) block.title.clear();
  add(std::move(block));
}

void Builder::copy(const std::vector<std::pair<View, View>>& pairs, const CopyOptions& options) {
  if (pairs.empty()) throw KernelError(kernel_.name, {"copy: the list of pairs of views is empty"});
  const View &from = pairs.front().first, &to = pairs.front().second;
  std::vector<std::pair<ArrayView, ArrayView>> moved;
  for (const auto& [source, target] : pairs) {
    moved.emplace_back(with_array(source), with_array(target));
    if (source.array == from.array && target.array == to.array) continue;
    throw KernelError(kernel_.name,
                      {fmt::format("copy of several pairs from {} to {}: one pair is from {} to {}",
                                   from.array, to.array, source.array, target.array)});
  }
  ir::Titled block = copy_statements(moved, options);
  for (const auto& [source, target] : pairs) {
    take_grid_from(source);
    take_grid_from(target);
  }
  add(std::move(block));
}

void Builder::gemm(const View& a, const View& b, const View& c) {
  add(gemm_statements(with_array(a), with_array(b), with_array(c)));
}

void Builder::axpby(const Expr& alpha, const View& x, const std::optional<Expr>& beta,
                    const View& y) {
  add(axpby_statements(alpha, with_array(x), beta, with_array(y)));
}

void Builder::add(ir::Titled block) { kernel_.body.emplace_back(std::move(block)); }

void Builder::with_title(const std::string& title, const std::function<void()>& body) {
  ir::Body statements = recorded(body);
  auto* only =
      statements.size() == 1 ? std::get_if<ir::Titled>(&statements.front().value) : nullptr;
  if (only != nullptr && only->function.empty()) {
    only->title = title;
    return add(std::move(*only));
  }
  add({title, std::move(statements)});
}

bool Builder::is_single_register(const View& view) const {
  return array(view).is_registers() && array(view).vector == 1 && !array(view).matrix &&
         size(view.shape()) == 1;
}

void Builder::under_heading(const std::string& heading, const std::function<void()>& body) {
  append(kernel_.body, under_title(heading, recorded(body)));
}

// --- matrices ---

Matrices Builder::matrices(const std::string& name, ScalarType type, const ir::MatrixType& matrix,
                           std::int64_t rows, std::int64_t columns) {
  require_lanes("matrices");
  Matrices out{name, matrix, rows, columns};
  kernel_.arrays.push_back(matrices_array(name, type, out, lanes()));
  return out;
}

void Builder::load(const View& from, const Matrices& to, std::uint32_t max_width) {
  take_grid_from(from);
  add(load_statements(with_array(from), to, lanes(), max_width));
}

void Builder::store(const Matrices& from, const Expr& row, const Expr& column, const View& to) {
  take_grid_from(to);
  add(store_statements(from, row, column, with_array(to), lanes()));
}

void Builder::assign(const Matrices& to, double value) {
  add(assign_statements(to, ir::number(array(to.array, to.array).type, value), lanes()));
}

void Builder::multiply(const Matrices& a, const Matrices& b, const Matrices& c) {
  add(multiply_statements(a, b, c, lanes()));
}

// --- registers, statements ---

View Builder::retile(const View& registers, const View& view) const {
  const Layout values(view.shape());
  if (array(registers).size() != values.size()) {
    throw LayoutError(fmt::format("retile({}, {}): {} registers for {} values", registers.name,
                                  view.name, array(registers).size(), values.size()));
  }
  return retile(registers, values);
}

View Builder::retile(const View& registers, const Layout& layout) const {
  if (array(registers).size() < cosize(layout)) {
    throw LayoutError(fmt::format("retile({}, {}): {} registers, but the layout has cosize {}",
                                  registers.name, to_string(layout), array(registers).size(),
                                  cosize(layout)));
  }
  return {registers.array, {{{}, layout}}, {}, registers.name};
}

ir::Body Builder::recorded(const std::function<void()>& body) {
  ir::Body before = std::exchange(kernel_.body, {});
  body();
  return std::exchange(kernel_.body, std::move(before));
}

void Builder::loop(const std::string& variable, const Expr& end,
                   const std::function<void(const Expr&)>& body, ir::Unroll unroll) {
  if (ir::is_name_of_moves(variable)) {
    throw KernelError(kernel_.name,
                      {fmt::format("loop '{}': copies use this name for their own loops or values; "
                                   "choose another one, such as 'chunk'",
                                   variable)});
  }
  ir::Body inside = recorded([&] { body(ir::variable(variable, ir::kIndex, end->bound - 1)); });
  kernel_.body.emplace_back(ir::For{variable, end, std::move(inside), unroll});
}

void Builder::unrolled_loop(const std::string& variable, std::uint32_t end,
                            const std::function<void(const Expr&)>& body) {
  if (end != 1) return loop(variable, end, body, ir::Unroll::always);
  // Names that `body` defines end with it, as in a loop.
  add({"", recorded([&] { body(0); })});
}

void Builder::call_function(const std::string& function, const std::vector<Parameter>& parameters,
                            const std::function<void(const std::vector<Expr>&)>& body) {
  std::vector<Expr> names;
  ir::Titled block{"", {}, function, parameters.size()};
  for (const Parameter& one : parameters) {
    block.body.emplace_back(ir::Let{one.name, one.argument});
    names.push_back(one.end == 1 ? Expr(0) : ir::variable(one.name, ir::kIndex, one.end));
  }
  append(block.body, recorded([&] { body(names); }));
  add(std::move(block));
}

AccessWidth Builder::width(const View& view, std::int64_t max_bytes) const {
  return width_of(with_array(view), max_bytes);
}

Conditions Builder::inside(const View& view) const { return gen::inside(with_array(view)); }

Conditions Builder::begins_inside(const View& view) const {
  return gen::begins_inside(with_array(view));
}

Conditions Builder::aligned(const View& view, std::uint32_t elements) const {
  return gen::aligned(with_array(view), elements);
}

Conditions Builder::fits(const View& view, const Vector& vector, Edges edges) const {
  return gen::fits(with_array(view), vector, edges);
}

void Builder::branch(const Conditions& conditions, const std::function<void()>& body,
                     const std::function<void()>& otherwise) {
  branch(conditions, "", body, "", otherwise);
}

void Builder::branch(const Conditions& conditions, const std::string& title,
                     const std::function<void()>& body, const std::string& other_title,
                     const std::function<void()>& otherwise) {
  if (conditions.empty()) return body();
  const Expr all = conjunction(all_of({conditions}));
  ir::Body then = under_title(title, recorded(body));
  kernel_.body.emplace_back(
      ir::If{all, std::move(then), under_title(other_title, recorded(otherwise))});
}

void Builder::barrier() { kernel_.body.emplace_back(ir::Barrier{}); }

Tensor Builder::scratch(const std::string& name, ScalarType type,
                        const std::vector<AxisSpec>& axes) {
  const Tensor tensor = buffer(name, type, Access::read_write, axes);
  kernel_.arrays.back().is_scratch = true;
  return tensor;
}

void Builder::resident(std::int64_t groups) {
  kernel_.grid = {GridDimension{groups}, {}, {}};
  kernel_.arrivals = "arrivals";
}

void Builder::grid_loop(const std::string& title, const std::function<void()>& body) {
  const auto outer_grid = std::exchange(kernel_.grid, {});
  const auto outer_has_grid = std::exchange(has_grid_, {});
  ir::GridLoop blocks{title, {}, {}, recorded([&] {
                        body();
                        add_all(reasons_, reasons_against_grid());
                      })};
  std::copy(kBlockNames.begin(), kBlockNames.end(), blocks.variables.begin());
  blocks.grid = std::exchange(kernel_.grid, outer_grid);
  has_grid_ = outer_has_grid;
  kernel_.body.emplace_back(std::move(blocks));
}

void Builder::grid_barrier() { kernel_.body.emplace_back(ir::GridBarrier{}); }

}  // namespace vkmoye::gen
