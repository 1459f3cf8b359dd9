// SPDX-License-Identifier: MIT
// pack KERNEL --in W.npy --out W.packed: stores an operand of a product in fragment order, for later runs. With a
// weight format, --type 'f16*q4_0', quantises weights, or reads those of a checkpoint: --from gptq.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <vector>

#include "commands/array_files.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "devices/fragments.hpp"
#include "io/npy.hpp"
#include "io/progress.hpp"
#include "io/safetensors.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/path_text.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"
#include "vkmoye/gen/kernels/common/weight_arrays.hpp"
#include "vkmoye/gen/kernels/products/choice/problem_plan.hpp"
#include "workloads/packed_file.hpp"

namespace vkmoye::bench {
namespace {

// Weights as rows of blocks, (.., N, bytes of K weights).
struct Blocks {
  gen::GivenArray array;
  std::vector<std::byte> data;
};

// The arrays of a checkpoint that `scheme` reads for `format`: those that are named, and for a prefix such as
// model.safetensors:model.layers.0.mlp.up_proj those whose names are a word of the scheme behind it.
std::vector<gen::CheckpointArray> checkpoint_arrays(const std::vector<std::string>& names,
                                                    const gen::WeightScheme& scheme,
                                                    const gen::WeightFormat& format) {
  const std::vector<std::string> words = gen::words_of(scheme, format);
  std::vector<std::string> files;
  for (const std::string& name : names) {
    const auto tensor = tensor_name(name);
    if (!tensor) {
      files.push_back(name);
      continue;
    }
    std::vector<std::string> found, codes;
    for (const auto& [array, header] : read_safetensors(tensor->file)) {
      if (array == tensor->name) found = {array};
      if (array == tensor->name) break;
      for (const std::string& word : words) {
        if (!gen::ends_in(array, word)) continue;
        if (word == words.front()) codes.push_back(array);
        const bool is_behind = array.size() == tensor->name.size() + 1 + word.size();
        if (is_behind && array.starts_with(tensor->name)) found.push_back(array);
      }
    }
    if (found.empty()) {
      throw ArgumentError(fmt::format(
          "{}: has no arrays '{}' with one of {} behind it; it has {} that end in {}{}",
          path_text(tensor->file), tensor->name, join(words, ", "), codes.size(), words.front(),
          codes.empty() ? "" : fmt::format(", such as '{}'", shown(codes.front()))));
    }
    for (const std::string& array : found) files.push_back(path_text(tensor->file) + ':' + array);
  }
  std::vector<gen::CheckpointArray> arrays;
  for (ArrayFile& file : read_array_files(files)) {
    file.put_into_c_order();
    gen::GivenArray array = file.array();
    if (array.packed) throw ArgumentError(array.name + ": is a packed operand, not an array");
    if (array.name.ends_with(".npy")) array.name.resize(array.name.size() - 4);
    arrays.push_back({array.name, array.type, array.shape, file.data()});
  }
  return arrays;
}

// With `takes_blocks`, the file may hold blocks already.
Blocks weight_blocks(const CommandOptions& options, const gen::WeightFormat& format,
                     bool takes_blocks, Progress& progress) {
  progress.show("reading " + options.in.front());
  if (!options.from.empty()) {
    const gen::WeightScheme& scheme = *gen::find_weight_scheme(options.from);
    const auto arrays = checkpoint_arrays(options.in, scheme, format);
    progress.show(fmt::format("packing {} as {}", options.in.front(), format.name));
    gen::BlocksOfArrays read = gen::blocks_of(scheme, format, arrays);
    progress.clear();
    Extents shape = read.shape;
    shape.back() = read.k;
    (options.out.front() == "-" ? std::cerr : std::cout) << fmt::format(
        "{}: {} {}, a scale for {} weights along k{}\n", options.in.front(), shape_text(shape),
        format.name, read.group,
        read.alpha == 1 ? "" : fmt::format("; multiply with --alpha {:.9g}", read.alpha));
    return {{options.in.front(), gen::type_of_blocks(format), read.shape}, std::move(read.blocks)};
  }
  ArrayFile file(options.in.front());
  file.put_into_c_order();
  if (takes_blocks && !is_floating(file.array().type)) return {file.array(), file.data()};
  Blocks out{file.array(), {}};
  const std::vector<std::int64_t> shape =
      gen::shape_of_blocks(out.array, format);  // throws before work
  progress.show(fmt::format("quantising {} as {}", options.in.front(), format.name));
  out.data = gen::quantised(out.array, file.data(), format);
  out.array.shape = shape;
  out.array.type = gen::type_of_blocks(format);
  return out;
}

// Blocks as they are stored, as an array of bytes. On the host.
int write_blocks(const CommandOptions& options, const gen::WeightFormat& format) {
  Progress progress;
  const Blocks blocks = weight_blocks(options, format, /*takes_blocks=*/false, progress);
  OutputFile out(options.out.front());
  progress.show("writing " + options.out.front());
  write_npy(out, blocks.array.type, blocks.array.shape, blocks.data);
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
  keep_checkpoints(options.in, options.out);
  for (const std::string& file : options.in) {
    std::error_code unknown;
    if (std::filesystem::equivalent(path_of(file), path_of(options.out.front()), unknown)) {
      throw ArgumentError(options.out.front() + ": is the file of --in; it would be overwritten");
    }
  }
  if (!options.from.empty() && (type.empty() || weights == nullptr || options.as == "a")) {
    throw ArgumentError(
        fmt::format("pack: --from {} reads weights: it needs a --type with a format, such as "
                    "f16*{},f32, and no --as a",
                    options.from, gen::find_weight_scheme(options.from)->formats.front()));
  }
  if (options.from.empty() && options.in.size() > 1) {
    throw ArgumentError(fmt::format("pack: --in: {} files are given, but only --from takes several",
                                    options.in.size()));
  }
  if (packs_weights && options.as == "a") {
    throw ArgumentError(
        fmt::format("pack: {} takes A as it is; only weights are packed", entry.name));
  }
  if (weights != nullptr && options.as != "a" && !packs_weights) {
    return write_blocks(options, *weights);
  }
  if (!entry.takes_packed) {
    throw ArgumentError(
        fmt::format("pack: {} has no packed operands; use gemm/packed", entry.name));
  }
  const std::string& name = options.in.front();
  if (options.from.empty() && !tensor_name(name) && is_packed_file(path_of(name))) {
    throw ArgumentError(name + ": is already packed");
  }
  Blocks in;
  Progress progress;
  gen::ProblemText spec = {&entry, type, options.config, options.values};
  if (packs_weights) {
    if (type.empty()) spec.type = fmt::format("f16*{},f32", weights->name);
    in = weight_blocks(options, *weights, /*takes_blocks=*/true, progress);
  } else {
    progress.show("reading " + name);
    std::vector<ArrayFile> files = read_array_files({name});
    in.array = given_arrays(entry, files, type, options.as == "a" ? 0 : 1).front();
    refuse_booleans("pack", files);
    in.data = files.front().data();
  }
  gen::OperandToPack operand = gen::operand_to_pack(spec, options.as == "a", in.array);
  if (packs_weights && options.from.empty()) {  // blocks_of has looked already
    const auto wrong = gen::reasons_against_blocks(*weights, in.data, in.array.shape.back());
    if (!wrong.empty()) throw ArgumentError(with_reasons("pack: " + name, wrong));
  }
  progress.clear();
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
  execution->write(0, in.data);
  if (!run_undamaged(*executor, *execution, "pack")) return kWrongResult;
  progress.show("writing " + options.out.front());
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
    "      --out w.packed\n"
    "  vkmoye-bench pack gemm/auto --type 'f16*i4z128,f32' --from gptq \\\n"
    "      --in model.safetensors:model.layers.0.mlp.up_proj --out up.npy",
    pack};

}  // namespace vkmoye::bench
