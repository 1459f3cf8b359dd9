// SPDX-License-Identifier: MIT
#pragma once
// The effects of statements that are followed again and again, computed once.

#include <functional>
#include <unordered_map>
#include <utility>

#include "vkmoye/gen/ir/effects.hpp"

namespace vkmoye::gen {

class EffectsCache {
 public:
  /// `is_followed`: whether accesses to an array are followed. `kernel` must outlive this.
  EffectsCache(const ir::Kernel& kernel, std::function<bool(const ir::Array&)> is_followed)
      : kernel_(kernel), is_followed_(std::move(is_followed)) {}

  /// The effects of a statement of the kernel.
  const ir::Effects& of(const ir::Stmt& statement) {
    const auto known = effects_.find(&statement);
    if (known != effects_.end()) return known->second;
    return effects_.emplace(&statement, ir::effects_of(statement, kernel_)).first->second;
  }

  /// Whether `body` accesses an array that is followed.
  bool any_followed(const ir::Body& body) {
    const auto [found, is_new] = any_followed_.try_emplace(&body, false);
    if (!is_new) return found->second;
    bool& any = found->second;
    for (const ir::Stmt& statement : body) {
      const ir::Effects& effects = of(statement);
      for (const ir::StatementAccess& access : effects.accesses) {
        any = any || is_followed_(*kernel_.find(access.element->array));
      }
      for (const ir::NestedBody& inner : effects.nested) any = any_followed(*inner.body) || any;
    }
    return any;
  }

 private:
  const ir::Kernel& kernel_;
  std::function<bool(const ir::Array&)> is_followed_;
  std::unordered_map<const ir::Stmt*, ir::Effects> effects_;
  std::unordered_map<const ir::Body*, bool> any_followed_;
};

}  // namespace vkmoye::gen
