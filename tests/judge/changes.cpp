// SPDX-License-Identifier: MIT
#include "judge/changes.hpp"

#include <fmt/format.h>

#include <concepts>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/operation.hpp"

namespace vkmoye::judge {

using namespace gen::ir;

namespace {

template <class Visit>
void for_each_inner(Stmt& statement, Visit visit) {
  std::visit(
      [&](auto& s) {
        if constexpr (requires { s.body; }) visit(s.body);
        if constexpr (requires { s.otherwise; }) visit(s.otherwise);
      },
      statement.value);
}

void collect(Body& body, std::vector<Place>& places) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    places.push_back({&body, i});
    for_each_inner(body[i], [&](Body& inner) { collect(inner, places); });
  }
}

// The element that a load, store or atomic operation accesses; matrix statements access many.
Element* element_of(Stmt& statement) {
  return std::visit(
      [](auto& s) -> Element* {
        if constexpr (requires { requires std::same_as<decltype(s.from), Element>; })
          return &s.from;
        if constexpr (requires { requires std::same_as<decltype(s.to), Element>; }) return &s.to;
        return nullptr;
      },
      statement.value);
}

using Edit = std::function<void(Place)>;

void add(Changes& changes, const std::string& kind, std::string text, std::size_t number,
         Edit edit) {
  changes[kind].push_back({std::move(text), [number, edit = std::move(edit)](Kernel& kernel) {
                             edit(places_of(kernel)[number]);
                           }});
}

void erase(Place place) {
  place.body->erase(place.body->begin() + static_cast<std::ptrdiff_t>(place.at));
}
void swap_with_next(Place place) {
  std::swap((*place.body)[place.at], (*place.body)[place.at + 1]);
}

// The conditions whose conjunction is `e`.
void conjuncts(const Expr& e, std::vector<Expr>& out) {
  if (e->op != Op::logical_and) return out.push_back(e);
  conjuncts(e->operands[0], out);
  conjuncts(e->operands[1], out);
}

void replace_in_condition(Place place, const Expr& old, const Expr& by) {
  If& guard = std::get<If>(place.statement().value);
  guard.condition = with_nodes(guard.condition,
                               [&](const Expr& node) { return &*node == &*old ? &by : nullptr; });
}

void list_guards(const If& guard, std::size_t number, Changes& changes) {
  add(changes, "guard dropped", fmt::format("statement {}", number), number, [](Place place) {
    Body body = std::get<If>(place.statement().value).body;
    place.statement() = Stmt(Titled{"without its guard", std::move(body)});
  });
  std::vector<Expr> parts;
  conjuncts(guard.condition, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Expr part = parts[i];
    const std::string text = fmt::format("part {} of the condition of statement {}", i, number);
    if (parts.size() > 1) {
      add(changes, "part of a guard dropped", text, number,
          [part](Place place) { replace_in_condition(place, part, equal(Expr(0), Expr(0))); });
    }
    if (part->op != Op::less || !(part->operands[0]->type == kIndex)) continue;
    add(changes, "guard weakened", text, number, [part](Place place) {
      replace_in_condition(place, part, less(part->operands[0], part->operands[1] + 1));
    });
  }
}

void list_element(const Kernel& kernel, const Element& element, std::size_t number,
                  Changes& changes) {
  const Array& array = *kernel.find(element.array);
  for (const Array& other : kernel.arrays) {
    if (other.name == array.name || other.type != array.type ||
        other.axes.size() != array.axes.size()) {
      continue;
    }
    add(changes, "another array",
        fmt::format("{} for {} in statement {}", other.name, array.name, number), number,
        [name = other.name](Place place) { element_of(place.statement())->array = name; });
  }
  const std::vector<std::pair<const char*, std::function<Expr(const Expr&)>>> ways = {
      {"+ 1", [](const Expr& e) { return e + 1; }},
      {"* 2", [](const Expr& e) { return e * 2; }},
      {"/ 2", [](const Expr& e) { return e / 2; }},
  };
  for (std::size_t i = 0; i < element.coordinates.size(); ++i) {
    for (const auto& [text, way] : ways) {
      add(changes, "coordinate changed",
          fmt::format("coordinate {} of {} {} in statement {}", i, array.name, text, number),
          number, [i, change = way](Place place) {
            Expr& coordinate = element_of(place.statement())->coordinates[i];
            coordinate = change(coordinate);
          });
    }
  }
  if (element.coordinates.size() < 2) return;
  add(changes, "coordinates swapped", fmt::format("of {} in statement {}", array.name, number),
      number, [](Place place) {
        auto& coordinates = element_of(place.statement())->coordinates;
        std::swap(coordinates[0], coordinates[1]);
      });
}

void list_loop(std::size_t number, Changes& changes) {
  add(changes, "a round more", fmt::format("loop at statement {}", number), number,
      [](Place place) {
        Expr& end = std::get<For>(place.statement().value).end;
        end = end + 1;
      });
  add(changes, "a round fewer", fmt::format("loop at statement {}", number), number,
      [](Place place) {
        Expr& end = std::get<For>(place.statement().value).end;
        end = end - 1;
      });
}

}  // namespace

std::vector<Place> places_of(Kernel& kernel) {
  std::vector<Place> places;
  collect(kernel.body, places);
  return places;
}

Expr with_nodes(const Expr& e, const std::function<const Expr*(const Expr& node)>& change) {
  std::unordered_map<const Node*, Expr> done;
  const auto walk = [&](const auto& self, const Expr& node) -> Expr {
    if (const auto found = done.find(&*node); found != done.end()) return found->second;
    Expr out = node;
    if (const Expr* by = change(node)) {
      out = *by;
    } else if (!node->operands.empty()) {
      std::vector<Expr> operands;
      bool moved = false;
      for (const Expr& operand : node->operands) {
        operands.push_back(self(self, operand));
        moved = moved || &*operands.back() != &*operand;
      }
      if (moved) out = with_operands(node, operands);
    }
    return done.emplace(&*node, out).first->second;
  };
  return walk(walk, e);
}

void list_statement_changes(const Kernel& kernel, Changes& changes) {
  Kernel copy = kernel;
  const std::vector<Place> places = places_of(copy);
  for (std::size_t number = 0; number < places.size(); ++number) {
    const Place place = places[number];
    Stmt& statement = place.statement();
    const std::string text = fmt::format("statement {}", number);
    const bool has_next = place.at + 1 < place.body->size();
    if (std::holds_alternative<Barrier>(statement.value)) {
      add(changes, "barrier removed", text, number, erase);
      add(changes, "barrier in a branch", text + " by half the threads", number,
          [threads = kernel.threads](Place p) {
            const Expr thread = builtin(Builtin::thread, threads);
            p.statement() = Stmt(If(less(thread, Expr((threads + 1) / 2)), {Stmt(Barrier{})}));
          });
      if (has_next) add(changes, "barrier moved", text + " later", number, swap_with_next);
      if (place.at > 0) {
        add(changes, "barrier moved", text + " earlier", number, [](Place p) {
          swap_with_next({p.body, p.at - 1});
        });
      }
    } else if (has_next && !std::holds_alternative<Let>(statement.value)) {
      add(changes, "statements swapped", text, number, swap_with_next);
    }
    if (const If* guard = std::get_if<If>(&statement.value)) list_guards(*guard, number, changes);
    if (std::holds_alternative<For>(statement.value)) list_loop(number, changes);
    if (std::holds_alternative<Store>(statement.value)) {
      add(changes, "store removed", text, number, erase);
    }
    if (const Element* element = element_of(statement)) {
      list_element(kernel, *element, number, changes);
    }
  }
}

}  // namespace vkmoye::judge
