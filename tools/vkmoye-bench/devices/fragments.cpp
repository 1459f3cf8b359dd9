// SPDX-License-Identifier: MIT
#include "devices/fragments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

std::string fact_name(const gen::ProbedMatrix& probed) {
  return "order of " + gen::to_string(probed);
}

constexpr std::string_view kNone = "none: ";

bool has_matrix(const DeviceCaps& caps, const gen::ProbedMatrix& wanted) {
  const auto operands = gen::matrix_operands(caps);
  return std::any_of(operands.begin(), operands.end(), [&](const gen::MatrixOperand& operand) {
    return operand.probed && operand.probed->type == wanted.type &&
           operand.probed->matrix == wanted.matrix;
  });
}

// Runs the probe.
FragmentOrder probe(Executor& executor, const gen::ProbedMatrix& probed) {
  const std::vector<std::byte> input = gen::probe_input(probed);
  std::vector<std::byte> held(input.size());
  const RunPlan plan = {.arrays = {{"src", input.size()}, {"dst", held.size()}},
                        .steps = {{{gen::fragment_probe(probed), {}, {0, 1}}}},
                        .given = 2,
                        .result = 1};
  const auto reasons = executor.reasons_against(plan);
  if (!reasons.empty()) throw Unavailable("fragment probe: " + join(reasons, "; "));
  if (!has_matrix(executor.caps(), probed)) {
    throw Unavailable(fmt::format("the device has no matrices {}", gen::to_string(probed)));
  }
  const auto execution = executor.prepare(plan);
  execution->write(0, input);
  execution->run();
  execution->read(1, held);
  return gen::probed_order(probed, held);
}

}  // namespace

std::string order_text(const FragmentOrder& order) {
  if (order.places.empty()) return std::string(kNone) + order.why_none;
  return fmt::format("{}", fmt::join(order.places, " "));
}

bool read_order(const std::string& text, FragmentOrder& order) {
  order.places.clear();
  order.why_none.clear();
  if (text.starts_with(kNone)) {
    order.why_none = text.substr(kNone.size());
    return !order.why_none.empty();
  }
  std::istringstream numbers(text);
  for (std::uint32_t place = 0; numbers >> place;) order.places.push_back(place);
  return numbers.eof() && gen::is_order(order);
}

std::optional<FragmentOrder> stored_order(const DeviceFacts& facts, const DeviceCaps& caps,
                                          const gen::ProbedMatrix& probed) {
  const auto fact = facts.find(caps, fact_name(probed));
  FragmentOrder order = gen::order_without_places(probed);
  if (!fact || !read_order(*fact, order)) return std::nullopt;
  return order;
}

FragmentOrder find_fragment_order(Executor& executor, const gen::ProbedMatrix& probed) {
  if (const auto* known = gen::find_order(executor.caps(), probed)) return *known;
  const DeviceFacts* facts = executor.facts();
  std::optional<FragmentOrder> order;
  if (facts != nullptr) order = stored_order(*facts, executor.caps(), probed);
  if (!order) {
    order = probe(executor, probed);
    if (facts != nullptr) facts->store(executor.caps(), fact_name(probed), order_text(*order));
  }
  executor.add_fragment_order(*order);
  return *order;
}

void find_fragment_orders(Executor& executor, const std::vector<gen::ProbedMatrix>& probes,
                          const std::string& subject) {
  for (const gen::ProbedMatrix& probed : probes) {
    try {
      find_fragment_order(executor, probed);
    } catch (const Unavailable& why) {
      throw DeviceLacks(subject, {why.what()});
    }
  }
}

}  // namespace vkmoye::bench
