// SPDX-License-Identifier: MIT
#include "vkmoye/gen/analysis/request_cost.hpp"

#include <algorithm>
#include <tuple>

#include "vkmoye/layout/checked.hpp"

namespace vkmoye::gen {

SectorCost sector_cost(const LaneAddresses& lanes, std::int64_t access_bytes,
                       std::int64_t sector_bytes) {
  std::vector<std::int64_t> distinct;
  for (const auto& lane : lanes) {
    if (lane) distinct.push_back(*lane);
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  SectorCost cost;
  cost.bytes = static_cast<std::int64_t>(distinct.size()) * access_bytes;
  cost.found = sectors_per_request(distinct, access_bytes, sector_bytes);
  cost.ideal = static_cast<int>((cost.bytes + sector_bytes - 1) / sector_bytes);
  cost.one_run = distinct.back() + access_bytes - distinct.front() == cost.bytes;
  return cost;
}

BankCost bank_cost(const LaneAddresses& lanes, std::int64_t access_bytes, const BankModel& model) {
  // Phases are formed first, so that inactive lanes keep their places.
  const int phases = bank_conflicts({}, access_bytes, model).phases;
  const auto lanes_of_phase = static_cast<std::size_t>((model.lanes + phases - 1) / phases);
  BankCost cost;
  for (std::size_t first = 0; first < lanes.size(); first += lanes_of_phase) {
    std::vector<std::int64_t> addresses;
    for (std::size_t lane = first; lane < std::min(lanes.size(), first + lanes_of_phase); ++lane) {
      if (lanes[lane]) addresses.push_back(*lanes[lane]);
    }
    if (addresses.empty()) continue;
    const int degree = bank_conflicts(addresses, access_bytes, model).degree;
    cost.degree = std::max(cost.degree, degree);
    cost.wavefronts += degree;
    cost.best += 1;
  }
  return cost;
}

Grade grade(const SectorCost& cost) {
  if (cost.found <= cost.ideal) return Grade::good;
  return cost.one_run || cost.found < 2 * cost.ideal ? Grade::fair : Grade::bad;
}

Grade grade(const BankCost& cost) { return cost.degree == 1 ? Grade::good : Grade::bad; }

bool is_worse(const SectorCost& a, const SectorCost& b) {
  const auto rank = [](const SectorCost& x, const SectorCost& other) {
    return std::tuple(grade(x), std::int64_t{x.found} * other.ideal, x.found);
  };
  return rank(a, b) > rank(b, a);
}

bool is_worse(const BankCost& a, const BankCost& b) {
  return std::tuple(a.degree, a.wavefronts) > std::tuple(b.degree, b.wavefronts);
}

}  // namespace vkmoye::gen
