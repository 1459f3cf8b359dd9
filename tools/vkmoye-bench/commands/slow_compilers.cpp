// SPDX-License-Identifier: MIT
#include "commands/slow_compilers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/program.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

// Decoding weights for matrix units is more code than LLVM compiles in ten minutes, or in one.
const std::vector<std::string> kSlowOnCpus = {"gemm/quantised_coopmat", "gemm/packed_weights"};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void leave_out_slow_compiles(const std::string& command, const DeviceCaps& device,
                             const std::vector<std::string>& named, Workloads& workloads) {
  if (device.kind != DeviceKind::cpu) return;
  std::vector<std::string> left_out;
  std::erase_if(workloads, [&](const auto& workload) {
    const std::string& name = workload.entry->name;
    const bool is_slow = contains(kSlowOnCpus, name) && !contains(named, name);
    if (is_slow && !contains(left_out, name)) left_out.push_back(name);
    return is_slow;
  });
  if (left_out.empty()) return;
  print_error(
      fmt::format("{}: leaves out {}, which compilers for CPUs take minutes to compile; "
                  "'run' with its full name compiles it",
                  command, join(left_out, " and ")));
}

}  // namespace vkmoye::bench
