// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/sums/accumulators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {
namespace {

// The lanes that store the part of C of one subgroup position (m, n) that is in shared memory at once: those
// of all subgroups that share it, but at most one for each vector.
std::int64_t storing_lanes(const AccumulatorShape& shape, ScalarType accumulator) {
  const std::int64_t vectors = shape.atom_m * shape.columns_at_once / widest_access(accumulator);
  return std::clamp<std::int64_t>(vectors, 1, shape.subgroup_size * shape.subgroups_k);
}

}  // namespace

std::int64_t shared_bytes(const AccumulatorShape& shape, ScalarType accumulator) {
  return shape.subgroups_k * shape.subgroups_m * shape.atom_m *
         (shape.subgroups_n * shape.columns_at_once * bytes_of(accumulator) + kWidestCopy);
}

std::int64_t columns_that_fit(AccumulatorShape shape, ScalarType accumulator, std::int64_t bytes) {
  std::int64_t& columns = shape.columns_at_once;
  columns = shape.columns & -shape.columns;
  while (columns > shape.atom_n && shared_bytes(shape, accumulator) > bytes) columns /= 2;
  return columns;
}

std::vector<std::string> reasons_against(const AccumulatorShape& shape, ScalarType accumulator) {
  const std::int64_t columns = shape.columns_at_once, width = widest_access(accumulator);
  const std::int64_t lanes = storing_lanes(shape, accumulator);
  const std::int64_t side_by_side = std::clamp<std::int64_t>(columns / width, 1, lanes);
  const bool fits = columns % (side_by_side * width) == 0 && lanes % side_by_side == 0 &&
                    shape.atom_m % (lanes / side_by_side) == 0;
  if (fits) return {};
  return {fmt::format("{} lanes do not divide {} x {} sums evenly", lanes, shape.atom_m, columns)};
}

std::vector<std::string> reasons_against(const AccumulatorShape& shape, ScalarType accumulator,
                                         std::int64_t limit) {
  std::vector<std::string> reasons = reasons_against(shape, accumulator);
  const std::int64_t bytes = shared_bytes(shape, accumulator);
  require(bytes <= limit,
          fmt::format("{} bytes of shared memory are needed for sums, but the limit is {}", bytes,
                      limit),
          reasons);
  return reasons;
}

GemmAccumulators::GemmAccumulators(Builder& builder, GemmBuffers& buffers, const GemmForm& form,
                                   const AccumulatorShape& shape)
    : builder_(builder), buffers_(buffers), form_(form), shape_(shape) {
  const std::int64_t rows = shape_.rows / shape_.atom_m, columns = shape_.columns / shape_.atom_n;
  const std::uint32_t atom_m = to_index(shape_.atom_m), atom_n = to_index(shape_.atom_n);
  using enum ir::MatrixType::Use;
  sums_ = shape_.transposed ? builder_.matrices("sums", form_.accumulator,
                                                {accumulator, atom_n, atom_m}, columns, rows)
                            : builder_.matrices("sums", form_.accumulator,
                                                {accumulator, atom_m, atom_n}, rows, columns);
  const std::int64_t side_by_side = shape_.subgroups_n * shape_.columns_at_once;
  out_ = builder_.shared(
      "shared_c", form_.accumulator,
      Layout(IntTuple{shape_.subgroups_k * shape_.subgroups_m * shape_.atom_m, side_by_side},
             IntTuple{side_by_side + widest_access(form_.accumulator), 1}));
}

void GemmAccumulators::store(const Expr& row, const Expr& column, const View& to) {
  if (shape_.transposed) return builder_.store(sums_, column, row, transpose(to));
  builder_.store(sums_, row, column, to);
}

void GemmAccumulators::add_product(const Matrices& a, const Matrices& b) {
  shape_.transposed ? builder_.multiply(b, a, sums_) : builder_.multiply(a, b, sums_);
}

ir::Kernel GemmAccumulators::kernel(const std::function<void()>& sum_up) {
  return buffers_.kernel({[&] { builder_.assign(sums_, 0); }, sum_up, [&] { write(); }});
}

void GemmAccumulators::write() {
  const bool as_they_are = shape_.direct && shape_.subgroups_k == 1 && !form_.beta &&
                           form_.epilogue.empty() && form_.result == form_.accumulator;
  if (!as_they_are) return write_through_shared();
  const View c = buffers_.c();
  const Expr one = ir::number(factor_type(form_), 1);
  const Conditions straight = all_of({{equal(buffers_.alpha(), one)},
                                      builder_.inside(c),
                                      builder_.aligned(c, to_index(widest_access(form_.result)))});
  builder_.branch(
      straight, "the sums as they are",
      [&] {
        store(0, 0,
              transpose(tile(c, {shape_.columns, shape_.rows}, {subgroup_n(), subgroup_m()})));
      },
      "the sums times alpha, or at an edge", [&] { write_through_shared(); });
}

void GemmAccumulators::write_through_shared() {
  const std::int64_t columns = shape_.columns_at_once;
  const std::int64_t lanes = storing_lanes(shape_, form_.accumulator);
  const std::int64_t width = widest_access(form_.accumulator);
  const std::int64_t side_by_side = std::min(lanes, columns / width);
  const TiledCopy copy =
      make_tiled_copy(make_layout({side_by_side, lanes / side_by_side}), make_layout({width, 1}));
  const bool is_shared_by_all = shape_.subgroups_m * shape_.subgroups_n == 1;
  const Expr number = is_shared_by_all
                          ? builder_.thread()
                          : builder_.lane() + Expr(to_index(shape_.subgroup_size)) * subgroup_k();
  const bool are_all = lanes == shape_.subgroup_size * shape_.subgroups_k;
  const Conditions carry = are_all ? Conditions{} : Conditions{less(number, to_index(lanes))};
  const auto of_thread = [&](const View& view) {
    return partition(view, copy, number % to_index(lanes));
  };
  const View c = buffers_.c();
  const View part_of_c = tile(c, {columns, shape_.atom_m}, {0, 0});
  const View sum = builder_.make_fragment_like("sum", form_.accumulator, of_thread(part_of_c));
  std::optional<View> addend;
  if (shape_.subgroups_k > 1) {
    addend = builder_.make_fragment_like("addend", form_.accumulator, of_thread(part_of_c));
  }
  const std::int64_t most = std::min<std::int64_t>({4, width, widest_access(form_.result)});
  const std::uint32_t rows = to_index(shape_.rows / shape_.atom_m);
  const std::uint32_t parts = to_index(shape_.columns / columns);
  const auto staged = [&](const Expr& part_of_k) {
    return tile(out_, {shape_.atom_m, columns},
                {subgroup_m() + Expr(to_index(shape_.subgroups_m)) * part_of_k, subgroup_n()});
  };
  const auto fetch = [&](const Expr& part_of_k, const View& to) {
    builder_.copy(of_thread(transpose(staged(part_of_k))), to, {.vector = {to_index(width)}});
  };
  const auto write_part = [&](const Expr& row, const Expr& part) {
    const View to = tile(c, {columns, shape_.atom_m},
                         {part + Expr(parts) * subgroup_n(), row + Expr(rows) * subgroup_m()});
    if (rows * parts > 1) builder_.barrier();  // before the sums of the row before are overwritten
    store(row, part * to_index(columns / shape_.atom_n), staged(subgroup_k()));
    builder_.barrier();
    builder_.branch(carry, [&] {
      fetch(0, sum);
      if (addend) {
        builder_.unrolled_loop("other", to_index(shape_.subgroups_k - 1), [&](const Expr& other) {
          fetch(other + 1, *addend);
          builder_.accumulate(sum, kSum, *addend);
        });
      }
      buffers_.write(sum, of_thread(to), {to_index(most)});
    });
  };
  if (rows == 1 && parts == 1) return write_part(0, 0);
  builder_.unrolled_loop("row", rows, [&](const Expr& row) {
    if (parts == 1) return write_part(row, 0);
    builder_.unrolled_loop("part", parts, [&](const Expr& part) { write_part(row, part); });
  });
}

}  // namespace vkmoye::gen
