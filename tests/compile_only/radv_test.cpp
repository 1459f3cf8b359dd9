// Kernels with subgroups compiled by AMD's back end for a card that is not there: Mesa's RADV over
// the drm-shim of package mesa-drm-shim, which accepts every submit and does nothing.

#include <gtest/gtest.h>

#include <cstdlib>

#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/reduce.hpp"
#include "vkmoye/gen/kernels/rms_norm.hpp"
#include "vkmoye/gen/kernels/softmax.hpp"
#include "vkmoye/runtime/device.hpp"

namespace vkmoye::test {
namespace {

TEST(Radv, CompilesKernelsForSubgroupsOf32And64Lanes) {
  if (std::getenv("AMDGPU_GPU_ID") == nullptr) {
    GTEST_SKIP() << "libamdgpu_noop_drm_shim.so or RADV is not installed (packages mesa-drm-shim, "
                    "mesa-vulkan-drivers)";
  }
  OpenOptions options;
  options.cache = false;
  Device device = Device::open("RADV", options);
  const DeviceCaps& caps = device.caps();
  ASSERT_TRUE(caps.has(Feature::subgroup_size_control)) << caps.name;
  ASSERT_EQ(caps.min_subgroup_size, 32u);
  ASSERT_EQ(caps.max_subgroup_size, 64u);
  for (const std::int64_t lanes : {32, 64}) {
    for (const ScalarType type : {ScalarType::f16, ScalarType::f32}) {
      for (const std::int64_t axis : {0, 1}) {
        gen::ReduceConfig config = gen::reduce_config(type, caps);
        config.subgroup = lanes;
        config.axis = axis;
        device.load(gen::compile(gen::reduce(config, gen::kSum, "reduce/sum"), caps));
        device.load(gen::compile(gen::reduce(config, gen::kMaximum, "reduce/max"), caps));
      }
      gen::RmsNormConfig config = gen::rms_norm_config(type, caps);
      config.subgroup = lanes;
      device.load(gen::compile(gen::softmax(config), caps));
      device.load(gen::compile(gen::rms_norm(config), caps));
    }
  }
}

}  // namespace
}  // namespace vkmoye::test
