// apply KERNEL --in A.npy --out B.npy: runs a kernel on a user's own array; times nothing.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "commands/command.hpp"
#include "commands/open_device.hpp"
#include "io/npy.hpp"
#include "io/parse.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "workloads/device_fit.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

struct ApplyOptions {
  std::string kernel, out, device;
  std::vector<std::string> in;
  std::string type;  // that the arrays have to have; empty: any
  GemmOptions gemm;
  ConfigOptions config;
};

int apply(const ApplyOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernel);
  if (!options.type.empty()) parse_types({options.type});  // refused before any file is read
  std::vector<NpyHeader> headers;
  std::vector<GivenArray> given;
  for (const std::string& file : options.in) {
    const NpyHeader& header = headers.emplace_back(read_npy_header(file));
    given.push_back({file, header.type, header.shape});
  }
  const Problem problem =
      problem_of(entry, options.config.given(), options.gemm, options.type, given);
  const std::unique_ptr<Workload> workload = make_workload(problem);
  const CompiledKernel kernel = gen::compile(entry.describe(problem.request));
  const Arguments arguments = workload->arguments();

  OutputFile out(options.out);  // refused before the work, if it has to be
  Device device = open_device(options.device);
  const auto reasons = reasons_against(device.caps(), kernel.interface, arguments);
  if (!reasons.empty()) {
    // Not a mistake of the caller: another device could.
    throw DeviceError(DeviceError::Kind::kNoDevice, KernelError(entry.name, reasons).what());
  }
  const std::vector<Array> arrays = workload->arrays();
  Buffers buffers = make_buffers(device, arrays);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& input = arrays[i].input;
    if (input) buffers[i].write(read_npy_data(options.in[*input], headers[*input]));
  }
  device.run(device.load(kernel), views_of(buffers, arrays), arguments);
  save_cache(device);

  for (const GuardedBuffer& buffer : buffers) {
    const std::string damage = buffer.damage();
    if (damage.empty()) continue;
    fmt::print(stderr, "vkmoye-bench: {}: {}; nothing was written\n", entry.name, damage);
    return kWrongResult;
  }
  std::vector<std::byte> data(buffers.back().bytes());
  buffers.back().read(data);
  write_npy(out, workload->result_type(), workload->result_shape(), data);
  out.commit();
  return kOk;
}

}  // namespace

void add_apply(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("apply", "run a kernel on a NumPy array of yours");
  command->footer(
      "Examples:\n  vkmoye-bench apply transpose/padded --in a.npy --out b.npy\n"
      "  vkmoye-bench apply gemm/simt --in a.npy b.npy --out c.npy --alpha 0.5");
  auto options = std::make_shared<ApplyOptions>();
  command->add_option("KERNEL", options->kernel, "family/variant")->required();
  command->add_option("--in", options->in, "a .npy file: C order, little-endian")
      ->required()
      ->check(not_empty());
  command->add_option("--out", options->out, "where the result goes")
      ->required()
      ->check(not_empty());
  command
      ->add_option("--type", options->type,
                   "refuse an array of another type; of a product: operands,accumulator,result")
      ->check(not_empty());
  command->add_option("--device", options->device, "index or part of the name (the best one)")
      ->check(not_empty());
  options->config.add_to(*command);
  options->gemm.add_to(*command, GemmOptions::Command::apply);
  command->callback([options, &status] { status = apply(*options); });
}

}  // namespace vkmoye::bench
