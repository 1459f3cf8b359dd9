#include "workloads/workload.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "workloads/gemm_workload.hpp"
#include "workloads/move_workload.hpp"

namespace vkmoye::bench {

std::unique_ptr<Workload> make_workload(const Problem& problem) {
  if (problem.entry->operation == gen::Operation::gemm) return make_gemm(problem);
  return make_move(problem);
}

Buffers make_buffers(Device& device, const std::vector<Array>& arrays) {
  Buffers buffers;
  for (const Array& array : arrays) buffers.emplace_back(device, array.bytes);
  return buffers;
}

std::vector<BufferView> views_of(const Buffers& buffers, const std::vector<Array>& arrays) {
  std::vector<BufferView> views;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    views.push_back(buffers[i].view(arrays[i].offset));
  }
  return views;
}

Problem problem_of(const gen::KernelEntry& entry, const gen::Options& config,
                   const GemmOptions& gemm, const std::string& type,
                   const std::vector<GivenArray>& given) {
  for (const GivenArray& array : given) {
    for (const std::int64_t extent : array.shape) {
      if (extent > 0) continue;
      throw ArgumentError(
          fmt::format("{}: has no elements, its shape is {}", array.name, shape_text(array.shape)));
    }
  }
  if (entry.operation == gen::Operation::gemm) return gemm_of(entry, config, gemm, type, given);
  gemm.refuse_without_product({&entry});
  return move_of(entry, config, type, given);
}

}  // namespace vkmoye::bench
