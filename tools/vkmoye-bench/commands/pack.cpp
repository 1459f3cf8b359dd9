// SPDX-License-Identifier: MIT
// pack KERNEL --in W.npy --out W.packed: stores an operand of a product in fragment order, for later runs. With a
// weight format, --type 'f16*q4_0', quantises weights.

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "commands/array_files.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "devices/fragments.hpp"
#include "io/npy.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"
#include "vkmoye/gen/kernels/products/choice/problem_plan.hpp"
#include "workloads/packed_file.hpp"

namespace vkmoye::bench {
namespace {

// Rows of weights as rows of blocks: (N, K) to (N, bytes of K weights) of u8. On the host.
int quantise_file(const CommandOptions& options, const gen::WeightFormat& format) {
  std::vector<ArrayFile> files = read_array_files(options.in);
  files.front().put_into_c_order();
  const gen::GivenArray& array = files.front().array();
  const std::vector<std::int64_t> shape =
      gen::shape_of_blocks(array, format);  // throws before work
  OutputFile out(options.out.front());
  write_npy(out, gen::type_of_blocks(format), shape,
            gen::quantised(array, files.front().data(), format));
  out.commit();
  return kOk;
}

int pack(const CommandOptions& options) {
  const gen::KernelEntry& entry = find_one_kernel(options.kernels.front());
  refuse_useless_values(options.values, {&entry});
  const std::string type = one_type(options, "");
  const gen::WeightFormat* weights =
      type.empty() ? entry.weights : gen::parse_gemm_type(type).weights;
  const bool packs_weights = entry.takes_packed && entry.weights != nullptr;
  if (packs_weights && weights == nullptr) {
    throw ArgumentError(fmt::format(
        "pack: --type {}: {} takes weights in a format, such as f16*q4_0,f32", type, entry.name));
  }
  std::error_code unknown;
  if (std::filesystem::equivalent(path_of(options.in.front()), path_of(options.out.front()),
                                  unknown)) {
    throw ArgumentError(options.out.front() + ": is the file of --in; it would be overwritten");
  }
  if (packs_weights && options.as == "a") {
    throw ArgumentError(
        fmt::format("pack: {} takes A as it is; only weights are packed", entry.name));
  }
  if (weights != nullptr && options.as != "a" && !packs_weights) {
    return quantise_file(options, *weights);
  }
  if (!entry.takes_packed) {
    throw ArgumentError(
        fmt::format("pack: {} has no packed operands; use gemm/packed", entry.name));
  }
  const std::string& file = options.in.front();
  if (is_packed_file(path_of(file))) throw ArgumentError(file + ": is already packed");
  std::vector<ArrayFile> files = read_array_files({file});
  std::vector<gen::GivenArray> inputs = given_arrays(entry, files, type, options.as == "a" ? 0 : 1);
  refuse_booleans("pack", files);
  std::vector<std::byte> data = files.front().data();
  gen::ProblemText spec = {&entry, type, options.config, options.values};
  if (packs_weights) {
    if (type.empty()) spec.type = fmt::format("f16*{},f32", weights->name);
    gen::GivenArray& array = inputs.front();
    if (is_floating(array.type)) {
      files.front().put_into_c_order();
      array = files.front().array();
      const std::vector<std::int64_t> shape = gen::shape_of_blocks(array, *weights);
      data = gen::quantised(array, files.front().data(), *weights);
      array.shape = shape;
      array.type = gen::type_of_blocks(*weights);
    }
  }
  gen::OperandToPack operand = gen::operand_to_pack(spec, options.as == "a", inputs.front());
  if (packs_weights) {
    const auto wrong = gen::reasons_against_blocks(*weights, data, inputs.front().shape.back());
    if (!wrong.empty()) throw ArgumentError(with_reasons("pack: " + file, wrong));
  }
  OutputFile out(options.out.front());  // throws before any work is done

  const auto executor = open_executor(options.device);
  operand.request.device = executor->caps();
  find_fragment_orders(*executor, entry.probes(operand.request), entry.name);
  operand.request.device = executor->caps();
  gen::PackPlan packed = gen::pack_plan(operand);
  RunPlan plan = plan_of(std::move(packed.plan));
  plan.arrays[0].input = 0;
  plan.result = 1;
  const auto execution = prepared(*executor, plan, "pack", entry.name);
  execution->write(0, data);
  if (!run_undamaged(*executor, *execution, "pack")) return kWrongResult;
  write_packed(out, packed.operand, read_all(*execution, 1, plan.arrays[1].bytes));
  out.commit();
  return kOk;
}

}  // namespace

const Command kPack = {
    CommandName::pack, "pack an operand of a product: in fragment order, or quantised in blocks",
    "'apply gemm/packed' takes the file in place of the array, on any device that\n"
    "holds fragments in the same order. On others it fails and prints both orders.\n\n"
    "Examples:\n"
    "  vkmoye-bench pack gemm/packed --type f16,f32 --in w.npy --out w.packed\n"
    "  vkmoye-bench pack gemm/packed --as a --a m --in x.npy --out x.packed\n"
    "  vkmoye-bench pack gemm/auto --type 'f16*q4_0,f32' --in w.npy --out w_q4_0.npy\n"
    "  vkmoye-bench pack gemm/packed_weights --type 'f16*q4_0,f32' --in w.npy \\\n"
    "      --out w.packed",
    pack};

}  // namespace vkmoye::bench
