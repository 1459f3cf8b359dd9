// SPDX-License-Identifier: MIT
// Every config of a grid assembles, and spirv-val accepts the result.

#include "vkmoye/gen/spirv/assemble.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "offline_gpus/cases.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "support/options.hpp"
#include "support/process.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/spirv.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

// Modules for spirv-val, each once.
class Modules {
 public:
  void add(const ir::Kernel& described) {
    // The first line names the type; below it, several types are the same words.
    const std::string text = glsl::print(described);
    if (!seen_.insert(described.name + text.substr(text.find('\n'))).second) return;
    const CompiledKernel kernel = compile(described);
    EXPECT_THAT(reasons_against_spirv(kernel.interface, kernel.spirv), testing::IsEmpty())
        << described.name;
    // spirv-val of 2025 does not know bfloat16: it sees what the text says.
    const auto spirv = kernel.interface.features.has(Feature::bf16_matrix)
                           ? spirv::assemble(described.name, kernel.glsl)
                           : kernel.spirv;
    const std::string path = folder_.file(std::to_string(count()) + ".spv");
    test::write_file(path,
                     std::string(reinterpret_cast<const char*>(spirv.data()), spirv.size() * 4));
  }
  std::size_t count() const { return seen_.size(); }

  void expect_valid() const {
    const test::Outcome outcome =
        test::run({"sh", "-c",
                   "for f in \"$0\"/*; do spirv-val --target-env vulkan1.2 \"$f\" || exit 1; done",
                   folder_.path()});
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  }

 private:
  test::TemporaryFolder folder_;
  std::set<std::string> seen_;
};

TEST(Assemble, EveryKernelAndTypeIsValidSpirv) {
  Modules modules;
  const Options options[] = {{},
                             {{"tile", "16x16"}, {"threads", "8x8"}},
                             {{"tile", "64x32"}, {"threads", "(16,16):(16,1)"}}};
  for (const KernelEntry& entry : registry()) {
    for (const ScalarType type : entry.types) {
      for (const Options& option : options) {
        const Options own = test::options_of(entry, option);
        if (own.empty() && !option.empty()) continue;
        modules.add(test::described(entry, request_of(type, own)));
      }
    }
  }
  EXPECT_GE(modules.count(), 92u);
  modules.expect_valid();
}

// As they are by themselves on two GPUs, and in the forms whose code differs most.
TEST(Assemble, EveryShippedConfigIsValidSpirv) {
  Modules modules;
  for (const DeviceCaps& caps : {test::h200_like(), test::rdna3_like()}) {
    for (const test::Case& one : test::cases_for(caps)) {
      if (one.refusal.empty()) modules.add(one.description);
    }
  }
  std::printf("%zu modules\n", modules.count());
  EXPECT_GE(modules.count(), 300u);
  modules.expect_valid();
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
