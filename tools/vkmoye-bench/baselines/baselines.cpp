#include "baselines/baselines.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {

bool applies(const std::string& name, gen::Operation operation) {
  const bool product = operation == gen::Operation::gemm;
  if (name == "openblas") return product;
  if (name == "cublas") return product || operation == gen::Operation::transpose;
  return !product;
}

void refuse_useless_baselines(const std::vector<std::string>& names,
                              const std::vector<const gen::KernelEntry*>& entries) {
  for (const std::string& name : names) {
    const bool useful = std::any_of(entries.begin(), entries.end(), [&](const auto* entry) {
      return applies(name, entry->operation);
    });
    if (useful) continue;
    throw ArgumentError(
        fmt::format("--baseline {}: does not do what {} does", name, entries.front()->name));
  }
}

}  // namespace vkmoye::bench
