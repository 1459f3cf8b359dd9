// SPDX-License-Identifier: MIT
// Seeded random products on every device: all kernels, types, orders, leading dimensions, batches, factors,
// epilogues, slices of k, and combinations of plain and packed operands. See random_problems.hpp.
//
//   VKMOYE_PROBLEMS=20000     number of products (tools/test runs 10 of each of the first forms, tools/test all 12 of
//                             each of 120 forms, tools/test long 40 of each of 1200)
//   VKMOYE_SEED=7             seed (1)
//   VKMOYE_PROBLEM=417        runs only this product
//   VKMOYE_TEST_DEVICE=H200   runs only on this device, see device_fixture.hpp

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/device_executor.hpp"
#include "gemm_device/products.hpp"
#include "support/device_fixture.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/number_in.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

std::uint64_t seed() { return static_cast<std::uint64_t>(number_in("VKMOYE_SEED").value_or(1)); }

// The problems to run: those below `end`, and of each form the first `of_each`.
struct Taken {
  std::int64_t end, of_each;
};

// Of a run that is not quick: so many that each list of types is used up.
constexpr std::int64_t kProblems = 8 * kKernelSlots * kProblemsOfAForm;

Taken taken() {
  const auto count = number_in("VKMOYE_PROBLEMS");
  if (count || is_long()) return {count.value_or(often(kProblems)), kProblemsOfAForm};
  if (!is_quick()) return {kProblems, 12};
  return {kKernelSlots * kProblemsOfAForm, kProblemsOfAForm};
}

class RandomProducts : public DeviceTest, public testing::WithParamInterface<std::int64_t> {};

constexpr int kMaxWrong = 5;  // of a slot

TEST_P(RandomProducts, AreRight) {
  const auto [end, of_each] = taken();
  const auto only = number_in("VKMOYE_PROBLEM");
  for_each_device([&, end = end, of_each = of_each](Device& device) {
    Products products(device);
    const std::int64_t alignment =
        std::max<std::int64_t>(device.caps().storage_buffer_alignment, 16);
    int right = 0, wrong = 0, exact = 0;
    // Of B: weights in blocks are no whole numbers, and cli/quantised_test compares exact ones.
    bool has_elements = false;
    std::vector<std::string> lacking;  // why a form is left out
    for (std::int64_t f = GetParam(); f * kProblemsOfAForm < end && wrong < kMaxWrong;
         f += kKernelSlots) {
      if (only && *only / kProblemsOfAForm != f) continue;
      auto drawn = random_form(seed(), f, device.caps());
      if (!drawn && is_for_gpus(f) && device.caps().kind == DeviceKind::cpu) {
        GTEST_SKIP() << "compilers for CPUs take a minute for each of these kernels";
      }
      if (!drawn) {
        lacking.push_back("matrix units for the types of the kernel");
        continue;
      }
      Problem form = *drawn;
      has_elements = has_elements || form.gemm.weights == nullptr;
      const gen::KernelEntry entry = describes_once(*form.entry);
      form.entry = &entry;
      const std::int64_t first = f * kProblemsOfAForm;
      for (std::int64_t i = first; i < first + of_each && i < end; ++i) {
        if (only && *only != i) continue;
        const Problem problem = random_problem(seed(), i, form, alignment);
        const auto data = static_cast<std::uint64_t>(i);
        const auto repeat = [&] {
          return "\n  problem " + std::to_string(i) + ": VKMOYE_SEED=" + std::to_string(seed()) +
                 " VKMOYE_PROBLEM=" + std::to_string(i) + "\n  " + command_of(problem, data);
        };
        std::string text;
        try {
          text = products.wrong(problem, data);
          if (text.empty()) {
            const auto whole = in_whole_numbers(problem);
            if (whole && !is_exact(problem)) {
              text = products.wrong(*whole, data);
              if (!text.empty()) text += "\n  in whole numbers: " + command_of(*whole, data);
            }
            exact += whole.has_value();
          }
        } catch (const Unavailable& reasons) {
          lacking.push_back(reasons.what());
          break;
        } catch (const DeviceError& error) {
          text = error.what();
          wrong = kMaxWrong - 1;  // later results are meaningless
        } catch (const std::exception& error) {
          text = error.what();
        }
        if (text.empty()) {
          ++right;
          continue;
        }
        ADD_FAILURE() << text << repeat();
        if (++wrong == kMaxWrong) break;
      }
    }
    std::printf(
        "%d products right, %d wrong; %zu forms that the device lacks something for; %d equal\n",
        right, wrong, lacking.size(), exact);
    // lavapipe supports everything, except matrix units in old versions.
    const bool has_units = !device.caps().matrix_shapes.empty();
    if (device.caps().kind == DeviceKind::cpu && has_units) {
      EXPECT_THAT(lacking, IsEmpty());
    }
    if (only || right + wrong > 0) {
      // The only form of a slot in the first round may have an epilogue that rounds.
      const bool several_forms = end > kKernelSlots * kProblemsOfAForm;
      EXPECT_TRUE(only || exact > 0 || !several_forms || !has_elements)
          << "no product was compared bit for bit";
      return;
    }
    ASSERT_FALSE(lacking.empty()) << "no product was checked";
    GTEST_SKIP() << "the device lacks " << lacking.front();
  });
}

// Each test runs the problems of one slot.
INSTANTIATE_TEST_SUITE_P(Slots, RandomProducts, testing::Range<std::int64_t>(0, kKernelSlots));

class RandomForms : public DeviceTest {};

// The first forms of all slots have every type that the device computes with: tools/test runs only these.
TEST_F(RandomForms, OfTheFirstRoundHaveEveryKernelAndType) {
  for_each_device([&](Device& device) {
    std::set<std::string> kernels, types,
        wanted_types = {"f32", "f16", "f16,f32", "f16,f16", "f64", "i32"};
    std::set<std::string> wanted_kernels = {"gemm/simt", "gemm/thin", "gemm/moye_simple",
                                            "gemm/moye_prefetch"};
    for (const char* type : {"bf16", "i8", "u8"}) {
      if (has_matrices(device.caps(), gen::parse_gemm_type(type))) wanted_types.insert(type);
    }
    if (has_matrices(device.caps(), gen::parse_gemm_type("f16,f32"))) {
      wanted_kernels.insert({"gemm/coopmat", "gemm/packed", "gemm/thin_coopmat"});
    }
    for (std::int64_t f = 0; f < kKernelSlots; ++f) {
      const auto form = random_form(1, f, device.caps());
      if (!form) continue;
      kernels.insert(form->entry->name);
      types.insert(form->gemm.type_text());
    }
    EXPECT_THAT(types, testing::IsSupersetOf(wanted_types));
    EXPECT_THAT(kernels, testing::IsSupersetOf(wanted_kernels));
  });
}

// The problems of a run that is not quick cover every kernel with every type, and every combination of packed operands.
TEST_F(RandomForms, ReachEverything) {
  for_each_device([&](Device& device) {
    if (device.caps().kind != DeviceKind::cpu) return;
    std::set<std::string> seen, wanted;
    for (std::int64_t f = 0; f < kProblems / kProblemsOfAForm; ++f) {
      const auto drawn = random_form(1, f, device.caps());
      if (!drawn) continue;
      const Problem& form = *drawn;
      const gen::GemmOptions& problem = form.gemm;
      std::string kernel = form.entry->name;
      if (kernel.starts_with("gemm/moye")) kernel = "gemm/simt";  // one description
      seen.insert(kernel + " " + problem.type_text());
      const std::pair<bool, const char*> facts[] = {
          {problem.beta != 0, " beta"},
          {problem.batch != 1, " batch"},
          {problem.slices != 1, " split-k"},
          {!problem.epilogue.empty(), " epilogue"},
          {!problem.c_n_contiguous, " c=m"},
          {problem.slices != 1 && problem.batch != 1, " split-k and batch"},
          {problem.slices != 1 && !problem.epilogue.empty(), " split-k and epilogue"}};
      const auto subgroups = form.config.find("subgroups");
      if (subgroups != form.config.end()) seen.insert(kernel + " in " + subgroups->second);
      for (const auto& [holds, fact] : facts) {
        if (holds) seen.insert(kernel + fact);
        const bool has_weights = kernel == "gemm/quantised" || kernel == "gemm/packed_weights";
        if (has_weights && fact == std::string(" c=m")) continue;  // refused
        wanted.insert(kernel + fact);
      }
      for (const gen::AppliedEpilogueOp& step : problem.epilogue) seen.insert(step.step->name);
      if (problem.weights != nullptr) seen.insert("weights in " + problem.weights->name);
    }
    for (const gen::WeightFormat& format : gen::weight_formats()) {
      wanted.insert("weights in " + format.name);
    }
    for (const char* type : {"f32", "f64", "f16", "f16,f32", "f16,f16", "i32", "bf16*f32"}) {
      wanted.insert(std::string("gemm/simt ") + type);
    }
    for (const char* type : {"f16,f32", "f16", "f16,f16", "f32*f16", "bf16", "i8", "u8"}) {
      if (!has_matrices(device.caps(), gen::parse_gemm_type(type))) continue;
      wanted.insert(std::string("gemm/coopmat ") + type);
      if (std::string_view(type) == "f32*f16") type = "f16*f32";
      if (!std::string_view(type).ends_with('8')) wanted.insert(std::string("gemm/packed ") + type);
    }
    const bool multiplies_matrices = has_matrices(device.caps(), gen::parse_gemm_type("f16,f32"));
    for (const char* subgroups : {"2x2x1", "2x2x2", "1x2x4"}) {
      if (!multiplies_matrices) break;
      wanted.insert(std::string("gemm/coopmat in ") + subgroups);
      wanted.insert(std::string("gemm/packed in ") + subgroups);
    }
    for (const gen::EpilogueOp& step : gen::epilogue_ops()) wanted.insert(step.name);
    for (const std::string& one : wanted) EXPECT_THAT(seen, Contains(one));
  });
}

}  // namespace
}  // namespace vkmoye::test
