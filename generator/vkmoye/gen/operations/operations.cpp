// SPDX-License-Identifier: MIT
#include "vkmoye/gen/operations/operations.hpp"

#include <utility>

#include "vkmoye/gen/problems/attention/attention_problem.hpp"
#include "vkmoye/gen/problems/moves/moves.hpp"
#include "vkmoye/gen/problems/products/gemm_problem.hpp"
#include "vkmoye/gen/problems/rows/lookup.hpp"
#include "vkmoye/gen/problems/rows/row_operations.hpp"

namespace vkmoye::gen {

const std::vector<Operation>& operations() {
  static const std::vector<Operation> table = [] {
    std::vector<Operation> all = {copies(), transposes(), relayouts()};
    for (Operation& operation : row_operations()) all.push_back(std::move(operation));
    for (auto* one : {lookups, attentions, products}) all.push_back(one());
    return all;
  }();
  return table;
}

}  // namespace vkmoye::gen
