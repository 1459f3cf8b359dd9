// SPDX-License-Identifier: MIT
#include "switches.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::playground {
namespace {

using gen::ir::Body;
using gen::ir::Stmt;

// Calls `at` for each barrier and guard of `body`, with a number that counts them. `at` returns whether it stays.
class Walk {
 public:
  explicit Walk(std::function<bool(Switch, std::size_t)> at) : at_(std::move(at)) {}

  void through(Body& body) {
    std::erase_if(body, [&](Stmt& statement) { return !stays(statement); });
  }

 private:
  bool stays(Stmt& statement) {
    if (std::holds_alternative<gen::ir::Barrier>(statement.value)) {
      return at_({Switch::Kind::barrier, "barrier()"}, number_++);
    }
    if (auto* branch = std::get_if<gen::ir::If>(&statement.value)) {
      const bool is_guard = branch->otherwise.empty();
      if (is_guard && !at_({Switch::Kind::guard, gen::glsl::print(branch->condition)}, number_++)) {
        branch->condition = gen::ir::equal(1, 1);
      }
      through(branch->body);
      through(branch->otherwise);
    } else if (auto* loop = std::get_if<gen::ir::For>(&statement.value)) {
      through(loop->body);
    } else if (auto* grid = std::get_if<gen::ir::GridLoop>(&statement.value)) {
      through(grid->body);
    } else if (auto* titled = std::get_if<gen::ir::Titled>(&statement.value)) {
      through(titled->body);
    }
    return true;
  }

  std::function<bool(Switch, std::size_t)> at_;
  std::size_t number_ = 0;
};

}  // namespace

std::vector<Switch> switches_of(const gen::ir::Kernel& kernel) {
  std::vector<Switch> out;
  Body body = kernel.body;
  Walk([&](Switch one, std::size_t) {
    out.push_back(std::move(one));
    return true;
  }).through(body);
  return out;
}

gen::ir::Kernel without(const gen::ir::Kernel& kernel, const std::vector<std::size_t>& numbers) {
  gen::ir::Kernel out = kernel;
  out.verified = nullptr;
  Walk([&](const Switch&, std::size_t number) {
    return std::find(numbers.begin(), numbers.end(), number) == numbers.end();
  }).through(out.body);
  return out;
}

}  // namespace vkmoye::playground
