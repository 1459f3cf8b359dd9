#include "vkmoye/gen/kernels/gemm_sums.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/gen/kernels/config_fields.hpp"

namespace vkmoye::gen {

std::vector<std::string> reasons_against(const SumsShape& shape, ScalarType accumulator) {
  const std::int64_t columns = shape.columns_at_once, width = widest_access(accumulator);
  const std::int64_t side_by_side = std::clamp<std::int64_t>(columns / width, 1, shape.lanes);
  const bool fits = columns % (side_by_side * width) == 0 && shape.lanes % side_by_side == 0 &&
                    shape.atom_m % (shape.lanes / side_by_side) == 0;
  if (fits) return {};
  return {fmt::format("{} lanes do not divide {} x {} sums on their way to C", shape.lanes,
                      shape.atom_m, columns)};
}

GemmSums::GemmSums(Builder& k, GemmBuffers& buffers, const GemmForm& form, const SumsShape& shape)
    : k_(k), buffers_(buffers), form_(form), shape_(shape) {
  sums_ = k_.matrices(
      "sums", form_.accumulator,
      {ir::MatrixType::Use::accumulator, to_index(shape_.atom_m), to_index(shape_.atom_n)},
      shape_.rows / shape_.atom_m, shape_.columns / shape_.atom_n);
  const std::int64_t side_by_side = shape_.subgroups_n * shape_.columns_at_once;
  out_ = k_.shared("shared_c", form_.accumulator,
                   Layout(IntTuple{shape_.subgroups_m * shape_.atom_m, side_by_side},
                          IntTuple{side_by_side + widest_access(form_.accumulator), 1}));
}

void GemmSums::write() {
  const bool as_they_are =
      shape_.direct && !form_.beta && form_.epilogue.empty() && form_.result == form_.accumulator;
  if (!as_they_are) return write_through_shared();
  const View c = buffers_.c();
  const Expr one = ir::number(factor_type(form_), 1);
  const Conditions straight = all_of({{ir::equal(buffers_.alpha(), one)},
                                      k_.inside(c),
                                      k_.aligned(c, to_index(widest_access(form_.result)))});
  k_.branch(
      straight,
      [&] {
        k_.store(sums_, 0, 0,
                 transpose(tile(c, {shape_.columns, shape_.rows}, {subgroup_n(), subgroup_m()})));
      },
      [&] { write_through_shared(); });
}

void GemmSums::write_through_shared() {
  const std::int64_t columns = shape_.columns_at_once, lanes = shape_.lanes;
  const std::int64_t width = widest_access(form_.accumulator);
  const std::int64_t side_by_side = std::min(lanes, columns / width);
  const TiledCopy copy =
      make_tiled_copy(make_layout({side_by_side, lanes / side_by_side}), make_layout({width, 1}));
  const auto mine = [&](const View& view) { return partition(view, copy, k_.lane()); };
  const View c = buffers_.c();
  const View some = tile(c, {columns, shape_.atom_m}, {0, 0});
  const View sum = k_.make_fragment_like("sum", form_.accumulator, mine(some));
  const std::int64_t most = std::min<std::int64_t>({4, width, widest_access(form_.result)});
  const std::uint32_t rows = to_index(shape_.rows / shape_.atom_m);
  const std::uint32_t parts = to_index(shape_.columns / columns);
  const View staged = tile(out_, {shape_.atom_m, columns}, {subgroup_m(), subgroup_n()});
  const auto bring = [&](const Expr& row, const Expr& part) {
    const View to = tile(c, {columns, shape_.atom_m},
                         {part + Expr(parts) * subgroup_n(), row + Expr(rows) * subgroup_m()});
    k_.barrier();
    k_.store(sums_, row, part * to_index(columns / shape_.atom_n), staged);
    k_.barrier();
    k_.copy(mine(transpose(staged)), sum, {.vector = {to_index(width)}});
    buffers_.write(sum, mine(to), {to_index(most)});
  };
  k_.unrolled_loop("row", rows, [&](const Expr& row) {
    if (parts == 1) return bring(row, 0);
    k_.unrolled_loop("part", parts, [&](const Expr& part) { bring(row, part); });
  });
}

}  // namespace vkmoye::gen
