// SPDX-License-Identifier: MIT
// Random problems of attention on every device, and a few on the twin: all kernels, types, options and orders of axes,
// sizes around those of tiles. Each is computed twice, and must give the same bits.
//
//   VKMOYE_SEED=7           seed (1)
//   VKMOYE_PROBLEM=417      runs only this problem

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "devices/device_executor.hpp"
#include "devices/host_executor.hpp"
#include "numbers/random.hpp"
#include "registry/operations.hpp"
#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/ir/identical.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

constexpr std::int64_t kOfAForm = 110;  // problems that differ only in sizes
constexpr std::int64_t kLarge = 10;     // of them, the first ones

std::uint64_t number_in(const char* variable, std::uint64_t usual) {
  const char* text = std::getenv(variable);
  return text == nullptr ? usual : std::strtoull(text, nullptr, 10);
}

class Drawn {
 public:
  Drawn(std::uint64_t seed, std::int64_t number) : stream_(random_bits(seed, ~0ull)) {
    stream_ = random_bits(stream_, static_cast<std::uint64_t>(number));
  }
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_bits(stream_, count_++) %
                                     static_cast<std::uint64_t>(end));
  }
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<std::int64_t>(values.size())))];
  }

 private:
  std::uint64_t stream_, count_ = 0;
};

struct AttentionProblem {
  std::string kernel, type;
  gen::Options config, values;
  Extents size;

  std::string command() const {
    std::string text = "run " + kernel + " --type '" + type + "' --size " + bench::to_string(size);
    for (const gen::Options* options : {&values, &config}) {
      for (const auto& [name, value] : *options) {
        text += " --" + name + (value == "yes" ? "" : " " + value);
      }
    }
    return text;
  }
  std::unique_ptr<Workload> workload() const {
    const gen::KernelEntry& entry = *gen::find_kernel(kernel);
    return operation_of(entry).of_size({&entry, type, config, values}, size);
  }
};

// Keys and values in blocks, whose rows are whole blocks, or of another type.
void draw_formats(Drawn& draw, AttentionProblem& problem) {
  const auto format = [&] {
    return draw.one_of<std::string>({"q8_0", "q4_0", "q4_1", "f16", "bf16", "f32"});
  };
  const std::string type = problem.type;
  switch (draw.below(4)) {
    case 0: problem.type += '*' + type + '*' + format(); break;
    case 1: problem.type += '*' + format() + '*' + type; break;
    case 2: problem.type += '*' + format() + '*' + format(); break;
    default: problem.type += '*' + format(); break;
  }
  problem.size[2] = (problem.size[2] + 31) / 32 * 32;
  if (problem.values.contains("value-width")) problem.values["value-width"] = "64";
}

AttentionProblem drawn_form(std::uint64_t seed, std::int64_t form) {
  Drawn draw(seed, form);
  AttentionProblem out;
  out.kernel = std::vector<std::string>{"attention/simt", "attention/coopmat", "attention/decode",
                                        "attention/auto"}[static_cast<std::size_t>(form % 4)];
  const char* const types[] = {"f32", "f16", "bf16"};
  out.type = out.kernel == "attention/coopmat" ? "f16" : types[form / 4 % 3];
  const bool is_coopmat = out.kernel == "attention/coopmat";
  const auto width = [&]() -> std::int64_t {
    // lavapipe's compiler takes seconds for wider matrices.
    if (is_coopmat) return draw.one_of<std::int64_t>({32, 32, 48, 64});
    return draw.below(2) == 0 ? draw.one_of<std::int64_t>({32, 64, 128}) : 32 + 8 * draw.below(17);
  };
  out.size = {0, 0, width()};
  if (draw.below(3) == 0) out.values["value-width"] = std::to_string(width());
  if (draw.below(2) == 0) out.values["causal"] = "yes";
  if (draw.below(3) == 0) out.values["window"] = std::to_string(1 + draw.below(80));
  if (draw.below(4) == 0) out.values["soft-cap"] = std::to_string(1 + draw.below(30));
  if (draw.below(4) == 0) out.values["scale"] = "0." + std::to_string(1 + draw.below(9));
  if (out.kernel == "attention/decode") {
    // Sums of 4 wide rows in each subgroup of 8 lanes do not fit lavapipe's 32 KiB.
    const bool is_wide = out.size[2] > 120 || out.values.contains("value-width");
    if (draw.below(2) == 0) out.config["rows"] = std::to_string(1 << draw.below(is_wide ? 2 : 3));
    if (draw.below(3) == 0) out.config["slices"] = std::to_string(1 + draw.below(9));
    if (draw.below(3) == 0) out.config["key-threads"] = std::to_string(1 << draw.below(4));
  }
  if (is_coopmat && draw.below(3) == 0) {
    out.config[draw.one_of<std::string>({"prefetch", "unroll"})] =
        draw.one_of<std::string>({"no", "yes"});
  }
  if (is_coopmat && out.size[2] == 32 && draw.below(2) == 0) {
    out.config["rows"] = "16";
    out.config["keys"] = "16";
  }
  // Another order of weights sends them through shared memory.
  if (is_coopmat && draw.below(4) == 0) {
    out.config["order-a"] = "(8,8):(1,8)";
    out.config["rows"] = out.config["keys"] = "16";  // more do not fit 48 KiB beside them
  }
  if (draw.below(3) == 0) out.values["lengths"] = "yes";
  if (draw.below(4) == 0) out.values["mask"] = draw.one_of<std::string>({"f32", "f16", "bf16"});
  for (const char* flag : {"slopes", "sinks", "log-sums"}) {
    if (draw.below(4) == 0) out.values[flag] = "yes";
  }
  if (draw.below(3) == 0) draw_formats(draw, out);
  // Else there are more threads than words of a tile.
  if (is_coopmat && out.config.contains("keys") && out.type.find('*') != std::string::npos) {
    out.config["subgroups"] = "2";
  }
  if (draw.below(3) == 0) {
    out.values["page"] = draw.one_of<std::string>({"16", "32", "64"});
    // A tile of keys in several pages.
    const bool is_small = is_coopmat && out.size[2] == 32 && !out.config.contains("order-a");
    if (is_small && draw.below(2) == 0) {
      out.values["page"] = out.config["rows"] = "16";
      out.config["keys"] = "32";
    }
  }
  if (draw.below(3) == 0) {
    const auto order = [&] { return draw.one_of<std::string>({"bhsd", "bshd"}); };
    out.values["axes"] = order() + ',' + order() + ',' + order() + ',' + order();
  }
  return out;
}

AttentionProblem drawn_problem(std::uint64_t seed, std::int64_t number) {
  AttentionProblem out = drawn_form(seed, number / kOfAForm);
  Drawn draw(seed ^ 0x5eed, number);
  const bool is_large = number % kOfAForm < kLarge;
  const auto extent = [&] {
    switch (draw.below(4)) {
      case 0: return draw.below(4);
      case 1: return 16 * (1 + draw.below(is_large ? 5 : 2)) + draw.below(3) - 1;
      default: return 1 + draw.below(is_large ? 150 : 40);
    }
  };
  out.size[0] = out.kernel == "attention/decode" ? draw.below(6) : extent();
  out.size[1] = is_large && draw.below(6) == 0 ? 200 + draw.below(400) : extent();
  const std::int64_t kv_heads = 1 + draw.below(2), group = 1 + draw.below(3);
  out.values["heads"] = std::to_string(kv_heads * group);
  out.values["kv-heads"] = std::to_string(kv_heads);
  const std::int64_t usual = out.values.contains("lengths") ? 1 + draw.below(3) : 1;
  const std::int64_t batch = draw.below(4) == 0 ? draw.below(3) : usual;
  out.values["batch"] = std::to_string(batch);
  // Fewer pages than the batch has are shared.
  if (out.values.contains("page") && draw.below(2) == 0) {
    out.values["stored-pages"] = std::to_string(1 + draw.below(9));
  }
  if (out.values.contains("mask")) {
    if (draw.below(2) == 0) out.values["mask-heads"] = out.values["heads"];
    if (draw.below(2) == 0) out.values["mask-batch"] = std::to_string(batch);
  }
  return out;
}

// A device that keeps the pipelines of the last kernels, so that problems of one form share them.
class KeptPipelines : public Executor {
 public:
  explicit KeptPipelines(Device& device) : device_(device), caps_(device.caps()) {}

  const DeviceCaps& caps() const override { return caps_; }
  void add_fragment_order(const FragmentOrder& order) override {
    caps_.fragment_orders.push_back(order);
  }
  std::vector<std::string> reasons_against(const RunPlan& plan) const override {
    return bench::reasons_against(caps_, plan);
  }
  std::unique_ptr<Execution> prepare(const RunPlan& plan) override {
    std::vector<LoadedStep> steps;
    for (const Step& step : plan.steps) {
      steps.push_back({pipeline(step.kernel), step.arguments, step.arrays});
    }
    return std::make_unique<DeviceExecution>(device_, plan.arrays, steps, plan.beforehand);
  }

 private:
  const Pipeline& pipeline(const gen::ir::Kernel& kernel) {
    const auto found = std::ranges::find_if(
        pipelines_, [&](const auto& kept) { return gen::ir::identical(kept.first, kernel); });
    if (found != pipelines_.end()) return found->second;
    if (pipelines_.size() == 32) pipelines_.pop_back();
    return pipelines_.emplace_front(kernel, device_.load(gen::compile(kernel))).second;
  }

  Device& device_;
  DeviceCaps caps_;
  std::deque<std::pair<gen::ir::Kernel, Pipeline>> pipelines_;
};

// What is wrong with the result; empty: nothing. Throws Unavailable if `executor` cannot run it.
std::string wrong(Executor& executor, const AttentionProblem& problem, std::uint64_t seed) {
  const auto workload = problem.workload();
  const RunPlan plan = plan_on(executor, *workload);
  const auto reasons = executor.reasons_against(plan);
  if (!reasons.empty()) throw Unavailable(join(reasons, "; "));
  const auto execution = executor.prepare(plan);
  workload->fill(*execution, seed);
  execution->run();
  const CheckResult checked = workload->check(*execution, Verify::full, seed);
  std::string text = checked.first + execution->damage();
  if (checked.mismatches > 0) text = std::to_string(checked.mismatches) + " mismatches: " + text;
  const std::uint64_t bytes = plan.arrays[plan.result].bytes;
  const auto once = read_all(*execution, plan.result, bytes);
  execution->run();
  if (text.empty() && once != read_all(*execution, plan.result, bytes)) {
    text = "another run gives other bits";
  }
  return text;
}

class AttentionTest : public DeviceTest {};

TEST_F(AttentionTest, RandomProblemsAreRight) {
  const std::uint64_t seed = number_in("VKMOYE_SEED", 1);
  const auto only = static_cast<std::int64_t>(number_in("VKMOYE_PROBLEM", 0));
  const bool is_one = std::getenv("VKMOYE_PROBLEM") != nullptr;
  // 1,545 problems of 15 forms in the quick run, else 2,000 of 100: most of the time goes into describing, verifying
  // and compiling the kernels of a form.
  const std::int64_t forms = often(100, 7);
  const auto runs = [](std::int64_t of_form) {
    return is_quick() ? of_form < 3 || of_form >= kLarge : of_form < 2 * kLarge;
  };
  for_each_device([&](Device& device) {
    KeptPipelines executor(device);
    std::set<std::string> right, lacking;
    int failures = 0;
    for (std::int64_t i = 0; i < forms * kOfAForm && failures < 5; ++i) {
      const bool is_taken = is_one ? i == only : runs(i % kOfAForm);
      if (!is_taken) continue;
      const AttentionProblem problem = drawn_problem(seed, i);
      std::string text;
      try {
        text = wrong(executor, problem, static_cast<std::uint64_t>(i));
        right.insert(problem.kernel + ' ' + problem.type.substr(0, problem.type.find('*')));
        const std::string of = problem.kernel == "attention/coopmat" ? " of matrices" : "";
        if (problem.type.find('*') != std::string::npos) right.insert("blocks" + of);
        if (problem.values.contains("page")) right.insert("pages" + of);
      } catch (const Unavailable& reasons) {
        lacking.insert(problem.kernel + ": " + reasons.what());
      } catch (const std::exception& error) {
        text = error.what();
      }
      if (text.empty()) continue;
      ++failures;
      ADD_FAILURE() << text << "\n  VKMOYE_SEED=" << seed << " VKMOYE_PROBLEM=" << i << ": "
                    << problem.command();
    }
    if (is_one) return;
    EXPECT_THAT(right, testing::IsSupersetOf(
                           {"attention/simt f32", "attention/decode f16", "blocks", "pages"}));
    if (device.caps().kind == DeviceKind::cpu && !device.caps().matrix_shapes.empty()) {
      EXPECT_THAT(right, testing::IsSupersetOf(
                             {"attention/coopmat f16", "blocks of matrices", "pages of matrices"}));
      EXPECT_THAT(lacking, testing::IsEmpty());
    }
  });
}

// Matrices of bf16, which cannot be in one shader with elements of f16.
void turn_into_bf16(AttentionProblem& problem) {
  const std::size_t rest = std::min(problem.type.find('*'), problem.type.size());
  problem.type = "bf16" + problem.type.substr(rest);
  for (std::size_t at; (at = problem.type.find("*f16")) != std::string::npos;) {
    problem.type.replace(at, 4, "*f32");
  }
  if (problem.values.contains("mask")) problem.values["mask"] = "bf16";
}

// bf16 in matrix units, which lavapipe lacks.
TEST(AttentionOnTheTwin, RandomProblemsAreRight) {
  HostExecutor host;
  for (std::int64_t i = 0; i < often(100, 10); ++i) {
    AttentionProblem problem = drawn_problem(7, kOfAForm * i);
    if (problem.kernel == "attention/coopmat" && i % 8 < 4) turn_into_bf16(problem);
    for (std::size_t extent : {0, 1}) problem.size[extent] %= 90;
    problem.config.erase("order-a");
    EXPECT_EQ(wrong(host, problem, static_cast<std::uint64_t>(i)), "") << problem.command();
  }
}

}  // namespace
}  // namespace vkmoye::test
