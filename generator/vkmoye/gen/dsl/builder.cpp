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
    if (axis.extent.is_symbol()) {
      stride = stride * ir::variable(axis.extent.symbol);
      auto& arguments = kernel_.arguments;
      if (std::find(arguments.begin(), arguments.end(), axis.extent.symbol) == arguments.end()) {
        arguments.push_back(axis.extent.symbol);
      }
    } else {
      stride = stride * static_cast<std::uint32_t>(axis.extent.value);
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
  return {name, {{0, layout}}, name};
}

void Builder::grid(GridDimension x, GridDimension y) { kernel_.grid = {x, y}; }

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

void Builder::copy(const View& from, const View& to) {
  if (!(from.shape() == to.shape())) {
    throw LayoutError(fmt::format("copy of {}, shape {}, to {}, shape {}: the shapes differ",
                                  from.name, to_string(from.shape()), to.name,
                                  to_string(to.shape())));
  }
  kernel_.body.push_back(copy_statements(from, array(from), to, array(to)));
}

void Builder::barrier() { kernel_.body.push_back(ir::Barrier{}); }

ir::Kernel Builder::finish() {
  // Last, so that a user who calls the kernel without our runtime sees his own sizes first.
  kernel_.arguments.insert(kernel_.arguments.end(), {kFirstGroupX, kFirstGroupY});
  std::vector<std::string> reasons = ir::verify(kernel_);
  if (!reasons.empty()) throw KernelError(kernel_.name, std::move(reasons));
  return std::move(kernel_);
}

}  // namespace vkmoye::gen
