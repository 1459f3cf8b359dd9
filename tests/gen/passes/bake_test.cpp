// Sizes made numbers: what becomes of addresses, guards and the interface.

#include "vkmoye/gen/passes/bake.hpp"

#include <gmock/gmock.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/kernels/registry.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

ir::Kernel copy(const char* name) { return find_kernel(name)->describe({ScalarType::f32}); }

TEST(Bake, TakesTheSizesOutOfTheInterface) {
  const ir::Kernel baked = bake(copy("copy/tiled_vec"), {{"cols", 4096}, {"rows", 100}});
  const KernelInterface interface = ir::interface_of(baked);
  EXPECT_THAT(interface.push_constants,
              testing::ElementsAre(PushConstant(kFirstGroup[0]), PushConstant(kFirstGroup[1])));
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
    const ir::Kernel kernel = entry.describe(request_of(entry.types.front()));
    // Blocks of packed operands are counted: so many of 2048 elements no index reaches.
    for (const std::int64_t size : {1, 33, entry.takes_packed ? 512 : 4096}) {
      Arguments sizes;
      for (const PushConstant& argument : kernel.arguments) {
        const bool is_size =
            argument.type == ScalarType::u32 && !argument.name.starts_with("first_group");
        if (is_size) sizes[argument.name] = size;
      }
      EXPECT_THAT(verify(bake(kernel, sizes)), IsEmpty()) << entry.name << ' ' << size;
    }
  }
}

TEST(Bake, RefusesWhatIsNoSize) {
  EXPECT_THAT(
      [] {
        bake(copy("copy/simple"), {{"columns", 3}, {"rows", -1}, {"cols", 0.5}});
      },
      ThrowsMessage<ArgumentError>(AllOf(HasSubstr("'columns' is no size that it takes"),
                                         HasSubstr("rows = -1 is outside"),
                                         HasSubstr("cols = 0.5 is outside"))));
}

}  // namespace
}  // namespace vkmoye::gen::test
