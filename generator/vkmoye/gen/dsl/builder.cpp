#include "vkmoye/gen/dsl/builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/copy.hpp"
#include "vkmoye/gen/ir/verify.hpp"
#include "vkmoye/layout/injective.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {

Builder::Builder(std::string name, std::uint32_t threads) {
  kernel_.name = std::move(name);
  kernel_.threads = threads;
  const auto block = [](ir::Builtin group, const char* first) {
    return ir::builtin(group) + ir::variable(first);
  };
  kernel_.body = ir::statements(ir::Let{"block_x", block(ir::Builtin::group_x, kFirstGroupX)},
                                ir::Let{"block_y", block(ir::Builtin::group_y, kFirstGroupY)},
                                ir::Let{"thread", ir::builtin(ir::Builtin::thread, threads)});
}

void Builder::describe(std::vector<std::pair<std::string, std::string>> config, std::string why) {
  kernel_.config = std::move(config);
  kernel_.why = std::move(why);
}

Tensor Builder::input(const std::string& name, ScalarType type, const std::vector<AxisName>& axes) {
  return buffer(name, type, Access::read, axes);
}

Tensor Builder::output(const std::string& name, ScalarType type,
                       const std::vector<AxisName>& axes) {
  return buffer(name, type, Access::write, axes);
}

Tensor Builder::buffer(const std::string& name, ScalarType type, Access access,
                       const std::vector<AxisName>& axes) {
  ir::Array array{name, type, ir::Array::Space::buffer, access, {}, ""};
  Expr stride = 1;
  for (const AxisName& axis : axes) {
    array.axes.push_back({axis.coordinate, axis.extent, stride});
    stride = stride * ir::extent_of(array.axes.back());
    for (const std::string& symbol : {axis.extent.symbol, axis.extent.times}) {
      auto& arguments = kernel_.arguments;
      if (!symbol.empty() &&
          std::find(arguments.begin(), arguments.end(), symbol) == arguments.end()) {
        arguments.push_back(symbol);
      }
    }
  }
  kernel_.arrays.push_back(array);
  return {array};
}

View Builder::shared(const std::string& name, ScalarType type, const Layout& layout) {
  if (const auto clash = find_collision(layout)) {
    throw LayoutError(fmt::format(
        "{} is no layout for shared {}: coordinates {} and {} share "
        "address {}",
        to_string(layout), name, to_string(clash->first), to_string(clash->second), clash->offset));
  }
  kernel_.arrays.push_back({name,
                            type,
                            ir::Array::Space::shared,
                            Access::read_write,
                            {{"at", cosize(layout), 1}},
                            to_string(layout)});
  return {name, {{0, layout}}, {}, name};
}

void Builder::take_grid_from(const View& view) {
  for (const View::Cut& cut : view.cuts) {
    for (std::size_t i = 0; i < has_grid_.size(); ++i) {
      if (!ir::same(cut.coordinate, i == 0 ? block_x() : block_y())) continue;
      GridDimension& grid = kernel_.grid[i];
      if (!has_grid_[i]) grid = {cut.extent, cut.tile};
      has_grid_[i] = true;
      if (grid.extent == cut.extent && grid.tile == cut.tile) continue;
      reasons_.push_back(
          fmt::format("block_{} counts tiles of {} along {}, '{}' takes tiles of {} "
                      "along {} at it",
                      i == 0 ? 'x' : 'y', grid.tile, to_string(grid.extent), view.name, cut.tile,
                      to_string(cut.extent)));
    }
  }
}

Expr Builder::block_x() const { return ir::variable("block_x"); }
Expr Builder::block_y() const { return ir::variable("block_y"); }
Expr Builder::thread() const { return ir::variable("thread", ir::kIndex, kernel_.threads); }

const ir::Array& Builder::array(const View& view) const {
  const ir::Array* found = kernel_.find(view.array);
  if (found == nullptr) {
    throw KernelError(kernel_.name, {fmt::format("'{}' looks at the array {}, which this kernel "
                                                 "does not declare",
                                                 view.name, view.array)});
  }
  return *found;
}

void Builder::copy(const View& from, const View& to, std::uint32_t vector) {
  const auto refuse = [&](const std::string& why) {
    throw LayoutError(fmt::format("copy of {} to {}: {}", from.name, to.name, why));
  };
  if (!(from.shape() == to.shape())) {
    refuse(
        fmt::format("the shapes {} and {} differ", to_string(from.shape()), to_string(to.shape())));
  }
  const Layout& values = from.axes.front().values;
  const std::int64_t first = values.leaves().front().extent;
  if (!ir::is_width(array(from).type, vector) || first % vector != 0) {
    refuse(fmt::format(
        "vectors of {} {}, the first leaf of the values {} has extent {}; there are powers of two "
        "up to 16 bytes, which must divide it",
        vector, to_string(array(from).type), to_string(from.shape()), first));
  }
  take_grid_from(from);
  take_grid_from(to);
  kernel_.body.emplace_back(copy_statements(from, array(from), to, array(to), vector));
}

void Builder::move(const View& from, const View& to, const MoveOptions& options) {
  const auto refuse = [&](const std::string& why) {
    throw LayoutError(fmt::format("move of {} to {}: {}", from.name, to.name, why));
  };
  if (!(product_each(from.shape()) == product_each(to.shape()))) {
    refuse(
        fmt::format("the shapes {} and {} differ", to_string(from.shape()), to_string(to.shape())));
  }
  if (size(from.shape()) > kMostMoved) {
    refuse(fmt::format("{} values for each thread, at most {} are moved at once",
                       size(from.shape()), kMostMoved));
  }
  if (array(from).type != array(to).type) {
    refuse(fmt::format("the types {} and {} differ", to_string(array(from).type),
                       to_string(array(to).type)));
  }
  take_grid_from(from);
  take_grid_from(to);
  kernel_.body.emplace_back(move_statements(from, array(from), to, array(to), options));
}

Conditions Builder::inside(const View& view) const {
  Conditions conditions;
  for (std::size_t i = 0; i < view.axes.size(); ++i) {
    const View::Axis& axis = view.axes[i];
    const Expr extent = ir::extent_of(array(view).axes[i]);
    const Expr last = axis.origin + static_cast<std::uint32_t>(cosize(axis.values) - 1);
    if (ir::is_constant(extent) && last->bound <= extent->value) continue;
    conditions.push_back(ir::less(last, extent));
  }
  return conditions;
}

Conditions Builder::aligned(const View& view, std::uint32_t elements) const {
  const ir::Array& whole = array(view);
  Conditions conditions;
  for (std::size_t i = 1; i < whole.axes.size(); ++i) {
    const Expr& stride = whole.axes[i].stride;
    // A step along axis 2 is a multiple of the step along axis 1, if the array is compact.
    if (i > 1 || stride->alignment % elements == 0) continue;
    conditions.push_back(ir::equal(stride % elements, 0));
  }
  return conditions;
}

void Builder::branch(const Conditions& conditions, const std::function<void()>& body,
                     const std::function<void()>& otherwise) {
  if (conditions.empty()) return body();
  Expr all = conditions.front();
  for (std::size_t i = 1; i < conditions.size(); ++i) {
    const bool said =
        std::any_of(conditions.begin(), conditions.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Expr& e) { return ir::same(e, conditions[i]); });
    if (!said) all = ir::logical_and(all, conditions[i]);
  }
  ir::Body before = std::move(kernel_.body);
  const auto record = [&](const std::function<void()>& part) {
    kernel_.body.clear();
    part();
    return std::move(kernel_.body);
  };
  ir::Body then = record(body), other = record(otherwise);
  kernel_.body = std::move(before);
  kernel_.body.emplace_back(ir::If{all, std::move(then), std::move(other)});
}

void Builder::barrier() { kernel_.body.emplace_back(ir::Barrier{}); }

ir::Kernel Builder::finish() {
  ir::Kernel kernel = kernel_;
  // Last, so that a user who calls the kernel without our runtime sees his own sizes first.
  kernel.arguments.insert(kernel.arguments.end(), {kFirstGroupX, kFirstGroupY});
  std::vector<std::string> reasons = reasons_;
  for (std::string& reason : ir::verify(kernel)) reasons.push_back(std::move(reason));
  if (!reasons.empty()) throw KernelError(kernel.name, std::move(reasons));
  return kernel;
}

}  // namespace vkmoye::gen
