// SPDX-License-Identifier: MIT
// What the author of a kernel asserts, as members of the Builder.
#include <algorithm>

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

void Builder::assume(const Expr& condition, const std::string& why) {
  kernel_.body.emplace_back(ir::Assume{condition, why});
}

void Builder::assume_distinct(const Tensor& array, const std::string& why) {
  kernel_.assumptions.push_back({array.array.name, why, ir::Assumption::Kind::distinct});
}
void Builder::assume_distinct(const View& array, const std::string& why) {
  kernel_.assumptions.push_back({array.array, why, ir::Assumption::Kind::distinct});
}

void Builder::assume_written(const Tensor& array, const std::string& why) {
  kernel_.assumptions.push_back({array.array.name, why, ir::Assumption::Kind::written});
}
void Builder::assume_written(const View& array, const std::string& why) {
  kernel_.assumptions.push_back({array.array, why, ir::Assumption::Kind::written});
}

void Builder::assume_order(const Matrices& matrices, const std::string& order) {
  const ir::Assumption assumption{matrices.array, order, ir::Assumption::Kind::order};
  auto& all = kernel_.assumptions;
  if (std::find(all.begin(), all.end(), assumption) == all.end()) all.push_back(assumption);
}

}  // namespace vkmoye::gen
