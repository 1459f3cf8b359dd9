// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/fragment_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/verify/divergence.hpp"
#include "vkmoye/gen/verify/size_conditions.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;

// Which element of the matrix that it belongs to a register holds: a sum of multiples of loop variables, modulo the
// elements of a lane.
struct ElementNumber {
  std::vector<LinearTerm> terms;
  std::uint32_t constant = 0;

  bool operator==(const ElementNumber& other) const {
    return constant == other.constant &&
           std::equal(terms.begin(), terms.end(), other.terms.begin(), other.terms.end(),
                      [](const LinearTerm& a, const LinearTerm& b) {
                        return a.factor == b.factor && same(a.term, b.term);
                      });
  }
};

// What a value depends on.
struct Origin {
  Divergence divergence = Divergence::none;
  std::set<std::string> rounds;  // variables of loops
  struct Register {
    const ir::Array* array;  // of matrices
    ElementNumber number;
  };
  std::vector<Register> registers;

  void add(const Origin& other) {
    divergence = std::max(divergence, other.divergence);
    rounds.insert(other.rounds.begin(), other.rounds.end());
    registers.insert(registers.end(), other.registers.begin(), other.registers.end());
  }
};

class OrderChecker {
 public:
  explicit OrderChecker(const ir::Kernel& kernel) : kernel_(kernel) {
    for (const ir::Assumption& one : kernel.assumptions) {
      if (one.kind == ir::Assumption::Kind::order) stated_.insert(one.array);
    }
    walk(kernel.body, {});
  }

  std::vector<std::string> reasons() && { return std::move(reasons_); }

 private:
  Origin origin_of(const Expr& e) const {
    Origin out;
    ir::for_each_node(e, [&](const ir::Node& node) {
      if (node.op == ir::Op::builtin) {
        const bool is_lane =
            node.builtin == ir::Builtin::thread || node.builtin == ir::Builtin::lane;
        if (is_lane) out.divergence = Divergence::within_subgroups;
      }
      if (node.op != ir::Op::variable) return;
      const auto found = names_.find(node.name);
      if (found != names_.end()) out.add(found->second);
    });
    return out;
  }

  // The number of a register; nullopt if the access has several elements.
  std::optional<ElementNumber> number_of(const ir::Element& element, const ir::Array& array) const {
    if (element.width != 1) return std::nullopt;
    const auto held =
        static_cast<std::uint32_t>(ir::elements_per_lane(*array.matrix, kernel_.subgroup_size));
    std::vector<LinearTerm> terms;
    add_linear_terms(ir::expand(element.coordinates[0], definitions_), 1, terms);
    ElementNumber number;
    for (const LinearTerm& one : terms) {
      if (is_constant(one.term)) {
        number.constant = (number.constant + one.factor) % held;
      } else if (one.factor % held != 0) {
        number.terms.push_back({one.term, one.factor % held});
      }
    }
    return number;
  }

  // Whether the loops of `number` go through all elements of a lane.
  bool is_of_all(const ElementNumber& number, const ir::Array& array) const {
    const std::size_t held = ir::elements_per_lane(*array.matrix, kernel_.subgroup_size);
    std::set<std::size_t> numbers = {number.constant};
    for (const LinearTerm& one : number.terms) {
      const auto end = ends_.find(one.term->name);
      if (one.term->op != ir::Op::variable || end == ends_.end()) return false;
      std::set<std::size_t> sums;
      for (std::size_t r = 0; r < std::min<std::size_t>(end->second, held); ++r) {
        for (const std::size_t other : numbers) sums.insert((other + one.factor * r) % held);
      }
      numbers = std::move(sums);
    }
    return numbers.size() == held;
  }

  void complain(const ir::Array& array, const ir::Element& element, const char* does) {
    if (stated_.contains(array.name) || !said_.insert(array.name).second) return;
    reasons_.push_back(fmt::format(
        "'{}' {} elements of the matrices {} by lane or number, and the device decides which "
        "element that is; state the order for which the kernel is made, with matrix_values or "
        "assume_order",
        element.source_text, does, array.name));
  }
  void complain_of(const Origin& origin) {
    for (const Origin::Register& one : origin.registers) {
      complain(*one.array, {one.array->name, {}, read_as_.at(one.array)}, "reads");
    }
  }

  // A store that does the same for all elements of the matrices, whichever lane holds them.
  bool is_elementwise(const ir::Array& array, const ElementNumber& number, const Origin& value,
                      const Origin& path) const {
    if (path.divergence == Divergence::within_subgroups || !path.registers.empty()) return false;
    if (value.divergence == Divergence::within_subgroups || !is_of_all(number, array)) return false;
    const bool is_by_number =
        std::any_of(number.terms.begin(), number.terms.end(), [&](const LinearTerm& one) {
          return value.rounds.contains(one.term->name) || path.rounds.contains(one.term->name);
        });
    return !is_by_number && std::all_of(value.registers.begin(), value.registers.end(),
                                        [&](const Origin::Register& one) {
                                          return one.array->matrix == array.matrix &&
                                                 one.array->type == array.type &&
                                                 one.number == number;
                                        });
  }

  void store(const ir::Store& s, const ir::Array& array, const Origin& path) {
    const Origin value = origin_of(s.value);
    const auto number = number_of(s.to, array);
    if (number && is_elementwise(array, *number, value, path)) return;
    complain(array, s.to, "writes");
    complain_of(value);
  }

  void walk(const ir::Body& body, const Origin& path) {
    for (const ir::Stmt& statement : body) visit(statement, path);
  }

  void visit(const ir::Stmt& statement, const Origin& path) {
    const ir::Effects effects = effects_of(statement, kernel_);
    const auto* let = std::get_if<ir::Let>(&statement.value);
    const auto* to = std::get_if<ir::Store>(&statement.value);
    const ir::Array* target = to == nullptr ? nullptr : kernel_.find(to->to.array);
    const bool to_matrix = target != nullptr && target->matrix;
    if (to_matrix) store(*to, *target, path);
    Origin used = path;
    for (const Expr* e : effects.uses) {
      const Origin one = origin_of(*e);
      const bool is_followed =
          (let != nullptr && e == &let->value) || (to_matrix && e == &to->value);
      if (!is_followed) complain_of(one);
      used.divergence = std::max(used.divergence, one.divergence);
    }
    for (const ir::NestedBody& inner : effects.nested) {
      Origin inside = path;
      if (inner.condition != nullptr) inside.add(origin_of(*inner.condition));
      for (const ir::Definition& d : inner.defines) {
        names_[d.name] = {inside.divergence, {d.name}, {}};
        definitions_.erase(d.name);
        ends_.erase(d.name);
        if (inner.repeats && is_constant(*inner.condition)) {
          ends_[d.name] = static_cast<std::size_t>((*inner.condition)->value);
        }
      }
      walk(*inner.body, inside);
    }
    for (const ir::Definition& d : effects.defines) {
      if (!d.is_data) {
        names_[d.name] = origin_of(d.value);
        ir::add_definition(definitions_, d.name, d.value);
        continue;
      }
      definitions_.erase(d.name);
      names_[d.name] = loaded(statement, used);
    }
  }

  // What a value from memory or from other lanes depends on.
  Origin loaded(const ir::Stmt& statement, const Origin& used) {
    const auto* load = std::get_if<ir::Load>(&statement.value);
    const ir::Array* array = load == nullptr ? nullptr : kernel_.find(load->from.array);
    if (array != nullptr && array->matrix) {
      read_as_[array] = load->from.source_text;
      if (const auto number = number_of(load->from, *array)) {
        return {Divergence::none, {}, {{array, *number}}};
      }
      complain(*array, load->from, "reads");
    }
    Origin out;
    out.divergence = divergence_of_data(statement, kernel_, used.divergence);
    if (load != nullptr) {
      for (const Expr& at : load->from.coordinates) out.rounds.merge(origin_of(at).rounds);
    }
    return out;
  }

  const ir::Kernel& kernel_;
  std::set<std::string> stated_, said_;
  std::vector<std::string> reasons_;
  std::map<std::string, Origin> names_;
  std::map<std::string, std::size_t> ends_;  // of loops that are constant
  std::map<const ir::Array*, std::string> read_as_;
  ir::Definitions definitions_;
};

}  // namespace

std::vector<std::string> check_fragment_orders(const ir::Kernel& kernel) {
  const bool has_matrices =
      std::any_of(kernel.arrays.begin(), kernel.arrays.end(),
                  [](const ir::Array& array) { return array.matrix.has_value(); });
  if (!has_matrices) return {};
  return OrderChecker(kernel).reasons();
}

}  // namespace vkmoye::gen
