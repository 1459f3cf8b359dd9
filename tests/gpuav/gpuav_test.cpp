// SPDX-License-Identifier: MIT
// Kernels under GPU-assisted validation: the layer adds checks to their shaders that report each access outside a
// buffer, through a descriptor or an address. Accesses of cooperative matrices are not checked.

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "registry/operations.hpp"
#include "runtime/shaders.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/moves.hpp"
#include "support/their_device.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {
namespace {

using gen::KernelEntry;

// Settings of the layer, which take precedence over those of Device::open. Core checks are off, as the
// documentation of the layer recommends: otherwise its own shaders are checked as well.
constexpr std::pair<const char*, const char*> kSettings[] = {
    {"VK_KHRONOS_VALIDATION_VALIDATE_CORE", "false"},
    {"VK_KHRONOS_VALIDATION_VALIDATE_SYNC", "false"},
    {"VK_KHRONOS_VALIDATION_GPUAV_ENABLE", "true"},
    {"VK_KHRONOS_VALIDATION_ENABLE_MESSAGE_LIMIT",
     "false"}};  // otherwise it reports the same message at most 10 times

// The kernel with arrays of any length, independent of its arguments.
Pipeline load_unchecked(Device& device, CompiledKernel kernel) {
  for (Binding& binding : kernel.interface.bindings) {
    binding.extents.emplace_back(0);
    if (!binding.strides.empty()) binding.strides.emplace_back(0);
  }
  return device.load(kernel);
}

// The layer may report errors only when the queue is idle.
void run_until_idle(Device& device, const Pipeline& pipeline, const std::vector<BufferView>& views,
                    const Arguments& arguments) {
  device.run(pipeline, views, arguments);
  function_of<PFN_vkQueueWaitIdle>(device, "vkQueueWaitIdle")(handles_of(device).queue);
}

// The steps of a plan, with arrays in buffers of exactly their sizes, so that an access after the end is outside the
// buffer.
class ExactExecution : public bench::Execution {
 public:
  ExactExecution(Device& device, const bench::RunPlan& plan, std::vector<Pipeline> pipelines)
      : Execution(plan), device_(device), plan_(plan), pipelines_(std::move(pipelines)) {
    for (const bench::Array& array : plan.arrays) {
      buffers_.push_back(device.buffer(array.bytes));
      buffers_.back().fill(std::byte{0xff});
    }
  }

  void write(std::size_t array, std::span<const std::byte> from, std::uint64_t offset) override {
    buffers_[array].write(from, offset);
  }
  void read(std::size_t array, std::span<std::byte> to, std::uint64_t offset) const override {
    buffers_[array].read(to, offset);
  }
  void run() override {
    for (std::size_t step = 0; step < plan_.steps.size(); ++step) run_step(step, std::nullopt);
  }
  // Runs one step; `cut`: the binding whose last byte is not bound.
  void run_step(std::size_t number, std::optional<std::size_t> cut) {
    const bench::Step& step = plan_.steps[number];
    std::vector<BufferView> views;
    for (std::size_t i = 0; i < step.arrays.size(); ++i) {
      const bench::Array& array = plan_.arrays[step.arrays[i]];
      views.emplace_back(buffers_[step.arrays[i]], array.offset,
                         array.bytes - array.offset - (cut == i ? 1 : 0));
    }
    run_until_idle(device_, pipelines_[number], views, step.arguments);
  }
  std::string damage() const override { return ""; }
  const DeviceCaps& caps() const override { return device_.caps(); }

 private:
  Device& device_;
  const bench::RunPlan& plan_;
  std::vector<Pipeline> pipelines_;
  std::vector<Buffer> buffers_;
};

class GpuAssisted : public DeviceTest {
 protected:
  void SetUp() override {
    if (!has_validation()) GTEST_SKIP() << "VKMOYE_TEST_VALIDATION=off";
    for (const auto& [name, value] : kSettings) setenv(name, value, 1);
  }
  void TearDown() override {
    for (const auto& [name, value] : kSettings) unsetenv(name);
    DeviceTest::TearDown();
  }

  // Calls the test on each device; ignores remarks of the layer about settings that it enables itself.
  void for_each_assisted_device(const std::function<void(Device&)>& body) {
    for_each_device([&](Device& device) {
      for (const std::string& message : take_messages()) {
        EXPECT_THAT(message, HasSubstr("Internal Warning"));
      }
      body(device);
      pipelines_.clear();
    });
  }

  // Runs the kernel once: its result must be right, and the layer must report nothing. The first time, the kernel
  // also runs with each array cut short, which the layer must report: this shows that it checks all arrays.
  void expect_inside(Device& device, const KernelEntry& entry, const std::string& type,
                     const gen::Options& config, const Extents& size) {
    const bench::Workload workload = bench::workload_of({&entry, type, config, {}}, size);
    SCOPED_TRACE(entry.name + " " + type + " " + size_text(size));
    const bench::RunPlan plan = described_plan(workload, device.caps());
    std::vector<Pipeline> pipelines;
    bool is_first = false;
    for (const bench::Step& step : plan.steps) {
      const std::string text = gen::glsl::print(step.kernel);
      auto found = pipelines_.find(text);
      if (found == pipelines_.end()) {
        is_first = true;
        const CompiledKernel kernel = gen::compile(step.kernel, device.caps());
        const auto reasons = reasons_against(kernel.interface, device.caps());
        if (!reasons.empty()) {
          EXPECT_NE(device.caps().kind, DeviceKind::cpu) << reasons.front();
          return;
        }
        found = pipelines_.emplace(text, load_unchecked(device, kernel)).first;
      }
      pipelines.push_back(found->second);
    }
    ExactExecution execution(device, plan, pipelines);
    workload.problem->fill(execution, 1);
    execution.run();
    launches_ += plan.steps.size();
    const gen::CheckResult checked = workload.problem->check(execution, gen::Verify::full, 1);
    EXPECT_EQ(checked.mismatches, 0u) << checked.first;
    EXPECT_THAT(take_messages(), IsEmpty());
    for (std::size_t step = 0; is_first && step < plan.steps.size(); ++step) {
      const KernelInterface& interface = pipelines[step].interface();
      for (std::size_t i = 0; i < interface.bindings.size(); ++i) {
        if (interface.bindings[i].addressing != Addressing::descriptor) continue;
        execution.run_step(step, i);
        EXPECT_THAT(take_messages(), Contains(HasSubstr("access out of bounds")))
            << "with " << interface.bindings[i].name << " cut short";
      }
    }
  }

  std::size_t launches_ = 0;
  std::map<std::string, Pipeline> pipelines_;  // by the text of the kernel
};

TEST_F(GpuAssisted, ReportsAnOverrunOfADescriptorAndOfAnAddress) {
  for_each_assisted_device([&](Device& device) {
    for (const auto& [reach, report] :
         {std::pair{Addressing::descriptor, "the highest out of bounds access was at [43] bytes"},
          {Addressing::pointer,
           "Out of bounds access: 4 bytes written at buffer device address"}}) {
      CompiledKernel store = store_kernel(reach);
      store.interface.bindings[0].extents = {10};  // whatever n is
      if (!reasons_against(store.interface, device.caps()).empty()) continue;
      const Pipeline pipeline = device.load(store);
      Buffer dst = device.buffer(40);
      const auto run = [&](int n) {
        run_until_idle(device, pipeline, {dst}, {{"first", 0}, {"n", n}, {"value", 7}});
        return take_messages();
      };
      EXPECT_THAT(run(10), IsEmpty());
      EXPECT_THAT(run(11), Contains(HasSubstr(report)));
    }
  });
}

// One element, thin arrays, primes, around the tile size, whole tiles.
const Extents kSizes[] = {{33, 65}, {1, 1}, {1, 257}, {101, 103}, {64, 128}};

TEST_F(GpuAssisted, CopiesAndTransposesStayInside) {
  for_each_assisted_device([&](Device& device) {
    std::size_t row = 0;
    for (const KernelEntry& entry : gen::registry()) {
      if (!is_move_of_matrix(entry)) continue;
      ++row;
      for (std::size_t number = 0; number < entry.types.size(); ++number) {
        if ((row + number) % 4 != 0) continue;  // every type, but not with every kernel
        for (const Extents& size : kSizes) {
          expect_inside(device, entry, std::string(to_string(entry.types[number])), {}, size);
        }
      }
    }
    EXPECT_GE(launches_, 250u);
  });
}

TEST_F(GpuAssisted, RelayoutsAndPointersStayInside) {
  for_each_assisted_device([&](Device& device) {
    for (const char* type : {"i8", "f16", "f32", "f64", "c128"}) {
      for (const char* permute : {"2,1,0", "2,0,1", "1,0,2"}) {
        expect_inside(device, *gen::find_kernel("relayout"), type, {{"permute", permute}},
                      {5, 33, 63});
      }
      if (!device.caps().has(Feature::buffer_address)) continue;
      for (const Extents& size : kSizes) {
        for (const char* name : {"copy/auto", "transpose/auto"}) {
          expect_inside(device, *gen::find_kernel(name), type, {{"address", "pointer"}}, size);
        }
      }
    }
    EXPECT_GE(launches_, 15u);
  });
}

TEST_F(GpuAssisted, ReductionsSoftmaxAndNormsStayInside) {
  for_each_assisted_device([&](Device& device) {
    for (const KernelEntry& entry : gen::registry()) {
      const bool reduces = entry.operation == "sum" || entry.operation == "max";
      if (!reduces && entry.operation != "softmax" && entry.operation != "rms_norm") continue;
      std::set<std::size_t> widths;  // one type of each size: accesses differ by nothing else
      for (std::size_t number = 0; number < entry.types.size(); ++number) {
        if (!widths.insert(size_of(entry.types[number])).second) continue;
        gen::Options config;
        if (reduces) config["axis"] = std::to_string(widths.size() % 2);
        for (const Extents& size : {Extents{33, 130}, {5, 31}, {3, 1021}, {1, 1}}) {
          // The layer counts in words: one byte cannot be cut short.
          if (size_of(entry.types[number]) == 1 && size == Extents{1, 1}) continue;
          expect_inside(device, entry, std::string(to_string(entry.types[number])), config, size);
        }
      }
    }
    EXPECT_GE(launches_, 40u);
  });
}

TEST_F(GpuAssisted, ProductsStayInside) {
  const gen::Options tiles = {
      {"tile", "32x32x8"}, {"threads", "8x8"}, {"values", "4x4"}, {"vector", "16"}};
  const gen::Options rows = {{"small", "m"},    {"rows", "4"},    {"reads", "2x2"},
                             {"threads", "32"}, {"along-k", "8"}, {"vector", "16"}};
  const gen::Options columns = {{"small", "n"},    {"rows", "3"},     {"reads", "4x1"},
                                {"threads", "64"}, {"along-k", "16"}, {"vector", "8"}};
  for_each_assisted_device([&](Device& device) {
    for (const char* type : {"f32", "f16,f32", "f64", "i32"}) {
      for (const Extents& size : {Extents{37, 21, 67}, {1, 1, 1}, {32, 64, 40}, {65, 33, 17}}) {
        expect_inside(device, *gen::find_kernel("gemm/simt"), type, tiles, size);
      }
    }
    for (const Extents& size : {Extents{3, 131, 67}, {1, 1, 1}, {5, 64, 128}}) {
      const KernelEntry& thin = *gen::find_kernel("gemm/thin");
      for (const char* type : {"f32", "f16", "f64"}) {
        expect_inside(device, thin, type, rows, size);
      }
      for (const char* type : {"f16,f32", "f16,f16", "i32"}) {
        expect_inside(device, thin, type, columns, {size[1], size[0], size[2]});
      }
    }
    EXPECT_GE(launches_, 30u);
  });
}

}  // namespace
}  // namespace vkmoye::test
