#include "vkmoye/gen/ir/evaluate.hpp"

#include <algorithm>

namespace vkmoye::gen::ir {
namespace {

Value combine(Op op, Value a, Value b) {
  if (op == Op::logical_and) {
    if ((a && !*a) || (b && !*b)) return 0;
    return a && b ? Value(1) : std::nullopt;
  }
  if (!a || !b) return std::nullopt;
  switch (op) {
    case Op::add: return *a + *b;
    case Op::subtract: return *a - *b;
    case Op::multiply: return *a * *b;
    case Op::divide: return *b == 0 ? std::nullopt : Value(*a / *b);
    case Op::modulo: return *b == 0 ? std::nullopt : Value(*a % *b);
    case Op::minimum: return std::min(*a, *b);
    case Op::less: return *a < *b ? 1 : 0;
    case Op::equal: return *a == *b ? 1 : 0;
    case Op::not_equal: return *a != *b ? 1 : 0;
    default: return std::nullopt;
  }
}

}  // namespace

void Evaluator::define(const std::string& name, Values values) {
  names_[name] = std::move(values);
  memo_.clear();
  held_.clear();
}

const Values& Evaluator::operator()(const Expr& e) {
  const auto found = memo_.find(&*e);
  if (found != memo_.end()) return found->second;
  Values values(threads_);
  budget_.spend(threads_);
  if (e->operands.size() == 2 && e->type.kind != Type::Kind::element) {
    // References into the memo stay where they are while it grows.
    const Values &a = (*this)(e->operands[0]), &b = (*this)(e->operands[1]);
    for (std::size_t t = 0; t < threads_; ++t) values[t] = combine(e->op, a[t], b[t]);
  } else if (e->op == Op::variable) {
    const auto name = names_.find(e->name);
    if (name != names_.end()) values = name->second;
  } else if (e->op == Op::constant && e->type == kIndex) {
    values.assign(threads_, e->value);
  } else if (e->op == Op::builtin && e->builtin == Builtin::thread) {
    for (std::size_t t = 0; t < threads_; ++t) values[t] = static_cast<std::uint32_t>(t);
  } else if (e->op == Op::builtin) {
    values.assign(threads_, group_);
  }
  held_.push_back(e);
  return memo_.emplace(&*e, std::move(values)).first->second;
}

}  // namespace vkmoye::gen::ir
