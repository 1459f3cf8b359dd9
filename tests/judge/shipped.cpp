// SPDX-License-Identifier: MIT
#include "judge/shipped.hpp"

#include <fmt/format.h>

#include "support/fragment_orders.hpp"

namespace vkmoye::judge {

using namespace gen;

std::vector<Shipped> shipped_kernels() {
  std::vector<Shipped> out;
  const auto add = [&](const KernelEntry& entry, const KernelRequest& request,
                       const std::string& how, std::size_t mutants, std::size_t launches) {
    Subject subject{fmt::format("{} {}{}", entry.name, to_string(type_of(request.form)), how),
                    test::described(entry, request),
                    entry.operation == "gemm",
                    {}};
    out.push_back({std::move(subject), mutants, launches});
  };
  for (const KernelEntry& entry : registry()) {
    if (entry.operation == "gemm") {
      for (const ScalarType type : {ScalarType::f32, ScalarType::f64, ScalarType::f16}) {
        // Half precision only for kernels that have no other type.
        const auto has = [&](ScalarType wanted) {
          return std::find(entry.types.begin(), entry.types.end(), wanted) != entry.types.end();
        };
        if (!has(type) || (type == ScalarType::f16 && has(ScalarType::f32))) continue;
        KernelRequest request = request_of(type);
        request.product().beta = type == ScalarType::f64;
        add(entry, request, "", 8, 3);
      }
      continue;
    }
    for (const ScalarType type : {ScalarType::f32, ScalarType::u8}) {
      if (std::find(entry.types.begin(), entry.types.end(), type) == entry.types.end()) continue;
      KernelRequest request = request_of(type);
      if (entry.operation != "relayout") {
        add(entry, request, "", 8, 5);
        continue;
      }
      for (const char* axes : {"2,1,0", "0,2,1", "1,0,2"}) {
        request.elements().shape = {5, 18, 34};
        request.options = {{"permute", axes}};
        add(entry, request, fmt::format(" {}", axes), 8, 1);
      }
    }
  }
  return out;
}

}  // namespace vkmoye::judge
