#include "workloads/fragments.hpp"

#include <algorithm>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

bool is_known(const DeviceCaps& caps, const gen::ProbedMatrix& probed) {
  const char use = probed.matrix.use == gen::ir::MatrixType::Use::a ? 'a' : 'b';
  return std::any_of(
      caps.fragment_orders.begin(), caps.fragment_orders.end(), [&](const FragmentOrder& order) {
        return order.use == use && order.lanes == probed.lanes &&
               order.type == gen::ir::component_name(probed.type) &&
               order.rows == probed.matrix.rows && order.columns == probed.matrix.columns;
      });
}

}  // namespace

FragmentOrder find_fragment_order(Executor& executor, const gen::ProbedMatrix& probed) {
  const std::vector<std::byte> input = gen::probe_input(probed);
  const std::size_t elements = std::size_t{probed.matrix.rows} * probed.matrix.columns;
  std::vector<std::int32_t> held(2 * elements);
  const std::span out = std::as_writable_bytes(std::span(held));
  Plan plan{{{"src", input.size(), {}, 0}, {"dst", out.size(), {}, 0}},
            {{gen::fragment_probe(probed), {}, {0, 1}}},
            0,
            1};
  const auto reasons = executor.reasons_against(plan);
  if (!reasons.empty()) throw Unavailable("fragment probe: " + join(reasons, "; "));
  const auto execution = executor.prepare(plan);
  execution->write(0, input);
  execution->run();
  execution->read(1, out);
  return gen::probed_order(probed, held);
}

Plan plan_on(Executor& executor, const Workload& workload) {
  for (const gen::ProbedMatrix& probed : workload.probes(executor.caps())) {
    if (is_known(executor.caps(), probed)) continue;
    try {
      executor.know(find_fragment_order(executor, probed));
    } catch (const Unavailable& why) {
      throw KernelError(workload.entry().name, {why.what()});
    }
  }
  return workload.plan(executor.caps());
}

}  // namespace vkmoye::bench
