// SPDX-License-Identifier: MIT
// Sound kernels that a verifier with simpler rules refuses. Each runs on the host twin, which finds no fault and the
// right result.

#include <concepts>
#include <functional>

#include "gen/verify/attacked.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen::attack {
namespace {

constexpr ScalarType f32 = ScalarType::f32, u32 = ScalarType::u32;

Expr as_float(const Expr& index) { return convert(index, f32); }

/// A kernel in the making: src (u32) and dst (f32) of n elements, 64 of them for each workgroup.
struct Draft {
  explicit Draft(std::uint32_t threads = 64, std::uint32_t lanes = 0) : k("sound", threads, lanes) {
    src = k.input("src", u32, {{"i", "n"}});
    dst = k.output("dst", f32, {{"i", "n"}});
    k.grid(0, "n", threads);
    n = dst.extent(0);
    own = threads * k.block_x() + k.thread();
  }
  // dst[own] = value, where there is such an element.
  void put(const Expr& value) {
    k.branch({less(own, n)}, [&] { k.store(value, dst_at(own)); });
  }
  Builder k;
  Tensor src, dst;
  Expr n = 0, own = 0;
};

// What dst has afterwards: one number, or one for each element.
struct Right : std::function<double(int)> {
  Right(double everywhere) : function([=](int) { return everywhere; }) {}
  template <std::invocable<int> Of>
  Right(const Of& of) : function(of) {}
};

// Accepted; at the arguments `at`, with `word` everywhere in src, dst[i] is right(i).
void expect_sound(const Kernel& kernel, const Arguments& at, const Right& right,
                  std::uint32_t word = 0) {
  EXPECT_THAT(verify(kernel), IsEmpty());
  const Launched launch = launched(kernel, at, word);
  EXPECT_THAT(launch.reasons, IsEmpty());
  const std::vector<float> result = launch.floats(1);
  std::vector<float> wanted;
  for (int i = 0; i < static_cast<int>(result.size()); ++i) {
    wanted.push_back(static_cast<float>(right(i)));
  }
  EXPECT_THAT(result, ElementsAreArray(wanted));
}
// The same for what a Draft records, at two sizes.
void expect_sound(Draft& draft, const Right& right, std::uint32_t word = 0) {
  const Kernel kernel = draft.k.finish();
  expect_sound(kernel, {{"n", 5}}, right, word);
  expect_sound(kernel, {{"n", 130}}, right, word);
}

TEST(Sound, ARemainderByTheExtent) {
  Draft d;
  d.k.input("weights", f32, {{"w", "width"}});
  d.k.branch({less(d.own, d.n), less(0, variable("width"))}, [&] {
    d.k.store(d.k.load("x", Element{"weights", {d.own % variable("width")}, "around"}) + one,
              dst_at(d.own));
  });
  // Where there are no weights nothing is written: dst is then a result in part, unless width is not 0.
  d.k.branch({less(d.own, d.n), equal(variable("width"), 0)},
             [&] { d.k.store(one, dst_at(d.own)); });
  const Kernel kernel = d.k.finish();
  expect_sound(kernel, {{"n", 5}, {"width", 3}}, 1);
  expect_sound(kernel, {{"n", 130}, {"width", 7}}, 1);
}

TEST(Sound, WorkgroupsThatAreCountedAlongAnExtent) {
  Builder k("sound", 64);
  k.input("src", u32, {{"i", "m"}});
  k.output("dst", f32, {{"i", "m"}});
  k.grid(0, "m", 1);
  const Expr first = convert(k.load("x", Element{"src", {k.block_x()}, "of the group"}), f32);
  k.branch({equal(k.thread(), 0)}, [&] { k.store(first + one, dst_at(k.block_x())); });
  const Kernel kernel = k.finish();
  expect_sound(kernel, {{"m", 1}}, 8, 7);
  expect_sound(kernel, {{"m", 5}}, 8, 7);
}

TEST(Sound, TheElseOfANegatedGuard) {
  Draft d;
  d.k.branch(
      {logical_not(less(d.own, d.n))}, [] {},
      [&] { d.k.store(as_float(d.k.load("x", src_at(d.own))) + one, dst_at(d.own)); });
  expect_sound(d, 4, 3);
}

TEST(Sound, AnArrayFromItsEnd) {
  Draft d;
  d.k.branch({less(d.own, d.n)}, [&] { d.k.store(as_float(d.own), dst_at(d.n - 1 - d.own)); });
  const Kernel kernel = d.k.finish();
  expect_sound(kernel, {{"n", 5}}, [](int i) { return 4 - i; });
  expect_sound(kernel, {{"n", 130}}, [](int i) { return 129 - i; });
}

TEST(Sound, ASelectOfTwoGuardedIndices) {
  Draft d;
  const Expr other = variable("p");
  d.k.argument("p", u32);
  d.k.branch({less(d.own, d.n), less(other, d.n)}, [&] {
    const Expr at = select(less(d.own, 3), d.own, other);
    d.k.store(as_float(d.k.load("x", src_at(at))), dst_at(d.own));
  });
  d.k.branch({less(d.own, d.n), logical_not(less(other, d.n))},
             [&] { d.k.store(ir::number(f32, 2), dst_at(d.own)); });
  const Kernel kernel = d.k.finish();
  expect_sound(kernel, {{"n", 70}, {"p", 4}}, 2, 2);
  expect_sound(kernel, {{"n", 5}, {"p", 5}}, 2, 2);
}

TEST(Sound, AnIndexThatIsGuardedWhereItIsSelected) {
  Draft d;
  d.k.branch({less(0, d.n)}, [&] {
    const Expr at = select(less(d.own, d.n), d.own, 0);
    d.k.let("unused", as_float(d.k.load("x", src_at(at))));
  });
  d.put(one);
  expect_sound(d, 1);
}

TEST(Sound, LoopsOfAFewRounds) {
  for (const bool is_remainder : {false, true}) {
    Draft d;
    d.k.shared("table", f32, make_layout({64}));
    const View sum = d.k.registers("sum", f32, Layout());
    d.k.assign(sum, 0);
    d.k.loop("r", is_remainder ? d.n % 4 : minimum(d.n, 4), [&](const Expr& round) {
      d.k.store(as_float(round), Element{"table", {d.k.thread()}, "mine"});
      d.k.barrier();
      d.k.assign(sum, d.k.load("before", sum) +
                          d.k.load("x", Element{"table", {63 - d.k.thread()}, "other"}));
      d.k.barrier();
    });
    d.put(d.k.load("total", sum));
    const Kernel kernel = d.k.finish();
    for (const int size : {3, 5, 66}) {
      const int rounds = is_remainder ? size % 4 : std::min(size, 4);
      expect_sound(kernel, {{"n", size}}, [&](int) { return rounds * (rounds - 1) / 2; });
    }
  }
}

TEST(Sound, ATableThatIsReadWhereDataSays) {
  Draft d;
  d.k.shared("table", f32, make_layout({64}));
  d.k.store(as_float(d.k.thread()), Element{"table", {d.k.thread()}});
  d.k.barrier();
  d.k.branch({less(d.own, d.n)}, [&] {
    const Expr at = minimum(to_index(d.k.load("x", src_at(d.own))), 63);
    d.k.store(d.k.load("found", Element{"table", {at}, "lookup"}), dst_at(d.own));
  });
  const Kernel kernel = d.k.finish();
  expect_sound(kernel, {{"n", 130}}, 9, 9);
  expect_sound(kernel, {{"n", 5}}, 63, 99);
}

TEST(Sound, SubgroupOperationsOfSomeSubgroups) {
  Draft d(64, 32);
  const View held = d.k.registers("kept", f32, Layout());
  d.k.assign(held, 5);
  d.k.branch({equal(d.k.thread() / 32, 1)}, [&] {
    d.k.assign(held, d.k.subgroup_reduce("sum", Op::add, as_float(d.k.thread() % 32)));
  });
  d.put(d.k.load("result", held));
  expect_sound(d, [](int i) { return i / 32 % 2 == 1 ? 496 : 5; });
}

TEST(Sound, BarriersUnderAConditionThatIsTheSameForAll) {
  const auto kernel = [](const std::function<Expr(Draft&)>& condition) {
    Draft d;
    d.k.shared("table", f32, make_layout({64}));
    d.k.store(as_float(63 - d.k.thread()), Element{"table", {d.k.thread()}});
    const View held = d.k.registers("kept", f32, Layout());
    d.k.assign(held, one);
    d.k.branch({condition(d)}, [&] {
      d.k.barrier();
      d.k.assign(held, d.k.load("x", Element{"table", {63 - d.k.thread()}, "other"}));
    });
    d.put(d.k.load("result", held));
    return d.k.finish();
  };
  const auto right = [](bool holds) { return [holds](int i) { return holds ? i % 64 : 1; }; };
  const auto uniform = kernel([](Draft& d) { return equal(d.n % 2, 0); });
  expect_sound(uniform, {{"n", 130}}, right(true));
  expect_sound(uniform, {{"n", 5}}, right(false));
}

// thread / 64 is 0 in every thread, and so is the value that a subgroup of all threads has in its first lane.
TEST(Sound, BarriersUnderAConditionUniformByConstruction) {
  Draft d;
  d.k.shared("table", f32, make_layout({64}));
  d.k.store(as_float(63 - d.k.thread()), Element{"table", {d.k.thread()}});
  const View held = d.k.registers("kept", f32, Layout());
  d.k.assign(held, one);
  d.k.branch({equal(d.k.thread() / 64, 0)}, [&] {
    d.k.barrier();
    d.k.assign(held, d.k.load("x", Element{"table", {63 - d.k.thread()}, "other"}));
  });
  d.put(d.k.load("result", held));
  expect_sound(d, [](int i) { return i % 64; });
}

TEST(Sound, WritesAndABarrierInTheFirstRound) {
  Draft d;
  d.k.shared("table", f32, make_layout({64}));
  const View sum = d.k.registers("sum", f32, Layout());
  d.k.assign(sum, 0);
  d.k.loop("r", d.n, [&](const Expr& round) {
    d.k.branch({equal(round, 0)}, [&] {
      d.k.store(as_float(63 - d.k.thread()), Element{"table", {d.k.thread()}});
      d.k.barrier();
    });
    d.k.assign(sum, d.k.load("before", sum) +
                        d.k.load("x", Element{"table", {63 - d.k.thread()}, "other"}));
  });
  d.put(d.k.load("total", sum));
  const Kernel kernel = d.k.finish();
  expect_sound(kernel, {{"n", 5}}, [](int i) { return 5 * i; });
  expect_sound(kernel, {{"n", 70}}, [](int i) { return 70 * (i % 64); });
}

// The Builder takes whole subgroups only.
TEST(Sound, FortyThreadsOfSubgroupsOf32) {
  Kernel kernel = kernel_of({});
  kernel.threads = 40;
  kernel.grid[0] = {"n", 40};
  const Expr lane = builtin(Builtin::lane, 32);
  const Expr at = 40 * group + (32 * builtin(Builtin::subgroup, 2) + lane);
  kernel.body = {Subgroup{"sum", Subgroup::Kind::reduce, Op::add, one},
                 If{less(at, n), {store(dst_at(at), variable("sum", element(f32)))}}};
  const auto right = [](int i) { return i % 40 < 32 ? 32 : 8; };
  expect_sound(kernel, sizes(5), right);
  expect_sound(kernel, sizes(130), right);
}

TEST(Sound, ManyConditionsOnData) {
  Draft d;
  const View held = d.k.registers("kept", f32, Layout());
  d.k.assign(held, 0);
  d.k.branch({less(d.own, d.n)}, [&] {
    const Expr x = d.k.load("x", src_at(d.own));
    std::function<void(std::uint32_t)> deeper = [&](std::uint32_t depth) {
      d.k.assign(held, depth);
      if (depth < 18) {
        d.k.branch({less(number(u32, depth), x)}, [&] { deeper(depth + 1); });
      }
    };
    deeper(0);
  });
  d.put(d.k.load("deepest", held));
  const Kernel kernel = d.k.finish();
  expect_sound(kernel, {{"n", 70}}, 18, 99);
  expect_sound(kernel, {{"n", 5}}, 7, 7);
}

// Of 2^24 ways in which the conditions can hold, 25 write. Such kernels took 8 s where their sets had a piece for each.
TEST(Sound, ManyNestedConditionsOnArguments) {
  Draft d;
  const std::function<void(int)> nest = [&](int depth) {
    if (depth == 24) return d.k.store(one, dst_at(d.own));
    const Expr p = d.k.argument("p" + std::to_string(depth), u32);
    d.k.branch(
        {not_equal(p, 7)}, [&] { nest(depth + 1); },
        [&] { d.k.store(number(f32, 2), dst_at(d.own)); });
  };
  d.k.branch({less(d.own, d.n)}, [&] { nest(0); });
  EXPECT_THAT(verify(d.k.finish()), IsEmpty());
}

// A chain of branches, within the first or the second one of each, is followed once and not 2^24 times.
TEST(Sound, ChainsOfConditionsOnData) {
  for (const bool is_in_first : {false, true}) {
    Draft d;
    const View held = d.k.registers("kept", f32, Layout());
    d.k.assign(held, 0);
    d.k.branch({less(d.own, d.n)}, [&] {
      const Expr x = d.k.load("x", src_at(d.own));
      const std::function<void(std::uint32_t)> deeper = [&](std::uint32_t depth) {
        const auto here = [&, depth] { d.k.assign(held, depth); };
        if (depth == 24) return here();
        const auto inner = [&, depth] { deeper(depth + 1); };
        const Expr is_less = less(number(u32, depth), x);
        is_in_first ? d.k.branch({is_less}, inner, here)
                    : d.k.branch({logical_not(is_less)}, here, inner);
      };
      deeper(0);
    });
    d.put(d.k.load("deepest", held));
    const Kernel kernel = d.k.finish();
    expect_sound(kernel, {{"n", 70}}, 24, 99);
    expect_sound(kernel, {{"n", 5}}, 7, 7);
  }
}

// What is written under a condition on data is read under the same one.
TEST(Sound, TheSameConditionOnDataTwice) {
  Draft d;
  d.k.shared("s", f32, make_layout({64}));
  d.k.branch({less(0, d.n)}, [&] {
    const Expr flag = d.k.let("flag", equal(to_index(d.k.load("word", src_at(0))), 3));
    d.k.branch({flag}, [&] { d.k.store(one, Element{"s", {d.k.thread()}, "mine"}); });
    d.k.barrier();
    d.k.branch({less(d.own, d.n)}, [&] {
      d.k.branch(
          {flag},
          [&] {
            d.k.store(d.k.load("x", Element{"s", {63 - d.k.thread()}, "other"}), dst_at(d.own));
          },
          [&] { d.k.store(number(f32, 2), dst_at(d.own)); });
    });
  });
  const Kernel kernel = d.k.finish();
  for (const int size : {5, 130}) {
    expect_sound(kernel, {{"n", size}}, 1, 3);
    expect_sound(kernel, {{"n", size}}, 2, 4);
  }
}

// The same of registers.
TEST(Sound, ARegisterUnderTheSameConditionOnData) {
  Draft d;
  const View held = d.k.registers("held", f32, Layout());
  d.k.branch({less(d.own, d.n)}, [&] {
    const Expr flag = d.k.let("flag", equal(to_index(d.k.load("word", src_at(d.own))), 3));
    d.k.branch({flag}, [&] { d.k.assign(held, one); });
    d.k.branch(
        {flag}, [&] { d.k.store(d.k.load("x", held), dst_at(d.own)); },
        [&] { d.k.store(number(f32, 2), dst_at(d.own)); });
  });
  const Kernel kernel = d.k.finish();
  expect_sound(kernel, {{"n", 130}}, 1, 3);
  expect_sound(kernel, {{"n", 130}}, 2, 4);
}

// A loop that has a round whatever its end is.
TEST(Sound, ALoopToTheMaximumOfDataAndOne) {
  Draft d;
  d.k.shared("s", f32, make_layout({64}));
  const View held = d.k.registers("held", f32, Layout());
  d.k.branch({less(0, d.n)}, [&] {
    const Expr word = to_index(d.k.load("word", src_at(0)));
    d.k.loop("r", maximum(word, 1), [&](const Expr& round) {
      d.k.assign(held, as_float(round));
      d.k.store(as_float(round), Element{"s", {d.k.thread()}, "mine"});
    });
    d.k.barrier();
    d.k.branch({less(d.own, d.n)}, [&] {
      d.k.store(d.k.load("x", held) + d.k.load("y", Element{"s", {63 - d.k.thread()}, "other"}),
                dst_at(d.own));
    });
  });
  const Kernel kernel = d.k.finish();
  expect_sound(kernel, {{"n", 130}}, 0, 0);
  expect_sound(kernel, {{"n", 130}}, 8, 5);
}

}  // namespace
}  // namespace vkmoye::gen::attack
