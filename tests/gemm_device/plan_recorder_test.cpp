// SPDX-License-Identifier: MIT
// Products of several kernels in the user's command buffer, on the user's buffers.

#include "vkmoye/runtime/plan_recorder.hpp"

#include <algorithm>
#include <optional>

#include "gemm_device/products.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/fault_table.hpp"
#include "support/their_device.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/plan_file.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/products/choice/gemm_plan.hpp"
#include "vkmoye/gen/problems/products/check.hpp"
#include "vkmoye/runtime/vk/context.hpp"
#include "workloads/workload.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

constexpr std::byte kPoison{0x5a};

// The arrays of several recordings in one buffer of the user, with poison before and after each array.
class Memory {
 public:
  Memory(Device& owner, const std::vector<std::uint64_t>& bytes, std::uint64_t alignment)
      : bytes_(bytes) {
    std::uint64_t end = kGuard;
    for (const std::uint64_t count : bytes) {
      offsets_.push_back(end);
      end += (count + kGuard + alignment) / alignment * alignment;
    }
    buffer_.emplace(owner.buffer(end));
    buffer_->fill(kPoison);
  }

  BufferView view(std::size_t i) const {
    return view_of(handle_of(*buffer_), offsets_[i], bytes_[i]);
  }
  void write(std::size_t i, std::span<const std::byte> from) { buffer_->write(from, offsets_[i]); }
  std::vector<std::byte> read(std::size_t i) const {
    std::vector<std::byte> out(bytes_[i]);
    buffer_->read(out, offsets_[i]);
    return out;
  }
  // The number of bytes between the arrays that are no longer poison.
  std::size_t damage() const {
    std::vector<std::byte> all(buffer_->bytes());
    buffer_->read(all);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(offsets_[i]), bytes_[i], kPoison);
    }
    return all.size() - static_cast<std::size_t>(std::count(all.begin(), all.end(), kPoison));
  }

 private:
  static constexpr std::uint64_t kGuard = 4096;
  std::vector<std::uint64_t> bytes_, offsets_;
  std::optional<Buffer> buffer_;
};

class PlanRecorderTest : public DeviceTest {
 protected:
  static Problem product(const char* kernel, const gen::Options& config, const char* type,
                         const Extents& size) {
    return {gen::find_kernel(kernel), config, gen::parse_gemm_type(type), size};
  }

  // The plan of `problem` for the device, written to and read from the text of a file.
  static CompiledPlan plan_of(Device& device, const Problem& problem) {
    Products products(device);
    plan_on(products, problem.workload());  // finds the orders that it needs
    const DeviceCaps& caps = products.caps();
    const auto request = gen::request_of(problem.gemm, problem.size, caps, problem.config);
    const auto plan = gen::gemm_plan(*problem.entry, request, problem.gemm, problem.size);
    return parse_plan(plan_text(gen::compile(plan, caps)));
  }

  // The number in GemmData of each array of a plan.
  static std::vector<int> numbers_of(const gen::GemmData& data) {
    std::vector<int> numbers = {0, 1};
    for (std::size_t i = 0; i < data.inputs().size(); ++i) {
      numbers.push_back(3 + static_cast<int>(i));
    }
    numbers.push_back(2);
    return numbers;
  }

  // Records `plan` three times in one command buffer, with different arrays.
  static void expect_right(Device& owner, Device& device, const Problem& problem,
                           const CompiledPlan& plan, bool with_own_scratch) {
    constexpr std::uint64_t kTimes = 3;
    std::vector<std::uint64_t> bytes;
    std::vector<gen::GemmData> data;
    for (std::uint64_t t = 0; t < kTimes; ++t) {
      data.emplace_back(problem.gemm, problem.size, t);
      for (const PlanArray& array : plan.arrays) bytes.push_back(array.bytes);
    }
    bytes.push_back(scratch_places(plan, device.caps()).bytes);
    const std::uint32_t alignment = device.caps().storage_buffer_alignment;
    Memory memory(owner, bytes, std::max<std::uint64_t>(alignment, 16));
    const std::size_t count = plan.arrays.size();
    for (std::size_t t = 0; t < kTimes; ++t) {
      const std::vector<int> numbers = numbers_of(data[t]);
      ASSERT_EQ(numbers.size(), count);
      for (std::size_t i = 0; i < count; ++i) {
        memory.write(t * count + i, data[t].bytes(numbers[i]));
      }
    }
    PlanRecorderOptions options;
    options.recordings = kTimes;
    if (!with_own_scratch) options.scratch = memory.view(bytes.size() - 1);
    PlanRecorder recorder(device, plan, options);
    ASSERT_EQ(recorder.arrays().size(), count);
    owner.context()->commands->run(
        [&](VkCommandBuffer commands) {
          for (std::size_t t = 0; t < kTimes; ++t) {
            std::vector<BufferView> views;
            for (std::size_t i = 0; i < count; ++i) views.push_back(memory.view(t * count + i));
            recorder.record(commands, views);
          }
        },
        nullptr);
    for (std::size_t t = 0; t < kTimes; ++t) {
      const gen::CheckResult checked =
          gen::check_gemm(data[t], problem.gemm, problem.size, memory.read(t * count + count - 1),
                          gen::Verify::full, t);
      EXPECT_EQ(checked.mismatches, 0u) << command_of(problem, t) << ": " << checked.first;
    }
    EXPECT_EQ(memory.damage(), 0u);
  }

  // One pass of the user fills the arrays of the plan, another one reads the result: three frames in one command
  // buffer, on the same arrays and the same scratch. All barriers come from the recorders; synchronization
  // validation is on.
  static void expect_right_between_passes(Device& owner, Device& device, const Problem& problem,
                                          const CompiledPlan& plan) {
    constexpr std::size_t kFrames = 3;
    const std::size_t count = plan.arrays.size(), result = count - 1;
    // The arrays of the plan and its scratch; for each frame, the inputs and the outputs.
    std::vector<std::uint64_t> bytes;
    for (const PlanArray& array : plan.arrays) bytes.push_back(array.bytes);
    bytes.push_back(scratch_places(plan, device.caps()).bytes);
    const std::size_t first_frame = bytes.size(), per_frame = count + 1;
    std::vector<gen::GemmData> data;
    for (std::size_t f = 0; f < kFrames; ++f) {
      data.emplace_back(problem.gemm, problem.size, f);
      for (const PlanArray& array : plan.arrays) bytes.push_back(array.bytes);
      bytes.push_back(plan.arrays[result].bytes);
    }
    const std::uint32_t alignment = device.caps().storage_buffer_alignment;
    Memory memory(owner, bytes, std::max<std::uint64_t>(alignment, 16));
    for (std::size_t f = 0; f < kFrames; ++f) {
      const std::vector<int> numbers = numbers_of(data[f]);
      for (std::size_t i = 0; i < count; ++i) {
        memory.write(first_frame + f * per_frame + i, data[f].bytes(numbers[i]));
      }
    }
    gen::KernelRequest words;
    words.form = ScalarType::u32;
    Recorder pass(device, gen::compile(gen::find_kernel("copy/simple")->describe(words)),
                  {.recordings = static_cast<std::uint32_t>(kFrames * per_frame)});
    PlanRecorder product(device, plan, {.recordings = kFrames, .scratch = memory.view(count)});
    owner.context()->commands->run(
        [&](VkCommandBuffer commands) {
          const auto copy = [&](std::size_t from, std::size_t to, const Neighbours& neighbours) {
            ASSERT_EQ(bytes[from] % 4, 0u);
            pass.record(commands, {memory.view(from), memory.view(to)},
                        {{"cols", bytes[from] / 4}, {"rows", 1}}, neighbours);
          };
          std::vector<BufferView> views;
          for (std::size_t i = 0; i < count; ++i) views.push_back(memory.view(i));
          for (std::size_t f = 0; f < kFrames; ++f) {
            const std::size_t frame = first_frame + f * per_frame;
            // The previous frame may still use the arrays.
            for (std::size_t i = 0; i < count; ++i) {
              copy(frame + i, i, {.after = i == 0 ? kComputePass : SyncScope()});
            }
            product.record(commands, views, {.after = kComputePass, .before = kComputePass});
            copy(result, frame + count, {});
          }
        },
        nullptr);
    for (std::size_t f = 0; f < kFrames; ++f) {
      const gen::CheckResult checked =
          gen::check_gemm(data[f], problem.gemm, problem.size,
                          memory.read(first_frame + f * per_frame + count), gen::Verify::full, f);
      EXPECT_EQ(checked.mismatches, 0u) << command_of(problem, f) << ": " << checked.first;
    }
    EXPECT_EQ(memory.damage(), 0u);
  }

  // With pushed descriptors and with those of a pool. `expect` takes the user's device, ours, and the plan.
  template <class Expect>
  void for_both_ways(const Problem& problem, std::size_t steps, Expect expect) {
    for_each_device([&](Device& owner) {
      if (problem.entry->takes_packed && !has_matrices(owner.caps(), problem.gemm)) return;
      const CompiledPlan plan = plan_of(owner, problem);
      EXPECT_EQ(plan.steps.size(), steps);
      for (const bool pushes : {true, false}) {
        if (pushes && owner.context()->device->max_push_descriptors() == 0) continue;
        SCOPED_TRACE(pushes ? "pushed" : "from a pool");
        AdoptedDevice theirs = handles_in(owner);
        theirs.push_descriptors = pushes;
        Device device = Device::adopt(theirs);
        expect(owner, device, plan, pushes);
      }
    });
  }
  void expect_right(const Problem& problem, std::size_t steps) {
    for_both_ways(problem, steps,
                  [&](Device& owner, Device& device, const CompiledPlan& plan, bool pushes) {
                    expect_right(owner, device, problem, plan, pushes);
                  });
  }
  void expect_right_between_passes(const Problem& problem, std::size_t steps) {
    for_both_ways(problem, steps,
                  [&](Device& owner, Device& device, const CompiledPlan& plan, bool) {
                    expect_right_between_passes(owner, device, problem, plan);
                  });
  }
};

TEST_F(PlanRecorderTest, SlicesOfK) {
  Problem problem = product("gemm/simt", kSmallTiles, "f32", {37, 21, 67});
  problem.gemm.slices = 3;
  problem.gemm.alpha = -1.5;
  problem.gemm.beta = 0.5;
  problem.gemm.epilogue = gen::parse_epilogue("bias,relu,scale:0.25");
  expect_right(problem, 2);
  problem.gemm.c_n_contiguous = false;
  problem.gemm.a_k_contiguous = false;
  problem.gemm.batch = 2;
  expect_right(problem, 2);
}

TEST_F(PlanRecorderTest, OperandsThatArePacked) {
  Problem problem = product("gemm/packed", {}, "f16,f32", {65, 40, 33});
  problem.gemm.epilogue = gen::parse_epilogue("bias_m,residual");
  expect_right(problem, 3);
  problem.gemm.c_n_contiguous = false;
  problem.gemm.slices = 2;
  expect_right(problem, 4);
}

TEST_F(PlanRecorderTest, BetweenTwoPasses) {
  Problem slices = product("gemm/simt", kSmallTiles, "f32", {37, 21, 67});
  slices.gemm.slices = 3;
  slices.gemm.beta = 0.5;
  expect_right_between_passes(slices, 2);
  // Without scratch, whose barrier could replace that of `after`.
  expect_right_between_passes(product("gemm/simt", kSmallTiles, "f32", {37, 21, 67}), 1);
  Problem packed = product("gemm/packed", {}, "f16,f32", {66, 40, 34});
  expect_right_between_passes(packed, 3);
  packed.gemm.slices = 2;
  expect_right_between_passes(packed, 4);
}

TEST_F(PlanRecorderTest, SaysThatItsPoolIsExhausted) {
  for_each_device([&](Device& owner) {
    Problem problem = product("gemm/simt", kSmallTiles, "f32", {8, 8, 16});
    problem.gemm.slices = 2;
    const CompiledPlan plan = plan_of(owner, problem);
    Device device = Device::adopt(handles_in(owner));  // pushes no descriptors
    Buffer a = device.buffer(512), b = device.buffer(512), c = device.buffer(256);
    PlanRecorder recorder(device, plan, {.recordings = 2});
    for (int turn = 0; turn < 3; ++turn) {
      owner.context()->commands->run(
          [&](VkCommandBuffer commands) {
            for (int t = 0; t < 2; ++t) {
              recorder.record(commands, {a, b, c}, {.after = kComputePass});
            }
            EXPECT_REFUSED(
                recorder.record(commands, {a, b, c}), ArgumentError,
                AllOf(HasSubstr("gemm/simt: all 2 recordings"),
                      HasSubstr("gemm/combine: all 2 recordings"), HasSubstr("reset()")));
          },
          nullptr);
      recorder.reset();
    }
  });
}

TEST_F(PlanRecorderTest, OneKernel) {
  const Problem problem = product("gemm/simt", kSmallTiles, "i32", {30, 20, 10});
  expect_right(problem, 1);
}

TEST_F(PlanRecorderTest, TheKernelThatSuitsTheDevice) {
  for_each_device([&](Device& device) {
    Problem problem = product("gemm/simt", {}, "f32", {64, 64, 2048});
    const gen::KernelPlan plan = gen::gemm_plan(problem.gemm, problem.size, device.caps());
    expect_right(device, device, problem, gen::compile(plan, device.caps()), true);
  });
}

TEST_F(PlanRecorderTest, RefusesWithEveryReasonBeforeAnythingIsRecorded) {
  for_each_device([&](Device& device) {
    Problem problem = product("gemm/simt", kSmallTiles, "f32", {32, 32, 64});
    problem.gemm.slices = 2;
    problem.gemm.epilogue = gen::parse_epilogue("residual");
    const CompiledPlan plan = plan_of(device, problem);
    const std::uint64_t needs = scratch_places(plan, device.caps()).bytes;
    EXPECT_EQ(needs, 2u * 32 * 32 * 4);
    Buffer memory = device.buffer(1 << 20);
    const auto view = [&](std::uint64_t offset, std::uint64_t bytes) {
      return view_of(handle_of(memory), offset, bytes);
    };
    EXPECT_REFUSED(PlanRecorder(device, plan, {.scratch = view(0, needs - 1)}), ArgumentError,
                   "plan gemm/simt: needs 8192 bytes of scratch, got 8191");
    PlanRecorder recorder(device, plan, {.recordings = 1, .scratch = view(65536, needs)});
    memory.fill(kPoison);
    device.context()->commands->run(
        [&](VkCommandBuffer commands) {
          const BufferView b = view(8192, 8192), c = view(32768, 4096);
          EXPECT_REFUSED(recorder.record(commands, {b, b, c}), ArgumentError,
                         "takes 4 arrays, got 3");
          // The second step reads the residual, the first one writes scratch.
          EXPECT_REFUSED(
              recorder.record(commands, {view(0, 8000), b, view(65536, 4096), view(32768, 64)}),
              ArgumentError,
              AllOf(HasSubstr("residual (bytes 65536 to 69632) and sums of slices (bytes 65536 "
                              "to 73728) overlap in one buffer, and sums of slices is written"),
                    HasSubstr("a: needs 2048 elements of 4 bytes = 8192 bytes, got 8000"),
                    HasSubstr("c: needs 1024 elements of 4 bytes = 4096 bytes, got 64")));
        },
        nullptr);
    std::vector<std::byte> all(memory.bytes());
    memory.read(all);
    EXPECT_EQ(static_cast<std::size_t>(std::count(all.begin(), all.end(), kPoison)), all.size());
  });
}

// If the driver allocates a descriptor set for the first step but none for the second, nothing is recorded and no set
// is lost.
TEST(PlanRecorderFault, RecordsAllOrNothing) {
  FaultTable faults;
  OpenOptions options;
  options.cache = false;
  Device owner = open_through(FaultTable::get_instance_proc_addr(), "0", options);
  Device device = Device::adopt(handles_in(owner), options);
  gen::GemmOptions call = gen::parse_gemm_type("f32");
  call.slices = 2;
  const auto request = gen::request_of(call, {8, 8, 16}, device.caps(), kSmallTiles);
  const CompiledPlan plan = gen::compile(
      gen::gemm_plan(*gen::find_kernel("gemm/simt"), request, call, {8, 8, 16}), device.caps());
  PlanRecorder recorder(device, plan, {.recordings = 1});
  Buffer a = device.buffer(512), b = device.buffer(512), c = device.buffer(256);
  owner.context()->commands->run(
      [&](VkCommandBuffer commands) {
        const auto calls = [&] {
          return faults.calls("vkCmdPipelineBarrier") + faults.calls("vkCmdDispatch");
        };
        const int before = calls();
        faults.fail_at(2, VK_ERROR_OUT_OF_POOL_MEMORY);
        EXPECT_THROW(recorder.record(commands, {a, b, c}), DeviceError);
        EXPECT_EQ(faults.failed_call(), "vkAllocateDescriptorSets");
        EXPECT_EQ(calls(), before);
        recorder.record(commands, {a, b, c});
        // One for the scratch, one between the steps, two dispatches.
        EXPECT_EQ(calls(), before + 4);
      },
      nullptr);
}

}  // namespace
}  // namespace vkmoye::test
