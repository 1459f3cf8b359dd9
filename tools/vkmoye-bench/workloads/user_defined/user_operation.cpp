// SPDX-License-Identifier: MIT
#include "workloads/user_defined/user_operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

#include "baselines/copy.hpp"
#include "io/array_order.hpp"
#include "numbers/random.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "workloads/rows/workload.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::uint64_t kCheckedInASecond = std::uint64_t{1} << 26;

std::size_t extents_in(const std::string& size_form) {
  return static_cast<std::size_t>(1 + std::count(size_form.begin(), size_form.end(), 'x'));
}

std::uint64_t elements_of(const ProblemArray& array) {
  return static_cast<std::uint64_t>(product(array.shape));
}

std::vector<ProblemArray> outputs_of(const Problem& problem) {
  std::vector<ProblemArray> all = {problem.output};
  all.insert(all.end(), problem.more_outputs.begin(), problem.more_outputs.end());
  return all;
}

// The arrays that hold data before the kernel runs: the inputs, then the results that it also reads.
std::vector<ProblemArray> filled_of(const Problem& problem) {
  std::vector<ProblemArray> all = problem.inputs;
  for (const ProblemArray& output : outputs_of(problem)) {
    if (output.in_out) all.push_back(output);
  }
  return all;
}

class OwnWorkload : public Workload {
 public:
  OwnWorkload(const OperationEntry& row, const gen::KernelEntry& entry, gen::KernelRequest request,
              const Extents& size)
      : Workload(entry, std::move(request), size),
        row_(row),
        problem_(row.problem(size, this->request().type)),
        outputs_(outputs_of(problem_)),
        filled_(filled_of(problem_)) {
    if (row_.references || outputs_.size() == 1) return;
    throw ArgumentError(fmt::format(
        "operation '{}': has {} results, but only the definition of the first; set references",
        row_.name, outputs_.size()));
  }

  std::vector<Array> arrays() const override {
    std::vector<Array> arrays;
    for (std::size_t i = 0; i < problem_.inputs.size(); ++i) {
      arrays.push_back({problem_.inputs[i].name, bytes_of(problem_.inputs[i]), i});
    }
    std::size_t filled = arrays.size();
    for (const ProblemArray& output : outputs_) {
      arrays.push_back({output.name, bytes_of(output)});
      if (output.in_out) arrays.back().input = filled++;
    }
    return arrays;
  }
  Arguments arguments() const override { return problem_.arguments; }
  RunPlan plan(const DeviceCaps& caps) const override {
    RunPlan plan = Workload::plan(caps);
    plan.result = problem_.inputs.size();
    return plan;
  }

  double bytes() const override {
    std::uint64_t written = 0, read = 0;
    for (const ProblemArray& output : outputs_) written += bytes_of(output);
    for (const ProblemArray& array : filled_) read += bytes_of(array);
    return written == 0 ? 0 : static_cast<double>(written + read);  // nothing to write: no reads
  }
  double flops() const override { return problem_.flops; }
  bool is_bound_by_memory() const override { return true; }
  bool is_checked_in_full() const override {
    std::uint64_t elements = 0;
    for (const ProblemArray& array : outputs_) elements += elements_of(array);
    for (const ProblemArray& array : filled_) elements += elements_of(array);
    return elements <= kCheckedInASecond;
  }

  void fill(Execution& execution, std::uint64_t seed) const override {
    const std::vector<Array> all = arrays();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].input) execution.write(i, input_bytes(*all[i].input, seed));
    }
  }

  CheckResult check(const Execution& execution, Verify, std::uint64_t seed) const override {
    std::vector<std::vector<double>> inputs;
    for (std::size_t i = 0; i < filled_.size(); ++i) {
      inputs.push_back(numbers(filled_[i], input_bytes(i, seed)));
    }
    std::vector<std::vector<Expected>> expected;
    for (const ProblemArray& output : outputs_) expected.emplace_back(elements_of(output));
    if (row_.references) {
      row_.references(problem_, inputs, expected);
    } else {
      row_.reference(problem_, inputs, expected.front());
    }
    CheckResult checked;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const std::vector<double> got = numbers(
          outputs_[i], read_all(execution, problem_.inputs.size() + i, bytes_of(outputs_[i])));
      for (std::size_t at = 0; at < got.size(); ++at) {
        compare(expected[i][at], got[at], at, outputs_[i].name, checked);
      }
    }
    return checked;
  }

  Timing time_baseline(const std::string&, const BaselineRun& run) const override {
    return time_copy_of(static_cast<std::uint64_t>(bytes()), run);
  }

  std::vector<std::int64_t> result_shape() const override { return problem_.output.shape; }
  ScalarType result_type() const override { return type_of(problem_.output); }

  /// What `apply` takes.
  const std::vector<ProblemArray>& filled() const { return filled_; }

 private:
  ScalarType type_of(const ProblemArray& array) const {
    return array.type.value_or(request().type);
  }
  std::uint64_t bytes_of(const ProblemArray& array) const {
    return elements_of(array) * size_of(type_of(array));
  }

  std::vector<std::byte> input_bytes(std::size_t which, std::uint64_t seed) const {
    const ProblemArray& array = filled_[which];
    const ScalarType type = type_of(array);
    const std::size_t width = size_of(type);
    std::vector<std::byte> out(bytes_of(array));
    const std::uint64_t stream = random_bits(seed, which);
    for (std::uint64_t i = 0; i * width < out.size(); ++i) {
      const std::uint64_t bits = random_bits(stream, i);
      store_number(type, array.value ? array.value(i, bits) : random_number(type, bits),
                   &out[i * width]);
    }
    return out;
  }

  std::vector<double> numbers(const ProblemArray& array,
                              const std::vector<std::byte>& bytes) const {
    std::vector<double> out(elements_of(array));
    load_numbers(type_of(array), bytes.data(), 0, 1, out);
    return out;
  }

  OperationEntry row_;
  Problem problem_;
  std::vector<ProblemArray> outputs_, filled_;
};

std::unique_ptr<OwnWorkload> workload_of(const OperationEntry& row, const WorkloadSpec& spec,
                                         ScalarType type, const Extents& size) {
  gen::KernelRequest request = {.type = type, .options = spec.config};
  request.shape = size;
  return std::make_unique<OwnWorkload>(row, *spec.entry, std::move(request), size);
}

std::unique_ptr<Workload> of_arrays(const OperationEntry& row, const WorkloadSpec& spec,
                                    const std::vector<GivenArray>& given) {
  const Extents& shape = given.front().shape;
  if (std::cmp_not_equal(shape.size(), extents_in(row.size_form))) {
    throw ArgumentError(fmt::format(
        "{}: has shape {}, but {} needs {} extents, {}, and takes them from its first array",
        given.front().name, shape_text(shape), spec.entry->name, extents_in(row.size_form),
        row.size_form));
  }
  ScalarType type = spec.type.empty() ? given.front().type : parse_type(spec.type);
  auto workload = workload_of(row, spec, type, shape);
  // Arrays of a fixed type do not determine the type of the others.
  for (std::size_t i = 0; spec.type.empty() && i < workload->filled().size(); ++i) {
    if (workload->filled()[i].type || i >= given.size()) continue;
    if (given[i].type != type) workload = workload_of(row, spec, type = given[i].type, shape);
    break;
  }
  const std::vector<ProblemArray>& wanted = workload->filled();
  std::vector<std::string> reasons;
  if (given.size() != wanted.size()) {
    reasons.push_back(
        fmt::format("{} takes {} arrays, got {}", spec.entry->name, wanted.size(), given.size()));
  }
  for (std::size_t i = 0; i < std::min(given.size(), wanted.size()); ++i) {
    const ScalarType needed = wanted[i].type.value_or(type);
    if (given[i].type != needed) {
      reasons.push_back(fmt::format("{}: has type {}, {} takes {} there", given[i].name,
                                    to_string(given[i].type), spec.entry->name, to_string(needed)));
    }
    if (i > 0 && given[i].shape != wanted[i].shape) {
      reasons.push_back(fmt::format("{}: has shape {}, but {} needs {}", given[i].name,
                                    shape_text(given[i].shape), wanted[i].name,
                                    shape_text(wanted[i].shape)));
    }
  }
  if (!reasons.empty()) throw ArgumentError(with_reasons(spec.entry->name, reasons));
  return workload;
}

}  // namespace

Operation user_operation(const OperationEntry& row) {
  Operation out;
  out.name = row.name;
  out.is_own = true;
  out.baselines = {"copy"};
  out.size = {.text = row.size_form, .rank = extents_in(row.size_form), .example = row.example};
  out.of_size = [row](const WorkloadSpec& spec, const Extents& size) {
    return workload_of(row, spec, parse_type(spec.type), size);
  };
  out.of_arrays = [row](const WorkloadSpec& spec, const std::vector<GivenArray>& given) {
    return of_arrays(row, spec, given);
  };
  return out;
}

}  // namespace vkmoye::bench
