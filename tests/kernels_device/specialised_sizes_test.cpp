// SPDX-License-Identifier: MIT
// Kernels whose sizes are specialisation constants: one SPIR-V for all sizes, whose pipelines have the results of the
// kernel with push constants, bit for bit.

#include <random>

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/temporary_folder.hpp"
#include "support/their_device.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/compact_strides.hpp"
#include "vkmoye/contract/kernel_file.hpp"
#include "vkmoye/contract/plan_file.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/passes/sizes_from_buffer.hpp"
#include "vkmoye/runtime/vk/pipeline_state.hpp"
#include "vkmoye/runtime/vulkan.hpp"

namespace vkmoye::test {
namespace {

// A kernel, the sizes that are specialised, and launches.
struct SpecialisedSubject {
  const char* kernel;
  std::vector<std::string> names;
  std::vector<Arguments> launches;
};

const std::vector<SpecialisedSubject>& specialised_subjects() {
  static const std::vector<SpecialisedSubject> all = {
      {"copy/simple",
       {"cols"},
       {{{"cols", 37}, {"rows", 100}}, {{"cols", 64}, {"rows", 3}}, {{"cols", 1}, {"rows", 1}}}},
      {"copy/tiled_vec",
       {"rows", "cols"},
       {{{"cols", 64}, {"rows", 70}}, {{"cols", 65}, {"rows", 33}}, {{"cols", 4}, {"rows", 1}}}},
      {"transpose/padded", {"rows"}, {{{"cols", 33}, {"rows", 65}}, {{"cols", 32}, {"rows", 32}}}},
      {"gemm/moye_simple",
       {"k", "m", "n", "lda", "ldb", "ldc"},
       {{{"m", 150}, {"n", 70}, {"k", 40}, {"alpha", 0.5}},
        {{"m", 1}, {"n", 1}, {"k", 1}, {"alpha", 2.0}},
        {{"m", 33}, {"n", 129}, {"k", 17}, {"alpha", 1.0}}}},
      {"gemm/simt",
       {"n", "k"},
       {{{"m", 200}, {"n", 130}, {"k", 24}, {"alpha", 1.0}},
        {{"m", 65}, {"n", 4}, {"k", 33}, {"alpha", 1.0}}}},
      {"softmax/rows",
       {"cols"},
       {{{"rows", 9}, {"cols", 300}}, {{"rows", 2}, {"cols", 1}}, {{"rows", 1}, {"cols", 1024}}}}};
  return all;
}

class SpecialisedSizesTest : public DeviceTest {
 protected:
  static gen::ir::Kernel described(const char* name, const DeviceCaps& caps) {
    gen::KernelRequest request;
    request.form = ScalarType::f32;
    request.device = caps;
    return gen::find_kernel(name)->describe(request);
  }
  // Read from the text of a file.
  static CompiledKernel compiled(const SpecialisedSubject& subject, const DeviceCaps& caps) {
    return parse_kernel(kernel_text(
        gen::compile(gen::with_specialised_sizes(described(subject.kernel, caps), subject.names))));
  }
  static Arguments values_of(const SpecialisedSubject& subject, const Arguments& all) {
    Arguments values;
    for (const std::string& name : subject.names) values[name] = all.at(name);
    return values;
  }
  static Arguments without(const SpecialisedSubject& subject, Arguments arguments) {
    for (const std::string& name : subject.names) arguments.erase(name);
    return arguments;
  }

  // The arrays of a launch between guards: small numbers in what is read, poison in results.
  struct Memory {
    std::vector<GuardedBuffer> arrays;
    std::size_t result = 0;

    Memory(Device& device, const KernelInterface& kernel, const Arguments& arguments) {
      std::mt19937 random(5);
      for (const Binding& binding : kernel.bindings) {
        arrays.emplace_back(device, 4 * element_count(binding, arguments));
        if (binding.access == Access::write) result = arrays.size() - 1;
        std::vector<float> values(arrays.back().bytes() / sizeof(float));
        for (float& value : values) value = static_cast<float>(random() % 8);
        if (binding.access != Access::write) write_as(arrays.back(), values);
      }
    }
    std::vector<BufferView> views() const {
      std::vector<BufferView> out;
      for (const GuardedBuffer& array : arrays) out.push_back(array.view());
      return out;
    }
    // What `run` writes to the poisoned result.
    template <class Run>
    std::vector<std::byte> after(const Run& run) {
      arrays[result].poison();
      run(views());
      for (const GuardedBuffer& array : arrays) EXPECT_EQ(array.damage(), "");
      return read_as<std::byte>(arrays[result]);
    }
  };
};

TEST_F(SpecialisedSizesTest, HaveTheResultsOfPushConstants) {
  for_each_device([](Device& device) {
    for (const SpecialisedSubject& subject : specialised_subjects()) {
      const CompiledKernel code = compiled(subject, device.caps());
      const Pipeline plain = device.load(gen::compile(described(subject.kernel, device.caps())));
      for (const Arguments& launch : subject.launches) {
        const Arguments all = with_compact_strides(plain.interface(), launch);
        SCOPED_TRACE(subject.kernel);
        Memory memory(device, plain.interface(), all);
        const Pipeline pipeline = device.load(code, values_of(subject, all));
        const auto launched = [&](const Pipeline& of, const Arguments& arguments) {
          return memory.after([&](const auto& views) { device.run(of, views, arguments); });
        };
        const auto expected = launched(plain, all);
        EXPECT_EQ(launched(pipeline, all), expected);
        EXPECT_EQ(launched(pipeline, without(subject, all)), expected);
      }
    }
  });
}

// By an adopted device, with arguments by name and by index.
TEST_F(SpecialisedSizesTest, AreRecorded) {
  for_each_device([](Device& owner) {
    Device device = Device::adopt(handles_in(owner));
    for (const SpecialisedSubject& subject : specialised_subjects()) {
      const CompiledKernel code = compiled(subject, device.caps());
      const Pipeline plain = owner.load(gen::compile(described(subject.kernel, device.caps())));
      for (const Arguments& launch : subject.launches) {
        SCOPED_TRACE(subject.kernel);
        const Arguments all = with_compact_strides(plain.interface(), launch);
        Memory memory(owner, plain.interface(), all);
        const auto expected =
            memory.after([&](const auto& views) { owner.run(plain, views, all); });
        RecorderOptions options;
        options.recordings = 2;
        options.specialised = values_of(subject, all);
        Recorder recorder(device, code, options);
        std::vector<Argument> values;
        for (const std::string& name : recorder.argument_names()) values.push_back(all.at(name));
        EXPECT_EQ(values.size() + subject.names.size(), all.size());
        const auto recorded = [&](const auto& record) {
          return memory.after([&](const auto&) {
            std::vector<BufferView> views;
            for (const GuardedBuffer& array : memory.arrays) {
              const BufferView ours = array.view();
              views.push_back(view_of(handle_of(*ours.buffer), ours.offset, array.bytes()));
            }
            owner.context()->commands->run(
                [&](VkCommandBuffer commands) { record(commands, views); }, nullptr);
          });
        };
        EXPECT_EQ(recorded([&](VkCommandBuffer commands, const auto& views) {
                    recorder.record_values(commands, views, values);
                  }),
                  expected);
        EXPECT_EQ(recorded([&](VkCommandBuffer commands, const auto& views) {
                    recorder.record(commands, views, without(subject, all));
                  }),
                  expected);
      }
    }
  });
}

TEST_F(SpecialisedSizesTest, AreRefusedWithEveryReason) {
  for_each_device([](Device& device) {
    const SpecialisedSubject& subject = specialised_subjects()[1];
    const CompiledKernel code = compiled(subject, device.caps());
    EXPECT_REFUSED(device.load(code), ArgumentError,
                   AllOf(HasSubstr("'rows' is a specialisation constant, and has no value"),
                         HasSubstr("'cols' is a specialisation constant, and has no value")));
    EXPECT_REFUSED(Recorder(device, code, {}), ArgumentError,
                   "'rows' is a specialisation constant");
    EXPECT_REFUSED(device.load(code, {{"rows", 0}, {"cols", 5}, {"depth", 3}}), ArgumentError,
                   AllOf(HasSubstr("rows = 0 is outside 1..2^32-1"),
                         HasSubstr("'depth' is not a specialisation constant of it (rows, cols)")));
    const Pipeline pipeline = device.load(code, {{"rows", 3}, {"cols", 5}});
    EXPECT_EQ(pipeline.interface().specialised[1].value, 5u);
    EXPECT_THAT(pipeline.state()->label, EndsWith(" rows=3 cols=5"));
    Buffer src = device.buffer(60), dst = device.buffer(60);
    EXPECT_REFUSED(device.prepare(pipeline, {src, dst}, {{"rows", 2}, {"cols", 6}}), ArgumentError,
                   AllOf(HasSubstr("argument rows = 2, but the kernel was loaded for rows = 3"),
                         HasSubstr("argument cols = 6, but the kernel was loaded for cols = 5")));
    Buffer short_dst = device.buffer(56);
    EXPECT_REFUSED(device.prepare(pipeline, {src, short_dst}, {}), ArgumentError,
                   "dst: needs 15 elements of 4 bytes = 60");
  });
}

// Two values of one SPIR-V must not share a pipeline, neither in a cache of this process nor in its file.
TEST_F(SpecialisedSizesTest, HavePipelinesOfTheirOwnInTheCache) {
  const TemporaryFolder folder;
  OpenOptions options;
  options.cache_folder = folder.path();
  const SpecialisedSubject subject = {"transpose/padded", {"cols", "rows"}, {}};
  for (int time = 0; time < 2; ++time) {
    for_each_device(
        [&](Device& device) {
          const CompiledKernel code = compiled(subject, device.caps());
          const Pipeline one = device.load(code, {{"cols", 3}, {"rows", 8}});
          const Pipeline other = device.load(code, {{"cols", 8}, {"rows", 3}});
          std::vector<std::uint32_t> values(24), got(24);
          for (std::uint32_t i = 0; i < 24; ++i) values[i] = i;
          Buffer src = device.buffer(96), dst = device.buffer(96);
          src.write(std::as_bytes(std::span(values)));
          for (const auto& [pipeline, cols] : {std::pair(&one, 3u), {&other, 8u}, {&one, 3u}}) {
            device.run(*pipeline, {src, dst}, {});
            dst.read(std::as_writable_bytes(std::span(got)));
            const std::uint32_t rows = 24 / cols;
            for (std::uint32_t i = 0; i < 24; ++i) {
              ASSERT_EQ(got[i % cols * rows + i / cols], i) << cols << " columns";
            }
          }
        },
        options);
  }
}

// A plan has the values among the arguments of its steps; here with other sizes in a buffer.
TEST_F(SpecialisedSizesTest, MayBeOfAPlan) {
  for_each_device([](Device& device) {
    gen::KernelPlan described_plan = gen::with_sizes_from_buffer(
        described("copy/simple", device.caps()), {"rows"}, {{"cols", 37}, {"rows", 100}});
    gen::ir::Kernel& copy = described_plan.steps[1].kernel;
    copy = gen::with_specialised_sizes(copy, {"cols"});
    const CompiledPlan plan = parse_plan(plan_text(gen::compile(described_plan, device.caps())));
    EXPECT_EQ(plan.steps[1].kernel.interface.specialised.size(), 1u);
    const std::uint32_t rows = 41;
    std::vector<std::uint32_t> values(3700), got(3700);
    for (std::uint32_t i = 0; i < values.size(); ++i) values[i] = i + 1;
    Buffer src = device.buffer(4 * 3700), dst = device.buffer(4 * 3700), sizes = device.buffer(4),
           status = device.buffer(4);
    src.write(std::as_bytes(std::span(values)));
    dst.fill(std::byte{0});
    sizes.write(std::as_bytes(std::span(&rows, 1)));
    PlanRecorder recorder(device, plan, {.recordings = 1});
    device.context()->commands->run(
        [&](VkCommandBuffer commands) {
          recorder.record(commands, {src, dst, sizes, status});
        },
        nullptr);
    dst.read(std::as_writable_bytes(std::span(got)));
    for (std::uint32_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], i < 37 * rows ? i + 1 : 0) << i;
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
