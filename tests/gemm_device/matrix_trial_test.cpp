// SPDX-License-Identifier: MIT
// A driver that multiplies matrices wrong is detected, and the wrong shapes are not used.

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "devices/trials.hpp"
#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/process.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/spirv/assemble.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

CompiledKernel honest(const gen::ir::Kernel& kernel) { return gen::compile(kernel); }

// The result of a driver that miscompiles something: `word` of the text is replaced by `other`.
Compile with(const std::string& word, const std::string& other) {
  return [word, other](const gen::ir::Kernel& kernel) {
    CompiledKernel out = gen::compile(kernel);
    const std::size_t at = out.glsl.find(word);
    EXPECT_NE(at, std::string::npos) << word;
    out.glsl.replace(at, word.size(), other);
    out.spirv = gen::spirv::assemble(kernel.name, out.glsl);
    return out;
  };
}

class MatrixTrialTest : public DeviceTest {
 protected:
  // Calls `body` with the shapes of each device that have a trial.
  template <class Body>
  void for_each_shape(Body body) {
    for_each_device([&](Device& device) {
      for (const MatrixShape& shape : device.caps().matrix_shapes) {
        if (matrix_trial(shape, device.caps().subgroup_size)) {
          body(device, shape, device.caps().subgroup_size);
        }
      }
    });
  }
  const TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.file("matrices.tsv");
};

TEST_F(MatrixTrialTest, WhatTheDriverReportsIsRight) {
  int tried = 0;
  for_each_shape([&](Device& device, const MatrixShape& shape, std::uint32_t lanes) {
    EXPECT_EQ(try_matrices(device, shape, lanes, honest), "") << to_string(shape);
    ++tried;
  });
  for_each_device([&](Device& device) {
    if (device.caps().kind == DeviceKind::cpu && !device.caps().matrix_shapes.empty()) {
      EXPECT_GE(tried, 4);
    }
  });
}

// Known faults of drivers: rows taken as columns, and lost previous sums.
TEST_F(MatrixTrialTest, WhatIsWrongIsFound) {
  for_each_shape([&](Device& device, const MatrixShape& shape, std::uint32_t lanes) {
    const auto wrong = [&](const std::string& word, const std::string& other) {
      return try_matrices(device, shape, lanes, with(word, other));
    };
    if (shape.a != "f16" || shape.c != "f32" || shape.m != shape.k || shape.n != shape.k) return;
    EXPECT_THAT(wrong("LayoutRowMajor", "LayoutColumnMajor"), HasSubstr("A by rows, B by rows"));
    EXPECT_THAT(wrong("(3.0)", "(0.0)"), HasSubstr("stored by rows: [0,0] is "));
    EXPECT_THAT(wrong("coopMatStore(", "if (lane > 64u) coopMatStore("), HasSubstr("is "));
  });
}

TEST_F(MatrixTrialTest, VerdictsAreKeptByDeviceAndDriver) {
  const MatrixVerdicts verdicts{DeviceFacts(file_)};
  DeviceCaps caps;
  caps.name = "one";
  caps.driver = "driver 1.0";
  const MatrixShape shape{16, 16, 16, "f16", "f16", "f32", "f32", "subgroup"};
  EXPECT_FALSE(verdicts.find(caps, shape, 32));
  verdicts.store(caps, shape, 32, "");
  verdicts.store(caps, shape, 64, "[0,0] is 1, not 2");
  EXPECT_EQ(verdicts.find(caps, shape, 32), "");
  EXPECT_EQ(verdicts.find(caps, shape, 64), "[0,0] is 1, not 2");
  caps.driver = "driver 1.1";
  EXPECT_FALSE(verdicts.find(caps, shape, 32));
  caps.driver = "driver 1.0";
  // A new version of the program runs the trial again.
  EXPECT_FALSE(MatrixVerdicts(DeviceFacts(file_, "0.0.1")).find(caps, shape, 32));
  EXPECT_TRUE(verdicts.find(caps, shape, 32));
  std::ofstream(file_) << "one\tdriver 1.0\t" << to_string(shape) << ", 32 lanes\t\n\xff";
  EXPECT_FALSE(MatrixVerdicts(DeviceFacts(file_)).find(caps, shape, 32));
  const MatrixVerdicts nowhere{DeviceFacts("")};
  nowhere.store(caps, shape, 32, "");
  EXPECT_FALSE(nowhere.find(caps, shape, 32));
}

// That is not a fault of the driver, and a later version may have a trial.
TEST_F(MatrixTrialTest, WhatHasNoTrialIsNotUsedAndNoVerdictIsKept) {
  for_each_device([&](Device& device) {
    KernelInterface kernel;
    kernel.matrices = {{16, 16, 16, "f16", "f16", "f32", "f32", "workgroup"}};
    kernel.subgroup_size = 32;
    EXPECT_THAT(
        join(reasons_against_matrices(device, kernel, MatrixVerdicts(DeviceFacts(file_))), ""),
        AllOf(HasSubstr("with 32 lanes has no trial and is not used"), Not(HasSubstr("wrong"))));
    EXPECT_FALSE(std::filesystem::exists(file_));
  });
}

TEST_F(MatrixTrialTest, AWrongVerdictKeepsAKernelFromBeingUsed) {
  const MatrixVerdicts verdicts{DeviceFacts(file_)};
  for_each_shape([&](Device& device, const MatrixShape& shape, std::uint32_t lanes) {
    std::filesystem::remove(file_);
    KernelInterface kernel;
    kernel.matrices = {shape};
    kernel.subgroup_size = lanes;
    EXPECT_THAT(reasons_against_matrices(device, kernel, verdicts), IsEmpty());
    EXPECT_EQ(verdicts.find(device.caps(), shape, lanes), "");  // tried once
    std::filesystem::remove(file_);
    verdicts.store(device.caps(), shape, lanes, "[0,0] is 1, not 2");
    EXPECT_THAT(join(reasons_against_matrices(device, kernel, verdicts), ""),
                HasSubstr("the driver multiplies " + to_string(shape) + " wrong: [0,0] is 1"));
  });
}

}  // namespace
}  // namespace vkmoye::test
