// SPDX-License-Identifier: MIT
// Every config of a grid assembles, and spirv-val accepts the result.

#include "vkmoye/gen/spirv/assemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "support/fragment_orders.hpp"
#include "support/options.hpp"
#include "support/process.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry.hpp"

namespace vkmoye::gen {
namespace {

TEST(Assemble, EveryKernelAndTypeIsValidSpirv) {
  const test::TemporaryFolder folder;
  const Options options[] = {{},
                             {{"tile", "16x16"}, {"threads", "8x8"}},
                             {{"tile", "64x32"}, {"threads", "(16,16):(16,1)"}}};
  std::vector<std::string> command = {
      "sh", "-c",
      "for f in \"$@\"; do spirv-val --target-env vulkan1.2 \"$f\" || "
      "exit 1; done",
      "sh"};
  std::set<std::string> seen;
  for (const KernelEntry& entry : registry()) {
    for (const ScalarType type : entry.types) {
      for (const Options& option : options) {
        const Options own = test::options_of(entry, option);
        if (own.empty() && !option.empty()) continue;
        const ir::Kernel described = test::described(entry, request_of(type, own));
        // The first line names the type; below it, several types are the same words.
        const std::string text = glsl::print(described);
        if (!seen.insert(entry.name + text.substr(text.find('\n'))).second) continue;
        const CompiledKernel kernel = compile(described);
        // spirv-val of 2025 does not know bfloat16: it sees what the text says.
        const auto spirv = kernel.interface.features.has(Feature::bf16_matrix)
                               ? spirv::assemble(entry.name, kernel.glsl)
                               : kernel.spirv;
        const std::string path = folder.file(std::to_string(command.size()) + ".spv");
        test::write_file(
            path, std::string(reinterpret_cast<const char*>(spirv.data()), spirv.size() * 4));
        command.push_back(path);
      }
    }
  }
  EXPECT_GE(command.size(), 96u);
  const test::Outcome outcome = test::run(command);
  EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
}

TEST(Assemble, RefusesWrongTextWithTheLogAndNumberedLines) {
  try {
    spirv::assemble("broken", "#version 460\nvoid main() { nonsense }\n");
    FAIL() << "accepted";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.log, testing::HasSubstr("nonsense"));
    EXPECT_THAT(error.numbered_source, testing::HasSubstr("   2  void main()"));
  }
}

}  // namespace
}  // namespace vkmoye::gen
