// SPDX-License-Identifier: MIT
#pragma once
// The effects of statements that are followed again and again, computed once.

#include <functional>
#include <unordered_map>
#include <utility>

#include "vkmoye/gen/ir/effects.hpp"

namespace vkmoye::gen {

class KnownEffects {
 public:
  /// `wanted`: whether accesses to an array are followed. `kernel` must outlive this.
  KnownEffects(const ir::Kernel& kernel, std::function<bool(const ir::Array&)> wanted)
      : kernel_(kernel), wanted_(std::move(wanted)) {}

  /// Of a statement of the kernel.
  const ir::Effects& of(const ir::Stmt& statement) {
    const auto known = effects_.find(&statement);
    if (known != effects_.end()) return known->second;
    return effects_.emplace(&statement, ir::effects_of(statement, kernel_)).first->second;
  }

  /// Whether something in `body` is followed.
  bool concern(const ir::Body& body) {
    const auto [found, is_new] = concern_.try_emplace(&body, false);
    if (!is_new) return found->second;
    bool& any = found->second;
    for (const ir::Stmt& statement : body) {
      const ir::Effects& effects = of(statement);
      for (const ir::Touch& touch : effects.touches) {
        any = any || wanted_(*kernel_.find(touch.element->array));
      }
      for (const ir::Inner& inner : effects.inner) any = concern(*inner.body) || any;
    }
    return any;
  }

 private:
  const ir::Kernel& kernel_;
  std::function<bool(const ir::Array&)> wanted_;
  std::unordered_map<const ir::Stmt*, ir::Effects> effects_;
  std::unordered_map<const ir::Body*, bool> concern_;
};

}  // namespace vkmoye::gen
