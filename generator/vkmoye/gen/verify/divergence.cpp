// SPDX-License-Identifier: MIT
#include "vkmoye/gen/verify/divergence.hpp"

#include <variant>

namespace vkmoye::gen {

using namespace ir;

namespace {

// The thread, or the sum that the Builder makes of its subgroup and its lane.
bool is_thread(const Node& node, const Kernel& kernel) {
  const auto is = [](const Expr& e, Builtin which) {
    return e->op == Op::builtin && e->builtin == which;
  };
  if (node.op == Op::builtin) return node.builtin == Builtin::thread;
  if (node.op != Op::add || !is(node.operands[1], Builtin::lane)) return false;
  const Node& before = *node.operands[0];
  return before.op == Op::multiply && is_constant(before.operands[0], kernel.subgroup_size) &&
         is(before.operands[1], Builtin::subgroup);
}

}  // namespace

bool is_subgroup_uniform(const Node& node, const Kernel& kernel, const Definitions& definitions) {
  const std::uint64_t lanes = kernel.subgroup_size;
  const bool compares = node.op == Op::divide || node.op == Op::less || node.op == Op::shift_right;
  if (lanes == 0 || !compares || !is_constant(node.operands[1])) return false;
  const Expr first = expand(node.operands[0], definitions);
  const std::uint64_t number = node.operands[1]->value;
  const std::uint64_t step =
      node.op == Op::shift_right ? std::uint64_t{1} << std::min<std::uint64_t>(number, 63) : number;
  return is_thread(*first, kernel) && step % lanes == 0;
}

Divergence divergence_of_data(const Stmt& statement, const Kernel& kernel, Divergence used) {
  if (const auto* load = std::get_if<Load>(&statement.value)) {
    // A buffer that is only read has one value at an index. Shared memory does, too: a write between the same barriers
    // would be a race, which is rejected.
    const Array* array = kernel.find(load->from.array);
    const bool is_stable =
        array != nullptr &&
        (array->is_shared() || (array->is_buffer() && array->access == Access::read));
    return is_stable ? used : Divergence::within_subgroups;
  }
  const auto* s = std::get_if<Subgroup>(&statement.value);
  if (s == nullptr) return Divergence::within_subgroups;
  const ScalarType type = s->value->type.element;
  // The lanes may round a floating sum in different orders.
  const bool is_exact = s->value->type.kind != Type::Kind::element || type == ScalarType::u32 ||
                        type == ScalarType::i32;
  const bool is_uniform = s->kind == Subgroup::Kind::broadcast ||
                          s->kind == Subgroup::Kind::ballot ||
                          (s->kind == Subgroup::Kind::reduce && is_exact);
  if (!is_uniform) return Divergence::within_subgroups;
  // The last subgroup has fewer lanes: it sums less.
  const bool is_ragged = kernel.subgroup_size == 0 || kernel.threads % kernel.subgroup_size != 0;
  if (is_ragged && s->kind != Subgroup::Kind::broadcast) used = Divergence::between_subgroups;
  return within_workgroup(kernel, std::min(used, Divergence::between_subgroups));
}

Divergence within_workgroup(const Kernel& kernel, Divergence divergence) {
  const bool is_one = kernel.subgroup_size != 0 && kernel.threads <= kernel.subgroup_size;
  return is_one && divergence == Divergence::between_subgroups ? Divergence::none : divergence;
}

}  // namespace vkmoye::gen
