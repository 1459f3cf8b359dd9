// Epilogues on every device: each kernel, type, order and edge, NaN and infinities among the data.
// VKMOYE_TEST_LONG=1 takes ten times as many sizes.

#include <gmock/gmock.h>

#include <cstdlib>
#include <numeric>
#include <optional>
#include <random>
#include <string>

#include "support/device_fixture.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "workloads/device_executor.hpp"
#include "workloads/gemm_workload.hpp"
#include "workloads/number.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

struct Kernel {
  const char* name;
  gen::Options config;  // tiles that lavapipe compiles quickly
};

const Kernel kKernels[] = {
    {"gemm/simt", {{"tile", "32x32x8"}, {"threads", "8x8"}, {"values", "4x4"}, {"vector", "16"}}},
    {"gemm/moye_simple", {{"tile", "16x32x8"}, {"threads", "8x8"}, {"values", "1x1"}}},
    {"gemm/moye_prefetch", {{"tile", "32x32x8"}, {"threads", "8x8"}, {"values", "2x1"}}},
    {"gemm/coopmat", {{"tile", "32x32x16"}}},
    {"gemm/thin",
     {{"side", "m"}, {"rows", "4"}, {"reads", "2x2"}, {"threads", "32"}, {"along-k", "8"}}},
    {"gemm/thin",
     {{"side", "n"}, {"rows", "3"}, {"reads", "4x1"}, {"threads", "64"}, {"along-k", "16"}}},
};

const char* kEpilogues[] = {"bias,relu", "gelu,bias_m,residual", "silu,scale:-0.5,bias",
                            "residual,bias_m,bias,relu,scale:3"};

class EpilogueTest : public DeviceTest {
 protected:
  static DeviceExecution prepared(Device& device, const Pipeline& pipeline,
                                  const Workload& workload, const Arguments& arguments) {
    const std::vector<Array> arrays = workload.arrays();
    std::vector<std::size_t> bindings(arrays.size());
    std::iota(bindings.begin(), bindings.end(), 0);
    return {device, arrays, {{pipeline, arguments, bindings}}};
  }

  // Whether the kernel that `pipeline` is made of computes `problem` rightly.
  static void expect_right(Device& device, const Pipeline& pipeline, const Workload& workload,
                           std::uint64_t seed) {
    DeviceExecution execution = prepared(device, pipeline, workload, workload.arguments());
    workload.fill(execution, seed);
    execution.run();
    const Verdict verdict = workload.check(execution, Verify::full, seed);
    const std::string wrong = verdict.first + execution.damage();
    EXPECT_EQ(wrong, "") << workload.entry().name << ' ' << workload.type_text() << ' '
                         << bench::to_string(workload.size()) << ' '
                         << testing::PrintToString(workload.words());
  }
};

TEST_F(EpilogueTest, EveryStepOfEveryKernelIsRight) {
  const int sizes = std::getenv("VKMOYE_TEST_LONG") != nullptr ? 80 : 8;
  for_each_device([&](Device& device) {
    std::mt19937_64 random(3);
    const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
    int forms = 0, refused = 0;
    for (const Kernel& kernel : kKernels) {
      const gen::KernelEntry* entry = gen::find_kernel(kernel.name);
      for (const char* type : {"f32", "f16,f32", "f16", "f16,f16", "f64", "i32"}) {
        // Each of f32; two of the others, which two changes from kernel to kernel and type to type.
        const bool all = std::string(type) == "f32";
        for (int number = all ? 0 : forms % 2; number < 4; number += all ? 1 : 2) {
          const char* epilogue = kEpilogues[number];
          GemmProblem form = parse_gemm_type(type);
          form.epilogue = parse_epilogue(epilogue);
          if (range_of(form.result).epsilon == 0 &&
              std::string(epilogue).find("0.5") != std::string::npos)
            continue;
          form.a_k_contiguous = below(2);
          form.b_k_contiguous = below(2);
          form.beta = static_cast<double>(below(2));
          form.batch = 1 + below(2);
          std::optional<Pipeline> pipeline;
          try {
            const auto of_form = make_product({entry, "", kernel.config, {}}, form, {1, 1, 1});
            const CompiledKernel code = gen::compile(of_form->describe(device.caps()));
            if (!reasons_against(code.interface, device.caps()).empty()) continue;
            pipeline.emplace(device.load(code));
          } catch (const KernelError&) {
            ++refused;  // gelu of f64, matrix units of f32
            continue;
          }
          ++forms;
          for (int i = 0; i < sizes; ++i) {
            GemmProblem problem = form;
            problem.init = i % 4 == 3   ? Init::nonfinite
                           : i % 4 == 2 ? Init::integers
                                        : Init::random;
            problem.alpha = i == 1 ? 0 : 1;  // what is summed up does not count, the steps do
            if (i % 2 == 1) {
              problem.c.leading = 150 + below(8);
              problem.c.offset = 64;
            }
            const Extents size = {1 + below(70), 1 + below(70), i == 0 ? 0 : 1 + below(40)};
            const auto workload = make_product({entry, "", kernel.config, {}}, problem, size);
            expect_right(device, *pipeline, *workload, static_cast<std::uint64_t>(i));
          }
        }
      }
    }
    if (device.caps().kind == DeviceKind::cpu) {
      EXPECT_GE(forms, 50);
      EXPECT_GE(refused, 8);
    }
  });
}

// C with m contiguous is the transposed product: a bias along n is one along its m.
TEST_F(EpilogueTest, ABiasFollowsTheOrderOfC) {
  for_each_device([&](Device& device) {
    for (const char* epilogue : {"bias,relu", "bias_m,residual,gelu"}) {
      GemmProblem problem = parse_gemm_type("f32");
      problem.c_n_contiguous = false;
      problem.batch = 2;
      problem.epilogue = parse_epilogue(epilogue);
      const auto workload = make_product(
          {gen::find_kernel(kKernels[0].name), "", kKernels[0].config, {}}, problem, {37, 50, 11});
      const Pipeline pipeline = device.load(gen::compile(workload->describe(device.caps())));
      expect_right(device, pipeline, *workload, 1);
    }
  });
}

// The tests above can fail: here the kernel has another epilogue.
TEST_F(EpilogueTest, AnotherEpilogueIsFound) {
  for_each_device([&](Device& device) {
    const auto product = [](const char* epilogue) {
      GemmProblem problem = parse_gemm_type("f32");
      problem.epilogue = parse_epilogue(epilogue);
      return make_product({gen::find_kernel(kKernels[0].name), "", kKernels[0].config, {}}, problem,
                          {33, 34, 35});
    };
    for (const auto& [asked, taken] : {std::pair{"bias,relu", "bias"},
                                       {"bias,gelu", "bias,silu"},
                                       {"bias,relu", "bias,gelu"},
                                       {"bias,relu,scale:1.0001", "bias,relu,scale:1"}}) {
      const auto wanted = product(asked), other = product(taken);
      const Pipeline wrong = device.load(gen::compile(other->describe(device.caps())));
      DeviceExecution execution = prepared(device, wrong, *wanted, other->arguments());
      wanted->fill(execution, 1);
      execution.run();
      EXPECT_GT(wanted->check(execution, Verify::full, 1).mismatches, 300u) << taken;
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
