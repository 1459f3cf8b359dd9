// apply KERNEL --in A.npy --out B.npy: runs a kernel on a user's own arrays; times nothing.

#include <fmt/format.h>

#include <variant>
#include <vector>

#include "commands/command.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "io/npy.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "workloads/fragments.hpp"
#include "workloads/operation.hpp"
#include "workloads/packed_file.hpp"

namespace vkmoye::bench {
namespace {

// An array, or an operand in fragment order.
struct InputFile {
  std::string name;
  std::variant<NpyHeader, PackedFile> header;

  GivenArray array() const {
    if (const auto* npy = std::get_if<NpyHeader>(&header)) return {name, npy->type, npy->shape};
    const PackedOperand& packed = std::get<PackedFile>(header).operand;
    return {name, packed.form.type, packed.shape(), packed};
  }
  std::vector<std::byte> data() const {
    if (const auto* npy = std::get_if<NpyHeader>(&header)) return read_npy_data(name, *npy);
    return read_packed_data(name, std::get<PackedFile>(header));
  }
};

std::vector<InputFile> read_headers(const std::vector<std::string>& names,
                                    const gen::KernelEntry& entry) {
  std::vector<InputFile> out;
  for (const std::string& name : names) {
    if (!is_packed_file(name)) {
      out.push_back({name, read_npy_header(name)});
      continue;
    }
    if (!entry.takes_packed) {
      throw ArgumentError(fmt::format("{}: is a packed operand, which gemm/packed takes, not {}",
                                      name, entry.name));
    }
    out.push_back({name, read_packed_header(name)});
  }
  return out;
}

int apply(const Given& given) {
  const gen::KernelEntry& entry = find_one_kernel(given.kernels.front());
  refuse_useless_values(given.values, {&entry});
  const std::string type = one_type(given, "");
  if (!type.empty()) {
    for (const std::string& name : split(type, ',')) parse_type(name);  // before any file is read
  }
  const std::vector<InputFile> inputs = read_headers(given.in, entry);
  std::vector<GivenArray> files;
  for (const InputFile& input : inputs) files.push_back(input.array());
  const auto workload =
      operation_of(entry).of_arrays({&entry, type, given.config, given.values}, files);
  if (!workload->refusal().empty()) {
    throw ArgumentError(fmt::format("{}: {}", entry.name, workload->refusal()));
  }
  OutputFile out(given.out);  // refused before the work, if it has to be

  const auto executor = open_executor(given.device);
  const Plan plan = plan_on(*executor, *workload);
  const auto reasons = executor->reasons_against(plan);
  if (!reasons.empty()) throw_cannot_run(entry.name, reasons);
  const auto execution = executor->prepare(plan);
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
    const auto& input = plan.arrays[i].input;
    if (input) execution->write(i, inputs[*input].data());
  }
  if (!run_undamaged(*executor, *execution, entry.name)) return kWrongResult;
  write_npy(out, workload->result_type(), workload->result_shape(),
            read_all(*execution, plan.result, plan.arrays[plan.result].bytes));
  out.commit();
  return kOk;
}

}  // namespace

const Command kApply = {CommandName::apply, "run a kernel on NumPy arrays of yours",
                        "Examples:\n  vkmoye-bench apply transpose/padded --in a.npy --out b.npy\n"
                        "  vkmoye-bench apply gemm/simt --in a.npy b.npy --out c.npy --alpha 0.5\n"
                        "  vkmoye-bench apply gemm/packed --in a.npy w.packed --out c.npy",
                        apply};

}  // namespace vkmoye::bench
