// SPDX-License-Identifier: MIT
#include "judge/barriers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <variant>

#include "golden/goldens.hpp"
#include "judge/changes.hpp"
#include "offline_gpus/cases.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/gen/glsl/print.hpp"

namespace vkmoye::judge {

using gen::ir::Kernel;

namespace {

// The numbers of the barriers among all statements of `kernel`.
std::vector<std::size_t> barriers_of(Kernel kernel) {
  std::vector<std::size_t> out;
  const std::vector<Place> places = places_of(kernel);
  for (std::size_t number = 0; number < places.size(); ++number) {
    if (std::holds_alternative<gen::ir::Barrier>(places[number].statement().value)) {
      out.push_back(number);
    }
  }
  return out;
}

}  // namespace

std::vector<Mutant> without_each_barrier(const Kernel& kernel) {
  std::vector<Mutant> out;
  const std::vector<std::size_t> numbers = barriers_of(kernel);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Kernel changed = kernel;
    const Place place = places_of(changed)[numbers[i]];
    place.body->erase(place.body->begin() + static_cast<std::ptrdiff_t>(place.at));
    out.push_back({"barrier removed", fmt::format("barrier {} of {}", i + 1, numbers.size()),
                   with_known_bounds(std::move(changed))});
  }
  return out;
}

DeviceCaps with_all_orders(DeviceCaps caps) {
  for (const gen::KernelEntry& entry : gen::registry()) {
    if (!entry.probes) continue;
    for (const ScalarType type : entry.types) {
      gen::KernelRequest request = gen::request_of(type);
      request.device = caps;
      for (const gen::ProbedMatrix& matrix : entry.probes(request)) {
        const FragmentOrder order = test::order_of_twin(matrix);
        const auto key = [](const FragmentOrder& o) {
          return std::tie(o.use, o.type, o.rows, o.columns, o.lanes);
        };
        const bool is_known =
            std::any_of(caps.fragment_orders.begin(), caps.fragment_orders.end(),
                        [&](const FragmentOrder& known) { return key(known) == key(order); });
        if (!is_known) caps.fragment_orders.push_back(order);
      }
    }
  }
  return caps;
}

namespace {

// The kernels with barriers, without duplicate texts.
class ShippedKernels {
 public:
  void add(std::string name, const Kernel& kernel) {
    if (barriers_of(kernel).empty()) return;
    const std::string text = gen::glsl::print(kernel);
    if (seen_.insert(text.substr(text.find("#version"))).second)
      list.push_back({std::move(name), kernel});
  }
  void add_goldens() {
    for (const test::Golden& golden : test::goldens()) {
      add(fmt::format("golden {}", golden.file), test::describe(golden));
    }
  }

  std::vector<ShippedKernel> list;

 private:
  std::set<std::string> seen_;
};

}  // namespace

std::vector<ShippedKernel> kernels_with_barriers(const DeviceCaps& caps) {
  ShippedKernels out;
  for (const test::Case& one : test::cases_for(caps)) {
    if (!one.refusal.empty()) continue;
    if (!reasons_against(gen::ir::interface_of(one.description), caps).empty()) continue;
    out.add(fmt::format("{} {} {}", one.kernel, one.types, one.variant), one.description);
  }
  out.add_goldens();
  return std::move(out.list);
}

std::vector<ShippedKernel> goldens_with_barriers() {
  ShippedKernels out;
  out.add_goldens();
  return std::move(out.list);
}

}  // namespace vkmoye::judge
