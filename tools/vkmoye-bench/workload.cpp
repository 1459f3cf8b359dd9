#include "workload.hpp"

#include <fmt/format.h>

#include "move_workload.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {

std::unique_ptr<Workload> make_workload(const Problem& problem) { return make_move(problem); }

Problem problem_of(const gen::KernelEntry& entry, const gen::Options& config,
                   const std::vector<GivenArray>& given) {
  for (const GivenArray& array : given) {
    for (const std::int64_t extent : array.shape) {
      if (extent > 0) continue;
      throw ArgumentError(
          fmt::format("{}: has no elements, its shape is {}", array.name, shape_text(array.shape)));
    }
  }
  return move_of(entry, config, given);
}

}  // namespace vkmoye::bench
