// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/fragment_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/verify/divergence.hpp"
#include "vkmoye/gen/verify/size_conditions.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;

// The index of a register is number + held * matrix, where `held` are the elements of a matrix that a lane has. This is
// its number. Loops that only change the matrix are not part of it.
struct ElementNumber {
  std::vector<LinearTerm> terms;  // whose factors are not multiples of `held`, by ascending factors
  std::uint32_t constant = 0;     // below `held`
  // Whether the loops of `terms` go through all elements of each matrix that they come to, and through the matrices in
  // one order for each element.
  bool is_of_all = false;

  // Whether both go through the same elements, of these or of other matrices.
  bool is_like(const ElementNumber& other) const {
    return is_of_all && other.is_of_all && constant == other.constant &&
           std::equal(terms.begin(), terms.end(), other.terms.begin(), other.terms.end(),
                      [](const LinearTerm& a, const LinearTerm& b) {
                        return a.factor == b.factor && same(a.term, b.term);
                      });
  }
  bool counts(const std::string& variable) const {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const LinearTerm& one) { return one.term->name == variable; });
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

struct Loop {
  std::string variable;
  const ir::Body* body;
};

struct AccessInBody {
  bool writes;
  std::optional<ElementNumber> number;  // of a single element of matrices
};

class OrderChecker {
 public:
  explicit OrderChecker(const ir::Kernel& kernel) : kernel_(kernel) {
    for (const ir::Assumption& one : kernel.assumptions) {
      if (one.kind == ir::Assumption::Kind::order) stated_.insert(one.array);
    }
    // A value may depend on what comes later in a loop, so all accesses are collected first.
    collects_ = true;
    walk(kernel.body, {});
    collects_ = false;
    names_.clear();
    definitions_ = {};
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

  std::uint32_t held_by_a_lane(const ir::Array& array) const {
    return static_cast<std::uint32_t>(ir::elements_per_lane(*array.matrix, kernel_.subgroup_size));
  }

  // The terms of an index, each once; constants are one term.
  std::vector<LinearTerm> terms_of(const Expr& index) const {
    std::vector<LinearTerm> all, terms;
    add_linear_terms(ir::expand(index, definitions_), 1, all);
    for (const LinearTerm& one : all) {
      const auto known = std::find_if(terms.begin(), terms.end(), [&](const LinearTerm& other) {
        return same(other.term, one.term);
      });
      if (known != terms.end()) {
        known->factor += one.factor;
      } else {
        terms.push_back(one);
      }
    }
    return terms;
  }

  // The number of a register; nullopt if the access has several elements.
  std::optional<ElementNumber> number_of(const ir::Element& element, const ir::Array& array) const {
    if (element.width != 1) return std::nullopt;
    const std::uint32_t held = held_by_a_lane(array);
    ElementNumber number;
    Origin matrix;
    for (const LinearTerm& one : terms_of(element.coordinates[0])) {
      const auto end = ends_.find(one.term->op == ir::Op::variable ? one.term->name : "");
      if (is_constant(one.term)) {
        number.constant = one.factor % held;
      } else if (one.factor % held == 0) {
        matrix.add(origin_of(one.term));
      } else if (end == ends_.end() || end->second > 1) {
        number.terms.push_back(one);
      }
    }
    std::sort(number.terms.begin(), number.terms.end(),
              [](const LinearTerm& a, const LinearTerm& b) { return a.factor < b.factor; });
    number.is_of_all = is_of_all(number, held) && matrix.registers.empty() &&
                       matrix.divergence != Divergence::within_subgroups &&
                       !depends_on(matrix, number);
    return number;
  }

  // Whether the loops count 0, 1, 2 .. up to the end of a matrix. Of one of them, the high part may count matrices:
  // all others count either elements or matrices.
  bool is_of_all(const ElementNumber& number, std::uint32_t held) const {
    std::uint64_t next = 1;
    for (const LinearTerm& one : number.terms) {
      const auto end = ends_.find(one.term->op == ir::Op::variable ? one.term->name : "");
      if (end == ends_.end() || one.factor != next || held % next != 0) return false;
      next *= end->second;
    }
    return std::has_single_bit(held) && number.constant == 0 && next % held == 0;
  }

  // Whether it differs between the elements that the loops of `number` go through.
  static bool depends_on(const Origin& value, const ElementNumber& number) {
    return std::any_of(value.rounds.begin(), value.rounds.end(),
                       [&](const std::string& variable) { return number.counts(variable); });
  }

  // Whether `array` changes in the loop while it counts the elements of `number`, other than each element in its own
  // round.
  bool changes(const ir::Array& array, const Loop& loop, const ElementNumber* number) const {
    const auto found = accesses_.find({loop.body, &array});
    if (found == accesses_.end()) return false;
    const std::vector<AccessInBody>& accesses = found->second;
    const bool is_written = std::any_of(accesses.begin(), accesses.end(),
                                        [](const AccessInBody& access) { return access.writes; });
    const bool has_own_rounds = number != nullptr && number->counts(loop.variable);
    return is_written &&
           !(has_own_rounds &&
             std::all_of(accesses.begin(), accesses.end(), [&](const AccessInBody& access) {
               return access.number && access.number->is_like(*number);
             }));
  }

  void complain(const ir::Array& array, const ir::Element& element, const char* does) {
    if (collects_ || stated_.contains(array.name) || !said_.insert(array.name).second) return;
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
    if (!number.is_of_all || !path.registers.empty()) return false;
    for (const Origin* of : {&value, &path}) {
      if (of->divergence == Divergence::within_subgroups || depends_on(*of, number)) return false;
    }
    const bool is_disturbed = std::any_of(loops_.begin(), loops_.end(), [&](const Loop& loop) {
      return number.counts(loop.variable) && changes(array, loop, &number);
    });
    return !is_disturbed && std::all_of(value.registers.begin(), value.registers.end(),
                                        [&](const Origin::Register& one) {
                                          return one.array->matrix == array.matrix &&
                                                 one.array->type == array.type &&
                                                 one.number.is_like(number);
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
      used.rounds.insert(one.rounds.begin(), one.rounds.end());
    }
    if (collects_) collect(statement, effects);
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
      if (inner.repeats) loops_.push_back({inner.defines[0].name, inner.body});
      walk(*inner.body, inside);
      if (inner.repeats) loops_.pop_back();
    }
    for (const ir::Definition& d : effects.defines) {
      if (!d.is_data) {
        names_[d.name] = origin_of(d.value);
        ir::add_definition(definitions_, d.name, d.value);
        continue;
      }
      definitions_.erase(d.name);
      names_[d.name] = loaded(statement, effects, used);
    }
  }

  // Notes the accesses for each loop around.
  void collect(const ir::Stmt& statement, const ir::Effects& effects) {
    const bool is_of_one = std::holds_alternative<ir::Load>(statement.value) ||
                           std::holds_alternative<ir::Store>(statement.value);
    for (const ir::StatementAccess& access : effects.accesses) {
      const ir::Array& array = *kernel_.find(access.element->array);
      const auto number =
          is_of_one && array.matrix ? number_of(*access.element, array) : std::nullopt;
      for (const Loop& loop : loops_) {
        accesses_[{loop.body, &array}].push_back({access.writes, number});
      }
    }
  }

  // What a value from memory or from other lanes depends on.
  Origin loaded(const ir::Stmt& statement, const ir::Effects& effects, const Origin& used) {
    const auto* load = std::get_if<ir::Load>(&statement.value);
    const ir::Array* array = load == nullptr ? nullptr : kernel_.find(load->from.array);
    Origin out;
    std::optional<ElementNumber> number;
    if (array != nullptr && array->matrix) {
      read_as_[array] = load->from.source_text;
      number = number_of(load->from, *array);
      if (!number) complain(*array, load->from, "reads");
    }
    if (number) {
      out.registers.push_back({array, *number});
    } else {
      out.divergence = divergence_of_data(statement, kernel_, used.divergence);
      out.rounds = used.rounds;
    }
    for (const ir::StatementAccess& access : effects.accesses) {
      const ir::Array& read = *kernel_.find(access.element->array);
      for (const Loop& loop : loops_) {
        if (changes(read, loop, number ? &*number : nullptr)) out.rounds.insert(loop.variable);
      }
    }
    return out;
  }

  const ir::Kernel& kernel_;
  std::set<std::string> stated_, said_;
  std::vector<std::string> reasons_;
  std::map<std::string, Origin> names_;
  std::map<std::string, std::size_t> ends_;  // of loops that are constant
  std::map<const ir::Array*, std::string> read_as_;
  std::vector<Loop> loops_;  // around the statement
  std::map<std::pair<const ir::Body*, const ir::Array*>, std::vector<AccessInBody>>
      accesses_;           // in loops
  bool collects_ = false;  // accesses, and does not complain
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
