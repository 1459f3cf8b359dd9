// SPDX-License-Identifier: MIT
#include "vkmoye/gen/twin/run_on_host.hpp"

#include <cstring>
#include <random>

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "support/moves.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/moves/ladder.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

TEST(Twin, TransposesWhatItIsGiven) {
  std::vector<float> a(5 * 40), b(40 * 5, -1);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i);
  EXPECT_THAT(run_on_host(transpose({.pad = 1}), {a, b}, {{"cols", 40}, {"rows", 5}}).reasons,
              IsEmpty());
  for (std::size_t r = 0; r < 5; ++r) {
    for (std::size_t c = 0; c < 40; ++c) EXPECT_EQ(b[c * 5 + r], a[r * 40 + c]);
  }
}

// Its name begins like those of the arguments that a runtime sets, but it is one of the user's.
TEST(Twin, ReadsAnArgumentCalledFirstGroupSize) {
  Builder k("scaled", 32);
  const Tensor dst = k.output("dst", ScalarType::u32, {{"i", 32}});
  const Expr size = k.argument("first_group_size", ScalarType::u32);
  k.store(convert(size, ScalarType::u32), ir::Element{"dst", {k.thread()}});
  k.grid(0, 32, 32);
  const ir::Kernel kernel = k.finish();
  std::vector<std::uint32_t> out(32);
  EXPECT_THAT(run_on_host(kernel, {out}, {{"first_group_size", 7}}).reasons, IsEmpty());
  EXPECT_EQ(out, std::vector<std::uint32_t>(32, 7));
  EXPECT_THROW(run_on_host(kernel, {out}, {}), ArgumentError);
}

// Every kernel that moves elements, on every type, moves random bits as its operation says.
TEST(Twin, MovesEveryTypeAsEveryKernelSays) {
  std::mt19937_64 random(1);
  for (const KernelEntry& entry : registry()) {
    if (!test::is_move_of_matrix(entry)) continue;
    for (const ScalarType type : entry.types) {
      const std::int64_t rows = 3, cols = 70;
      const std::size_t width = size_of(type), count = static_cast<std::size_t>(rows * cols);
      std::vector<std::byte> a(count * width), b(count * width);
      for (std::byte& byte : a) byte = static_cast<std::byte>(random());
      EXPECT_THAT(run_on_host(test::described(entry, request_of(type)), {a, b},
                              {{"rows", rows}, {"cols", cols}})
                      .reasons,
                  IsEmpty())
          << entry.name << ' ' << to_string(type);
      bool right = true;
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t from = test::source_index(entry, i, rows, cols);
        right = right && std::memcmp(&b[i * width], &a[from * width], width) == 0;
      }
      EXPECT_TRUE(right) << entry.name << ' ' << to_string(type);
    }
  }
}

// --- the faults that it finds ---

const ir::Expr thread8 = ir::builtin(ir::Builtin::thread, 8);

// 8 threads, a result of 8 elements, 8 elements of shared memory.
ir::Kernel kernel_on_twin(ir::Body body) {
  ir::Kernel kernel;
  kernel.name = "test";
  kernel.threads = 8;
  kernel.subgroup_size = 4;
  kernel.arrays = {
      {"dst", ScalarType::f32, ir::Array::Space::buffer, Access::write, {{"i", 8, 1}}, ""},
      {"tile", ScalarType::f32, ir::Array::Space::shared, Access::read_write, {{"at", 8, 1}}, ""},
  };
  kernel.body = std::move(body);
  return kernel;
}

std::vector<std::string> reasons_of(ir::Body body) {
  std::vector<float> dst(8);
  return run_on_host(kernel_on_twin(std::move(body)), {dst}, {}).reasons;
}

ir::Element at(const char* array, const ir::Expr& index) { return {array, {index}, array}; }
ir::Expr loaded(const char* name) { return ir::variable(name, ir::element(ScalarType::f32)); }
const ir::Expr one = ir::number(ScalarType::f32, 1);

TEST(Twin, NamesBothInvocationsOfARace) {
  EXPECT_THAT(
      reasons_of({ir::Store{at("tile", thread8), one}, ir::Load{"x", at("tile", 7 - thread8)},
                  ir::Store{at("dst", thread8), loaded("x")}}),
      Contains("race in shared tile: 'tile' writes tile[7] in thread 7 and 'tile' reads it in "
               "thread 0, with no barrier between"));
  EXPECT_THAT(reasons_of({ir::Store{at("dst", thread8 / 2), one}}),
              Contains(HasSubstr("race in buffer dst: 'dst' writes dst[0] in thread 0")));
}

TEST(Twin, ReportsWhatIsUndefinedOutsideUnwrittenOrMissed) {
  EXPECT_THAT(
      reasons_of({ir::Load{"x", at("tile", thread8)}, ir::Store{at("dst", thread8), loaded("x")}}),
      ElementsAre(HasSubstr("which nothing has written"), HasSubstr("stores an undefined value")));
  EXPECT_THAT(reasons_of({ir::Store{at("dst", thread8 + 1), one}}),
              Contains(HasSubstr("at i = 8 in thread 7 of workgroup 0, which ends at 8")));
  EXPECT_THAT(
      reasons_of({ir::Store{at("dst", thread8), one}, ir::If{less(thread8, 3), {ir::Barrier{}}}}),
      ElementsAre("a barrier is reached by 3 of 8 threads, thread 0 among them"));
  EXPECT_THAT(reasons_of({ir::If{less(thread8, 7), {ir::Store{at("dst", thread8), one}}}}),
              ElementsAre(HasSubstr("nothing writes dst[7]")));
}

TEST(Twin, LanesOfASubgroupWorkTogether) {
  const ir::Expr number = convert(thread8 + 1, ScalarType::f32);
  std::vector<float> dst(8);
  const auto run = [&](ir::Subgroup s) {
    s.name = "found";
    s.value = number;
    run_on_host(kernel_on_twin({s, ir::Store{at("dst", thread8), loaded("found")}}), {dst}, {});
    return dst;
  };
  using Kind = ir::Subgroup::Kind;
  EXPECT_THAT(run({.name = "", .kind = Kind::reduce}), ElementsAre(10, 10, 10, 10, 26, 26, 26, 26));
  EXPECT_THAT(run({.name = "", .kind = Kind::inclusive_scan, .combine = ir::Op::maximum}),
              ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_THAT(run({.name = "", .kind = Kind::exclusive_scan}),
              ElementsAre(0, 1, 3, 6, 0, 5, 11, 18));
  ir::Subgroup turn{.name = "", .kind = Kind::shuffle};
  turn.lane = 3 - thread8 % 4;
  EXPECT_THAT(run(turn), ElementsAre(4, 3, 2, 1, 8, 7, 6, 5));
  ir::Subgroup swapped{.name = "", .kind = Kind::shuffle_xor};
  swapped.lane = 2;
  EXPECT_THAT(run(swapped), ElementsAre(3, 4, 1, 2, 7, 8, 5, 6));
}

TEST(Twin, FindsAShuffleFromALaneThatThereIsNot) {
  ir::Subgroup before{.name = "found", .kind = ir::Subgroup::Kind::shuffle};
  before.value = thread8;
  const auto reasons = [&](const ir::Expr& lane) {
    before.lane = lane;
    ir::Kernel kernel = kernel_on_twin(
        {before, ir::Store{at("dst", thread8), convert(ir::variable("found"), ScalarType::f32)}});
    kernel.subgroup_size = 4;
    std::vector<float> dst(8);
    return run_on_host(kernel, {dst}, {}).reasons;
  };
  EXPECT_THAT(reasons(thread8 % 4 - 1),  // lane 0 asks for lane 2^32 - 1
              ElementsAre(HasSubstr("depends on a division by 0, the value of a lane that does not "
                                    "exist")));
  EXPECT_THAT(reasons(thread8 % 4), IsEmpty());
}

TEST(Twin, AtomicOperationsShareAnElement) {
  ir::Kernel kernel = kernel_on_twin({ir::Atomic{"before", ir::Op::add, at("dst", thread8 / 4),
                                                 convert(thread8, ScalarType::i32)}});
  kernel.arrays[0].type = ScalarType::i32;
  kernel.arrays[0].access = Access::read_write;
  std::vector<std::int32_t> dst(8, 100);
  EXPECT_THAT(run_on_host(kernel, {dst}, {}).reasons, IsEmpty());
  EXPECT_THAT(dst, ElementsAre(106, 122, 100, 100, 100, 100, 100, 100));
}

TEST(Twin, RefusesWhatItCannotRun) {
  std::vector<float> a(4), b(4);
  EXPECT_THROW(run_on_host(transpose({.pad = 1}), {a}, {{"cols", 2}}), ArgumentError);
  EXPECT_THROW(run_on_host(transpose({.pad = 1}), {a, b}, {{"cols", 3}, {"rows", 2}}),
               ArgumentError);
  EXPECT_THROW(
      run_on_host(transpose({.pad = 1}), {a, b}, {{"cols", 2}, {"rows", 2}}, {.most_steps = 10}),
      ArgumentError);
}

}  // namespace
}  // namespace vkmoye::gen
