// SPDX-License-Identifier: MIT
// Kernels that are wrong in ways that were accepted once. For each: the verifier refuses it, and the host twin finds a
// fault at the sizes given, or a comment says why it is wrong.

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen::attack {
namespace {

// Refused with a reason that contains `part`; the twin finds a fault at `at`, where every word of src is `word`.
void expect_refusal_with(const Kernel& kernel, const std::string& part, const Arguments& at,
                         std::uint32_t word = 0) {
  EXPECT_THAT(verify(kernel), Contains(HasSubstr(part)));
  EXPECT_THAT(launched(kernel, at, word).reasons, Not(IsEmpty()));
}
void expect_refusal_with(const Kernel& kernel, const std::string& part) {
  EXPECT_THAT(verify(kernel), Contains(HasSubstr(part)));
}

Body nest(Body inside) { return {For{"r", n, {For{"j", m, std::move(inside)}}}}; }
Body by_thread_0(Body body) { return {If{equal(thread, 0), std::move(body)}}; }

// --- A1: the counters of two loops do not step together ---

TEST(Attack, IndicesThatFallInAnInnerLoop) {
  expect_refusal_with(with_result(nest(by_thread_0({store(shared_at(32 + r - j))}))),
                      "into shared s", sizes(40));
  expect_refusal_with(with_result(nest(by_thread_0({store(shared_at(32 + j - r))}))),
                      "into shared s", sizes(1, 40));
}

TEST(Attack, ConditionsOnTheDifferenceOfTwoRounds) {
  expect_refusal_with(with_result(nest({If{equal(r - j, 5), {store(shared_at(0))}}})),
                      "race in shared s", sizes(7));
  expect_refusal_with(with_result(nest({If{equal((r - j) % 16, 9), {store(shared_at(0))}}})),
                      "race in shared s", sizes(1, 8));
}

// --- A2: indices that wrap, and races in late rounds ---

TEST(Attack, RingsWhoseStageWraps) {
  const auto ring = [](std::uint32_t back, std::uint32_t stages) {
    return with_result(
        {store(shared_at(thread, "first")), Barrier{},
         For{"r",
             m,
             {If{equal(thread, 0), {store(shared_at((r - back) % stages, "now"))}},
              If{equal(thread, 1), {Load{"x", shared_at((r - (back - 1)) % stages, "next")}}},
              Barrier{}}}});
  };
  expect_refusal_with(ring(50, 3), "shared s", sizes(64, 51));  // both are stage 0 in round 49
  expect_refusal_with(ring(20, 5), "shared s", sizes(64, 20));
}

// 999 - r falls by 1 each round; it does not grow by 2^32 - 1.
TEST(Attack, IndicesAndConditionsOfALoopThatCountsDown) {
  const Expr back = 999 - variable("r", kIndex, 1000);
  const auto when = [&](const Expr& condition) {
    return with_result({For{"r", 1000, {If{condition, {store(shared_at(0))}}}}});
  };
  expect_refusal_with(when(less(back, 500)), "race in shared s", sizes(1));
  expect_refusal_with(when(equal(minimum(back, 500), 499)), "race in shared s", sizes(1));
  expect_refusal_with(when(equal(back % 5, 3)), "race in shared s", sizes(1));
  expect_refusal_with(when(equal(back / 5 % 3, 1)), "race in shared s", sizes(1));
  const Expr stage = back % 3;  // of which thread 0 writes the one that thread 1 reads
  expect_refusal_with(
      with_result({store(shared_at(thread, "first")), Barrier{},
                   For{"r",
                       1000,
                       {If{equal(thread, 0), {store(shared_at(stage, "now"))}},
                        If{equal(thread, 1), {Load{"x", shared_at(1, "one")}}}, Barrier{}}}}),
      "race in shared s", sizes(1));
}

TEST(Attack, RacesInALateRoundOfAConstantLoop) {
  expect_refusal_with(with_result({For{"r", 60000, {If{equal(r, 59999), {store(shared_at(0))}}}}}),
                      "race in shared s", sizes(1));
  expect_refusal_with(
      with_result({For{"r", 60000, {If{equal(r / 29999, 2), {store(shared_at(0))}}}}}),
      "race in shared s", sizes(1));
  expect_refusal_with(
      with_result({For{"r", 60000, {If{equal(r, 59999), {If{less(0, n), {store(dst_at(0))}}}}}}}),
      "dst", sizes(65));
}

// --- A3: a period that is too long to follow ---

TEST(Attack, PeriodsThatAreTooLong) {
  const auto when = [](std::uint32_t period, Body body) {
    return Body{If{equal(r % period, period - 1), std::move(body)}};
  };
  expect_refusal_with(
      with_result({For{"r", m, when(61, when(59, when(53, {store(shared_at(0))})))}}),
      "repeat after more than", sizes(1, 61 * 59 * 53));
  expect_refusal_with(with_result({For{"r", m, when(257, when(263, {store(shared_at(0))}))}}),
                      "repeat after more than", sizes(1, 257 * 263));
}

// --- A4: a write after a read at an index that an argument decides ---

TEST(Attack, WritesAfterAReadThatAnArgumentPlaces) {
  const auto read_at = [](const Expr& at) {
    return with_result({store(shared_at(thread, "first")), Barrier{},
                        Load{"x", shared_at(at, "chosen")}, store(shared_at(thread, "again"))});
  };
  expect_refusal_with(read_at(minimum(p, 63)), "race in shared s", sizes(1, 1, 5));
  expect_refusal_with(read_at(p % 64), "race in shared s", sizes(1, 1, 5));
  expect_refusal_with(read_at((thread + p) % 64), "race in shared s", sizes(1, 1, 5));
}

// --- A5: more workgroups, or more steps, than a trial follows ---

Kernel of_groups(std::int64_t groups, Body body) {
  Kernel kernel = kernel_of(std::move(body));
  kernel.grid[0] = {64 * groups, 64};
  kernel.arrays[0].axes[0].extent = 64 * groups;
  kernel.arrays[1].axes[0].extent = 64 * groups;
  return kernel;
}

TEST(Attack, ResultsOfManyWorkgroups) {
  const Expr here = 64 * builtin(Builtin::group_x) + thread;
  const auto put = [](const Expr& at, std::uint32_t end) {
    return Body{If{less(at, end), {store(dst_at(at))}}};
  };
  expect_refusal_with(of_groups(65, {}), "nothing writes", sizes(1));
  expect_refusal_with(of_groups(65, put(here, 64 * 65 - 1)), "nothing writes", sizes(1));
  expect_refusal_with(of_groups(1000, {If{not_equal(here, 777), put(here, 64000)}}),
                      "nothing writes", sizes(1));
  expect_refusal_with(of_groups(65, put(here % 4096, 64 * 65)), "dst", sizes(1));
}

TEST(Attack, ResultsAfterMoreStepsThanATrialTakes) {
  // Each invocation takes 2^20 steps, and then leaves out one element.
  Kernel kernel = kernel_of({For{"r", 1 << 20, {store(register_at(0))}},
                             If{less(own, n), {If{not_equal(own, 63), {store(dst_at(own))}}}}});
  expect_refusal_with(kernel, "nothing writes");
}

// --- A6: atomics at an element that data decides ---

Kernel histogram(const Body& plain) {
  Body body = {If{less(own, n),
                  {Load{"x", src_at(own)},
                   If{less(to_index(variable("x", element(ScalarType::u32))), n),
                      {Atomic{"before", Op::add,
                              dst_at(to_index(variable("x", element(ScalarType::u32))), "count"),
                              number(ScalarType::u32, 1)}}}}}};
  append(body, plain);
  Kernel kernel = kernel_of(body);
  kernel.arrays[1].access = Access::read_write;
  kernel.arrays[1].type = ScalarType::u32;
  return kernel;
}

TEST(Attack, AtomicsAtAPlaceFromDataBesidePlainAccesses) {
  EXPECT_THAT(verify(histogram({})), IsEmpty());
  expect_refusal_with(
      histogram({If{less(own, n), {store(dst_at(own, "plain"), number(ScalarType::u32, 1))}}}),
      "dst", sizes(5));
  expect_refusal_with(histogram({If{less(own, n), {Load{"y", dst_at(own, "plain")}}}}), "dst",
                      sizes(5));
}

// --- A7: arguments that are equal, or are not ---

TEST(Attack, FaultsWhereTwoArgumentsDiffer) {
  expect_refusal_with(
      with_result({If{equal(p, q), {store(register_at(0))}}, Load{"x", register_at(0)}}),
      "which not every path has written", sizes(1, 1, 1, 2));
  expect_refusal_with(with_result({If{not_equal(p, q), {If{less(0, n), {store(dst_at(0))}}}}}),
                      "dst", sizes(65, 1, 1, 2));
}

TEST(Attack, FaultsWhereTwoArgumentsAreEqual) {
  expect_refusal_with(with_result({If{equal(p, q), {If{less(0, n), {store(dst_at(0))}}}}}), "dst",
                      sizes(65, 1, 7, 7));
  expect_refusal_with(kernel_of({If{not_equal(p, q), {If{less(own, n), {store(dst_at(own))}}}}}),
                      "nothing writes", sizes(65, 1, 7, 7));
}

// --- A8: what is undefined where lanes differ ---

TEST(Attack, UndefinedValuesThatDifferBetweenLanes) {
  const Expr undefined = 8 / thread;  // in thread 0
  expect_refusal_with(with_result({For{"r", undefined, {store(register_at(0))}}}),
                      "divides by a value that may");
  expect_refusal_with(with_result({If{less(undefined, 3), {store(register_at(0))}}}),
                      "divides by a value that may");
  const Expr x = variable("x", element(ScalarType::u32));
  const auto with_data = [&](const Stmt& then) {
    return with_result({If{less(own, n), {Load{"x", src_at(own)}, then}}});
  };
  const Expr quotient = number(ScalarType::u32, 8) / x;
  expect_refusal_with(with_data(For{"r", to_index(quotient), {store(register_at(0))}}),
                      "divides integers by a value that may be 0");
  expect_refusal_with(
      with_data(If{less(quotient, number(ScalarType::u32, 3)), {store(register_at(0))}}),
      "divides integers by a value that may be 0");
}

// --- A9: matrices that differ between lanes, and lanes that do not exist ---

TEST(Attack, ValuesOfLanesThatDoNotExist) {
  const auto from = [](Subgroup::Kind kind, const Expr& lane) {
    return kernel_of(
        {Subgroup{"x", kind, Op::add, convert(thread, ScalarType::f32), lane},
         If{less(own, n), {store(dst_at(own), variable("x", element(ScalarType::f32)))}}});
  };
  using Kind = Subgroup::Kind;
  for (const Kind kind : {Kind::broadcast, Kind::shuffle, Kind::shuffle_xor}) {
    expect_refusal_with(from(kind, 40), "from a lane that may be", sizes(64));
    expect_refusal_with(from(kind, to_index(0xFFFFFFFFu)), "from a lane that may be", sizes(64));
    expect_refusal_with(from(kind, p), "from a lane that may be", sizes(64, 1, 32));
  }
  const Expr x = variable("x", element(ScalarType::u32));
  Kernel data = with_result({});
  data.body = {
      If{less(63, n),
         {Load{"x", src_at(thread)}, Subgroup{"y", Kind::shuffle, Op::add, thread, to_index(x)}}}};
  expect_refusal_with(data, "from a lane that may be");  // the data may be 32
  expect_refusal_with(from(Kind::broadcast, builtin(Builtin::lane, 32)),
                      "must be the same for all lanes");
}

// Of 40 threads in subgroups of 32, the last one has 8 lanes.
TEST(Attack, LanesThatTheLastSubgroupDoesNotHave) {
  const auto from = [](Subgroup::Kind kind, const Expr& lane) {
    const Expr mine = builtin(Builtin::thread, 40), at = 40 * group + mine;
    Kernel kernel =
        kernel_of({Subgroup{"x", kind, Op::add, convert(mine, ScalarType::f32), lane},
                   If{less(at, n), {store(dst_at(at), variable("x", element(ScalarType::f32)))}}});
    kernel.threads = 40;
    kernel.grid[0] = {"n", 40};
    return kernel;
  };
  using Kind = Subgroup::Kind;
  const std::string part = "a lane that the last subgroup may not have";
  expect_refusal_with(from(Kind::broadcast, 8), part, sizes(40));
  expect_refusal_with(from(Kind::shuffle, builtin(Builtin::lane, 32)), part);
  expect_refusal_with(from(Kind::shuffle, p % 32), part, sizes(40, 1, 31));
  expect_refusal_with(from(Kind::shuffle_xor, 16), part, sizes(40));
  EXPECT_THAT(verify(from(Kind::broadcast, 7)), IsEmpty());
  EXPECT_THAT(verify(from(Kind::shuffle_xor, 7)), IsEmpty());
}

TEST(Attack, MatricesThatDifferBetweenLanes) {
  EXPECT_THAT(verify(with_matrix(0, one)), IsEmpty());
  // All lanes of a subgroup name one matrix and one value: SPV_KHR_cooperative_matrix.
  expect_refusal_with(with_matrix(builtin(Builtin::lane, 32) % 2, one), "may differ between lanes");
  expect_refusal_with(with_matrix(0, convert(builtin(Builtin::lane, 32), ScalarType::f32)),
                      "may differ between lanes");
}

// --- A10: a launch in pieces ---

TEST(Attack, NumbersOfWorkgroupsWithoutTheFirstOneOfAPiece) {
  // In the second piece of a launch these count from 0 again.
  Kernel kernel = with_result({});
  kernel.arguments.push_back("first_group_x");
  expect_refusal_with(kernel, "uses the number of a workgroup without adding first_group_x");
  kernel = kernel_of({Let{"g", group}, If{less(64 * variable("g") + thread, n),
                                          {store(dst_at(64 * variable("g") + thread))}}});
  kernel.arguments.push_back("first_group_x");
  expect_refusal_with(kernel, "uses the number of a workgroup without adding first_group_x");
}

// --- A11: division of data by 0, and shifts by 32 or more ---

TEST(Attack, DivisionsByDataAndLongShifts) {
  const ScalarType u32 = ScalarType::u32;
  const Expr x = variable("x", element(u32));
  const auto stored = [&](const Expr& value) {
    Kernel kernel =
        kernel_of({If{less(own, n), {Load{"x", src_at(own)}, store(dst_at(own), value)}}});
    kernel.arrays[1].type = u32;
    return kernel;
  };
  expect_refusal_with(stored(number(u32, 7) / x), "divides integers by a value that may be 0",
                      sizes(1));
  expect_refusal_with(stored(number(u32, 7) % x), "divides integers by a value that may be 0",
                      sizes(1));
  // Undefined in GLSL from 32 bits on; the twin may give them a value.
  expect_refusal_with(stored(shift_left(number(u32, 1), x)), "may shift by 32 bits or more");
  expect_refusal_with(stored(shift_right(x, number(u32, 32))), "may shift by 32 bits or more");
  // The remainder of an i32 that is less than 0 is, too.
  const Expr i = number(ScalarType::i32, 1), y = convert(x, ScalarType::i32);
  expect_refusal_with(stored(convert(shift_left(i, y % number(ScalarType::i32, 32)), u32)),
                      "may shift by 32 bits or more");
  const auto at = [](const Expr& index) {
    return with_result({If{less(index, n), {Load{"x", src_at(index)}}}});
  };
  expect_refusal_with(at(shift_right(thread, p)), "may shift by 32 bits or more");
  expect_refusal_with(at(shift_left(1, thread)), "may shift by 32 bits or more");
}

TEST(Attack, SignedQuotientsThatAreUndefined) {
  const ScalarType i32 = ScalarType::i32;
  const Expr x = convert(variable("x", element(ScalarType::u32)), i32);
  const auto stored = [&](const Expr& value) {
    Kernel kernel =
        kernel_of({If{less(own, n), {Load{"x", src_at(own)}, store(dst_at(own), value)}}});
    kernel.arrays[1].type = i32;
    return kernel;
  };
  const auto whole = [&](double number) { return ir::number(i32, number); };
  expect_refusal_with(stored(x % whole(7)), "remainder of i32 that may be negative", sizes(5),
                      0xFFFFFFF0u);
  expect_refusal_with(stored(whole(7) % whole(-2)), "remainder of i32 that may be negative",
                      sizes(5));
  expect_refusal_with(stored(x / whole(-1)), "-2^31 / -1 is undefined", sizes(5), 0x80000000u);
  EXPECT_THAT(verify(stored(maximum(x, whole(0)) % whole(7))), IsEmpty());
  EXPECT_THAT(verify(stored(convert(thread, i32) % whole(7))), IsEmpty());
  EXPECT_THAT(verify(stored(bit_and(x, whole(0xFFFF)) / whole(-1))), IsEmpty());
  EXPECT_THAT(verify(stored(x / whole(-2))), IsEmpty());
  EXPECT_THAT(verify(stored(x / maximum(x, whole(1)))), IsEmpty());
}

}  // namespace
}  // namespace vkmoye::gen::attack
