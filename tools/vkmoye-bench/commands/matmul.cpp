// SPDX-License-Identifier: MIT
// matmul A.npy B.npy --out C.npy: A @ B as NumPy means it.

#include "workloads/matmul.hpp"

#include <fmt/format.h>

#include <iostream>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "commands/array_files.hpp"
#include "commands/command.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/problems/products/epilogue.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::bench {
namespace {

// The files of A, B and the arrays that the epilogue reads, in its order. Throws ArgumentError with every file
// that is missing or that no step reads.
std::vector<std::string> files_of(const CommandOptions& options, const std::string& epilogue) {
  std::vector<std::string> files = options.in, reasons;
  auto unread = options.epilogue_files;
  for (const gen::AppliedEpilogueOp& named :
       epilogue.empty() ? std::vector<gen::AppliedEpilogueOp>() : gen::parse_epilogue(epilogue)) {
    for (const gen::GemmInput& input : named.step->inputs) {
      auto file = unread.extract(input.name);
      if (file.empty()) {
        reasons.push_back(fmt::format("--epilogue {}: reads --{} FILE.npy, which is not given",
                                      epilogue, input.name));
      } else {
        files.push_back(std::move(file.mapped()));
      }
    }
  }
  for (const auto& [name, file] : unread) {
    reasons.push_back(fmt::format("--{} {}: no step of the epilogue reads it; add --epilogue {}",
                                  name, file, name));
  }
  if (!reasons.empty()) throw ArgumentError(fmt::format("{}", fmt::join(reasons, "; ")));
  return files;
}

// The bytes of one matrix of an array, and those that one launch reads.
struct Part {
  std::size_t matrix = 0, launch = 0;
};

Part part_of(const gen::GivenArray& array) {
  const auto elements = [&](auto from) {
    return static_cast<std::size_t>(
        std::accumulate(from, array.shape.end(), std::int64_t{1}, std::multiplies<>()));
  };
  const bool batched = array.shape.size() == 3;
  const std::size_t width = size_of(array.type);
  if (array.packed)
    return {array.packed->bytes(), array.packed->bytes()};  // one launch reads all of it
  return {elements(array.shape.begin() + (batched ? 1 : 0)) * width,
          elements(array.shape.begin()) * width};
}

int matmul(const CommandOptions& options) {
  if (options.in.size() != 2) {
    throw ArgumentError(fmt::format("matmul takes two arrays, A and B, got {}", options.in.size()));
  }
  const auto named = options.values.find("epilogue");
  const std::string epilogue = named == options.values.end() ? "" : named->second;
  std::vector<ArrayFile> files = read_array_files(files_of(options, epilogue));
  const bool packed = files[0].is_packed() || files[1].is_packed();
  const gen::KernelEntry& entry = find_one_kernel(packed ? "gemm/packed" : "gemm/auto");
  const std::vector<gen::GivenArray> inputs = given_arrays(entry, files, one_type(options, ""));
  refuse_booleans("matmul", files);
  const Matmul product = plan_matmul({inputs, epilogue});
  const Workload workload =
      workload_of({&entry, one_type(options, ""), {}, product.values}, product.arrays);
  const ScalarType type = workload.problem->arrays[workload.problem->result].type;
  OutputFile out(options.out.front());  // throws before any work is done

  const auto executor = open_executor(options.device);
  double microseconds = 0;
  std::string by = "no kernel";
  std::vector<std::byte> result;
  if (!product.launches
           .empty()) {  // a result without elements launches nothing, whatever its batch
    const RunPlan plan = plan_on(*executor, workload);
    by = kernel_text(entry, plan);
    const auto execution = prepared(*executor, plan, "matmul", by);
    std::vector<std::vector<std::byte>> data;
    for (const ArrayFile& file : files) data.push_back(file.data());
    std::vector<std::int64_t> written(files.size(), -1);
    for (const std::vector<std::int64_t>& from : product.launches) {
      for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
        const auto& input = plan.arrays[i].input;
        if (!input || written[*input] == from[*input]) continue;
        written[*input] = from[*input];
        const Part part = part_of(product.arrays[*input]);
        execution->write(
            i, std::span(data[*input])
                   .subspan(static_cast<std::size_t>(from[*input]) * part.matrix, part.launch));
      }
      const auto taken = run_undamaged(*executor, *execution, "matmul");
      if (!taken) return kWrongResult;
      microseconds += *taken;
      const auto part = read_all(*execution, plan.result, plan.arrays[plan.result].bytes);
      result.insert(result.end(), part.begin(), part.end());
    }
  }
  write_npy(out, type, product.shape, result);
  out.commit();
  print_call(out.goes_to_stdout() ? std::cerr : std::cout, "matmul by " + by, inputs,
             described(options.out.front(), product.shape, type), executor->caps(), microseconds);
  return kOk;
}

}  // namespace

const Command kMatmul = {
    CommandName::matmul, "compute A @ B of NumPy arrays, with broadcasting",
    "Like numpy.matmul: a 1-D A is a row, a 1-D B is a column, and batches are\n"
    "broadcast. The result has the type of the arrays; i8, u8, and bf16 or two\n"
    "different types of f16, bf16 and f32, give i32, u32 and f32.\n\n"
    "Examples:\n"
    "  vkmoye-bench matmul a.npy b.npy --out c.npy\n"
    "  vkmoye-bench matmul x.npy w.npy --epilogue bias,relu --bias b.npy --out y.npy",
    matmul};

}  // namespace vkmoye::bench
