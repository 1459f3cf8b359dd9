// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/reasons.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/packed_vectors.hpp"
#include "vkmoye/gen/dsl/unverified.hpp"
#include "vkmoye/gen/ir/grid_barrier.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

// Which of the variables the kernel uses.
template <std::size_t kCount>
std::array<bool, kCount> used_of(const std::array<const char*, kCount>& variables,
                                 const ir::Kernel& kernel) {
  std::array<bool, kCount> used = {};
  ir::for_each_node(kernel, [&](const ir::Node& node) {
    for (std::size_t i = 0; i < kCount; ++i) {
      used[i] = used[i] || (node.op == ir::Op::variable && node.name == variables[i]);
    }
  });
  return used;
}

bool has_subgroup_operations(const ir::Kernel& kernel) {
  bool has = std::any_of(kernel.arrays.begin(), kernel.arrays.end(),
                         [](const ir::Array& array) { return array.matrix.has_value(); });
  ir::for_each(kernel.body, [&](const ir::Stmt& statement) {
    has = has || std::holds_alternative<ir::Subgroup>(statement.value);
  });
  return has;
}

// The kernel, if there is nothing against it.
ir::Kernel verified(ir::Kernel kernel, std::vector<std::string> reasons) {
  if (!detail::verifies_descriptions()) {
    throw_if_any(kernel.name, std::move(reasons));
    return kernel;
  }
  for (std::string& reason : verify(kernel)) reasons.push_back(std::move(reason));
  throw_if_any(kernel.name, std::move(reasons));
  kernel.verified = std::make_shared<const ir::Kernel>(kernel);
  return kernel;
}

}  // namespace

std::vector<std::size_t> Builder::grid_dimensions() const {
  return has_grid_[2] ? std::vector<std::size_t>{0, 1, 2} : std::vector<std::size_t>{0, 1};
}

std::vector<std::string> Builder::reasons_against_grid() const {
  std::vector<std::string> reasons;
  const std::array<bool, 3> uses_block = used_of(kBlockNames, kernel_);
  for (std::size_t i = 0; i < kBlockNames.size(); ++i) {
    if (has_grid_[i] || !uses_block[i]) continue;
    reasons.push_back(
        fmt::format("the grid along {} is unknown: no copy takes a tile at it, and "
                    "grid({}, extent, tile) is not called",
                    kBlockNames[i], i));
  }
  return reasons;
}

ir::Kernel Builder::finish() {
  const bool has_phases = ir::has_phases(kernel_);
  ir::Kernel kernel = kernel_;
  std::vector<std::string> reasons = reasons_;
  if (!has_phases) add_all(reasons, reasons_against_grid());
  if (!has_phases && !kernel.arrivals.empty()) {
    reasons.emplace_back("resident: it has no blocks that its workgroups could share out");
  }
  if (has_phases && !kernel.arrivals.empty()) kernel.arrays.push_back(ir::arrivals_of(kernel));
  constexpr ir::Builtin kGroup[] = {ir::Builtin::group_x, ir::Builtin::group_y,
                                    ir::Builtin::group_z};
  ir::Body body;
  for (const std::size_t i : has_phases ? std::vector<std::size_t>{} : grid_dimensions()) {
    // Last, so that the kernel's own sizes come first for a user who calls it without our runtime.
    kernel.arguments.emplace_back(kFirstGroup[i]);
    body.emplace_back(
        ir::Let{kBlockNames[i], ir::builtin(kGroup[i]) + ir::variable(kFirstGroup[i])});
  }
  Expr thread = ir::builtin(ir::Builtin::thread, kernel_.threads);
  if (kernel.subgroup_size == 1 && !has_subgroup_operations(kernel)) {
    // Each thread counts as a subgroup, so that the size of the device's subgroups does not matter.
    kernel.subgroup_size = 0;
    const auto [subgroup, lane] = used_of(std::array<const char*, 2>{"subgroup", "lane"}, kernel);
    if (subgroup) body.emplace_back(ir::Let{"subgroup", thread});
    if (lane) body.emplace_back(ir::Let{"lane", 0});
  } else if (const std::uint32_t lanes = kernel_.subgroup_size; lanes > 0) {
    // Computed from subgroup and lane: Vulkan does not specify which lane a local invocation index is.
    body.emplace_back(
        ir::Let{"subgroup", ir::builtin(ir::Builtin::subgroup, kernel_.threads / lanes)});
    body.emplace_back(ir::Let{"lane", ir::builtin(ir::Builtin::lane, lanes)});
    thread = Expr(lanes) * subgroup() + lane();
  }
  body.emplace_back(ir::Let{"thread", thread});
  body.insert(body.end(), kernel.body.begin(), kernel.body.end());
  kernel.body = std::move(body);
  split_packed_vectors(kernel);
  return verified(std::move(kernel), std::move(reasons));
}

ir::Kernel Builder::finish_or_assume_written(const Tensor& array, const std::string& why) {
  try {
    return finish();
  } catch (const KernelError& error) {
    if (!are_unproved(error.reasons)) throw;
  }
  assume_written(array, why);
  return finish();
}

ir::Kernel Builder::finish_with_glsl(ir::HandWritten shader) {
  ir::Kernel kernel = kernel_;
  std::vector<std::string> reasons = reasons_;
  for (const std::size_t i : grid_dimensions()) kernel.arguments.emplace_back(kFirstGroup[i]);
  if (!kernel.body.empty()) {
    reasons.push_back(
        fmt::format("finish_with_glsl: {} statements are recorded, but the shader is given as GLSL",
                    kernel.body.size()));
  }
  for (const auto& [name, bytes] : shader.widest) {
    if (kernel.find(name) == nullptr) {
      reasons.push_back(fmt::format(
          "finish_with_glsl: no buffer '{}' is declared, of which accesses have up to {} bytes",
          name, bytes));
    }
  }
  kernel.hand_written = std::move(shader);
  return verified(std::move(kernel), std::move(reasons));
}

}  // namespace vkmoye::gen
