// SPDX-License-Identifier: MIT
// What the author of a kernel asserts, as members of the Builder.
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

}  // namespace vkmoye::gen
