// SPDX-License-Identifier: MIT
#include "vkmoye/gen/glsl/in_place.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "vkmoye/gen/glsl/declarations.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"

namespace vkmoye::gen::glsl {
namespace {

using ir::Array;
using ir::Expr;
using ir::Stmt;

// What a statement and the bodies inside it do.
struct Summary {
  std::set<std::string> mentions;  // names of values
  std::set<std::string> writes;    // names of arrays
  std::set<const Stmt*> inner;     // the statements inside
};

std::set<std::string> names_in(const Expr& e) {
  std::set<std::string> names;
  ir::for_each_node(e, [&](const ir::Node& node) {
    if (node.op == ir::Op::variable) names.insert(node.name);
  });
  return names;
}

// How often the text of `e` has the variable `name`.
int occurrences(const Expr& e, const std::string& name) {
  if (e->op == ir::Op::variable) return e->name == name ? 1 : 0;
  int sum = 0;
  for (const Expr& operand : e->operands) sum += occurrences(operand, name);
  return sum;
}

// The name that a load, or an operation of a subgroup, defines; nullptr for other statements.
const std::string* defined_by(const Stmt& statement) {
  if (const auto* load = std::get_if<ir::Load>(&statement.value)) return &load->name;
  if (const auto* across = std::get_if<ir::Subgroup>(&statement.value)) return &across->name;
  return nullptr;
}

// Whether copies, functions of elements and reductions name their values so: value, value2, src_value, of_lanes.
bool is_made(const std::string& name) {
  const std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
  return stem == "value" || stem == "of_lanes" || stem.ends_with("_value");
}

class Finder {
 public:
  Finder(const ir::Body& body, const ir::Kernel& kernel) : body_(body), kernel_(kernel) {
    for (const Stmt& statement : body) {
      Summary summary;
      add(statement, summary);
      summaries_.push_back(std::move(summary));
    }
  }

  InPlace found() {
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (is_unchanged(i)) out_.unchanged.insert(&body_[i]);
    }
    for (std::size_t i = 0; i < body_.size(); ++i) find_moved(i);
    for (std::size_t i = 0; i < body_.size(); ++i) {
      if (is_offset_used_once(i)) {
        out_.once.insert(&body_[i]);
      } else if (const auto width = vector_of(i)) {
        out_.vectors[&body_[i]] = *width;
      }
    }
    return std::move(out_);
  }

 private:
  void add(const Stmt& statement, Summary& summary) {
    const ir::Effects effects = ir::effects_of(statement, kernel_);
    for (const Expr* use : effects.uses) summary.mentions.merge(names_in(*use));
    for (const ir::StatementAccess& access : effects.accesses) {
      if (access.writes) summary.writes.insert(access.element->array);
    }
    for (const ir::NestedBody& inner : effects.nested) {
      for (const Stmt& one : *inner.body) {
        summary.inner.insert(&one);
        add(one, summary);
      }
    }
  }

  // The number of the last statement that uses `name`, defined by statement i; i if there is none.
  std::size_t last_use(std::size_t i, const std::string& name) const {
    std::size_t last = i;
    for (std::size_t j = i + 1; j < body_.size(); ++j) {
      if (summaries_[j].mentions.contains(name)) last = j;
    }
    return last;
  }

  // Whether it loads registers that no statement writes before the name was used for the last time.
  bool is_unchanged(std::size_t i) const {
    const auto* load = std::get_if<ir::Load>(&body_[i].value);
    if (load == nullptr || !is_made(load->name)) return false;
    const Array& array = *kernel_.find(load->from.array);
    if (!array.is_registers() || array.matrix) return false;
    const std::size_t last = last_use(i, load->name);
    for (std::size_t j = i + 1; j <= last; ++j) {
      const bool writes = summaries_[j].writes.contains(array.name);
      // A store evaluates its value first.
      const bool is_store = std::holds_alternative<ir::Store>(body_[j].value);
      if (writes && !(j == last && is_store)) return false;
    }
    return is_short(load->from) || (last > i && is_used_once(load->name, body_[last]) &&
                                    uses_between(i, last, load->name) == 0);
  }

  static bool is_short(const ir::Element& element) {
    std::size_t length = element.array.size();
    for (const Expr& coordinate : element.coordinates) length += glsl::print(coordinate).size();
    return length <= 16;
  }

  std::size_t uses_between(std::size_t i, std::size_t last, const std::string& name) const {
    std::size_t count = 0;
    for (std::size_t j = i + 1; j < last; ++j) count += summaries_[j].mentions.contains(name);
    return count;
  }

  static bool is_used_once(const std::string& name, const Stmt& statement) {
    if (const auto* store = std::get_if<ir::Store>(&statement.value)) {
      return occurrences(store->value, name) == 1;
    }
    const auto* across = std::get_if<ir::Subgroup>(&statement.value);
    return across != nullptr && occurrences(across->value, name) == 1;
  }

  // Marks the statements right before statement i that it alone uses, each once.
  void find_moved(std::size_t i) {
    const auto* store = std::get_if<ir::Store>(&body_[i].value);
    const bool is_across = std::holds_alternative<ir::Subgroup>(body_[i].value);
    if (store == nullptr && !is_across) return;
    for (std::size_t j = i; j-- > 0;) {
      if (out_.unchanged.contains(&body_[j])) continue;
      const std::string* name = defined_by(body_[j]);
      if (name == nullptr || last_use(j, *name) != i || uses_between(j, i, *name) > 0) return;
      const bool is_copied = store != nullptr && store->value->op == ir::Op::variable;
      if (!is_used_once(*name, body_[i]) || !(is_made(*name) || is_copied)) return;
      out_.moved.insert(&body_[j]);
    }
  }

  // Whether copies name the offsets of a shared array so: tile_at, tile0_at.
  bool is_offset(const std::string& name) const {
    if (!name.ends_with("_at")) return false;
    const std::string copy = name.substr(0, name.size() - 3);
    const std::string array = copy.substr(0, copy.find_last_not_of("0123456789") + 1);
    const auto is_shared = [&](const std::string& one) {
      const Array* found = kernel_.find(one);
      return found != nullptr && found->is_shared();
    };
    return is_shared(copy) || is_shared(array);
  }

  bool is_offset_used_once(std::size_t i) const {
    constexpr std::size_t kMaxColumns = 60;
    const auto* let = std::get_if<ir::Let>(&body_[i].value);
    if (let == nullptr || let->exact || !is_offset(let->name)) return false;
    int uses = 0;
    for (std::size_t j = i + 1; j < body_.size(); ++j) {
      if (summaries_[j].mentions.contains(let->name)) uses += uses_in(body_[j], let->name);
    }
    return uses == 1 && glsl::print(let->value).size() <= kMaxColumns;
  }

  // How often the text of `statement` has the variable `name`: twice for once in a loop.
  int uses_in(const Stmt& statement, const std::string& name) const {
    const ir::Effects effects = ir::effects_of(statement, kernel_);
    int uses = 0;
    for (const Expr* use : effects.uses) uses += occurrences(*use, name);
    for (const ir::NestedBody& inner : effects.nested) {
      for (const Stmt& one : *inner.body) uses += (inner.repeats ? 2 : 1) * uses_in(one, name);
    }
    return uses;
  }

  // The width of the vectors, if statement i names an offset that only accesses to vectors use.
  std::optional<std::uint32_t> vector_of(std::size_t i) const {
    const auto* let = std::get_if<ir::Let>(&body_[i].value);
    if (let == nullptr || !(let->value->type == ir::kIndex)) return std::nullopt;
    std::optional<std::uint32_t> width;
    for (std::size_t j = i + 1; j < body_.size(); ++j) {
      if (!summaries_[j].mentions.contains(let->name)) continue;
      std::vector<const Stmt*> all(summaries_[j].inner.begin(), summaries_[j].inner.end());
      all.push_back(&body_[j]);
      for (const Stmt* statement : all) {
        const ir::Effects effects = ir::effects_of(*statement, kernel_);
        for (const Expr* use : effects.uses) {
          if (!names_in(*use).contains(let->name)) continue;
          const auto found = width_of_access(effects, use);
          if (!found || width.value_or(*found) != *found) return std::nullopt;
          width = found;
        }
      }
    }
    return width && let->value->alignment % *width == 0 ? width : std::nullopt;
  }

  // The width of the vectors that an access with the coordinate `use` has, if its offset is divided by the width.
  std::optional<std::uint32_t> width_of_access(const ir::Effects& effects, const Expr* use) const {
    for (const ir::StatementAccess& access : effects.accesses) {
      const ir::Element& element = *access.element;
      const auto& coordinates = element.coordinates;
      const auto found = std::find_if(coordinates.begin(), coordinates.end(),
                                      [&](const Expr& one) { return &one == use; });
      if (found == coordinates.end()) continue;
      const Array& array = *kernel_.find(element.array);
      const auto axis = static_cast<std::size_t>(found - coordinates.begin());
      const bool is_vector = array.is_shared()
                                 ? element.width == shared_width(kernel_, array)
                                 : array.is_buffer() && !element.as_words &&
                                       array.addressing == Addressing::descriptor &&
                                       is_constant(axes_of(element, array)[axis].stride, 1);
      // A matrix is accessed by its first element and a stride.
      const bool is_divided =
          is_vector && element.width > 1 && access.lanes == 0 && !access.by_any_lane;
      return is_divided ? std::optional(element.width) : std::nullopt;
    }
    return std::nullopt;
  }

  const ir::Body& body_;
  const ir::Kernel& kernel_;
  std::vector<Summary> summaries_;
  InPlace out_;
};

}  // namespace

InPlace in_place(const ir::Body& body, const ir::Kernel& kernel) {
  return Finder(body, kernel).found();
}

Expr with_values(const Expr& e, const std::map<std::string, Expr>& values) {
  if (e->op == ir::Op::variable) {
    const auto found = values.find(e->name);
    return found == values.end() ? e : found->second;
  }
  if (e->operands.empty()) return e;
  ir::Node node = *e;
  for (Expr& operand : node.operands) operand = with_values(operand, values);
  return Expr(std::make_shared<const ir::Node>(std::move(node)));
}

}  // namespace vkmoye::gen::glsl
