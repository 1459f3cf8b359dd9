// SPDX-License-Identifier: MIT
// Kernels whose sizes are in a buffer, by indirect dispatches: the same bits as a launch with these sizes from the
// host, and no element is written beyond them.

#include "vkmoye/gen/passes/sizes_from_buffer.hpp"

#include <optional>
#include <random>

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/plan_file.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/runtime/vk/context.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

using Words = std::vector<std::uint32_t>;

// A kernel with the sizes of it that are in a buffer.
struct Subject {
  const char* kernel;
  std::vector<std::string> names;
  Arguments maxima;
  std::vector<Words> accepted;
  std::vector<std::pair<Words, std::uint32_t>> refused;  // with the status
};

const std::vector<Subject>& subjects() {
  constexpr std::uint32_t kLargest = 0xffffffff;
  static const std::vector<Subject> all = {
      {"copy/simple",
       {"rows"},
       {{"cols", 37}, {"rows", 100}},
       {{64}, {100}, {1}, {0}, {33}},
       {{{101}, 1}, {{kLargest}, 1}}},
      {"copy/tiled_vec",
       {"rows"},
       {{"cols", 64}, {"rows", 70}},
       {{70}, {1}, {0}, {65}},
       {{{71}, 1}}},
      {"gemm/moye_simple",
       {"k", "m", "n"},
       {{"m", 150}, {"n", 70}, {"k", 40}, {"alpha", 0.5}},
       {{40, 150, 70}, {17, 129, 3}, {1, 1, 1}, {0, 150, 70}, {40, 0, 70}, {40, 150, 0}},
       {{{41, 150, 70}, 1}, {{40, 151, 71}, 2}, {{40, 150, 71}, 3}, {{0, 0, kLargest}, 3}}},
      {"gemm/simt",
       {"m"},
       {{"m", 200}, {"n", 130}, {"k", 24}, {"alpha", 1.0}},
       {{200}, {129}, {1}, {0}},
       {{{201}, 1}}},
      {"softmax/rows", {"rows"}, {{"rows", 9}, {"cols", 300}}, {{9}, {5}, {1}, {0}}, {{{10}, 1}}}};
  return all;
}

std::string text_of(const Subject& subject, const Words& sizes) {
  std::string out = subject.kernel;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out += " " + subject.names[i] + "=" + std::to_string(sizes[i]);
  }
  return out;
}

class SizesFromBufferTest : public DeviceTest {
 protected:
  // More than a descriptor of the device that MayBeOfArraysByPointers pretends to have, and less than others have.
  static constexpr std::uint64_t kElements = 4096;

  static gen::ir::Kernel described(const char* name, const DeviceCaps& caps) {
    gen::KernelRequest request;
    request.form = ScalarType::f32;
    request.device = caps;
    request.elements().elements = kElements;
    return gen::find_kernel(name)->describe(request);
  }
  // Written to and read from the text of a file.
  static CompiledPlan plan_of(const Subject& subject, const DeviceCaps& caps) {
    const gen::KernelPlan plan =
        gen::with_sizes_from_buffer(described(subject.kernel, caps), subject.names, subject.maxima);
    return parse_plan(plan_text(gen::compile(plan, caps)));
  }

  // The arrays of a plan and its scratch between guards: inputs with small numbers, all else poisoned.
  struct Memory {
    std::vector<GuardedBuffer> arrays;
    std::optional<GuardedBuffer> scratch;
    std::vector<std::size_t> results;
    std::size_t sizes = 0, status = 0;

    Memory(Device& device, const CompiledPlan& plan) {
      std::mt19937 random(5);
      for (const PlanArray& array : plan.arrays) arrays.emplace_back(device, array.bytes);
      status = arrays.size() - 1;
      sizes = status - 1;
      const std::vector<Binding>& bindings = plan.steps[1].kernel.interface.bindings;
      for (std::size_t i = 0; i < sizes; ++i) {
        if (bindings[i].access == Access::write) {
          results.push_back(i);
          continue;
        }
        std::vector<float> values(arrays[i].bytes() / sizeof(float));
        for (float& value : values) value = static_cast<float>(random() % 8);
        write_as(arrays[i], values);
      }
      scratch.emplace(device, scratch_places(plan, device.caps()).bytes);
    }
    std::vector<BufferView> views() const {
      std::vector<BufferView> out;
      for (const GuardedBuffer& array : arrays) out.push_back(array.view());
      return out;
    }
    void expect_no_damage() const {
      for (const GuardedBuffer& array : arrays) EXPECT_EQ(array.damage(), "");
      EXPECT_EQ(scratch->damage(), "");
    }
  };

  // What a launch from the host with `sizes` writes to poisoned results.
  static std::vector<std::vector<std::byte>> launched(Device& device, const Subject& subject,
                                                      const CompiledPlan& plan,
                                                      const Pipeline& pipeline, Memory& memory,
                                                      const Words& sizes) {
    Arguments arguments = plan.steps[1].arguments;
    for (std::size_t i = 0; i < sizes.size(); ++i) arguments[subject.names[i]] = sizes[i];
    for (const std::size_t i : memory.results) memory.arrays[i].poison();
    std::vector<BufferView> views = memory.views();
    views.erase(views.end() - 2, views.end());
    device.run(pipeline, views, arguments);
    return results_of(memory);
  }
  static std::vector<std::vector<std::byte>> results_of(const Memory& memory) {
    std::vector<std::vector<std::byte>> out;
    for (const std::size_t i : memory.results) {
      out.push_back(read_as<std::byte>(memory.arrays[i]));
    }
    return out;
  }

  // Records the plan once and submits it for all sizes of `subject`.
  static void expect_right(Device& device, const Subject& subject, bool has_own_scratch) {
    const CompiledPlan plan = plan_of(subject, device.caps());
    const Pipeline pipeline = device.load(gen::compile(described(subject.kernel, device.caps())));
    Memory memory(device, plan);
    PlanRecorderOptions options;
    options.recordings = 1;
    if (!has_own_scratch) options.scratch = memory.scratch->view();
    PlanRecorder recorder(device, plan, options);
    vk::Commands& commands = *device.context()->commands;
    const vk::Lease slot = commands.lease();
    commands.begin(*slot, /*reusable=*/true);
    recorder.record(slot->buffer, memory.views());
    commands.end(*slot);
    const auto run = [&](const Words& sizes) {
      for (const std::size_t i : memory.results) memory.arrays[i].poison();
      memory.arrays[memory.status].poison();
      write_as(memory.arrays[memory.sizes], sizes);
      commands.submit(slot.slot(), nullptr);
      commands.wait(*slot);
      memory.expect_no_damage();
      return read_as<std::uint32_t>(memory.arrays[memory.status]).front();
    };
    for (const Words& sizes : subject.accepted) {
      SCOPED_TRACE(text_of(subject, sizes));
      const auto expected = launched(device, subject, plan, pipeline, memory, sizes);
      EXPECT_EQ(run(sizes), 0u);
      EXPECT_EQ(results_of(memory), expected);
    }
    for (const auto& [sizes, status] : subject.refused) {
      SCOPED_TRACE(text_of(subject, sizes));
      EXPECT_EQ(run(sizes), status);
      for (const auto& result : results_of(memory)) {
        EXPECT_EQ(result, std::vector<std::byte>(result.size(), GuardedBuffer::kPoison));
      }
      const Words& again = subject.accepted.front();
      EXPECT_EQ(run(again), 0u);  // and the next recording is right again
    }
  }
};

TEST_F(SizesFromBufferTest, HaveTheResultsOfALaunchFromTheHost) {
  for_each_device([](Device& device) {
    for (const Subject& subject : subjects()) {
      expect_right(device, subject, /*has_own_scratch=*/true);
      expect_right(device, subject, /*has_own_scratch=*/false);
    }
  });
}

TEST_F(SizesFromBufferTest, MayBeOfArraysByPointers) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) { caps.max_storage_buffer_bytes = 4 * kElements - 1; };
  for_each_device(
      [](Device& device) {
        if (!device.caps().has(Feature::buffer_address)) GTEST_SKIP() << "no buffer addresses";
        const Subject subject = {
            "copy/auto", {"rows"}, {{"cols", 37}, {"rows", 100}}, {{64}, {100}, {0}}, {{{101}, 1}}};
        EXPECT_THAT(plan_of(subject, device.caps()).steps[1].kernel.glsl,
                    HasSubstr("uint64_t src_address, dst_address;"));
        expect_right(device, subject, /*has_own_scratch=*/true);
      },
      options);
}

// The device itself writes the sizes, between two recordings in one command buffer that use the same scratch. All
// barriers but those of the transfers come from the recorder; synchronization validation is on.
TEST_F(SizesFromBufferTest, MayBeWrittenByTheDevice) {
  for_each_device([](Device& device) {
    const Subject& subject = subjects().front();
    const CompiledPlan plan = plan_of(subject, device.caps());
    Memory first(device, plan), second(device, plan);
    Buffer sizes = device.buffer(4);
    PlanRecorder recorder(device, plan, {.recordings = 2});
    constexpr SyncScope kTransfer = {VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
    device.context()->commands->run(
        [&](VkCommandBuffer commands) {
          const auto run = [&](Memory& memory, std::uint32_t rows) {
            device.context()->table().CmdFillBuffer(commands, handle_of(sizes), 0, 4, rows);
            std::vector<BufferView> views = memory.views();
            views[memory.sizes] = sizes;
            recorder.record(commands, views, {.after = kTransfer, .before = kTransfer});
          };
          run(first, 3);
          run(second, 98);
        },
        nullptr);
    for (const auto& [memory, rows] : {std::pair(&first, 3u), std::pair(&second, 98u)}) {
      memory->expect_no_damage();
      const auto src = read_as<std::uint32_t>(memory->arrays[0]);
      const auto dst = read_as<std::uint32_t>(memory->arrays[1]);
      for (std::size_t i = 0; i < dst.size(); ++i) {
        EXPECT_EQ(dst[i], i < 37 * rows ? src[i] : 0xffffffff) << i;
      }
    }
  });
}

// A step between the two, after whose barrier the groups were written long ago.
TEST_F(SizesFromBufferTest, MayHaveStepsBetween) {
  for_each_device([](Device& device) {
    CompiledPlan plan = plan_of(subjects().front(), device.caps());
    Memory memory(device, plan);
    gen::KernelRequest words;
    words.form = ScalarType::u32;
    const std::size_t given = plan.arrays.size(), status = given - 1;
    plan.scratch.push_back({"copy of the status", 4});
    plan.steps.insert(plan.steps.begin() + 1,
                      {gen::compile(gen::find_kernel("copy/simple")->describe(words)),
                       {{"cols", 1}, {"rows", 1}},
                       {status, given + 2}});
    ASSERT_EQ(reasons_against(plan), std::vector<std::string>());
    write_as(memory.arrays[memory.sizes], Words{100});
    PlanRecorder recorder(device, plan, {.recordings = 1, .timestamps = 1});
    device.context()->commands->run(
        [&](VkCommandBuffer commands) { recorder.record(commands, memory.views()); }, nullptr);
    EXPECT_EQ(read_as<std::uint32_t>(memory.arrays[1]), read_as<std::uint32_t>(memory.arrays[0]));
    if (device.caps().timestamp_period_ns <= 0) return;
    EXPECT_EQ(recorder.times().size(), 3u);
  });
}

TEST_F(SizesFromBufferTest, AreRefusedWhereTheGridIsSplit) {
  for_each_device(
      [](Device& device) {
        const CompiledPlan plan = plan_of(subjects().front(), device.caps());
        Memory memory(device, plan);
        PlanRecorder recorder(device, plan, {.recordings = 1});
        device.context()->commands->run(
            [&](VkCommandBuffer commands) {
              EXPECT_REFUSED(
                  recorder.record(commands, memory.views()), ArgumentError,
                  AllOf(HasSubstr("copy/simple: its grid takes 2 dispatches at the maxima"),
                        HasSubstr("an indirect dispatch cannot be split")));
            },
            nullptr);
      },
      {.pretend = [](DeviceCaps& caps) {
        caps.max_group_count = {65535, 2, 1};
      }});
}

TEST_F(SizesFromBufferTest, NeedArraysForTheMaxima) {
  for_each_device([](Device& device) {
    const CompiledPlan plan = plan_of(subjects().front(), device.caps());
    Memory memory(device, plan);
    PlanRecorder recorder(device, plan, {.recordings = 1});
    std::vector<BufferView> views = memory.views();
    views[1] = BufferView(*memory.arrays[1].payload().buffer, 0, 4 * 37 * 99);
    device.context()->commands->run(
        [&](VkCommandBuffer commands) {
          EXPECT_REFUSED(recorder.record(commands, views), ArgumentError,
                         "dst: needs 3700 elements of 4 bytes = 14800 bytes, got 14652");
        },
        nullptr);
  });
}

}  // namespace
}  // namespace vkmoye::test
