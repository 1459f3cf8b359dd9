// SPDX-License-Identifier: MIT
// Sizes made numbers: what becomes of addresses, guards and the interface.

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

using ir::Expr;

ir::Kernel copy(const char* name) { return find_kernel(name)->describe({ScalarType::f32}); }

TEST(Bake, TakesTheSizesOutOfTheInterface) {
  const ir::Kernel baked = bake(copy("copy/tiled_vec"), {{"cols", 4096}, {"rows", 100}});
  const KernelInterface interface = ir::interface_of(baked);
  EXPECT_THAT(interface.push_constants,
              ElementsAre(PushConstant(kFirstGroup[0]), PushConstant(kFirstGroup[1])));
  EXPECT_EQ(interface.bindings[0].extents, (std::vector<Extent>{4096, 100}));
  EXPECT_EQ(interface.grid[0].extent, Extent(4096));
}

TEST(Bake, DecidesWhetherVectorsFit) {
  const std::string fits = glsl::print(bake(copy("copy/tiled_vec"), {{"cols", 4096}}));
  EXPECT_THAT(fits, AllOf(HasSubstr("src_x4["), Not(HasSubstr("src["))));
  const std::string ragged = glsl::print(bake(copy("copy/tiled_vec"), {{"cols", 4095}}));
  EXPECT_THAT(ragged, AllOf(HasSubstr("src["), Not(HasSubstr("src_x4["))));
}

TEST(Bake, LeavesEveryKernelSound) {
  for (const KernelEntry& entry : registry()) {
    const ir::Kernel kernel = vkmoye::test::described(entry, request_of(entry.types.front()));
    // No index reaches so many blocks of packed operands, which have 2048 elements, or heads.
    const bool has_blocks = entry.takes_packed;
    const bool has_heads = entry.operation == "attention" || entry.operation == "rope";
    for (const std::int64_t size : {1, 33, has_heads ? 256 : has_blocks ? 512 : 4096}) {
      Arguments sizes;
      for (const PushConstant& argument : kernel.arguments) {
        const bool is_size = argument.type == ScalarType::u32 && !is_first_group(argument.name);
        if (is_size) sizes[argument.name] = size;
      }
      EXPECT_THAT(verify(bake(kernel, sizes)), IsEmpty()) << entry.name << ' ' << size;
    }
  }
}

// Tiles that the sizes fill are inside: no condition is left, nor the path for edges.
TEST(Bake, DropsConditionsThatSizesAndGridDecide) {
  const auto conditions = [](const char* name, std::int64_t size) {
    const ir::Kernel kernel = find_kernel(name)->describe({ScalarType::f32});
    Arguments sizes;
    for (const PushConstant& argument : kernel.arguments) {
      const bool is_size = argument.type == ScalarType::u32 && !argument.name.starts_with("first");
      if (is_size) sizes[argument.name] = size;
    }
    const std::string text = glsl::print(bake(kernel, sizes));
    std::size_t count = 0;
    for (std::size_t at = text.find("if ("); at != std::string::npos;
         at = text.find("if (", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(conditions("transpose/padded", 4096), 0u);
  EXPECT_GT(conditions("transpose/padded", 4095), 0u);
  EXPECT_EQ(conditions("copy/tiled_vec", 4096), 0u);
  EXPECT_GT(conditions("copy/tiled_vec", 4100), 0u);
  // Where k ends within a tile, edges of k alone are asked for.
  EXPECT_LT(conditions("gemm/simt", 4096), conditions("gemm/simt", 4100));
}

// Of elements no bounds are known, and their numbers are not what they look like.
TEST(Bake, LeavesComparisonsOfElements) {
  for (const double number : {-1.0, 1.0}) {
    Builder k("clip", 64);
    const Tensor x = k.input("x", ScalarType::f64, {{"i", "n"}});
    const Tensor y = k.output("y", ScalarType::f64, {{"i", "n"}});
    const auto mine = [&](const Tensor& t) {
      return partition(tile(t, {64}, {k.block_x()}),
                       make_tiled_copy(make_layout({64}), make_layout({1})), k.thread());
    };
    k.apply(
        mine(y),
        [&](const Expr& e) {
          return select(less(e, ir::number(ScalarType::f64, number)), 2 * e, e);
        },
        mine(x));
    EXPECT_THAT(glsl::print(bake(k.finish(), {{"n", 64}})),
                HasSubstr(number < 0 ? " < -1.0lf" : " < 1.0lf"));
  }
}

TEST(Bake, RefusesWhatIsNoSize) {
  EXPECT_REFUSED(bake(copy("copy/simple"), {{"columns", 3}, {"rows", -1}, {"cols", 0.5}}),
                 ArgumentError,
                 AllOf(HasSubstr("'columns' is not a size of the kernel"),
                       HasSubstr("rows = -1 is outside"), HasSubstr("cols = 0.5 is outside")));
}

}  // namespace
}  // namespace vkmoye::gen
