// SPDX-License-Identifier: MIT
// The descriptions of devices that come with the program: each is read, and every kernel is either described for it or
// refused with reasons.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "devices/description.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/unverified.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::bench {
namespace {

struct NameOfFile {
  std::string name;  // "ampere"
  bool operator<(const NameOfFile& other) const { return name < other.name; }
};
void PrintTo(const NameOfFile& file, std::ostream* out) { *out << file.name; }

std::vector<NameOfFile> names() {
  std::vector<NameOfFile> found;
  for (const auto& entry : std::filesystem::directory_iterator(VKMOYE_DESCRIPTIONS)) {
    if (entry.path().extension() == ".json") found.push_back({entry.path().stem().string()});
  }
  std::sort(found.begin(), found.end());
  return found;
}

// Why the device cannot run the kernel with its first type and default options; empty if it can. Verified elsewhere.
std::vector<std::string> reasons_for(const gen::KernelEntry& entry, const DeviceCaps& caps) {
  gen::KernelRequest request = gen::request_of(entry.types.front());
  request.device = caps;
  try {
    const gen::UnverifiedDescriptions scope;
    return reasons_against(gen::ir::interface_of(entry.describe(request)), caps);
  } catch (const Error& error) {
    return {error.what()};
  }
}

class ShippedDescriptions : public testing::TestWithParam<NameOfFile> {};

TEST_P(ShippedDescriptions, EveryKernelIsDescribedOrRefusedWithReasons) {
  const DeviceCaps caps = read_device_description(std::filesystem::path(VKMOYE_DESCRIPTIONS) /
                                                  (GetParam().name + ".json"));
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

INSTANTIATE_TEST_SUITE_P(Of, ShippedDescriptions, testing::ValuesIn(names()));

}  // namespace
}  // namespace vkmoye::bench
