// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sums/lane_matrices.hpp"

#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {

LaneMatrices lane_matrices(Builder& builder, const MatrixAtom& atom, const std::string& name,
                           ScalarType type, const LanePart& part) {
  const std::int64_t atom_rows = part.use == ir::MatrixType::Use::a ? atom.atom_m : atom.atom_n;
  const std::int64_t steps = part.together / size(part.lanes.k_numbers), depth = steps * part.parts,
                     rows = part.rows / atom_rows;
  LaneMatrices out;
  out.matrices = operand_matrices(builder, atom, part.use, name, type, rows, depth);
  const auto held = static_cast<std::int64_t>(
      ir::elements_per_lane(out.matrices.type, to_index(atom.subgroup_size)));
  // Of the matrix units: the rows of their first operand are rows, those of the second are columns.
  const bool is_first = out.matrices.type.use == ir::MatrixType::Use::a;
  const std::int64_t next_k = is_first ? held * rows : held;
  const std::int64_t next_row = is_first ? held : held * depth;
  out.elements =
      builder.retile(builder.elements(out.matrices),
                     make_layout(make_layout(part.lanes.k_numbers, Layout(steps, next_k)),
                                 Layout(part.parts, next_k * steps),
                                 make_layout(part.lanes.row_numbers, Layout(rows, next_row))));
  builder.assume_order(out.matrices, to_string(part.order));
  return out;
}

}  // namespace vkmoye::gen
