// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <set>
#include <unordered_set>

#include "judge/changes.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::judge {

using namespace gen::ir;

namespace {

// Replaces `node` in expression `which` of statement `number`.
Change replacement(std::string text, std::size_t number, std::size_t which, const Expr& node,
                   const Expr& by) {
  return {std::move(text), [=](Kernel& kernel) {
            Stmt& statement = places_of(kernel)[number].statement();
            std::size_t at = 0;
            statement = rewritten(
                statement,
                [&](const Expr& e) {
                  if (at++ != which) return e;
                  return with_nodes(e,
                                    [&](const Expr& n) { return &*n == &*node ? &by : nullptr; });
                },
                [](const Body& body) { return body; });
          }};
}

void for_each_index(const Expr& e, std::unordered_set<const Node*>& seen,
                    const std::function<void(const Expr&)>& visit) {
  if (!seen.insert(&*e).second) return;
  if (e->type == kIndex) visit(e);
  for (const Expr& operand : e->operands) for_each_index(operand, seen, visit);
}

const char* kind_of(Op op) {
  switch (op) {
    case Op::add:
    case Op::subtract: return "summand changed";
    case Op::multiply: return "factor changed";
    case Op::divide: return "divisor changed";
    case Op::modulo: return "modulus changed";
    default: return nullptr;
  }
}

bool is_thread(const Expr& e) {
  return (e->op == Op::variable && e->name == "thread") ||
         (e->op == Op::builtin && e->builtin == Builtin::thread);
}
bool is_workgroup(const Expr& e) {
  return e->op == Op::builtin && (e->builtin == Builtin::group_x ||
                                  e->builtin == Builtin::group_y || e->builtin == Builtin::group_z);
}

}  // namespace

void list_expression_changes(const Kernel& kernel, Changes& changes) {
  Kernel copy = kernel;
  const std::vector<Place> places = places_of(copy);
  for (std::size_t number = 0; number < places.size(); ++number) {
    std::size_t which = 0;
    const auto look = [&](const Expr& e) {
      std::unordered_set<const Node*> seen;
      const auto add = [&](const char* kind, const std::string& what, const Expr& node,
                           const Expr& by) {
        changes[kind].push_back(
            replacement(fmt::format("{} in expression {} of statement {}", what, which, number),
                        number, which, node, by));
      };
      for_each_index(e, seen, [&](const Expr& node) {
        if (is_thread(node) && kernel.threads > 1) {
          add("threads overlap", "thread / 2", node, node / 2);
          add("threads overlap", "thread modulo half", node, node % ((kernel.threads + 1) / 2));
        }
        if (is_workgroup(node)) add("workgroups overlap", "group / 2", node, node / 2);
        const char* kind = kind_of(node->op);
        for (std::size_t i = 0; kind != nullptr && i < node->operands.size(); ++i) {
          const Expr& operand = node->operands[i];
          if (!is_constant(operand)) continue;
          const auto old = static_cast<std::uint32_t>(operand->value);
          for (const std::uint32_t now :
               std::set<std::uint32_t>{old + 1, old - 1, old * 2, old / 2}) {
            if (now == old || (now == 0 && node->op != Op::add)) continue;
            std::vector<Expr> operands = node->operands;
            operands[i] = Expr(now);
            add(kind, fmt::format("{} {} for {}", name_of(node->op), now, old), node,
                with_operands(node, operands));
          }
        }
      });
      ++which;
      return e;
    };
    rewritten(places[number].statement(), look, [](const Body& body) { return body; });
  }
}

void list_kernel_changes(const Kernel& kernel, Changes& changes) {
  for (std::size_t i = 0; i < kernel.grid.size(); ++i) {
    const GridDimension& dimension = kernel.grid[i];
    if (!dimension.extent.is_symbol()) continue;
    for (const std::int64_t tile : {dimension.tile + 1, 2 * dimension.tile}) {
      changes["grid too small"].push_back(
          {fmt::format("tiles of {} for {} in dimension {}", tile, dimension.tile, i),
           [i, tile](Kernel& k) { k.grid[i].tile = tile; }});
    }
    changes["grid too small"].push_back({fmt::format("two groups at most in dimension {}", i),
                                         [i](Kernel& k) { k.grid[i].max_groups = 2; }});
  }
  if (kernel.threads > 1) {
    changes["half the threads"].push_back({"", [](Kernel& k) { k.threads /= 2; }});
  }
  for (std::size_t a = 0; a < kernel.arrays.size(); ++a) {
    const Array& array = kernel.arrays[a];
    if (array.is_buffer()) {
      for (std::size_t i = 0; i < array.axes.size(); ++i) {
        for (const Array& other : kernel.arrays) {
          for (const Axis& axis : other.axes) {
            if (same(axis.stride, array.axes[i].stride)) continue;
            changes["stride of a buffer"].push_back(
                {fmt::format("axis {} of {} steps as {} of {}", i, array.name, axis.coordinate,
                             other.name),
                 [a, i, step = axis.stride](Kernel& k) { k.arrays[a].axes[i].stride = step; }});
          }
        }
      }
      continue;
    }
    const std::int64_t size = array.size();
    for (const std::int64_t less : {size - 1, size / 2}) {
      if (less < 1 || less == size) continue;
      changes["array too short"].push_back(
          {fmt::format("{} has {} elements for {}", array.name, less, size),
           [a, less](Kernel& k) { k.arrays[a].axes[0].extent = less; }});
    }
  }
  // Everywhere, as if the author had miscounted the stages.
  std::set<std::uint64_t> moduli;
  for_each_node(kernel, [&](const Node& node) {
    const bool is_ring = node.op == Op::modulo && is_constant(node.operands[1]) &&
                         node.operands[1]->value >= 2 && node.operands[1]->value <= 4;
    if (is_ring) moduli.insert(node.operands[1]->value);
  });
  for (const std::uint64_t stages : moduli) {
    changes["ring one short"].push_back(
        {fmt::format("{} stages for {}", stages - 1, stages), [stages](Kernel& k) {
           // After a replacement, the places inside the statement are different ones.
           for (std::size_t number = 0; number < places_of(k).size(); ++number) {
             const Place place = places_of(k)[number];
             place.statement() = rewritten(
                 place.statement(),
                 [&](const Expr& e) {
                   std::vector<Expr> kept;
                   kept.reserve(1);
                   return with_nodes(e, [&](const Expr& n) -> const Expr* {
                     if (n->op != Op::modulo ||
                         !is_constant(n->operands[1], static_cast<std::uint32_t>(stages))) {
                       return nullptr;
                     }
                     kept.assign(1, n->operands[0] % static_cast<std::uint32_t>(stages - 1));
                     return &kept.front();
                   });
                 },
                 [](const Body& body) { return body; });
           }
         }});
  }
}

}  // namespace vkmoye::judge
