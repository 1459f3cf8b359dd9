// SPDX-License-Identifier: MIT
#pragma once
// The functions of a shader: the parameters of each, the registers that they share with main, and their texts.
//
//   Titled{"", {Let{"step", kk + 1}, Load{"value", {"tile", {16 * step + thread}, ..}}, ..}, "fetch", 1}
//
//   float fragment[8];                                     registers that a function accesses
//
//   void fetch(uint step, uint thread) {                   its parameter, and a name from around the call
//     .. tile[16u * step + thread] ..
//   }

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::glsl {

class Functions {
 public:
  explicit Functions(const ir::Kernel& kernel);

  /// Whether a function accesses the registers `array`, so that they are declared outside main.
  bool access(const std::string& array) const { return arrays_.contains(array); }

  struct Parameter {
    ir::Expr name;      // a variable
    ir::Expr argument;  // at the call
  };
  /// The parameters that the body of `call` uses, then the names from around it, in the order of their first use.
  std::vector<Parameter> parameters_of(const ir::Titled& call) const;

  /// The name of the function whose text is `before`, its name, and `after`. If there are several texts for `wanted`,
  /// which a pass may cause, the names of all but the first are numbered.
  std::string named(const std::string& wanted, const std::string& before, const std::string& after);

  /// The functions so far; each comes after those that it calls.
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  const ir::Kernel& kernel_;
  std::set<std::string> defined_;  // by statements
  std::set<std::string> taken_;    // names that no function may have
  std::set<std::string> arrays_;
  std::map<std::pair<std::string, std::string>, std::string> names_;  // (wanted, text) -> name
  std::vector<std::string> texts_;
};

}  // namespace vkmoye::gen::glsl
