// SPDX-License-Identifier: MIT
#pragma once
// The names that a shader defines besides those of its kernel: which are free, and which value each stands for.
//
//   Scopes scopes(kernel);                          scopes.open(body);
//   scopes.named("8u * row + col", "tile_at")       {"tile_at", is_new}, or {"tile_at2", is_new} if body has a tile_at
//   scopes.named("8u * row + col", "tile_at")       the same name, not new, up to scopes.close()

#include <map>
#include <set>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen::glsl {

class Scopes {
 public:
  explicit Scopes(const ir::Kernel& kernel);

  /// A scope with the names that `body` defines, but not those of bodies inside.
  void open(const ir::Body& body);
  void close();
  /// Opens the scope of a function's parameters: scopes around the call are not visible until close_function().
  void open_function(std::set<std::string> parameters);
  void close_function();
  bool is_outermost() const { return scopes_.size() == 1; }

  /// Defines the variable of a loop whose body is opened next; it ends with that scope's parent at the latest.
  void define(const std::string& name) { scopes_.back().names.insert(name); }

  struct Named {
    std::string name;
    bool is_new = false;
  };
  /// The name of the value `text` in the innermost scope: `wanted`, followed by a number if that name is taken here.
  Named named(const std::string& text, const std::string& wanted);

 private:
  struct Scope {
    std::set<std::string> names;
    std::map<std::string, std::string> values;  // text -> name, made by named()
  };
  bool is_visible(const std::string& name) const;

  const ir::Kernel& kernel_;
  std::set<std::string> outside_;  // arrays, arguments, and what no statement defines
  std::vector<Scope> scopes_;
  std::vector<std::vector<Scope>> callers_;  // the scopes around each open function
};

}  // namespace vkmoye::gen::glsl
