// SPDX-License-Identifier: MIT
// What `explain` says of every shipped kernel, against counts made here, byte by byte, without the functions that it
// uses: words in one bank, under two models of banks, and sectors.

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/analysis/sites.hpp"
#include "vkmoye/gen/ir/effects.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/machine/machine.hpp"

namespace vkmoye::gen {
namespace {

// The addresses of the lanes of a request; -1: the lane is not active.
using Addresses = std::vector<std::int64_t>;

// All requests of one site of a kernel.
struct Count {
  std::uint64_t requests = 0;
  double found = 0, ideal = 0;  // wavefronts, or sectors
  int worst_degree = 0;
  std::set<int> sectors;  // of a request
};

// Lanes that want different words of one bank wait for each other, lanes that want the same word do not. The banks
// serve as many lanes at once as have the bytes of a word of each bank.
void count_banks(const Addresses& lanes, std::int64_t bytes, const BankModel& model, Count& count) {
  const std::int64_t at_once = std::max<std::int64_t>(1, model.banks * model.bank_bytes / bytes);
  for (std::size_t first = 0; first < lanes.size(); first += static_cast<std::size_t>(at_once)) {
    std::map<std::int64_t, std::set<std::int64_t>> words;  // by bank
    for (std::size_t lane = first;
         lane < std::min(lanes.size(), first + static_cast<std::size_t>(at_once)); ++lane) {
      for (std::int64_t byte = 0; byte < bytes && lanes[lane] >= 0; ++byte) {
        const std::int64_t word = (lanes[lane] + byte) / model.bank_bytes;
        words[word % model.banks].insert(word);
      }
    }
    int degree = 0;
    for (const auto& [bank, of_bank] : words) {
      degree = std::max(degree, static_cast<int>(of_bank.size()));
    }
    count.found += degree;
    count.ideal += degree > 0;
    count.worst_degree = std::max(count.worst_degree, degree);
  }
}

void count_sectors(const Addresses& lanes, std::int64_t bytes, Count& count) {
  constexpr std::int64_t kSector = 32;
  std::set<std::int64_t> sectors, distinct;
  for (const std::int64_t lane : lanes) {
    for (std::int64_t byte = 0; byte < bytes && lane >= 0; ++byte) {
      distinct.insert(lane + byte);
      sectors.insert((lane + byte) / kSector);
    }
  }
  count.found += static_cast<double>(sectors.size());
  count.ideal += static_cast<double>(distinct.size()) / kSector;
  count.sectors.insert(static_cast<int>(sectors.size()));
}

// Follows workgroup (0,0,0) as far as `analyse` does.
class Counter final : public machine::Environment {
 public:
  Counter(const ir::Kernel& kernel, const AccessModel& model)
      : threads_(kernel.threads), model_(model), sites_(find_sites(kernel)) {
    counts.resize(sites_.list.size());
    machine::Budget budget{std::uint64_t{1} << 32};
    machine::Machine machine(
        kernel, {threads_, static_cast<std::size_t>(model.banks.lanes), {0, 0, 0}}, *this, budget);
    for (const PushConstant& argument : kernel.arguments) {
      if (argument.type != ScalarType::u32) continue;
      const bool is_first = is_first_group(argument.name);
      machine.values().define(argument.name,
                              machine::Values::same(is_first ? 0 : model.other_sizes));
    }
    machine.run();
  }

  bool follows(const ir::Array& array) const override { return !array.is_registers(); }
  bool forks() const override { return false; }
  machine::Rounds enter(machine::Machine&, const ir::For& loop,
                        std::optional<std::uint32_t> known) override {
    const std::uint32_t max_rounds =
        ir::is_constant(loop.end) ? kMaxFollowedRounds : kMaxFollowedRunTimeRounds;
    return {std::min(known.value_or(max_rounds), max_rounds), false};
  }
  void accessed(machine::Machine& m, const machine::MemoryAccess& access) override {
    const auto site = sites_.index.find(&access.element);
    if (site == sites_.index.end()) return;
    const auto axes = ir::axes_of(access.element, access.array);
    const auto element = static_cast<std::int64_t>(size_of(access.array.type));
    const std::int64_t bytes = element * sites_.list[site->second].width;
    const auto lanes = static_cast<std::size_t>(model_.banks.lanes);
    for (std::size_t first = 0; first < threads_; first += lanes) {
      Addresses request;
      for (std::size_t t = first; t < std::min(threads_, first + lanes); ++t) {
        std::int64_t at = access.active.has(t) ? 0 : -1;
        for (std::size_t i = 0; i < axes.size() && at >= 0; ++i) {
          const auto coordinate = m(access.element.coordinates[i]).in(t);
          const auto step = m(axes[i].stride).in(t);
          at = coordinate && step ? at + static_cast<std::int64_t>(
                                             static_cast<std::uint32_t>(*coordinate) * *step) *
                                             element
                                  : -1;
        }
        request.push_back(at);
      }
      if (std::all_of(request.begin(), request.end(), [](std::int64_t at) { return at < 0; }))
        continue;
      Count& count = counts[site->second];
      ++count.requests;
      if (access.array.is_shared()) {
        count_banks(request, bytes, model_.banks, count);
      } else {
        count_sectors(request, bytes, count);
      }
    }
  }

  std::vector<Count> counts;

 private:
  std::size_t threads_;
  const AccessModel& model_;
  Sites sites_;
};

TEST(BruteForce, CountsTheBanksAndSectorsOfEveryShippedAccess) {
  std::size_t shared = 0, buffers = 0, with_conflicts = 0;
  for (const BankModel& banks : {BankModel{32, 32, 4}, BankModel{64, 64, 4}}) {
    AccessModel model;
    model.banks = banks;
    model.other_sizes = 192;
    for (const KernelEntry& entry : registry()) {
      for (const ScalarType type : {entry.types.front(), entry.types.back()}) {
        KernelRequest request = request_of(type);
        const ir::Kernel kernel = test::described(entry, request);
        const KernelReport report = analyse(kernel, model);
        EXPECT_THAT(report.reasons, IsEmpty()) << entry.name;
        const Counter counter(kernel, model);
        ASSERT_EQ(report.accesses.size(), counter.counts.size()) << entry.name;
        for (std::size_t i = 0; i < counter.counts.size(); ++i) {
          const AccessReport& said = report.accesses[i];
          const Count& count = counter.counts[i];
          SCOPED_TRACE(entry.name + " " + std::string(to_string(type)) + " " + said.array + " " +
                       said.source_text + " " + said.path + ", " + std::to_string(banks.banks) +
                       " banks");
          EXPECT_EQ(said.requests, count.requests);
          if (count.requests == 0) continue;
          EXPECT_NEAR(said.efficiency, count.ideal / count.found, 1e-9);
          if (said.banks) {
            EXPECT_EQ(said.banks->degree, count.worst_degree);
            with_conflicts += count.worst_degree > 1;
            ++shared;
          } else {
            EXPECT_TRUE(count.sectors.contains(said.sectors->found)) << said.sectors->found;
            ++buffers;
          }
        }
      }
    }
  }
  std::printf("%zu shared accesses, %zu of them with conflicts; %zu accesses of buffers\n", shared,
              with_conflicts, buffers);
  EXPECT_GE(shared, 100u);
  EXPECT_GE(with_conflicts, 5u);
  EXPECT_GE(buffers, 200u);
}

}  // namespace
}  // namespace vkmoye::gen
