// SPDX-License-Identifier: MIT
// matmul A.npy B.npy --out C.npy: NumPy's A @ B as launches of a product: broadcasting of batches, and vectors.
//
//   A (5,1,M,K) @ B (3,K,N) = C (5,3,M,N)     5 launches, each of one matrix of A with all 3 of B
//   A (K,) @ B (K,N) = C (N,)                 A is a matrix with one row; likewise B (K,) has one column
//
// A launch computes a batch with one stride per operand. So one launch covers as many of the last axes as possible
// such that each operand has either all matrices of the result or a single one; a loop goes over the other axes.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "commands/array_files.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/problems/products/epilogue.hpp"
#include "workloads/workload.hpp"

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

// The arrays that the steps of `epilogue` read, in its order; it is in the form of --epilogue, and may be empty.
std::vector<gen::GemmInput> inputs_of(const std::string& epilogue) {
  std::vector<gen::GemmInput> inputs;
  if (epilogue.empty()) return inputs;
  for (const gen::AppliedEpilogueOp& named : gen::parse_epilogue(epilogue)) {
    if (named.step->reads_c) {
      throw ArgumentError(
          fmt::format("--epilogue {}: reads C, but matmul has no C before", named.step->name));
    }
    inputs.insert(inputs.end(), named.step->inputs.begin(), named.step->inputs.end());
  }
  return inputs;
}

struct Matmul {
  std::vector<std::int64_t> shape;      // shape of the result
  gen::Options values;                  // options of the operation "gemm"
  std::vector<gen::GivenArray> arrays;  // arrays of a launch
  /// For each launch, the first matrix of each array. The results of the launches are contiguous.
  std::vector<std::vector<std::int64_t>> launches;
};

// The arrays are A, B, then one for each of `inputs`. Precondition: arrays in Fortran order have two dimensions. Throws
// ArgumentError with every reason: different inner sizes, batches that do not broadcast, different types, a scalar, a
// packed batch that would have to be split.
Matmul plan_matmul(const std::vector<gen::GivenArray>& given, const std::string& epilogue,
                   const std::vector<gen::GemmInput>& inputs) {
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
  if (!epilogue.empty()) out.values["epilogue"] = epilogue;

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

// The files of A, B and `inputs`. Throws ArgumentError with every file that is missing or that no step reads.
std::vector<std::string> files_of(const CommandOptions& options, const std::string& epilogue,
                                  const std::vector<gen::GemmInput>& inputs) {
  std::vector<std::string> files = options.in, reasons;
  auto unread = options.epilogue_files;
  for (const gen::GemmInput& input : inputs) {
    auto file = unread.extract(input.name);
    if (file.empty()) {
      reasons.push_back(fmt::format("--epilogue {}: reads --{} FILE.npy, which is not given",
                                    epilogue, input.name));
    } else {
      files.push_back(std::move(file.mapped()));
    }
  }
  for (const auto& [name, file] : unread) {
    reasons.push_back(fmt::format("--{} {}: no step of the epilogue reads it; add --epilogue {}",
                                  name, file, name));
  }
  if (!reasons.empty()) throw ArgumentError(fmt::format("{}", fmt::join(reasons, "; ")));
  return files;
}

// The bytes of one matrix of an array, and those that one launch reads.
struct Part {
  std::size_t matrix = 0, launch = 0;
};

Part part_of(const gen::GivenArray& array) {
  const auto elements = [&](auto from) {
    return static_cast<std::size_t>(
        std::accumulate(from, array.shape.end(), std::int64_t{1}, std::multiplies<>()));
  };
  const bool batched = array.shape.size() == 3;
  const std::size_t width = size_of(array.type);
  if (array.packed)
    return {array.packed->bytes(), array.packed->bytes()};  // one launch reads all of it
  return {elements(array.shape.begin() + (batched ? 1 : 0)) * width,
          elements(array.shape.begin()) * width};
}

int matmul(const CommandOptions& options) {
  if (options.in.size() != 2) {
    throw ArgumentError(fmt::format("matmul takes two arrays, A and B, got {}", options.in.size()));
  }
  keep_checkpoints(options.in, options.out);
  const auto named = options.values.find("epilogue");
  const std::string epilogue = named == options.values.end() ? "" : named->second;
  const std::vector<gen::GemmInput> reads = inputs_of(epilogue);
  std::vector<ArrayFile> files = read_array_files(files_of(options, epilogue, reads));
  const bool packed = files[0].is_packed() || files[1].is_packed();
  const gen::KernelEntry& entry = find_one_kernel(packed ? "gemm/packed" : "gemm/auto");
  const std::vector<gen::GivenArray> inputs = given_arrays(entry, files, one_type(options, ""));
  refuse_booleans("matmul", files);
  const Matmul product = plan_matmul(inputs, epilogue, reads);
  const Workload workload =
      workload_of({&entry, one_type(options, ""), {}, product.values}, product.arrays);
  const ScalarType type = workload.problem->arrays[workload.problem->result].type;
  OutputFile out(options.out.front());  // throws before any work is done

  const auto executor = open_executor(options.device);
  double microseconds = 0;
  std::string by = "no kernel";
  std::vector<std::byte> result;
  if (!product.launches
           .empty()) {  // a result without elements launches nothing, whatever its batch
    const RunPlan plan = plan_on(*executor, workload);
    by = kernel_text(entry, plan);
    const auto execution = prepared(*executor, plan, "matmul", by);
    std::vector<std::vector<std::byte>> data;
    for (const ArrayFile& file : files) data.push_back(file.data());
    std::vector<std::int64_t> written(files.size(), -1);
    for (const std::vector<std::int64_t>& from : product.launches) {
      for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
        const auto& input = plan.arrays[i].input;
        if (!input || written[*input] == from[*input]) continue;
        written[*input] = from[*input];
        const Part part = part_of(product.arrays[*input]);
        execution->write(
            i, std::span(data[*input])
                   .subspan(static_cast<std::size_t>(from[*input]) * part.matrix, part.launch));
      }
      const auto taken = run_undamaged(*executor, *execution, "matmul");
      if (!taken) return kWrongResult;
      microseconds += *taken;
      const auto part = read_all(*execution, plan.result, plan.arrays[plan.result].bytes);
      result.insert(result.end(), part.begin(), part.end());
    }
  }
  write_npy(out, type, product.shape, result);
  out.commit();
  print_call(out.goes_to_stdout() ? std::cerr : std::cout, "matmul by " + by, inputs,
             described(options.out.front(), product.shape, type), executor->caps(), microseconds);
  return kOk;
}

}  // namespace

const Command kMatmul = {
    CommandName::matmul, "compute A @ B of NumPy arrays, with broadcasting",
    "Like numpy.matmul: a 1-D A is a row, a 1-D B is a column, and batches are\n"
    "broadcast. The result has the type of the arrays; i8, u8, and bf16 or two\n"
    "different types of f16, bf16 and f32, give i32, u32 and f32.\n\n"
    "Examples:\n"
    "  vkmoye-bench matmul a.npy b.npy --out c.npy\n"
    "  vkmoye-bench matmul x.npy w.npy --epilogue bias,relu --bias b.npy --out y.npy",
    matmul};

}  // namespace vkmoye::bench
