// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/products/given_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/problems/products/gemm_problem.hpp"

namespace vkmoye::gen {
namespace {

// The rows, columns and matrices of a given array.
struct OperandShape {
  std::int64_t batch, rows, cols;
  bool is_batch;
};

OperandShape read_shape(const GivenArray& array) {
  const auto& shape = array.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    throw ArgumentError(fmt::format("{}: has {} dimension{}; a product takes 2, or 3 for a batch",
                                    array.name, shape.size(), shape.size() == 1 ? "" : "s"));
  }
  const bool is_batch = shape.size() == 3;
  return {is_batch ? shape[0] : 1, shape[shape.size() - 2], shape.back(), is_batch};
}

// The rows and k of A or B. `k_contiguous`: the value of the option `name`.
OperandShape read_operand(const GivenArray& array, char name, bool k_contiguous,
                          std::vector<std::string>& reasons) {
  OperandShape given = read_shape(array);
  if (array.packed) {
    if (!k_contiguous) {
      reasons.push_back(fmt::format("--{}: {} is in fragment order and has no contiguous index",
                                    name, array.name));
    }
    return given;
  }
  if (!k_contiguous) std::swap(given.rows, given.cols);
  return given;
}

// Rows of blocks of weights, given as bytes: (N, bytes of K weights); or as an array of i8.
OperandShape read_weights(const GivenArray& array, const WeightFormat& format,
                          const KernelEntry& entry, std::vector<std::string>& reasons) {
  OperandShape given = read_shape(array);
  const bool takes_packed = entry.takes_packed && entry.weights != nullptr;
  if (takes_packed && array.packed) {
    const WeightFormat* packed = array.packed->form.weights;
    if (packed != &format) {
      reasons.push_back(fmt::format("{}: is packed in {}, but the product takes weights in {}",
                                    array.name, packed == nullptr ? "elements" : packed->name,
                                    format.name));
    }
    return given;
  }
  const ScalarType type = type_of_blocks(format);
  if (array.type != type || array.packed) {
    reasons.push_back(fmt::format("{}: has type {}, but weights in {} are {}{}", array.name,
                                  to_string(array.type), format.name,
                                  type == ScalarType::u8 ? "bytes, " : "", to_string(type)));
  }
  if (given.cols % format.bytes != 0) {
    reasons.push_back(fmt::format("{}: has rows of {} bytes, not a multiple of the {} of a block",
                                  array.name, given.cols, format.bytes));
  }
  given.cols = given.cols / format.bytes * format.elements;
  return given;
}

// Treats an array in Fortran order as the transposed array in C order, whose other index is contiguous.
GivenArray as_it_lies(GivenArray array, bool& k_contiguous) {
  if (!array.fortran_order) return array;
  array.shape = reversed(array.shape);
  array.fortran_order = false;
  k_contiguous = !k_contiguous;
  return array;
}

// Checks which operand of the matrix units a file contains. If C has m contiguous, the operands are exchanged.
void expect_operand(const GivenArray& array, bool is_first, std::vector<std::string>& reasons) {
  const char needed = is_first ? 'a' : 'b';
  if (!array.packed || array.packed->form.use == needed) return;
  reasons.push_back(
      fmt::format("{}: is packed as operand {} of the matrix units, but {} is needed there",
                  array.name, array.packed->form.use, needed));
}

// The arrays must be A and B, the offsets of experts, C if it is read, then those that the epilogue reads.
void require_count(const ProblemText& text, const GemmOptions& problem, std::size_t count) {
  std::vector<std::string> names = {"A", "B"};
  if (problem.experts > 0) names.push_back("offsets");
  if (problem.reads_c()) names.push_back("C");
  for (const AppliedEpilogueOp& named : problem.epilogue) {
    for (const GemmInput& input : named.step->inputs) names.push_back(input.name);
  }
  if (count == names.size()) return;
  constexpr const char* kNumbers[] = {"two", "three", "four", "five", "six"};
  const std::string with =
      problem.epilogue.empty() ? "" : ", --epilogue " + epilogue_text(problem.epilogue);
  throw ArgumentError(fmt::format("{} needs {} arrays, {}, but got {} (--beta is {}{})",
                                  text.entry->name, kNumbers[names.size() - 2], join(names, " "),
                                  count, problem.beta, with));
}

void expect_offsets(const GivenArray& array, std::int64_t experts,
                    std::vector<std::string>& reasons) {
  const std::vector<std::int64_t> shape = {experts + 1};
  if (array.type == ScalarType::u32 && array.shape == shape && !array.packed) return;
  reasons.push_back(fmt::format(
      "{}: has type {} and shape {}, but the offsets of {} experts are {} u32", array.name,
      to_string(array.type), shape_text(array.shape), experts, experts + 1));
}

}  // namespace

std::unique_ptr<Problem> product_of_arrays(const ProblemText& text,
                                           const std::vector<GivenArray>& given) {
  GemmOptions problem = read_gemm_options(text.values);
  const bool reads_c = problem.reads_c();
  require_count(text, problem, given.size());
  const ScalarType a_type = given[0].type, b_type = given[1].type;
  const std::string of_arrays =
      operands_text(a_type, are_multiplied(a_type, b_type) ? b_type : a_type);
  set_types(problem, text.type.empty() ? of_arrays : text.type);
  std::vector<std::string> reasons;
  const GivenArray array_a = as_it_lies(given[0], problem.a_k_contiguous);
  const GivenArray array_b = as_it_lies(given[1], problem.b_k_contiguous);
  const OperandShape a = read_operand(array_a, 'a', problem.a_k_contiguous, reasons);
  const OperandShape b = problem.weights != nullptr
                             ? read_weights(array_b, *problem.weights, *text.entry, reasons)
                             : read_operand(array_b, 'b', problem.b_k_contiguous, reasons);
  const std::int64_t m = a.rows, n = b.rows, k = a.cols, k_of_b = b.cols;
  const auto expect = [&](const GivenArray& array, ScalarType type) {
    if (array.type == type) return;
    reasons.push_back(fmt::format("{}: has type {}, but the product takes {} there", array.name,
                                  to_string(array.type), to_string(type)));
  };
  for (const std::size_t i : {0, 1}) {
    const ScalarType type = i == 0 ? problem.a_type : problem.b_type;
    if (i == 1 && problem.weights != nullptr) {
      problem.files[i] = given[i].packed;
      continue;
    }
    expect(given[i], given[i].packed ? multiplied_type(problem.form()) : type);
    expect_operand(given[i], (i == 0) == problem.c_n_contiguous, reasons);
    problem.files[i] = given[i].packed;
  }
  for (std::size_t i = 2; i < given.size(); ++i) {
    if (given[i].packed) reasons.push_back(given[i].name + ": is packed, but only A and B may be");
  }
  if (k != k_of_b) {
    reasons.push_back(fmt::format("K is {} in {} with shape {}, and {} in {} with shape {}", k,
                                  given[0].name, shape_text(given[0].shape), k_of_b, given[1].name,
                                  shape_text(given[1].shape)));
  }
  if (a.is_batch && b.is_batch && a.batch != b.batch) {
    reasons.push_back(fmt::format("{} has {} matrices, but {} has {}", given[0].name, a.batch,
                                  given[1].name, b.batch));
  }
  const bool has_experts = problem.experts > 0;
  if (!has_experts) {
    problem.batch = a.is_batch ? a.batch : b.batch;
    problem.keeps_batch = a.is_batch || b.is_batch;
  } else {
    if (a.is_batch || !b.is_batch || b.batch != problem.experts) {
      reasons.push_back(fmt::format("{} experts: A must have shape (M, K), and B ({}, N, K)",
                                    problem.experts, problem.experts));
    }
    expect_offsets(given[2], problem.experts, reasons);
  }
  const auto expect_shape = [&](const GivenArray& array, const std::string& what,
                                const std::vector<std::int64_t>& shape) {
    expect(array, problem.result);
    if (array.shape == shape) return;
    reasons.push_back(fmt::format("{}: has shape {}, but {} needs {}", array.name,
                                  shape_text(array.shape), what, shape_text(shape)));
  };
  std::vector<std::int64_t> shape = {problem.c_n_contiguous ? m : n,
                                     problem.c_n_contiguous ? n : m};
  if (problem.keeps_batch) shape.insert(shape.begin(), problem.batch);
  std::size_t next = has_experts ? 3 : 2;
  if (reads_c) expect_shape(given[next++], "C", shape);
  for (const AppliedEpilogueOp& named : problem.epilogue) {
    for (const GemmInput& input : named.step->inputs) {
      using Along = GemmInput::Along;
      const std::vector<std::int64_t> vector = {input.along == Along::n ? n : m};
      expect_shape(given[next++], input.name, input.along == Along::both ? shape : vector);
    }
  }
  if (!reasons.empty()) throw ArgumentError(with_reasons(text.entry->name, reasons));
  // One matrix for the whole batch.
  if (!has_experts && !a.is_batch) problem.a.stride = 0;
  if (!has_experts && !b.is_batch) problem.b.stride = 0;
  return product_problem(text, problem, {m, n, k});
}

OperandToPack operand_to_pack(const ProblemText& text, bool is_a, const GivenArray& array) {
  OperandToPack out;
  out.entry = text.entry;
  out.is_a = is_a;
  GemmOptions& problem = out.product;
  problem = read_gemm_options(text.values);
  set_types(problem, text.type.empty() ? std::string(to_string(array.type)) : text.type);
  const GivenArray given =
      as_it_lies(array, is_a ? problem.a_k_contiguous : problem.b_k_contiguous);
  std::vector<std::string> reasons;
  const auto refuse = [&](const std::string& why) {
    reasons.push_back(fmt::format("{}: {}", given.name, why));
  };
  if (given.packed) refuse("is already packed");
  const bool has_blocks = !is_a && problem.weights != nullptr;
  const ScalarType type = is_a ? problem.a_type : problem.b_type;
  if (!has_blocks && given.type != type) {
    refuse(fmt::format("has type {}, but the product takes {} there", to_string(given.type),
                       to_string(type)));
  }
  if (!(is_a ? problem.b_k_contiguous : problem.a_k_contiguous)) {
    refuse(fmt::format("is operand {}, but --{} belongs to the other one", is_a ? "a" : "b",
                       is_a ? "b" : "a"));
  }
  const char name = is_a ? 'a' : 'b';
  const OperandShape x =
      has_blocks ? read_weights(given, *problem.weights, *text.entry, reasons)
                 : read_operand(given, name, is_a ? problem.a_k_contiguous : problem.b_k_contiguous,
                                reasons);
  if (!reasons.empty()) throw ArgumentError(with_reasons("pack", reasons));
  problem.batch = x.batch;
  if (x.is_batch) out.batch = x.batch;
  out.size = is_a ? Extents{x.rows, 0, x.cols} : Extents{0, x.rows, x.cols};
  out.request.form = GemmProduct(problem.form(), kernel_shape(problem, out.size), problem.batch);
  out.request.options = text.config;
  return out;
}

ScalarType type_of_blocks(const WeightFormat& format) {
  return format.is_array() ? ScalarType::i8 : ScalarType::u8;
}

std::vector<std::int64_t> shape_of_blocks(const GivenArray& array, const WeightFormat& format) {
  std::vector<std::string> reasons;
  if (array.packed || !is_floating(array.type)) {
    reasons.push_back("weights must be numbers of a floating-point type");
  }
  if (array.shape.size() < 2 || array.shape.back() % format.elements != 0) {
    reasons.push_back(
        fmt::format("it must have rows of whole blocks of {} elements", format.elements));
  }
  if (!reasons.empty()) {
    throw ArgumentError(
        fmt::format("pack to {}: {}: {}", format.name, array.name, join(reasons, "; ")));
  }
  std::vector<std::int64_t> shape = array.shape;
  shape.back() = shape.back() / format.elements * format.bytes;
  return shape;
}

std::vector<std::byte> quantised(const GivenArray& array, const std::vector<std::byte>& data,
                                 const WeightFormat& format) {
  std::vector<double> weights(data.size() / size_of(array.type));
  load_numbers(array.type, data.data(), 0, 1, weights);
  const std::int64_t columns = array.shape.back();
  const auto is_code = [](double x) { return x == std::trunc(x) && std::fabs(x) <= 127; };
  const auto other = std::find_if_not(weights.begin(), weights.end(), is_code);
  if (format.is_array() && other != weights.end()) {
    const std::int64_t at = other - weights.begin();
    throw ArgumentError(fmt::format(
        "pack: {} as {}: {:.9g} in row {}, column {} is not a whole number up to 127: the format "
        "has no scales; divide each row by its scale and round it, and pass the scales as scale_n",
        array.name, format.name, *other, at / columns, at % columns));
  }
  return quantise(format, weights, columns, "pack: " + array.name);
}

}  // namespace vkmoye::gen
