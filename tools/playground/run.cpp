// SPDX-License-Identifier: MIT
// run: the host twin runs a kernel on small arrays, with barriers and guards switched off on request.
//
//   {"ask":"run","kernel":"transpose/padded","size":"5x7","without":[2]}
//   {"switches":[{"kind":"guard","text":"src_col < cols","off":false}, ..],"glsl":"..",
//    "arrays":[{"name":"tile","space":"shared","elements":1055,"values":null}, ..],
//    "partitions":["parallelize(tile, (32,8):(1,32))", ..],
//    "touches":[[array, element, workgroup, thread, interval, writes, partition, value], ..],
//    "faults":[{"kind":"race","array":"tile","element":33,"touches":[12, 70]}],
//    "reasons":["race in shared tile: .."],"result":"right"}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "api.hpp"
#include "recorder.hpp"
#include "switches.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/grid_barrier.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::playground {
namespace {

using Bytes = std::vector<std::byte>;

// A page shows every element, and a run should end within a second.
constexpr std::uint64_t kMaxBytes = 1 << 18;
constexpr std::uint64_t kMaxSteps = 1 << 24;
constexpr std::uint64_t kSeed = 1;

class Memory final : public gen::ArrayMemory {
 public:
  explicit Memory(const Described& described) {
    const auto& plan = described.plan;
    for (const PlanArray& array : plan.arrays) arrays_.emplace_back(array.bytes, gen::kPoison);
    for (const PlanArray& array : plan.scratch) arrays_.emplace_back(array.bytes, gen::kPoison);
    for (std::size_t i = 0; i < described.problem->arrays.size(); ++i) {
      arrays_[i].resize(described.problem->arrays[i].bytes, gen::kPoison);
    }
  }

  void write(std::size_t array, std::span<const std::byte> from, std::uint64_t offset) override {
    std::copy(from.begin(), from.end(),
              arrays_[array].begin() + static_cast<std::ptrdiff_t>(offset));
  }
  void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const override {
    std::copy_n(arrays_[array].begin() + static_cast<std::ptrdiff_t>(offset), to.size(),
                to.begin());
  }
  Bytes& of(std::size_t array) { return arrays_[array]; }

 private:
  std::vector<Bytes> arrays_;
};

std::vector<double> numbers_in(ScalarType type, std::span<const std::byte> bytes) {
  std::vector<double> out;
  const std::size_t size = size_of(type);
  if (size > 4 && type != ScalarType::f64) return out;
  for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
    std::uint64_t bits = 0;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), size,
                std::as_writable_bytes(std::span(&bits, 1)).begin());
    out.push_back(number_of(type, bits));
  }
  return out;
}

// A run of the step, all workgroups one after the other.
class Run {
 public:
  Run(const gen::ir::Kernel& kernel, const Arguments& arguments,
      const std::vector<std::span<std::byte>>& buffers)
      : launch_(kernel, buffers, arguments, written_, reasons_),
        recorder_(launch_),
        groups_(group_count(interface_of(kernel), arguments)) {
    gen::machine::Budget budget(kMaxSteps);
    const std::size_t lanes = kernel.subgroup_size != 0 ? kernel.subgroup_size : 32;
    for (std::uint64_t i = 0; i < groups_[0] * groups_[1] * groups_[2]; ++i) {
      gen::machine::Workgroup group = {kernel.threads, lanes, {}, {}};
      group.group = {i % groups_[0], i / groups_[0] % groups_[1], i / groups_[0] / groups_[1]};
      gen::machine::Machine machine(kernel, group, recorder_, budget);
      gen::twin::define(kernel, arguments, machine.values());
      recorder_.start(static_cast<std::uint32_t>(i));
      try {
        machine.run();
      } catch (const gen::machine::Budget::Exceeded&) {
        throw ArgumentError(
            fmt::format("{}: a run of {} workgroups takes more than {} steps; take "
                        "a smaller size",
                        kernel.name, groups_[0] * groups_[1] * groups_[2], kMaxSteps));
      }
    }
    launch_.check_results();
  }

  const Recorder& recorder() const { return recorder_; }
  const std::vector<std::string>& reasons() const { return reasons_.list(); }
  const std::array<std::uint64_t, 3>& groups() const { return groups_; }

 private:
  std::set<std::string> written_;
  gen::machine::ReasonsByKind reasons_;
  gen::twin::Launch launch_;
  Recorder recorder_;
  std::array<std::uint64_t, 3> groups_;
};

Json fault(const char* kind, const Touch& touch, std::vector<std::size_t> touches) {
  return {{"kind", kind},
          {"array", touch.array->name},
          {"element", touch.element},
          {"coordinates", or_null(touch.coordinates)},
          {"touches", touches}};
}

bool may_race(const Touch& a, const Touch& b) {
  const bool same = a.thread == b.thread && a.workgroup == b.workgroup;
  return !same && (a.writes || b.writes) && !(a.atomic && b.atomic);
}

// The first access outside each array, and the first pair of accesses that race in it: between two barriers of a
// workgroup in shared memory, anywhere in a buffer.
Json faults_in(const std::vector<Touch>& touches) {
  Json out = Json::array();
  std::set<std::pair<std::string, const gen::ir::Array*>> said;
  using Place = std::tuple<const gen::ir::Array*, std::int64_t, std::uint32_t, std::uint32_t>;
  std::map<Place, std::vector<std::size_t>> earlier;
  for (std::size_t i = 0; i < touches.size(); ++i) {
    const Touch& touch = touches[i];
    if (touch.element < 0) {
      if (said.insert({"outside", touch.array}).second) out.push_back(fault("outside", touch, {i}));
      continue;
    }
    const bool is_shared = touch.array->is_shared();
    auto& before = earlier[{touch.array, touch.element, is_shared ? touch.workgroup : 0,
                            is_shared ? touch.interval : 0}];
    for (const std::size_t other : before) {
      if (!may_race(touches[other], touch)) continue;
      if (said.insert({"race", touch.array}).second) {
        out.push_back(fault("race", touch, {other, i}));
      }
      break;
    }
    // Of two threads, one read and one write are enough to find whether a later access races with one of them.
    const auto alike = [&](std::size_t other) {
      return touches[other].writes == touch.writes && touches[other].atomic == touch.atomic;
    };
    const auto same = [&](std::size_t other) {
      return alike(other) && touches[other].thread == touch.thread &&
             touches[other].workgroup == touch.workgroup;
    };
    if (std::count_if(before.begin(), before.end(), alike) < 2 &&
        std::none_of(before.begin(), before.end(), same)) {
      before.push_back(i);
    }
  }
  return out;
}

Json touches_json(const std::vector<Touch>& touches, const gen::ir::Kernel& kernel, Json& out) {
  std::map<const std::string*, std::size_t> places;
  Json partitions = Json::array(), list = Json::array();
  for (const Touch& touch : touches) {
    const auto [place, is_new] = places.emplace(touch.by, partitions.size());
    if (is_new) partitions.push_back(*touch.by);
    list.push_back({touch.array - kernel.arrays.data(), touch.element, touch.workgroup,
                    touch.thread, touch.interval, touch.writes ? 1 : 0, place->second,
                    or_null(touch.value)});
  }
  out["partitions"] = partitions;
  return list;
}

std::vector<std::size_t> numbers_at(const Json& request) {
  std::vector<std::size_t> out;
  for (const Json& number : member_or_null(request, "without")) {
    out.push_back(number.get<std::size_t>());
  }
  return out;
}

// Element i of an input becomes i, so that a reader sees where it went. Indices and lengths stay.
void count_up(Memory& memory, const gen::Problem& problem) {
  for (std::size_t i = 0; i < problem.arrays.size(); ++i) {
    const gen::ProblemArray& array = problem.arrays[i];
    const std::size_t size = size_of(array.type);
    if (!array.input || array.is_result || size > 8 || (size == 8 && array.type != ScalarType::f64))
      continue;
    const std::size_t largest = size == 1 ? 100 : 2000;
    for (std::size_t at = 0; at + size <= memory.of(i).size(); at += size) {
      const std::uint64_t bits = bits_of(array.type, static_cast<double>(at / size % largest));
      memory.write(i, std::as_bytes(std::span(&bits, 1)).first(size), at);
    }
  }
}

}  // namespace

Json run(const Json& request) {
  const Described described = describe(request);
  const gen::Problem& problem = *described.problem;
  const auto& steps = described.plan.steps;
  if (steps.size() != 1) {
    throw ArgumentError(
        fmt::format("this problem is solved by a plan of {} kernels; the page runs single kernels",
                    steps.size()));
  }
  if (!described.plan.left_out.empty()) {
    throw ArgumentError("steps are missing: " + join(described.plan.left_out, "; "));
  }
  const gen::KernelStep& step = steps.front();
  if (gen::ir::has_phases(step.kernel)) {
    throw ArgumentError("its workgroups wait for each other; the page runs kernels that do not");
  }
  const std::vector<std::size_t> off = numbers_at(request);
  const gen::ir::Kernel kernel = without(step.kernel, off);
  std::uint64_t bytes = 0;
  for (const PlanArray& array : described.plan.arrays) bytes += array.bytes;
  if (bytes > kMaxBytes) {
    throw ArgumentError(
        fmt::format("the arrays have {} bytes; the page runs at most {}", bytes, kMaxBytes));
  }
  Memory memory(described);
  problem.fill(memory, kSeed);
  const bool counts = member_or_null(request, "data") == "counting";
  if (counts) count_up(memory, problem);
  const KernelInterface interface = interface_of(kernel);
  std::vector<std::span<std::byte>> buffers;
  for (std::size_t i = 0; i < step.arrays.size(); ++i) {
    const std::size_t array = step.arrays[i];
    const std::uint64_t offset = array < problem.arrays.size() ? problem.arrays[array].offset : 0;
    const Binding& binding = interface.bindings[i];
    buffers.push_back(
        std::span(memory.of(array))
            .subspan(offset, element_count(binding, step.arguments) * size_of(binding.type)));
  }
  const Run done(kernel, step.arguments, buffers);

  Json out = {{"glsl", gen::glsl::print(kernel)},
              {"threads", kernel.threads},
              {"groups", done.groups()},
              {"reasons", done.reasons()},
              {"in_part", done.recorder().is_full()}};
  Json switches = Json::array();
  const std::vector<Switch> all = switches_of(step.kernel);
  for (std::size_t i = 0; i < all.size(); ++i) {
    switches.push_back({{"kind", all[i].kind == Switch::Kind::barrier ? "barrier" : "guard"},
                        {"text", all[i].text},
                        {"off", std::find(off.begin(), off.end(), i) != off.end()}});
  }
  out["switches"] = switches;
  Json arrays = Json::array();
  std::size_t binding = 0;
  for (const gen::ir::Array& array : kernel.arrays) {
    Json one = {{"name", array.name},
                {"type", to_string(array.type)},
                {"space", array.is_buffer()   ? "buffer"
                          : array.is_shared() ? "shared"
                                              : "registers"},
                {"layout", array.layout}};
    if (array.is_buffer()) {
      one["extents"] = extents_in(interface.bindings[binding], step.arguments);
      one["access"] = to_string(array.access);
      one["values"] = numbers_in(array.type, buffers[binding]);
      one["elements"] = buffers[binding].size() / size_of(array.type);
      ++binding;
    } else {
      one["elements"] = array.size();
    }
    arrays.push_back(one);
  }
  out["arrays"] = arrays;
  out["touches"] = touches_json(done.recorder().touches(), kernel, out);
  out["faults"] = faults_in(done.recorder().touches());
  if (!counts && problem.refusal.empty()) {
    const gen::CheckResult checked = problem.check(memory, gen::Verify::full, kSeed);
    out["result"] = checked.mismatches == 0 ? "right" : checked.first;
  }
  return out;
}

}  // namespace vkmoye::playground
