// SPDX-License-Identifier: MIT
#include "offline_gpus/judgement.hpp"

#include <fmt/format.h>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::test {
namespace {

using namespace gen;

void add(const ir::Body& body, const ir::Kernel& kernel, std::int64_t min, std::int64_t max,
         Demands& demands) {
  for (const ir::Stmt& statement : body) {
    const ir::Effects effects = ir::effects_of(statement, kernel);
    for (const MatrixShape& shape : effects.multiplies) {
      const std::int64_t products = std::int64_t{shape.m} * shape.n * shape.k;
      demands.min_products += min * products;
      demands.max_products += max * products;
    }
    // The compiler chooses how to store a matrix.
    const bool moves_matrix = std::holds_alternative<ir::MatrixLoad>(statement.value) ||
                              std::holds_alternative<ir::MatrixStore>(statement.value);
    for (const ir::StatementAccess& access : effects.accesses) {
      if (moves_matrix) break;
      const ir::Array* array = kernel.find(access.element->array);
      if (array == nullptr || !array->is_buffer()) continue;
      if (access.element->width * size_of(array->type) != 16) continue;
      demands.wide_loads = demands.wide_loads || access.reads;
      demands.wide_stores = demands.wide_stores || access.writes;
    }
    const auto* loop = std::get_if<ir::For>(&statement.value);
    const bool counted = loop != nullptr && loop->end->op == ir::Op::constant;
    const auto turns = counted ? static_cast<std::int64_t>(loop->end->value) : 1;
    const bool always = counted && loop->unroll == ir::Unroll::always;
    const bool never = loop != nullptr && loop->unroll == ir::Unroll::never;
    for (const ir::Body* inner : ir::bodies_of(statement)) {
      add(*inner, kernel, always ? min * turns : min, never ? max : max * turns, demands);
    }
  }
}

}  // namespace

Demands demands_of(const ir::Kernel& kernel) {
  Demands demands;
  add(kernel.body, kernel, 1, 1, demands);
  return demands;
}

std::vector<Finding> judge(const Demands& demands, const Compiled& compiled, const Limits& limits) {
  std::vector<Finding> findings;
  const auto require = [&](bool holds, const char* check, std::string text) {
    if (!holds) findings.push_back({check, std::move(text)});
  };
  require(compiled.spilled == 0, "spill",
          fmt::format("{} registers spilled, {} bytes of scratch memory", compiled.spilled,
                      compiled.scratch_bytes));
  require(compiled.scratch_bytes == 0 || compiled.spilled > 0, "scratch",
          fmt::format("{} bytes of scratch memory for registers that are indexed",
                      compiled.scratch_bytes));
  require(compiled.registers <= limits.registers, "registers",
          fmt::format("{} registers, there are {}", compiled.registers, limits.registers));
  const std::int64_t shared = compiled.shared_bytes.value_or(0);
  require(shared <= limits.shared_bytes, "shared",
          fmt::format("{} bytes of shared memory, there are {}", shared, limits.shared_bytes));
  const Instructions& found = compiled.instructions;
  require(demands.min_products <= found.matrix_products &&
              found.matrix_products <= demands.max_products,
          "matrix",
          fmt::format("{} matrix instructions do {} multiply-adds, the kernel has {}", found.matrix,
                      found.matrix_products,
                      demands.min_products == demands.max_products
                          ? fmt::format("{}", demands.min_products)
                          : fmt::format("{} to {}", demands.min_products, demands.max_products)));
  require(found.narrow_loads == 0, "narrow",
          fmt::format("{} loads of 8 or 16 bits from shared memory in a loop of matrix products",
                      found.narrow_loads));
  require(!demands.wide_loads || found.wide_loads > 0, "wide", "no 128-bit load from a buffer");
  require(!demands.wide_stores || found.wide_stores > 0, "wide", "no 128-bit store to a buffer");
  return findings;
}

}  // namespace vkmoye::test
