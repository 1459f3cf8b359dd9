// SPDX-License-Identifier: MIT
// matmul A.npy B.npy --out C.npy: A @ B as NumPy means it.

#include "workloads/products/matmul.hpp"

#include <fmt/format.h>

#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "commands/array_files.hpp"
#include "commands/command.hpp"
#include "commands/kernel_names.hpp"
#include "commands/open_device.hpp"
#include "vkmoye/base/error.hpp"
#include "workloads/products/epilogue.hpp"
#include "workloads/products/fragments.hpp"

namespace vkmoye::bench {
namespace {

// A, B and, in the order of the epilogue, the files of what it reads. Throws ArgumentError with every
// file that is missing or not read.
std::vector<std::string> files_of(const Given& given, const std::string& epilogue) {
  std::vector<std::string> files = given.in, reasons;
  auto unread = given.epilogue_files;
  for (const gen::AppliedStep& named :
       epilogue.empty() ? std::vector<gen::AppliedStep>() : parse_epilogue(epilogue)) {
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

// Bytes of one matrix of each array, and of what a launch reads of it.
struct Part {
  std::size_t matrix = 0, launch = 0;
};

Part part_of(const GivenArray& array) {
  const auto elements = [&](auto from) {
    return static_cast<std::size_t>(
        std::accumulate(from, array.shape.end(), std::int64_t{1}, std::multiplies<>()));
  };
  const bool batched = array.shape.size() == 3;
  const std::size_t width = size_of(array.type);
  if (array.packed) return {array.packed->bytes(), array.packed->bytes()};  // never cut
  return {elements(array.shape.begin() + (batched ? 1 : 0)) * width,
          elements(array.shape.begin()) * width};
}

int matmul(const Given& given) {
  if (given.in.size() != 2) {
    throw ArgumentError(fmt::format("matmul takes two arrays, A and B, got {}", given.in.size()));
  }
  const auto named = given.values.find("epilogue");
  const std::string epilogue = named == given.values.end() ? "" : named->second;
  std::vector<ArrayFile> files = read_array_files(files_of(given, epilogue));
  const bool packed = files[0].is_packed() || files[1].is_packed();
  const gen::KernelEntry& entry = find_one_kernel(packed ? "gemm/packed" : "gemm/auto");
  const std::vector<GivenArray> inputs = given_arrays(entry, files);
  const Matmul product = plan_matmul({inputs, epilogue});
  const auto workload = operation_of(entry).of_arrays(
      {&entry, one_type(given, ""), {}, product.values}, product.arrays);
  OutputFile out(given.out);  // refused before the work, if it has to be

  const auto executor = open_executor(given.device);
  // Of a result without elements nothing runs, however many matrices it has none of.
  Plan plan;
  std::string by = "no kernel";
  if (!product.launches.empty()) {
    plan = plan_on(*executor, *workload);
    const auto reasons = executor->reasons_against(plan);
    if (!reasons.empty()) throw_cannot_run("matmul", reasons);
    by = kernel_text(entry, plan);
  }
  double microseconds = 0;
  std::vector<std::byte> result;
  if (!product.launches.empty()) {
    const auto execution = executor->prepare(plan);
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
  write_npy(out, workload->result_type(), product.shape, result);
  out.commit();
  say_what_was_done("matmul by " + by, inputs,
                    described(given.out, product.shape, workload->result_type()), out,
                    executor->caps(), microseconds);
  return kOk;
}

}  // namespace

const Command kMatmul = {
    CommandName::matmul, "A @ B of NumPy arrays, batches broadcast",
    "As NumPy's matmul: arrays of one dimension are a row and a column, batches\n"
    "broadcast. Both arrays have one type, and so has the result, but that i8 and u8\n"
    "are summed up, and come out, as i32 and u32.\n\n"
    "Examples:\n"
    "  vkmoye-bench matmul a.npy b.npy --out c.npy\n"
    "  vkmoye-bench matmul x.npy w.npy --epilogue bias,relu --bias b.npy --out y.npy",
    matmul};

}  // namespace vkmoye::bench
