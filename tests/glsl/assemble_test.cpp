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
#include "vkmoye/gen/dsl/builder.hpp"
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

// A copy of f16 in vectors from an array called `src` to one called `dst`, of as many rows as `rows` says.
ir::Kernel copy_of(const std::string& src, const std::string& dst, const std::string& rows) {
  Builder k("test", 32);
  const Tensor from = k.input(src, ScalarType::f16, {{"col", 64}, {"row", rows}});
  const Tensor to = k.output(dst, ScalarType::f16, {{"col", 64}, {"row", rows}});
  const TiledCopy copy = make_tiled_copy(make_layout({8, 4}), make_layout({8, 1}));
  const auto mine = [&](const Tensor& of) {
    return partition(tile(of, {64, 4}, {k.block_x(), k.block_y()}), copy, k.thread());
  };
  k.copy(mine(from), mine(to), {.edges = Edges::clamp, .loads_first = true});
  return k.finish();
}

TEST(Assemble, TakesBuffersWhateverTheyAreCalled) {
  for (const char* name : {"A", "a", "_a", "Src", "X9", "x9", "Tile", "A_block", "Rows"}) {
    const ir::Kernel kernel = copy_of(name, "dst", "rows");
    EXPECT_THAT(glsl::print(kernel), testing::HasSubstr("_x8")) << name;
    EXPECT_NO_THROW(compile(kernel)) << name;
  }
  // Two things of one name, one of them the block that a buffer lives in.
  const auto refused = [](const char* src, const char* dst, const char* rows, const char* why) {
    EXPECT_THAT([&] { copy_of(src, dst, rows); },
                testing::ThrowsMessage<KernelError>(testing::HasSubstr(why)));
  };
  refused("A", "a", "rows", "arrays A and a have one name");
  refused("A", "A_block", "rows", "arrays A and A_block have one name");
  refused("src", "dst", "Src", "array src and argument Src have one name");
  refused("src", "dst", "dst", "array dst and argument dst have one name");
  refused("src_words", "dst", "rows", "'src_words' cannot be the name of an array: moves use it");
  refused("A_x8_block", "A", "rows", "'A_x8_block' cannot be the name of an array: moves use it");
  refused("gl_x", "dst", "rows", "'gl_x' cannot be the name of an array");
  refused("a__b", "sample", "rows", "'sample' cannot be the name of an array");
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
