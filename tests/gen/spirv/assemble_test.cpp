// SPDX-License-Identifier: MIT
// Every config of a grid assembles, and the result is valid SPIR-V.

#include "vkmoye/gen/spirv/assemble.hpp"

#include <algorithm>
#include <set>

#include "offline_gpus/cases.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "support/options.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/spirv.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/spirv/instructions.hpp"
#include "vkmoye/gen/spirv/validate.hpp"

namespace vkmoye::gen {
namespace {

// The modules to check, without duplicates.
class Modules {
 public:
  void add(const ir::Kernel& described) {
    // Only the comments at the top differ between types that are moved as the same words.
    const std::string text = glsl::print(described);
    if (!seen_.insert(described.name + text.substr(text.find("#version"))).second) return;
    const CompiledKernel kernel = compile(described);
    EXPECT_THAT(reasons_against_spirv(kernel.interface, kernel.spirv), IsEmpty()) << described.name;
    // spirv-val of 2025 does not support bfloat16: it checks the module with float16_t.
    const auto spirv = kernel.interface.features.has(Feature::bf16_matrix)
                           ? spirv::assemble(described.name, kernel.glsl)
                           : kernel.spirv;
    EXPECT_THAT(reasons_against_module(spirv), IsEmpty()) << described.name;
  }
  std::size_t count() const { return seen_.size(); }

 private:
  std::set<std::string> seen_;
};

// The first instruction with that opcode; see the SPIR-V specification, 2.3.
std::size_t find_instruction(const std::vector<std::uint32_t>& spirv, std::uint32_t opcode) {
  const auto found = spirv::instructions_of(spirv, opcode);
  return found.empty() ? spirv.size()
                       : static_cast<std::size_t>(found.front().data() - spirv.data());
}

// Its interface still matches, so the runtime alone would accept it.
TEST(Assemble, AModuleThatBreaksTheRulesIsFound) {
  const KernelEntry* entry = find_kernel("copy/simple");
  CompiledKernel kernel = compile(entry->describe({.form = entry->types.front()}));
  EXPECT_THAT(reasons_against_module(kernel.spirv), IsEmpty());
  constexpr std::uint32_t kOpTypeVoid = 19, kOpStore = 62;
  const std::size_t store = find_instruction(kernel.spirv, kOpStore);
  ASSERT_LT(store + 2, kernel.spirv.size());
  kernel.spirv[store + 2] = kernel.spirv[find_instruction(kernel.spirv, kOpTypeVoid) + 1];
  EXPECT_THAT(reasons_against_spirv(kernel.interface, kernel.spirv), IsEmpty());
  EXPECT_THAT(reasons_against_module(kernel.spirv), ElementsAre(HasSubstr("spirv-val: ")));
  for (const std::size_t size : {0, 4, 5, 20}) {
    std::vector<std::uint32_t> cut(kernel.spirv.begin(),
                                   kernel.spirv.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT(reasons_against_module(cut), Not(IsEmpty())) << size;
  }
}

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
}

// All their sizes at once: glslang computes with specialisation constants in other instructions.
TEST(Assemble, SpecialisedSizesOfEveryKernelAreValidSpirv) {
  Modules modules;
  for (const KernelEntry& entry : registry()) {
    const ir::Kernel kernel = test::described(entry, request_of(entry.types.front(), {}));
    const std::vector<std::string> sizes = fixable_sizes(kernel);
    if (!sizes.empty()) modules.add(with_specialised_sizes(kernel, sizes));
  }
  EXPECT_GE(modules.count(), 20u);
}

// With their defaults for two GPUs, and in the forms whose code differs most.
TEST(Assemble, EveryShippedConfigIsValidSpirv) {
  if (!test::is_long()) GTEST_SKIP() << "tools/test long runs it";
  Modules modules;
  for (const DeviceCaps& caps : {test::h200_like(), test::rdna3_like()}) {
    for (const test::Case& one : test::cases_for(caps)) {
      if (one.refusal.empty()) modules.add(one.description);
    }
  }
  std::printf("%zu modules\n", modules.count());
  EXPECT_GE(modules.count(), 300u);
}

// A vector copy of f16 with `rows` rows, between arrays with the names `src` and `dst`.
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
    EXPECT_THAT(glsl::print(kernel), HasSubstr("_x8")) << name;
    EXPECT_NO_THROW(compile(kernel)) << name;
  }
  // Two identical names, one of them that of a buffer block.
  const auto refused = [](const char* src, const char* dst, const char* rows, const char* why) {
    EXPECT_REFUSED(copy_of(src, dst, rows), KernelError, why);
  };
  refused("A", "a", "rows", "arrays A and a have the same name");
  refused("A", "A_block", "rows", "arrays A and A_block have the same name");
  refused("src", "dst", "Src", "array src and argument Src have the same name");
  refused("src", "dst", "dst", "array dst and argument dst have the same name");
  refused("src_words", "dst", "rows", "'src_words' cannot be the name of an array: copies use it");
  refused("A_x8_block", "A", "rows", "'A_x8_block' cannot be the name of an array: copies use it");
  refused("gl_x", "dst", "rows", "'gl_x' cannot be the name of an array");
  refused("a__b", "sample", "rows", "'sample' cannot be the name of an array");
}

TEST(Assemble, SaysThatItsArgumentsWereSwapped) {
  EXPECT_REFUSED(spirv::assemble("#version 460\nvoid main() {}\n", "empty"), ArgumentError,
                 "may have been swapped");
}

TEST(Assemble, MakesFunctionsPartOfMainUnlessOneKeepsItsState) {
  constexpr std::uint32_t kFunction = 54, kCall = 57, kVariable = 59, kPrivate = 6;
  const auto global_registers = [&](const std::vector<std::uint32_t>& spirv) {
    const auto variables = spirv::instructions_of(spirv, kVariable);
    return std::count_if(variables.begin(), variables.end(),
                         [&](const auto& one) { return one[3] == kPrivate; });
  };
  const std::string head =
      "#version 460\nlayout(std430, binding = 0) buffer B { uint b[]; };\nuint state;\n";
  const auto plain =
      spirv::assemble("plain", head +
                                   "uint next(uint seed) { state += seed; return state; }\n"
                                   "void main() { b[0] = next(7u); b[1] = next(0u); }\n");
  EXPECT_EQ(spirv::instructions_of(plain, kFunction).size(), 1u);
  EXPECT_EQ(global_registers(plain), 0);
  // A function that returns within a loop is not inlined: the second call needs what the first one left.
  const auto looped = spirv::assemble(
      "looped", head +
                    "uint next(uint seed) { for (;;) { if (seed != 0u) state = seed;\n"
                    "state = state * 1664525u + 1u; if ((state & 1u) != 0u) return state; } }\n"
                    "void main() { b[0] = next(7u); b[1] = next(0u); }\n");
  EXPECT_EQ(spirv::instructions_of(looped, kCall).size(), 2u);
  EXPECT_EQ(global_registers(looped), 1);
}

TEST(Assemble, RefusesWrongTextWithTheLogAndNumberedLines) {
  try {
    spirv::assemble("broken", "#version 460\nvoid main() { nonsense }\n");
    FAIL() << "accepted";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.log, HasSubstr("nonsense"));
    EXPECT_THAT(error.numbered_source, HasSubstr("   2  void main()"));
  }
}

}  // namespace
}  // namespace vkmoye::gen
