// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/packed_vectors.hpp"

#include <numeric>
#include <span>

#include "support/expect.hpp"
#include "support/kernel_on_twin.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

// dst = src reversed: vectors into shared memory, single elements out of it; or the other way round.
ir::Kernel reversed(ScalarType type, std::int64_t vector, bool stores_vectors) {
  Builder k("reversed", 32);
  const std::int64_t count = 32 * vector;
  const Tensor src = k.input("src", type, {{"at", count}});
  const Tensor dst = k.output("dst", type, {{"at", count}});
  const View smem = k.shared("tile", type, make_layout({count}));
  const TiledCopy wide = make_tiled_copy(make_layout({32}), make_layout({vector}));
  const auto in_vectors = [&](const View& view) { return partition(view, wide, k.thread()); };
  const CopyOptions at_once{.edges = Edges::inside, .loads_first = true};
  const Expr last = static_cast<std::uint32_t>(count - 1);
  const auto one_by_one = [&](const char* from, const char* to) {
    k.loop("i", static_cast<std::uint32_t>(vector), [&](const Expr& i) {
      const Expr at = k.let("at", static_cast<std::uint32_t>(vector) * k.thread() + i);
      k.store(k.load("element", {from, {at}, from}), {to, {last - at}, to});
    });
  };
  if (stores_vectors) {
    k.copy(in_vectors(tile(src, {count}, {0})), in_vectors(smem), at_once);
    k.barrier();
    one_by_one("tile", "dst");
  } else {
    one_by_one("src", "tile");
    k.barrier();
    k.copy(in_vectors(smem), in_vectors(tile(dst, {count}, {0})), at_once);
  }
  return k.finish();
}

TEST(PackedVectors, StandBesideSingleElements) {
  for (const bool stores_vectors : {true, false}) {
    for (const auto& [type, vector] : {std::pair(ScalarType::f16, 8),
                                       {ScalarType::u16, 8},
                                       {ScalarType::u8, 16},
                                       {ScalarType::u64, 2}}) {
      SCOPED_TRACE(to_string(type));
      const ir::Kernel kernel = reversed(type, vector, stores_vectors);
      EXPECT_EQ(kernel.widths_of("tile"), size_of(type) == 8 ? (std::vector<std::uint32_t>{1})
                                                             : (std::vector<std::uint32_t>{1, 4}));
      const std::size_t width = size_of(type), count = 32 * static_cast<std::size_t>(vector);
      std::vector<std::uint8_t> in(count * width), out(in.size());
      std::iota(in.begin(), in.end(), std::uint8_t{0});
      test::run_on_twin(kernel, {}, in, out);
      for (std::size_t i = 0; i < in.size(); ++i) {
        EXPECT_EQ(out[i], in[(count - 1 - i / width) * width + i % width]) << i;
      }
      EXPECT_FALSE(compile(kernel).spirv.empty());
    }
  }
}

// Only arrays that need it: buffers, and arrays that are accessed in vectors alone.
TEST(PackedVectors, StayWholeWhereNothingElseIsAccessed) {
  const std::string text = glsl::print(reversed(ScalarType::f16, 8, true));
  EXPECT_THAT(text, HasSubstr("shared f16vec4 tile["));
  EXPECT_THAT(text, HasSubstr("uvec4 src_x8[]"));
  Builder k("whole", 32);
  const Tensor src = k.input("src", ScalarType::f16, {{"at", 256}});
  const Tensor dst = k.output("dst", ScalarType::f16, {{"at", 256}});
  const View smem = k.shared("tile", ScalarType::f16, make_layout({256}));
  const TiledCopy wide = make_tiled_copy(make_layout({32}), make_layout({8}));
  const auto mine = [&](const View& view) { return partition(view, wide, k.thread()); };
  const CopyOptions at_once{.edges = Edges::inside, .loads_first = true};
  k.copy(mine(tile(src, {256}, {0})), mine(smem), at_once);
  k.copy(mine(smem), mine(tile(dst, {256}, {0})), at_once);
  EXPECT_THAT(glsl::print(k.finish()),
              AllOf(HasSubstr("shared uvec4 tile["), Not(HasSubstr("_part"))));
}

}  // namespace
}  // namespace vkmoye::gen
