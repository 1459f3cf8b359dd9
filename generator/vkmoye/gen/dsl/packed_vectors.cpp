// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/packed_vectors.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;
using ir::Expr;

// The arrays to split, and the elements of a part.
using Parts = std::map<std::string, std::uint32_t>;

bool is_packed_for_matrices(const ir::Kernel& kernel, const ir::Array& array) {
  bool found = false;
  ir::for_each(kernel.body, [&](const ir::Stmt& statement) {
    const bool moves = std::holds_alternative<ir::MatrixLoad>(statement.value) ||
                       std::holds_alternative<ir::MatrixStore>(statement.value);
    if (!moves) return;
    for (const ir::StatementAccess& access : effects_of(statement, kernel).accesses) {
      found = found || (access.element->array == array.name &&
                        ir::is_packed(array.type, access.element->width));
    }
  });
  return found;
}

Parts parts_of(const ir::Kernel& kernel) {
  Parts parts;
  for (const ir::Array& array : kernel.arrays) {
    if (!array.is_shared()) continue;
    const std::vector<std::uint32_t> widths = kernel.widths_of(array.name);
    const bool is_mixed =
        widths.size() > 1 && widths.front() == 1 && ir::is_packed(array.type, widths.back());
    if (!is_mixed || is_packed_for_matrices(kernel, array)) continue;
    std::uint32_t width = widths.back();
    while (ir::is_packed(array.type, width)) width /= 2;
    parts[array.name] = width;
  }
  return parts;
}

// Part `number`, of `width` elements, of a vector in memory.
ir::Element part_of(const ir::Element& whole, std::uint32_t number, std::uint32_t width) {
  ir::Element part = whole;
  part.coordinates[0] = part.coordinates[0] + number * width;
  part.width = width;
  part.not_wider = "the array is also accessed by single elements";
  return part;
}

Body split_load(const ir::Load& load, ScalarType type, std::uint32_t width) {
  Body body;
  std::vector<Expr> elements;
  for (std::uint32_t number = 0; number * width < load.from.width; ++number) {
    const std::string name = fmt::format("{}_part{}", load.name, number);
    body.emplace_back(ir::Load{name, part_of(load.from, number, width)});
    const Expr part = ir::variable(name, ir::element(type, width));
    for (std::uint32_t c = 0; c < width; ++c) {
      elements.push_back(width == 1 ? part : ir::component(part, c));
    }
  }
  body.emplace_back(ir::Let{load.name, ir::vector(elements)});
  return body;
}

Body split_store(const ir::Store& store, std::uint32_t width) {
  Body body;
  const Expr& value = store.value;
  const bool is_new = value->op == ir::Op::vector && value->operands.size() == store.to.width;
  for (std::uint32_t first = 0; first < store.to.width; first += width) {
    std::vector<Expr> elements;
    for (std::uint32_t c = first; c < first + width; ++c) {
      elements.push_back(is_new ? value->operands[c] : ir::component(value, c));
    }
    body.emplace_back(ir::Store{part_of(store.to, first / width, width),
                                width == 1 ? elements.front() : ir::vector(elements)});
  }
  return body;
}

Body split(const Body& body, const ir::Kernel& kernel, const Parts& parts) {
  // The width of the parts of an access; 0: it stays whole.
  const auto width_of = [&](const ir::Element& element) {
    const auto found = parts.find(element.array);
    return found != parts.end() && element.width > found->second ? found->second : 0;
  };
  Body out;
  for (const ir::Stmt& statement : body) {
    const auto* load = std::get_if<ir::Load>(&statement.value);
    const auto* store = std::get_if<ir::Store>(&statement.value);
    if (load != nullptr && width_of(load->from) != 0) {
      const ScalarType type = kernel.find(load->from.array)->type;
      ir::append(out, split_load(*load, type, width_of(load->from)));
    } else if (store != nullptr && width_of(store->to) != 0) {
      ir::append(out, split_store(*store, width_of(store->to)));
    } else {
      out.push_back(ir::rewritten(
          statement, [](const Expr& e) { return e; },
          [&](const Body& inner) { return split(inner, kernel, parts); }));
    }
  }
  return out;
}

}  // namespace

void split_packed_vectors(ir::Kernel& kernel) {
  const Parts parts = parts_of(kernel);
  if (!parts.empty()) kernel.body = split(kernel.body, kernel, parts);
}

}  // namespace vkmoye::gen
