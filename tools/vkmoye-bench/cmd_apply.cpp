// apply KERNEL --in A.npy --out B.npy: runs a kernel on a user's own array; times nothing.

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "command.hpp"
#include "device_fit.hpp"
#include "npy.hpp"
#include "open_device.hpp"
#include "parse.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/runtime/guarded_buffer.hpp"

namespace vkmoye::bench {
namespace {

struct ApplyOptions {
  std::string kernel, in, out, device;
  std::optional<ScalarType> type;  // that the array has to have
  ConfigOptions config;
};

void check_input(const ApplyOptions& options, const NpyHeader& array) {
  if (array.shape.size() != 2) {
    throw ArgumentError(fmt::format("{}: has {} dimension{}, {} takes 2", options.in,
                                    array.shape.size(), array.shape.size() == 1 ? "" : "s",
                                    options.kernel));
  }
  if (array.shape[0] == 0 || array.shape[1] == 0) {
    throw ArgumentError(fmt::format("{}: has no elements, its shape is ({}, {})", options.in,
                                    array.shape[0], array.shape[1]));
  }
  if (options.type && *options.type != array.type) {
    throw ArgumentError(fmt::format("{}: holds {}, --type says {}", options.in,
                                    to_string(array.type), to_string(*options.type)));
  }
}

int apply(const ApplyOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernel);
  NpyHeader array = read_npy_header(options.in);
  check_input(options, array);
  const CompiledKernel kernel = gen::compile(entry.describe(array.type, options.config.given()));
  const Arguments arguments = {{"rows", array.shape[0]}, {"cols", array.shape[1]}};

  OutputFile out(options.out);  // refused before the work, if it has to be
  Device device = open_device(options.device);
  const auto reasons = reasons_against(device.caps(), kernel.interface, arguments);
  if (!reasons.empty()) {
    // Not a mistake of the caller: another device could.
    throw DeviceError(DeviceError::Kind::kNoDevice, KernelError(entry.name, reasons).what());
  }
  std::vector<std::byte> data = read_npy_data(options.in, array);
  GuardedBuffer src(device, data.size()), dst(device, data.size());
  src.write(data);
  device.run(device.load(kernel), {src.view(), dst.view()}, arguments);
  save_cache(device);

  for (const std::string& damage : {src.damage(), dst.damage()}) {
    if (damage.empty()) continue;
    fmt::print(stderr, "vkmoye-bench: {}: {}; nothing was written\n", entry.name, damage);
    return kWrongResult;
  }
  if (entry.operation == gen::Operation::transpose) std::swap(array.shape[0], array.shape[1]);
  dst.read(data);
  write_npy(out, array.type, array.shape, data);
  out.commit();
  return kOk;
}

}  // namespace

void add_apply(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("apply", "run a kernel on a NumPy array of yours");
  command->footer(
      "Examples:\n  vkmoye-bench apply transpose/padded --in a.npy --out b.npy\n"
      "  vkmoye-bench apply copy/simple --in a.npy --out b.npy --device llvmpipe");
  auto options = std::make_shared<ApplyOptions>();
  command->add_option("KERNEL", options->kernel, "family/variant")->required();
  command->add_option("--in", options->in, "a .npy file: 2-D, C order, little-endian")
      ->required()
      ->check(not_empty());
  command->add_option("--out", options->out, "where the result goes")
      ->required()
      ->check(not_empty());
  command
      ->add_option_function<std::string>(
          "--type",
          [options = options.get()](const std::string& text) { options->type = parse_type(text); },
          "refuse an array of another type")
      ->check(not_empty());
  command->add_option("--device", options->device, "index or part of the name (the best one)")
      ->check(not_empty());
  options->config.add_to(*command);
  command->callback([options, &status] { status = apply(*options); });
}

}  // namespace vkmoye::bench
