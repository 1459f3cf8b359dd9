// SPDX-License-Identifier: MIT
// apply KERNEL --in A.npy --out B.npy: runs a kernel on the user's own arrays, without timing it.

#include <fmt/format.h>

#include <vector>

#include "commands/array_files.hpp"
#include "commands/command.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

int apply(const CommandOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernels.front());
  refuse_useless_values(options.values, {&entry});
  const std::string type = one_type(options, "");
  if (!type.empty()) {
    for (const std::string& part : split(type, ',')) {  // before any file is read
      for (const std::string& name : split(part, '*')) {
        if (gen::find_weight_format(name) == nullptr) parse_type(name);
      }
    }
  }
  std::vector<ArrayFile> files = read_array_files(options.in);
  const std::vector<GivenArray> inputs = given_arrays(entry, files);
  const auto workload =
      operation_of(entry).of_arrays({&entry, type, options.config, options.values}, inputs);
  if (!workload->refusal().empty()) {
    throw ArgumentError(fmt::format("{}: {}", entry.name, workload->refusal()));
  }
  OutputFile out(options.out);  // throws before any work is done

  const auto executor = open_executor(options.device);
  const Plan plan = plan_on(*executor, *workload);
  const auto reasons = executor->reasons_against(plan);
  if (!reasons.empty()) throw_cannot_run(entry.name, reasons);
  const auto execution = executor->prepare(plan);
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
    const auto& input = plan.arrays[i].input;
    if (input) execution->write(i, files[*input].data());
  }
  const auto microseconds = run_undamaged(*executor, *execution, entry.name);
  if (!microseconds) return kWrongResult;
  write_npy(out, workload->result_type(), workload->result_shape(),
            read_all(*execution, plan.result, plan.arrays[plan.result].bytes),
            workload->result_in_fortran_order());
  out.commit();
  print_call(kernel_text(entry, plan), inputs,
             described(options.out, workload->result_shape(), workload->result_type()), out,
             executor->caps(), *microseconds);
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
