// SPDX-License-Identifier: MIT
#include "workloads/matmul.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/problems/products/epilogue.hpp"

namespace vkmoye::bench {
namespace {

// A or B: matrices with `rows` (m of A, n of B) and k, and the axes of the batch.
struct Operand {
  enum class Side : std::uint8_t { a, b };
  Side side;
  const gen::GivenArray* array;
  bool is_vector = false;
  std::int64_t rows = 1, k = 0;
  Extents batch;  // finally with as many axes as that of the result
};

Operand operand_of(const gen::GivenArray& array, Operand::Side side,
                   std::vector<std::string>& reasons) {
  Operand out{side, &array, array.shape.size() == 1, 1, 0, {}};
  const Extents& shape = array.shape;
  if (shape.empty()) {
    reasons.push_back(fmt::format("{}: is a scalar; use A * B instead", array.name));
    return out;
  }
  out.k = shape.back();
  if (out.is_vector) return out;
  out.rows = shape[shape.size() - 2];
  // In NumPy B is (K,N); packed it is (N,K).
  if (side == Operand::Side::b && !array.packed) std::swap(out.rows, out.k);
  out.batch.assign(shape.begin(), shape.end() - 2);
  return out;
}

// Broadcasts both to the axes of the result, and returns these.
Extents broadcast(Operand& a, Operand& b, std::vector<std::string>& reasons) {
  const std::size_t rank = std::max(a.batch.size(), b.batch.size());
  const Extents of_a = a.batch, of_b = b.batch;
  for (Operand* operand : {&a, &b}) {
    operand->batch.insert(operand->batch.begin(), rank - operand->batch.size(), 1);
  }
  Extents out;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t x = a.batch[axis], y = b.batch[axis];
    out.push_back(x == 1 ? y : x);
    if (x == y || x == 1 || y == 1) continue;
    reasons.push_back(fmt::format(
        "the batches {} of {} and {} of {} do not broadcast: one axis has {} and {} matrices",
        shape_text(of_a), a.array->name, shape_text(of_b), b.array->name, x, y));
    break;
  }
  return out;
}

// The first axis that belongs to one launch.
std::size_t first_axis_of_a_launch(const Operand& a, const Operand& b, const Extents& result) {
  std::size_t first = result.size();
  // For the axes longer than 1: whether the operand has all matrices or the same one; nothing: undecided.
  int kind_a = -1, kind_b = -1;
  while (first > 0) {
    const std::size_t axis = first - 1;
    if (result[axis] != 1) {
      const int all_a = a.batch[axis] != 1, all_b = b.batch[axis] != 1;
      if (kind_a >= 0 && (kind_a != all_a || kind_b != all_b)) break;
      kind_a = all_a;
      kind_b = all_b;
    }
    first = axis;
  }
  return first;
}

// The number of the matrix of `batch` at `index`; axes of length 1 are ignored.
std::int64_t matrix_at(const Extents& batch, const Extents& index) {
  std::int64_t at = 0;
  for (std::size_t axis = 0; axis < batch.size(); ++axis) {
    at = at * batch[axis] + (batch[axis] == 1 ? 0 : index[axis]);
  }
  return at;
}

// `operand` as the array of a launch over the axes from `first`.
gen::GivenArray array_of_launch(const Operand& operand, std::size_t first,
                                std::vector<std::string>& reasons) {
  gen::GivenArray array = *operand.array;
  const auto from = operand.batch.begin() + static_cast<std::ptrdiff_t>(first);
  const std::int64_t matrices = number_of_elements({from, operand.batch.end()});
  const std::int64_t all = number_of_elements(operand.batch);
  const bool b_as_it_lies = operand.side == Operand::Side::b && !array.packed && !operand.is_vector;
  array.shape = {operand.rows, operand.k};
  if (b_as_it_lies) array.shape = {operand.k, operand.rows};
  if (matrices != 1) array.shape.insert(array.shape.begin(), matrices);
  if (array.packed && matrices != all) {
    reasons.push_back(fmt::format(
        "{}: its {} matrices are packed as one batch, but the product needs them separately",
        array.name, all));
  }
  if (array.packed && matrices == 1) array.packed->batch.reset();
  return array;
}

std::vector<gen::GemmInput> inputs_of(const std::vector<gen::AppliedEpilogueOp>& epilogue) {
  std::vector<gen::GemmInput> inputs;
  for (const gen::AppliedEpilogueOp& named : epilogue) {
    inputs.insert(inputs.end(), named.step->inputs.begin(), named.step->inputs.end());
  }
  return inputs;
}

}  // namespace

Matmul plan_matmul(const MatmulSpec& spec) {
  const std::vector<gen::GivenArray>& given = spec.arrays;
  const std::vector<gen::AppliedEpilogueOp> epilogue = spec.epilogue.empty()
                                                           ? std::vector<gen::AppliedEpilogueOp>()
                                                           : gen::parse_epilogue(spec.epilogue);
  for (const gen::AppliedEpilogueOp& named : epilogue) {
    if (!named.step->reads_c) continue;
    throw ArgumentError(
        fmt::format("--epilogue {}: reads C, but matmul has no C before", named.step->name));
  }
  const std::vector<gen::GemmInput> inputs = inputs_of(epilogue);
  if (given.size() != 2 + inputs.size()) {
    throw ArgumentError(fmt::format("matmul takes A, B and {} arrays for its epilogue, got {}",
                                    inputs.size(), given.size()));
  }
  std::vector<std::string> reasons;
  Operand a = operand_of(given[0], Operand::Side::a, reasons);
  Operand b = operand_of(given[1], Operand::Side::b, reasons);
  if (!reasons.empty()) throw ArgumentError(with_reasons("matmul", reasons));
  if (!gen::are_multiplied(given[0].type, given[1].type)) {
    reasons.push_back(fmt::format(
        "{} has type {}, {} has type {}; convert one of them: a.astype(b.dtype)", given[0].name,
        to_string(given[0].type), given[1].name, to_string(given[1].type)));
  }
  if (a.k != b.k) {
    reasons.push_back(fmt::format(
        "the inner sizes differ: {} in {} with shape {}, and {} in {} with shape {}", a.k,
        given[0].name, shape_text(given[0].shape), b.k, given[1].name, shape_text(given[1].shape)));
  }
  const Extents batch = broadcast(a, b, reasons);
  if (!reasons.empty()) throw ArgumentError(with_reasons("matmul", reasons));

  Matmul out;
  out.shape = batch;
  if (!a.is_vector) out.shape.push_back(a.rows);
  if (!b.is_vector) out.shape.push_back(b.rows);
  if (!b.is_vector && !given[1].packed) out.values["b"] = "n";
  if (!spec.epilogue.empty()) out.values["epilogue"] = spec.epilogue;

  const std::size_t first = first_axis_of_a_launch(a, b, batch);
  out.arrays = {array_of_launch(a, first, reasons), array_of_launch(b, first, reasons)};
  const Extents counted(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(first));
  const std::int64_t together =
      number_of_elements({batch.begin() + static_cast<std::ptrdiff_t>(first), batch.end()});
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    using Along = gen::GemmInput::Along;
    gen::GivenArray array = given[2 + i];
    const Along along = inputs[i].along;
    const Extents wanted = along == Along::n   ? Extents{b.rows}
                           : along == Along::m ? Extents{a.rows}
                                               : out.shape;
    if (array.shape != wanted) {
      reasons.push_back(fmt::format("{}: has shape {}, but {} of this product needs {}", array.name,
                                    shape_text(array.shape), inputs[i].name, shape_text(wanted)));
    }
    if (along == Along::both) {
      array.shape = {a.rows, b.rows};
      if (together != 1) array.shape.insert(array.shape.begin(), together);
    }
    out.arrays.push_back(std::move(array));
  }
  if (!reasons.empty()) throw ArgumentError(with_reasons("matmul", reasons));

  if (number_of_elements(out.shape) == 0) return out;  // nothing to launch
  const Extents start(batch.size(), 0);
  Extents index = start;
  for (std::int64_t launch = 0, all = number_of_elements(counted); launch < all; ++launch) {
    std::vector<std::int64_t>& from = out.launches.emplace_back();
    from = {matrix_at(a.batch, index), matrix_at(b.batch, index)};
    for (const gen::GemmInput& input : inputs) {
      from.push_back(input.along == gen::GemmInput::Along::both ? launch * together : 0);
    }
    for (std::size_t axis = first; axis-- > 0;) {
      if (++index[axis] < batch[axis]) break;
      index[axis] = 0;
    }
  }
  return out;
}

}  // namespace vkmoye::bench
