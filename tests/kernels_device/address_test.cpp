// SPDX-License-Identifier: MIT
// Kernels that access their arrays through pointers, on every device: all types, partial and whole tiles, split
// grids; and the error of a device without addresses.

#include <cstring>
#include <numeric>
#include <random>

#include "support/device_fixture.hpp"
#include "support/expect.hpp"
#include "support/guarded_buffer.hpp"
#include "support/moves.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/common/addressing.hpp"
#include "vkmoye/gen/kernels/relayout_entries.hpp"

namespace vkmoye::test {
namespace {

using gen::KernelEntry;
using gen::KernelRequest;

// The arrays of one move: b is a with its axes permuted, in C order.
struct Map {
  std::vector<std::int64_t> shape;  // of a
  std::vector<std::int64_t> axes;
};

std::string axes_text(const std::vector<std::int64_t>& axes) {
  std::vector<std::string> parts;
  for (const std::int64_t axis : axes) parts.push_back(std::to_string(axis));
  return join(parts, ",");
}

class AddressTest : public DeviceTest {
 protected:
  void expect_right(Device& device, const KernelEntry& entry, KernelRequest request,
                    const Map& map) {
    SCOPED_TRACE(entry.name + " " + std::string(to_string(type_of(request.form))) + " " +
                 testing::PrintToString(map.shape));
    const std::int64_t count =
        std::accumulate(map.shape.begin(), map.shape.end(), std::int64_t{1}, std::multiplies<>());
    request.elements().elements = static_cast<std::uint64_t>(count);
    if (entry.operation == "relayout") request.elements().shape = map.shape;
    const std::size_t width = size_of(type_of(request.form));
    std::vector<std::uint8_t> input(static_cast<std::size_t>(count) * width),
        expected(input.size());
    for (std::uint8_t& byte : input) byte = static_cast<std::uint8_t>(random_());
    const gen::Permutation permuted = gen::permuted(map.shape, map.axes);
    for (std::int64_t i = 0; i < count; ++i) {
      std::memcpy(&expected[static_cast<std::size_t>(permuted.dst(i)) * width],
                  &input[static_cast<std::size_t>(permuted.src(i)) * width], width);
    }
    const CompiledKernel kernel = gen::compile(entry.describe(request), device.caps());
    EXPECT_THAT(kernel.glsl, HasSubstr("uint64_t src_address, dst_address;"));
    EXPECT_THAT(kernel.glsl, Not(HasSubstr("binding = ")));
    GuardedBuffer src(device, input.size()), dst(device, input.size());
    write_as(src, input);
    Arguments sizes;
    if (!request.elements().shape) sizes = {{"rows", map.shape[0]}, {"cols", map.shape[1]}};
    device.run(device.load(kernel), {src.view(), dst.view()}, sizes);
    EXPECT_TRUE(read_as<std::uint8_t>(dst) == expected);
    EXPECT_TRUE(read_as<std::uint8_t>(src) == input);
    EXPECT_EQ(src.damage(), "");
    EXPECT_EQ(dst.damage(), "");
  }

  void expect_all_right(Device& device, const KernelRequest& request) {
    for (const auto& [rows, cols] : {std::pair{1, 1}, {33, 65}, {144, 272}, {3, 700}, {257, 5}}) {
      expect_right(device, *gen::find_kernel("copy/auto"), request, {{rows, cols}, {0, 1}});
      expect_right(device, *gen::find_kernel("transpose/auto"), request, {{rows, cols}, {1, 0}});
    }
    const Map maps[] = {
        {{6, 144, 272}, {2, 1, 0}}, {{5, 33, 63}, {2, 0, 1}}, {{5, 33, 64}, {1, 0, 2}}};
    for (const Map& map : maps) {
      KernelRequest permuted = request;
      permuted.options["permute"] = axes_text(map.axes);
      expect_right(device, *gen::find_kernel("relayout"), permuted, map);
    }
  }

  std::mt19937 random_{71};
};

TEST_F(AddressTest, EveryTypeAndSizeIsRightByPointers) {
  for_each_device([&](Device& device) {
    for (const ScalarType type :
         {ScalarType::i8, ScalarType::f16, ScalarType::bf16, ScalarType::u16, ScalarType::f32,
          ScalarType::i64, ScalarType::f64, ScalarType::c128}) {
      KernelRequest request = gen::request_of(type, {{"address", "pointer"}});
      request.device = device.caps();
      expect_all_right(device, request);
    }
  });
}

// Arrays beyond the limit of a descriptor are accessed through a pointer, unless the config chooses descriptors.
TEST_F(AddressTest, PointersAreTakenWhereADeviceBindsLess) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) {
    caps.max_storage_buffer_bytes = 4;
    caps.max_group_count = {3, 2, 1};  // in pieces
  };
  for_each_device(
      [&](Device& device) {
        KernelRequest request = gen::request_of(ScalarType::f64);
        request.device = device.caps();
        expect_all_right(device, request);
        request.options = {{"address", "descriptor"}};
        request.elements().shape = {{64, 64}};
        for (const char* name : {"copy/auto", "transpose/auto", "relayout"}) {
          const CompiledKernel bound = gen::compile(gen::find_kernel(name)->describe(request));
          EXPECT_THAT(bound.glsl, Not(HasSubstr("_address")));
        }
      },
      options);
}

// A pointer crosses the boundaries of a buffer with several allocations.
TEST_F(AddressTest, PointersReachThroughSeveralAllocations) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) {
    caps.max_allocation_bytes = caps.max_storage_buffer_bytes = 1 << 20;
  };
  for_each_device(
      [&](Device& device) {
        if (device.caps().max_sparse_buffer_bytes < std::uint64_t{1} << 23) {
          GTEST_SKIP() << "it binds no buffer to several allocations";
        }
        KernelRequest request = gen::request_of(ScalarType::f32);
        request.device = device.caps();
        expect_right(device, *gen::find_kernel("copy/auto"), request, {{1021, 1023}, {0, 1}});
        expect_right(device, *gen::find_kernel("transpose/auto"), request, {{1024, 1280}, {1, 0}});
      },
      options);
}

TEST_F(AddressTest, ADeviceWithoutAddressesSaysSo) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) { caps.features.remove(Feature::buffer_address); };
  for_each_device(
      [&](Device& device) {
        for (const char* name : {"copy/auto", "transpose/auto", "relayout"}) {
          const CompiledKernel kernel = gen::compile(gen::find_kernel(name)->describe(
              gen::request_of(ScalarType::f32, {{"address", "pointer"}})));
          try {
            device.load(kernel);
            ADD_FAILURE() << name << " was loaded";
          } catch (const KernelError& error) {
            EXPECT_THAT(error.reasons,
                        ElementsAre("needs the feature buffer_address, the device lacks it"));
          }
        }
      },
      options);
}

}  // namespace
}  // namespace vkmoye::test
