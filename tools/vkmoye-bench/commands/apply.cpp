// SPDX-License-Identifier: MIT
// apply KERNEL --in A.npy .. --out B.npy ..: runs a kernel on the user's own arrays, without timing it.

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <vector>

#include "commands/array_files.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/option_values.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

// A result, the file it is written to, and its place among the arrays of the plan.
struct WrittenResult {
  std::string name;
  std::size_t array;
  Extents shape;
  ScalarType type;
  bool in_fortran_order;
};

// The results of `problem` for which there are files, the one that gives it its name first. Throws if there are more
// files than results, or if a file is given twice.
std::vector<WrittenResult> written_results(const gen::Problem& problem, const std::string& kernel,
                                           const std::vector<std::string>& files) {
  std::vector<std::size_t> places = {problem.result};
  for (std::size_t i = 0; i < problem.arrays.size(); ++i) {
    if (problem.arrays[i].is_result && i != problem.result) places.push_back(i);
  }
  if (files.size() > places.size()) {
    throw ArgumentError(fmt::format("--out: {} has {} result{}, but {} files are given", kernel,
                                    places.size(), places.size() == 1 ? "" : "s", files.size()));
  }
  std::vector<WrittenResult> results;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (std::count(files.begin(), files.end(), files[i]) > 1) {
      throw ArgumentError(fmt::format("--out: {} is given twice", files[i]));
    }
    const gen::ProblemArray& array = problem.arrays[places[i]];
    results.push_back({files[i], places[i], array.shape, array.type, array.fortran_order});
  }
  return results;
}

int apply(const CommandOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernels.front());
  refuse_useless_values(options.values, {&entry});
  const std::string type = one_type(options, "");
  if (!type.empty()) {
    for (const std::string& part : split(type, ',')) {  // before any file is read
      for (const std::string& name : split(part, '*')) {
        if (gen::find_weight_format(name) == nullptr) parse_type(name, gen::weight_format_names());
      }
    }
  }
  keep_checkpoints(options.in, options.out);
  std::vector<ArrayFile> files = read_array_files(options.in);
  const std::vector<gen::GivenArray> inputs = given_arrays(entry, files, type);
  const Workload workload = workload_of({&entry, type, options.config, options.values}, inputs);
  if (!workload.problem->refusal.empty()) {
    throw ArgumentError(fmt::format("{}: {}", entry.name, workload.problem->refusal));
  }
  if (!only_moves(entry)) refuse_booleans(entry.name, files);
  const std::vector<WrittenResult> results =
      written_results(*workload.problem, entry.name, options.out);
  std::deque<OutputFile> files_out;
  for (const WrittenResult& result : results) {
    files_out.emplace_back(result.name);  // throws before any work is done
  }

  const auto executor =
      open_executor(options.device, /*statistics=*/false, groups_in(options.resident));
  RunPlan plan = plan_on(*executor, workload);
  make_resident(plan, options.resident, *executor);
  const auto execution = prepared(*executor, plan, entry.name, entry.name);
  std::vector<std::string> wrong;
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
    const auto& input = plan.arrays[i].input;
    if (!input) continue;
    const std::vector<std::byte> contents = files[*input].data();
    for (const std::string& reason : workload.problem->reasons_against_contents(*input, contents)) {
      wrong.push_back(fmt::format("{}: {}", inputs[*input].name, reason));
    }
    execution->write(i, contents);
  }
  if (!wrong.empty()) throw ArgumentError(with_reasons(entry.name, wrong));
  const auto microseconds = run_undamaged(*executor, *execution, entry.name);
  if (!microseconds) return kWrongResult;
  std::vector<std::string> written;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const WrittenResult& result = results[i];
    write_npy(files_out[i], result.type, result.shape,
              read_all(*execution, result.array, plan.arrays[result.array].bytes),
              result.in_fortran_order,
              only_moves(entry) && files.front().is_boolean() && result.type == ScalarType::u8);
    written.push_back(described(result.name, result.shape, result.type));
  }
  for (OutputFile& file : files_out) file.commit();
  const bool has_stdout = std::any_of(files_out.begin(), files_out.end(),
                                      [](const OutputFile& f) { return f.goes_to_stdout(); });
  print_call(has_stdout ? std::cerr : std::cout, kernel_text(entry, plan), inputs,
             join(written, ", "), executor->caps(), *microseconds);
  return kOk;
}

}  // namespace

const Command kApply = {
    CommandName::apply, "run a kernel on your own NumPy arrays",
    "Examples:\n  vkmoye-bench apply transpose/padded --in a.npy --out b.npy\n"
    "  vkmoye-bench apply gemm/simt --in a.npy b.npy --out c.npy --alpha 0.5\n"
    "  vkmoye-bench apply gemm/packed --in a.npy w.packed --out c.npy\n"
    "  vkmoye-bench apply gemm/auto --type 'f16*q4_0,f32' --in a.npy w.npy \\\n    --out c.npy",
    apply};

}  // namespace vkmoye::bench
