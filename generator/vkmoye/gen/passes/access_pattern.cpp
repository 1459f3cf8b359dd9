// SPDX-License-Identifier: MIT
#include "vkmoye/gen/passes/access_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/guards.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen {
namespace {

using ir::Body;
using ir::Expr;
using ir::Stmt;

// The statements of `body` with `variable` replaced by a number.
Body at_number(const Body& body, const std::string& variable, std::uint32_t number) {
  const ir::Definitions known = {{variable, Expr(number)}};
  Body out;
  for (const Stmt& statement : body) {
    out.push_back(rewritten(
        statement, [&](const Expr& e) { return ir::expand(e, known); },
        [&](const Body& inner) { return at_number(inner, variable, number); }));
  }
  return out;
}

// The number of elements that a thread accesses, and the smallest width of its accesses.
struct Accessed {
  std::uint32_t elements = 0;
  std::uint32_t width = 0;  // 0: there are no accesses

  void add(const Accessed& other) {
    elements += other.elements;
    take_width(other.width);
  }
  void take_width(std::uint32_t other) {
    width = width == 0 ? other : other == 0 ? width : std::min(width, other);
  }
};

// The statements with accesses to words of memory turned into accesses to elements: contents do not matter.
Body as_elements(const Body& body) {
  Body out;
  for (const Stmt& statement : body) {
    out.push_back(rewritten(
        statement, [](const Expr& e) { return e; }, as_elements));
    if (auto* load = std::get_if<ir::Load>(&out.back().value)) load->from.as_words = false;
    if (auto* store = std::get_if<ir::Store>(&out.back().value)) store->to.as_words = false;
  }
  return out;
}

class Pattern {
 public:
  explicit Pattern(const ir::Kernel& kernel) : kernel_(kernel) {
    kernel_.body = as_elements(kernel.body);
    for (ir::Array& array : kernel_.arrays) {
      // The bits are moved unchanged either way, and integers can be combined.
      if (array.type == ScalarType::bf16) array.type = ScalarType::u16;
      if (!array.is_buffer()) continue;
      const ir::Array*& side = array.access == Access::read ? from_ : to_;
      if (side != nullptr || array.access == Access::read_write) {
        refuse("the kernel moves more than one array");
      }
      side = &array;
    }
    if (from_ == nullptr || to_ == nullptr || from_->type != to_->type) {
      refuse("the kernel does not move one array into another of the same type");
    }
  }

  ir::Kernel kernel() {
    ir::Kernel out = kernel_;
    out.config.emplace_back("pattern", "own");
    out.why = "the accesses to memory alone: each thread stores what it loaded itself";
    out.arrays = {*from_, *to_};
    out.body = parts(kernel_.body);
    for (const auto& [width, slots] : slots_) {
      ir::Array own{array_of(width),
                    from_->type,
                    ir::Array::Space::registers,
                    Access::read_write,
                    {{"at", slots * width, 1}},
                    fmt::format("{} of {}", slots, width)};
      own.vector = width;
      out.arrays.push_back(std::move(own));
    }
    while (drop_unused(out)) {
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw KernelError(kernel_.name, {"access pattern: " + why});
  }

  static std::string array_of(std::uint32_t width) {
    return width == 1 ? "own" : fmt::format("own_by_{}", width);
  }

  // --- parts: accesses that belong together ---

  bool touches(const Stmt& statement, const ir::Array* side) const {
    const auto* load = std::get_if<ir::Load>(&statement.value);
    const auto* store = std::get_if<ir::Store>(&statement.value);
    if (load != nullptr && load->from.array == side->name) return true;
    if (store != nullptr && store->to.array == side->name) return true;
    const auto inside = ir::bodies_of(statement);
    return std::any_of(inside.begin(), inside.end(), [&](const Body* body) {
      return std::any_of(body->begin(), body->end(),
                         [&](const Stmt& inner) { return touches(inner, side); });
    });
  }

  // A statement that both loads and stores has its own parts; the statements between two of these are one part.
  Body parts(const Body& body) {
    Body out, run;
    const auto end_run = [&] {
      for (Stmt& statement : part(run)) out.push_back(std::move(statement));
      run.clear();
    };
    for (const Stmt& statement : body) {
      const bool both = touches(statement, from_) && touches(statement, to_);
      if (!both || ir::bodies_of(statement).empty()) {
        run.push_back(statement);
        continue;
      }
      end_run();
      out.push_back(rewritten(
          statement, [](const Expr& e) { return e; },
          [&](const Body& inner) { return parts(inner); }));
    }
    end_run();
    return out;
  }

  Accessed accessed(const Body& body, const ir::Array* side) const {
    Accessed out;
    for (const Stmt& statement : body) {
      if (!touches(statement, side)) continue;
      if (const auto* loop = std::get_if<ir::For>(&statement.value)) {
        Accessed round = accessed(loop->body, side);
        round.elements *= times(*loop);
        out.add(round);
      } else if (const auto* branch = std::get_if<ir::If>(&statement.value)) {
        Accessed one = accessed(branch->body, side), other = accessed(branch->otherwise, side);
        one.elements = std::max(one.elements, other.elements);
        one.take_width(other.width);
        out.add(one);
      } else if (const auto* block = std::get_if<ir::Titled>(&statement.value)) {
        out.add(accessed(block->body, side));
      } else {
        const auto* load = std::get_if<ir::Load>(&statement.value);
        const auto* store = std::get_if<ir::Store>(&statement.value);
        const std::uint32_t width = load != nullptr ? load->from.width : store->to.width;
        out.add({width, width});
      }
    }
    return out;
  }

  std::uint32_t times(const ir::For& loop) const {
    if (const auto end = ir::constant_value(loop.end)) return *end;
    refuse(fmt::format("the length of loop {}, which moves elements, is not known", loop.variable));
  }

  // --- loads, then stores ---

  // The registers that hold the elements of a part between its loads and its stores.
  struct Slots {
    std::uint32_t width = 1, count = 0;  // elements of a slot; slots
    std::uint32_t loaded = 0, stored = 0, reads = 0;
  };

  Body part(const Body& body) {
    const Accessed loads = accessed(body, from_), stores = accessed(body, to_);
    if ((loads.elements == 0) != (stores.elements == 0)) {
      refuse(fmt::format("one path loads {} elements in each thread but stores {}", loads.elements,
                         stores.elements));
    }
    Slots slots;
    Accessed both = loads;
    both.take_width(stores.width);
    slots.width = std::max(1u, both.width);
    slots.count = std::min(loads.elements, stores.elements) / slots.width;
    Body out;
    if (slots.count > 0) {
      slots_[slots.width] = std::max(slots_[slots.width], slots.count);
      // A load that a condition skips does not write its slot.
      const Expr zero = ir::number(from_->type, 0);
      const Expr nothing =
          slots.width == 1 ? zero : ir::vector(std::vector<Expr>(slots.width, zero));
      for (std::uint32_t slot = 0; conditional(body) && slot < slots.count; ++slot) {
        out.emplace_back(ir::Store{element(slots, slot), nothing});
      }
    }
    moved(body, slots, out);
    return out;
  }

  // Whether a condition may skip a load of `body`.
  bool conditional(const Body& body) const {
    return std::any_of(body.begin(), body.end(), [&](const Stmt& statement) {
      if (!touches(statement, from_)) return false;
      if (std::holds_alternative<ir::If>(statement.value)) return true;
      const auto inside = ir::bodies_of(statement);
      return std::any_of(inside.begin(), inside.end(),
                         [&](const Body* inner) { return conditional(*inner); });
    });
  }

  ir::Element element(const Slots& slots, std::uint32_t slot) const {
    return {array_of(slots.width), {Expr(slot % slots.count * slots.width)}, "own", slots.width};
  }

  void moved(const Body& body, Slots& slots, Body& out) {
    for (const Stmt& statement : body) {
      const auto* load = std::get_if<ir::Load>(&statement.value);
      const auto* store = std::get_if<ir::Store>(&statement.value);
      if (load != nullptr && load->from.array == from_->name) {
        out.push_back(statement);
        keep_loaded(*load, slots, out);
      } else if (store != nullptr && store->to.array == to_->name) {
        store_own(*store, slots, out);
      } else if (const auto* loop = std::get_if<ir::For>(&statement.value)) {
        if (!touches(statement, from_) && !touches(statement, to_)) continue;
        for (std::uint32_t i = 0; i < times(*loop); ++i) {
          ir::Titled round{"", {}};
          moved(at_number(loop->body, loop->variable, i), slots, round.body);
          out.emplace_back(std::move(round));
        }
      } else if (const auto* branch = std::get_if<ir::If>(&statement.value)) {
        ir::If both(branch->condition, {}, {});
        Slots other = slots;
        moved(branch->body, slots, both.body);
        moved(branch->otherwise, other, both.otherwise);
        slots.loaded = std::max(slots.loaded, other.loaded);
        slots.stored = std::max(slots.stored, other.stored);
        out.emplace_back(std::move(both));
      } else if (const auto* block = std::get_if<ir::Titled>(&statement.value)) {
        ir::Titled inside{block->title, {}};
        moved(block->body, slots, inside.body);
        out.emplace_back(std::move(inside));
      } else {
        keep(out, statement);
      }
    }
  }

  void keep_loaded(const ir::Load& load, Slots& slots, Body& out) {
    const Expr value = ir::variable(load.name, ir::element(from_->type, load.from.width));
    for (std::uint32_t first = 0; first < load.from.width; first += slots.width) {
      const std::uint32_t slot = slots.loaded++;
      const ir::Element to = element(slots, slot);
      if (slot < slots.count) {
        out.emplace_back(ir::Store{to, elements(value, first, slots.width)});
        continue;
      }
      const Expr there = loaded_own(slots, slot, out);
      std::vector<Expr> together;
      for (std::uint32_t i = 0; i < slots.width; ++i) {
        together.push_back(combined(elements(there, i, 1), elements(value, first + i, 1)));
      }
      out.emplace_back(ir::Store{to, slots.width == 1 ? together[0] : ir::vector(together)});
    }
  }

  Expr combined(const Expr& a, const Expr& b) const {
    const ScalarType type = from_->type, word = ScalarType::i32;
    const bool is_short = type == ScalarType::i8 || type == ScalarType::u8 ||
                          type == ScalarType::i16 || type == ScalarType::u16;
    if (is_short) return convert(bit_xor(convert(a, word), convert(b, word)), type);
    if (ir::is_arithmetic(type)) return is_floating(type) ? a + b : bit_xor(a, b);
    refuse(fmt::format(
        "one path loads more than it stores, and the rest cannot be combined because there is no "
        "arithmetic on {}",
        to_string(type)));
  }

  void store_own(const ir::Store& store, Slots& slots, Body& out) {
    std::vector<Expr> all;
    for (std::uint32_t first = 0; first < store.to.width; first += slots.width) {
      const Expr value = loaded_own(slots, slots.stored++, out);
      if (slots.width == store.to.width) {
        out.emplace_back(ir::Store{store.to, value});
        return;
      }
      for (std::uint32_t i = 0; i < slots.width; ++i) all.push_back(elements(value, i, 1));
    }
    out.emplace_back(ir::Store{store.to, ir::vector(all)});
  }

  // Loads a slot and names its value.
  Expr loaded_own(Slots& slots, std::uint32_t slot, Body& out) const {
    const std::string name = fmt::format("mine{}", slots.reads++);
    out.emplace_back(ir::Load{name, element(slots, slot)});
    return ir::variable(name, ir::element(from_->type, slots.width));
  }

  // `count` elements of `value` from number `first` on.
  static Expr elements(const Expr& value, std::uint32_t first, std::uint32_t count) {
    if (value->type.width == count) return value;
    std::vector<Expr> parts;
    for (std::uint32_t i = 0; i < count; ++i) parts.push_back(ir::component(value, first + i));
    return count == 1 ? parts[0] : ir::vector(parts);
  }

  // --- all other statements ---

  void keep(Body& out, const Stmt& statement) const {
    if (const auto* let = std::get_if<ir::Let>(&statement.value)) {
      // Values computed from elements are not stored.
      if (!let->value->type.is_element()) out.push_back(statement);
      return;
    }
    const ir::Effects effects = effects_of(statement, kernel_);
    for (const ir::StatementAccess& access : effects.accesses) {
      if (access.element->array != from_->name && access.element->array != to_->name) continue;
      refuse(fmt::format("'{}' is not a plain load or store", access.element->source_text));
    }
  }

  // Removes unused names and empty bodies. Returns whether there were any.
  static bool drop_unused(ir::Kernel& kernel) {
    std::set<std::string> used;
    ir::for_each_node(kernel, [&](const ir::Node& node) {
      if (node.op == ir::Op::variable) used.insert(node.name);
    });
    bool any = false;
    const auto without = [&](const auto& self, const Body& body) -> Body {
      Body out;
      for (const Stmt& statement : body) {
        const auto* let = std::get_if<ir::Let>(&statement.value);
        const auto inside = ir::bodies_of(statement);
        const bool empty =
            !inside.empty() && std::all_of(inside.begin(), inside.end(),
                                           [](const Body* inner) { return inner->empty(); });
        if (empty || (let != nullptr && !used.contains(let->name))) {
          any = true;
          continue;
        }
        out.push_back(rewritten(
            statement, [](const Expr& e) { return e; },
            [&](const Body& inner) { return self(self, inner); }));
      }
      return out;
    };
    kernel.body = without(without, kernel.body);
    return any;
  }

  ir::Kernel kernel_;
  const ir::Array *from_ = nullptr, *to_ = nullptr;
  std::map<std::uint32_t, std::uint32_t> slots_;  // width -> the maximum number that a part needs
};

}  // namespace

ir::Kernel access_pattern(const ir::Kernel& kernel) { return Pattern(kernel).kernel(); }

}  // namespace vkmoye::gen
