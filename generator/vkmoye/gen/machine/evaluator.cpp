// SPDX-License-Identifier: MIT
#include "vkmoye/gen/machine/evaluator.hpp"

#include <algorithm>
#include <bit>
#include <functional>

namespace vkmoye::gen::machine {

using ir::Node;
using ir::Op;

Evaluator::Names Evaluator::bit_of(const std::string& name) {
  return Names{1} << (std::hash<std::string>{}(name) % 64);
}

bool Evaluator::is_current(const Entry& entry) const {
  if (entry.time == 0) return false;
  for (Names rest = entry.names; rest != 0; rest &= rest - 1) {
    if (defined_[static_cast<std::size_t>(std::countr_zero(rest))] > entry.time) return false;
  }
  return true;
}

void Evaluator::define(const std::string& name, Values values) {
  names_[name] = std::move(values);
  defined_[static_cast<std::size_t>(std::countr_zero(bit_of(name)))] = ++now_;
}

const ir::Expr& Evaluator::as_computed(const ir::Expr& e) {
  const auto known = as_computed_.find(&*e);
  if (known != as_computed_.end()) return known->second;
  held_.push_back(e);
  return as_computed_.emplace(&*e, ir::as_computed(e, workgroup_.arithmetic)).first->second;
}

const Values& Evaluator::value(const ir::Expr& written, bool contracts) {
  const ir::Expr& e = contracts ? as_computed(written) : written;
  if (e->op == Op::variable) {
    const auto name = names_.find(e->name);
    // A kernel that the verifier refuses may use a name whose value has another width: the result is unknown then.
    if (name != names_.end() && name->second.scalars() == scalars_of(e->type)) return name->second;
  }
  auto& memo = memo_[contracts ? 1 : 0];
  const auto [found, is_new] = memo.try_emplace(&*e);
  Entry& entry = found->second;  // references stay valid while the memo grows
  if (is_new) {
    held_.push_back(e);
    if (e->op == Op::variable) entry.names = bit_of(e->name);
  }
  if (is_current(entry)) return entry.values;
  entry.values = evaluate(*e, contracts);
  entry.time = now_;
  for (const ir::Expr& operand : e->operands) {
    if (!is_new) break;
    const ir::Expr& computed = contracts ? as_computed(operand) : operand;
    entry.names |=
        computed->op == Op::variable ? bit_of(computed->name) : memo.at(&*computed).names;
  }
  return entry.values;
}

Values Evaluator::builtin(ir::Builtin which) const {
  switch (which) {
    case ir::Builtin::group_x: return Values::same(workgroup_.group[0]);
    case ir::Builtin::group_y: return Values::same(workgroup_.group[1]);
    case ir::Builtin::group_z: return Values::same(workgroup_.group[2]);
    case ir::Builtin::thread:
    case ir::Builtin::subgroup:
    case ir::Builtin::lane: break;
  }
  Values out = Values::different(workgroup_.threads);
  for (std::size_t t = 0; t < workgroup_.threads; ++t) {
    out.set(t, which == ir::Builtin::thread     ? t
               : which == ir::Builtin::subgroup ? t / workgroup_.subgroup_size
                                                : t % workgroup_.subgroup_size);
  }
  return out;
}

// Sets all scalars of the result in one invocation.
void Evaluator::combine(const Node& node, const std::vector<const Values*>& operands,
                        std::size_t thread, std::span<Value> out) const {
  if (node.op == Op::component) {
    const std::size_t first = static_cast<std::size_t>(node.value) * out.size();
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = operands[0]->in(thread, first + s);
  } else if (node.op == Op::vector) {
    const std::size_t each = out.size() / operands.size();
    for (std::size_t i = 0; i < operands.size(); ++i) {
      for (std::size_t s = 0; s < each; ++s) out[i * each + s] = operands[i]->in(thread, s);
    }
  } else if (node.op == Op::bitcast &&
             size_of(node.type.element) != size_of(node.operands[0]->type.element)) {
    const std::size_t from = size_of(node.operands[0]->type.element);
    const std::size_t to = size_of(node.type.element);
    for (std::size_t s = 0; s < out.size(); ++s) {
      out[s] = 0;
      for (std::size_t at = s * to; at < (s + 1) * to && out[s]; ++at) {  // byte by byte
        const Value& part = operands[0]->in(thread, at / from);
        const ir::Bits byte = part ? *part >> (8 * (at % from)) & 255 : 0;
        out[s] = part ? Value(*out[s] | byte << (8 * (at - s * to))) : std::nullopt;
      }
    }
  } else if (node.op == Op::bitcast) {
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = operands[0]->in(thread, s);
  } else {
    for (std::size_t s = 0; s < out.size(); ++s) out[s] = combine(node, operands, thread, s);
  }
}

// The result of an operation on scalar `s` of each operand. If one operand determines it, others may be unknown.
Value Evaluator::combine(const Node& node, const std::vector<const Values*>& operands,
                         std::size_t thread, std::size_t s) const {
  if (node.op == Op::logical_and || node.op == Op::logical_or) {
    const Value &a = operands[0]->in(thread, s), &b = operands[1]->in(thread, s);
    const ir::Bits decisive = node.op == Op::logical_and ? 0 : 1;
    if (a == decisive || b == decisive) return decisive;
  }
  if (node.op == Op::select && operands[0]->in(thread)) {
    return operands[*operands[0]->in(thread) != 0 ? 1 : 2]->in(thread, s);
  }
  ir::Bits bits[3] = {};
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Value& value = operands[i]->in(thread, s);
    if (!value) return std::nullopt;
    bits[i] = *value;
  }
  return ir::evaluate(node, {bits, operands.size()}, workgroup_.arithmetic);
}

Values Evaluator::evaluate(const Node& node, bool contracts) {
  switch (node.op) {
    case Op::constant: {
      std::vector<Value> scalars(scalars_of(node.type), ir::Bits{0});
      scalars[0] = node.value;
      return Values::same(std::move(scalars));
    }
    case Op::variable: return Values::same(std::vector<Value>(scalars_of(node.type)));
    case Op::builtin: return builtin(node.builtin);
    default: break;
  }
  // References to values in memo_ stay valid while it grows.
  std::vector<const Values*> operands;
  operands.reserve(node.operands.size());
  bool same = true;
  for (const ir::Expr& operand : node.operands) {
    operands.push_back(&value(operand, contracts));
    same = same && operands.back()->is_same();
  }
  const bool is_plain =
      node.op != Op::logical_and && node.op != Op::logical_or && node.op != Op::select;
  const bool any_unknown = std::any_of(operands.begin(), operands.end(),
                                       [](const Values* operand) { return operand->is_unknown(); });
  if (is_plain && any_unknown) return Values::unknown(scalars_of(node.type));
  const std::size_t threads = same ? 1 : workgroup_.threads, scalars = scalars_of(node.type);
  budget_.spend(threads * scalars);
  Values out = Values::different(threads, scalars);
  const bool of_indices = operands.size() == 2 && node.operands[0]->type == ir::kIndex &&
                          node.operands[1]->type == ir::kIndex;
  if (of_indices) {  // almost all operations are of this kind
    ir::evaluate_indices(node.op, operands[0]->indices(), operands[1]->indices(), out.all());
    if (same) return Values::same(out.in(0));
    return out;  // an if, because a conditional expression would copy
  }
  std::vector<Value> one(scalars);
  for (std::size_t thread = 0; thread < threads; ++thread) {
    combine(node, operands, thread, one);
    for (std::size_t s = 0; !same && s < scalars; ++s) out.set(thread, s, one[s]);
  }
  if (same) return Values::same(std::move(one));
  return out;
}

}  // namespace vkmoye::gen::machine
