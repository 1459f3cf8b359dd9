// SPDX-License-Identifier: MIT
#include "vkmoye/gen/problems/products/gemm_problem.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/problems/option_fields.hpp"
#include "vkmoye/gen/problems/products/check.hpp"
#include "vkmoye/gen/problems/products/data.hpp"
#include "vkmoye/gen/problems/products/given_arrays.hpp"

namespace vkmoye::gen {
namespace {

constexpr double kMultipliedInASecond = 0x1p29;  // that are checked
constexpr std::size_t kWeightsInput = 1;         // B
constexpr std::size_t kOffsetsInput = 2;  // after A and B; products with experts do not read C

// Against u32 offsets, the first row of each expert and then m.
std::vector<std::string> reasons_against_offsets(const std::vector<std::byte>& offsets,
                                                 std::int64_t m) {
  constexpr std::size_t kMaxReasons = 8;
  std::vector<std::string> reasons;
  double before = 0;
  const std::size_t count = offsets.size() / sizeof(std::uint32_t);
  for (std::size_t i = 0; i < count && reasons.size() < kMaxReasons; ++i) {
    const double now = load_number(ScalarType::u32, &offsets[i * sizeof(std::uint32_t)]);
    if (i == 0 && now != 0) {
      reasons.push_back(fmt::format("offset 0 is {:.0f}, not 0", now));
    } else if (now < before) {
      reasons.push_back(
          fmt::format("offset {} is {:.0f}, less than the one before, {:.0f}", i, now, before));
    }
    before = now;
  }
  if (reasons.size() < kMaxReasons && before != static_cast<double>(m)) {
    reasons.push_back(
        fmt::format("offset {}, the last, is {:.0f}, but A has {} rows", count - 1, before, m));
  }
  return reasons;
}

// Of all matrices, each read or written once, and C twice if it is read.
double bytes_of(const std::vector<GemmArray>& matrices, bool reads_c) {
  double bytes = 0;
  for (const GemmArray& matrix : matrices) {
    const double elements = static_cast<double>(matrix.rows) * static_cast<double>(matrix.cols) *
                            static_cast<double>(matrix.stride == 0 ? 1 : matrix.batch);
    const int passes = matrix.name == "C" && reads_c ? 2 : 1;
    bytes += passes * elements * static_cast<double>(size_of(matrix.type));
  }
  return bytes;
}

bool is_no_flag(const std::string&) { return false; }

}  // namespace

GemmProblem::GemmProblem(const GemmOptions& options, const Extents& extents, std::string reason)
    : options_(options), order_({0, 1}) {
  const auto product = matrices_of(options_, extents);
  matrices_.assign(product.begin(), product.end());
  for (GemmArray& input : further_inputs_of(options_, extents)) {
    order_.push_back(static_cast<int>(matrices_.size()));
    matrices_.push_back(std::move(input));
  }
  order_.push_back(2);
  form = GemmProduct(options_.form(), kernel_shape(options_, extents), options_.batch);
  type_text = options_.type_text();
  size = extents;
  command_words = gen::command_words(gemm_fields(), options_, is_no_flag);
  refusal = std::move(reason);
  for (const int which : order_) {
    const GemmArray& matrix = matrices_[static_cast<std::size_t>(which)];
    const std::uint64_t width = size_of(matrix.type);
    ProblemArray& array = arrays.emplace_back();
    array.name = matrix.name;
    array.type = matrix.type;
    array.shape = {matrix.rows, matrix.cols};
    array.bytes = matrix.span() * width;
    array.offset = static_cast<std::uint64_t>(matrix.offset) * width;
    array.is_result = which == 2;
    const int unread = which > 2 && !options_.reads_c() ? 1 : 0;  // C is not among the inputs
    if (which != 2 || options_.reads_c()) array.input = static_cast<std::size_t>(which - unread);
    if (which < 2 && options_.files[static_cast<std::size_t>(which)]) {
      array.bytes = options_.files[static_cast<std::size_t>(which)]->bytes();
      array.offset = 0;
    }
  }
  result = arrays.size() - 1;
  if (!options_.c_n_contiguous) {  // kernels exchange A and B
    bindings.resize(arrays.size());
    std::iota(bindings.begin(), bindings.end(), 0);
    std::swap(bindings[0], bindings[1]);
  }
  const bool has_batch = matrices_[2].batch != 1 || options_.keeps_batch;
  if (has_batch) arrays[result].shape.insert(arrays[result].shape.begin(), matrices_[2].batch);
  arguments = gemm_arguments(options_, extents);
  const double multiplications = static_cast<double>(extents[0]) * static_cast<double>(extents[1]) *
                                 static_cast<double>(extents[2]) *
                                 static_cast<double>(options_.batch);
  // A C without elements needs no reads.
  bytes = extents[0] == 0 || extents[1] == 0 ? 0 : bytes_of(matrices_, options_.reads_c());
  flops = 2 * multiplications;
  seconds_to_check = multiplications / kMultipliedInASecond;
}

std::vector<std::string> GemmProblem::reasons_against_contents(
    std::size_t input, const std::vector<std::byte>& contents) const {
  if (options_.weights != nullptr && input == kWeightsInput && !options_.files[input]) {
    const GemmArray& rows = matrices_[input];
    return reasons_against_blocks(*options_.weights, contents,
                                  rows.cols * static_cast<std::int64_t>(size_of(rows.type)));
  }
  if (options_.experts == 0 || input != kOffsetsInput) return {};
  return reasons_against_offsets(contents, size[0]);
}

void GemmProblem::fill(ArrayMemory& memory, std::uint64_t seed) const {
  const GemmData data(options_, size, seed);
  for (std::size_t i = 0; i < order_.size(); ++i) memory.write(i, data.bytes(order_[i]));
}

CheckResult GemmProblem::check(const ArrayMemory& memory, Verify verify, std::uint64_t seed) const {
  const std::vector<std::byte> c = read_all(memory, result, arrays[result].bytes);
  const auto wider = memory.has_matrices() ? WiderOperand::rounded : WiderOperand::kept;
  return check_gemm(GemmData(options_, size, seed), options_, size, c, verify, seed, wider);
}

std::unique_ptr<Problem> product_problem(const ProblemText& text, const GemmOptions& options,
                                         const Extents& size) {
  const KernelEntry& entry = *text.entry;
  if (options.packed != "none" && !entry.takes_packed) {
    throw ArgumentError(
        fmt::format("--packed {}: {} takes plain operands; gemm/packed takes packed ones",
                    options.packed, entry.name));
  }
  if (entry.weights != nullptr && options.packed.find('a') != std::string::npos) {
    throw ArgumentError(
        fmt::format("--packed {}: {} takes A as it is; --packed b packs the weights",
                    options.packed, entry.name));
  }
  if (entry.weights == nullptr || options.weights != nullptr) {
    return std::make_unique<GemmProblem>(options, size);
  }
  GemmOptions with_weights = options;
  with_weights.weights = entry.weights;
  with_weights.b_type = kWeightType;
  const auto reasons = reasons_against_form(with_weights.form(), {.weights = true});
  if (!reasons.empty()) {
    return std::make_unique<GemmProblem>(options, size, join(reasons, "; "));
  }
  try {
    return std::make_unique<GemmProblem>(with_weights, size);
  } catch (const ArgumentError& error) {
    return std::make_unique<GemmProblem>(options, size, error.what());
  }
}

const GemmProblem& as_product(const Problem& problem, const std::string& subject) {
  if (const auto* product = dynamic_cast<const GemmProblem*>(&problem)) return *product;
  throw KernelError(subject, {"the problem is not a product"});
}

Operation products() {
  Operation operation;
  operation.name = "gemm";
  operation.size = {.text = "MxNxK", .rank = 3, .example = kProductExample};
  operation.takes_all_types = true;
  operation.is_tuned = true;
  for (const auto& field : gemm_fields()) {
    const std::string& name = field.name;
    const bool is_order = name == "a" || name == "b" || name == "c", is_packed = name == "packed";
    const bool of_form = is_order || name == "alpha" || name == "beta" || name == "epilogue" ||
                         name == "experts" || is_packed;
    operation.options.push_back({.name = name,
                                 .help = field.help,
                                 .of_apply = of_form,
                                 .of_emit = of_form || name == "batch" || name == "split-k",
                                 .of_pack = is_order,
                                 .expects = field.expects.starts_with("a ") ? field.expects : "",
                                 .of_packed = is_packed,
                                 .choices = field.choices});
  }
  operation.of_size = [](const ProblemText& text, const Extents& size) {
    return product_problem(text, read_product(text.values, text.type), size);
  };
  operation.of_arrays = product_of_arrays;
  operation.takes_fortran_order = [](const GivenArray& array, std::size_t place) {
    return place < 2 && array.shape.size() == 2;  // A or B without a batch
  };
  return operation;
}

}  // namespace vkmoye::gen
