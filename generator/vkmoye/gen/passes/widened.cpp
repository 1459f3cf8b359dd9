// SPDX-License-Identifier: MIT
#include "vkmoye/gen/passes/widened.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;
using ir::Expr;
using ir::Stmt;

bool has_atomics(const ir::Kernel& kernel) {
  bool found = false;
  ir::for_each(kernel.body, [&](const Stmt& statement) {
    found = found || std::holds_alternative<ir::Atomic>(statement.value);
  });
  return found;
}

// The arrays that statements of `kernel` store to.
std::set<std::string> stored_in(const ir::Kernel& kernel) {
  std::set<std::string> arrays;
  ir::for_each(kernel.body, [&](const Stmt& statement) {
    if (const auto* store = std::get_if<ir::Store>(&statement.value))
      arrays.insert(store->to.array);
    if (const auto* store = std::get_if<ir::MatrixStore>(&statement.value))
      arrays.insert(store->to.first.array);
  });
  return arrays;
}

// Whether a matrix is loaded from a buffer that the kernel stores to.
bool loads_overwritten_matrices(const ir::Kernel& kernel) {
  const std::set<std::string> stored = stored_in(kernel);
  bool found = false;
  ir::for_each(kernel.body, [&](const Stmt& statement) {
    const auto* load = std::get_if<ir::MatrixLoad>(&statement.value);
    if (load == nullptr) return;
    const std::string& array = load->from.first.array;
    found = found || (stored.contains(array) && kernel.find(array)->is_buffer());
  });
  return found;
}

class Widened {
 public:
  Widened(const ir::Kernel& kernel, std::uint32_t threads)
      : kernel_(kernel), threads_(threads), stored_(stored_in(kernel)) {
    const std::uint32_t lanes = kernel.subgroup_size;
    stores_ = lanes == 0 ? ir::less(ir::builtin(ir::Builtin::thread, threads), kernel.threads)
                         : ir::less(ir::builtin(ir::Builtin::subgroup, threads / lanes),
                                    kernel.threads / lanes);
    for (const ir::Array& array : kernel.arrays) taken_.insert(array.name);
  }

  ir::Kernel operator()() && {
    ir::Kernel out = kernel_;
    out.threads = threads_;
    out.body = (*this)(kernel_.body);
    out.arrays.insert(out.arrays.end(), registers_.begin(), registers_.end());
    return out;
  }

 private:
  Body operator()(const Body& body) {
    Body out;
    for (const Stmt& statement : body) {
      const auto* load = std::get_if<ir::Load>(&statement.value);
      if (load != nullptr && kernel_.find(load->from.array)->is_buffer() &&
          stored_.contains(load->from.array)) {
        load_for_some(*load, out);
        continue;
      }
      Stmt own = ir::rewritten(
          statement, [](const Expr& e) { return e; },
          [&](const Body& inner) { return (*this)(inner); });
      if (auto* let = std::get_if<ir::Let>(&own.value)) let->value = wide(let->value);
      if (is_store_for_others(own)) own = ir::If{stores_, {std::move(own)}};
      out.push_back(std::move(own));
    }
    return out;
  }

  // Appends `load` for the threads that store. Registers carry what they read out of the If, where its name would end.
  void load_for_some(const ir::Load& load, Body& out) {
    const ir::Type type = type_of(load.from, *kernel_.find(load.from.array));
    const ir::Array registers = {free_name("own_" + load.name),
                                 type.element,
                                 ir::Array::Space::registers,
                                 Access::read_write,
                                 {{"at", std::int64_t{type.width}, 1}},
                                 fmt::format("{}:1", type.width),
                                 {},
                                 type.width};
    const ir::Element own = {registers.name, {0}, load.from.source_text, type.width};
    const std::vector<Expr> zeros(type.width, ir::number(type.element, 0));
    const ir::Load read = {"read_" + load.name, load.from};
    out.emplace_back(ir::Store{own, type.width == 1 ? zeros[0] : ir::vector(zeros)});
    out.emplace_back(ir::If{stores_, {read, ir::Store{own, ir::variable(read.name, type)}}});
    out.emplace_back(ir::Load{load.name, own});
    registers_.push_back(registers);
  }
  std::string free_name(const std::string& wanted) {
    std::string name = wanted;
    for (int number = 2; !taken_.insert(name).second; ++number)
      name = fmt::format("{}_{}", wanted, number);
    return name;
  }
  // The number of a thread or subgroup, as the kernel counts them.
  Expr wide(const Expr& e) const {
    if (e->op != ir::Op::builtin) return e;
    const std::uint32_t lanes = kernel_.subgroup_size;
    if (e->builtin == ir::Builtin::thread)
      return ir::builtin(ir::Builtin::thread, threads_) % kernel_.threads;
    if (e->builtin == ir::Builtin::subgroup)
      return ir::builtin(ir::Builtin::subgroup, threads_ / lanes) % (kernel_.threads / lanes);
    return e;
  }
  bool is_store_for_others(const Stmt& statement) const {
    if (const auto* store = std::get_if<ir::Store>(&statement.value))
      return !kernel_.find(store->to.array)->is_registers();
    return std::holds_alternative<ir::MatrixStore>(statement.value);
  }

  const ir::Kernel& kernel_;
  const std::uint32_t threads_;
  Expr stores_ = 0;
  const std::set<std::string> stored_;  // arrays
  std::set<std::string> taken_ = {};    // names of arrays
  std::vector<ir::Array> registers_ = {};
};

}  // namespace

std::vector<std::string> reasons_against_widening(const ir::Kernel& kernel, std::uint32_t threads) {
  std::vector<std::string> reasons;
  const auto require = [&](bool holds, std::string why) {
    if (!holds) reasons.push_back(std::move(why));
  };
  const std::uint32_t lanes = kernel.subgroup_size;
  require(
      threads % kernel.threads == 0 && (lanes == 0 || kernel.threads % lanes == 0),
      fmt::format("its {} threads do not divide the {} of another step", kernel.threads, threads));
  bool counts_subgroups = false;
  ir::for_each_node(kernel, [&](const ir::Node& node) {
    const bool is_number = node.op == ir::Op::builtin && node.builtin == ir::Builtin::subgroup;
    counts_subgroups = counts_subgroups || is_number;
  });
  require(lanes != 0 || !counts_subgroups, "it counts subgroups, whose size it leaves open");
  require(!has_atomics(kernel),
          fmt::format("its {} threads cannot be brought to {}, because it has atomic operations",
                      kernel.threads, threads));
  require(!loads_overwritten_matrices(kernel),
          fmt::format("its {} threads cannot be brought to {}, because it overwrites matrices that "
                      "it loads",
                      kernel.threads, threads));
  return reasons;
}

ir::Kernel widened(const ir::Kernel& kernel, std::uint32_t threads) {
  return Widened(kernel, threads)();
}

}  // namespace vkmoye::gen
