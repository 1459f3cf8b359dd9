// SPDX-License-Identifier: MIT
// The descriptions of devices that come with the program: each is read, and every kernel is either described for it or
// refused with reasons.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "devices/description.hpp"
#include "support/effort.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {
namespace {

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(VKMOYE_DESCRIPTIONS)) {
    if (entry.path().extension() == ".json") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Why the device cannot run the kernel with its first type and default options; empty if it can. The quick run does
// not describe the products that can say so without.
std::vector<std::string> reasons_for(const gen::KernelEntry& entry, const DeviceCaps& caps) {
  gen::KernelRequest request = gen::request_of(entry.types.front());
  request.device = caps;
  try {
    if (test::is_quick() && entry.refuse) return entry.refuse(request);
    return reasons_against(gen::ir::interface_of(entry.describe(request)), caps);
  } catch (const Error& error) {
    return {error.what()};
  }
}

class ShippedDescriptions : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(ShippedDescriptions, EveryKernelIsDescribedOrRefusedWithReasons) {
  const DeviceCaps caps = read_device_description(GetParam());
  EXPECT_NE(caps.name, "");
  EXPECT_EQ(caps.why_unusable, "");
  std::size_t described = 0;
  for (const gen::KernelEntry& entry : gen::registry()) {
    const std::vector<std::string> reasons = reasons_for(entry, caps);
    described += reasons.empty();
    for (const std::string& reason : reasons) EXPECT_GT(reason.size(), 10u) << entry.name;
  }
  EXPECT_GT(described, gen::registry().size() / 2);
}

INSTANTIATE_TEST_SUITE_P(Of, ShippedDescriptions, testing::ValuesIn(files()),
                         [](const auto& info) { return info.param.stem().string(); });

}  // namespace
}  // namespace vkmoye::bench
