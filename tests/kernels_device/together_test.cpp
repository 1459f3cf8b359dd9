// SPDX-License-Identifier: MIT
// Lanes, threads and invocations that compute together, on every device.

#include <cmath>

#include "kernels_device/compute_fixture.hpp"
#include "support/expect.hpp"
#include "vkmoye/gen/ir/operation.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::test {
namespace {

// --- subgroups ---

using Lanes = std::vector<Bits>;

Lanes combined_lanes(Op op, ScalarType type, const Lanes& in, gen::ir::Subgroup::Kind kind) {
  using Kind = gen::ir::Subgroup::Kind;
  const gen::Reduction combine{op};
  const Expr a = gen::ir::variable("a", gen::ir::element(type));
  const auto both = [&](Bits left, Bits right) {
    const Expr e = op == Op::add ? a + a : op == Op::minimum ? minimum(a, a) : maximum(a, a);
    return *gen::ir::evaluate(*e, std::vector<Bits>{left, right});
  };
  Lanes out;
  Bits running = combine.neutral(type)->value;
  for (const Bits value : in) {
    const Bits next = both(running, value);
    out.push_back(kind == Kind::exclusive_scan ? running : next);
    running = next;
  }
  if (kind == Kind::reduce) out.assign(in.size(), running);
  return out;
}

TEST_F(ComputeTest, LanesFindTogetherWhatTheOperationsSay) {
  using Kind = gen::ir::Subgroup::Kind;
  for_each_device([&](Device& device) {
    const std::uint32_t lanes = device.caps().subgroup_size, threads = 4 * lanes;
    for (const ScalarType type :
         {ScalarType::f32, ScalarType::f64, ScalarType::i32, ScalarType::u32}) {
      Builder k("lanes", threads, lanes);
      const Tensor in = k.input("src", type, {{"at", threads}});
      const Tensor out = k.output("dst", type, {{"at", threads}, {"number", 15}});
      const auto mine = [&](const Tensor& tensor, std::uint32_t number) {
        const bool is_flat = tensor.array.axes.size() == 1;
        return parallelize(
            is_flat ? tile(tensor, {threads}, {0}) : tile(tensor, {threads, 1}, {0, number}),
            is_flat ? Layout(threads) : make_layout({threads, 1}), k.thread());
      };
      const Expr value = k.load("value", mine(in, 0));
      std::uint32_t number = 0;
      const auto keep = [&](const Expr& result) { k.assign(mine(out, number++), result); };
      for (const Op op : {Op::add, Op::minimum, Op::maximum}) {
        const std::string name(gen::ir::name_of(op));
        keep(k.subgroup_reduce("reduced_" + name, op, value));
        keep(k.subgroup_inclusive_scan("inclusive_" + name, op, value));
        keep(k.subgroup_exclusive_scan("exclusive_" + name, op, value));
      }
      keep(k.subgroup_broadcast("of_3", value, 3));
      keep(k.subgroup_shuffle("swapped", value, bit_xor(k.lane(), 5)));
      keep(k.subgroup_shuffle_xor("swapped_too", value, 5));
      const Expr ballot = k.subgroup_ballot("ballot", less(value, gen::ir::number(type, 3)));
      keep(convert(component(ballot, 0), type));
      const Expr first = k.subgroup_elect("first");
      keep(select(first, gen::ir::number(type, 1), gen::ir::number(type, 0)));
      keep(convert(k.subgroup(), type));
      const gen::ir::Kernel kernel = k.finish();
      if (!reasons_against(gen::ir::interface_of(kernel), device.caps()).empty()) continue;

      std::vector<Bits> input;  // whole numbers: sums are exact in any order
      for (std::uint32_t i = 0; i < threads; ++i) {
        input.push_back(bits_of(type, static_cast<double>(random_() % 100)));
      }
      const auto found = run(device, kernel, {bytes_of(type, input)}, type, threads * 15);
      for (std::uint32_t s = 0; s < 4; ++s) {
        const Lanes own(input.begin() + s * lanes, input.begin() + (s + 1) * lanes);
        std::vector<Lanes> expected;
        for (const Op op : {Op::add, Op::minimum, Op::maximum}) {
          for (const Kind kind : {Kind::reduce, Kind::inclusive_scan, Kind::exclusive_scan}) {
            expected.push_back(combined_lanes(op, type, own, kind));
          }
        }
        Lanes swapped, first_lane(lanes, bits_of(type, 0));
        std::uint32_t votes = 0;
        for (std::uint32_t l = 0; l < lanes; ++l) {
          swapped.push_back(own[l ^ 5]);
          if (l < 32 && number_of(type, own[l]) < 3) votes |= 1u << l;
        }
        first_lane[0] = bits_of(type, 1);
        expected.push_back(Lanes(lanes, own[3]));
        expected.push_back(swapped);
        expected.push_back(swapped);
        expected.push_back(Lanes(lanes, gen::ir::converted(gen::ir::element(ScalarType::u32), votes,
                                                           gen::ir::element(type))));
        expected.push_back(first_lane);
        expected.push_back(Lanes(lanes, bits_of(type, s)));
        for (std::size_t n = 0; n < expected.size(); ++n) {
          const auto begin = found.begin() + static_cast<std::ptrdiff_t>(n * threads + s * lanes);
          EXPECT_EQ(Lanes(begin, begin + lanes), expected[n])
              << "result " << n << " of " << to_string(type) << ", subgroup " << s;
        }
      }
    }
  });
}

// --- threads ---

TEST_F(ComputeTest, ThreadsThatDifferInOneModeHaveTheirCombination) {
  struct Form {
    const char* threads;
    int mode;
  };
  // Over lanes, over subgroups, over both, over lanes of both modes, over all threads, over none.
  const Form forms[] = {{"(8,32):(1,8)", 0},          {"(8,32):(1,8)", 1},  {"(2,128):(1,2)", 1},
                        {"(32,8):(1,32)", 0},         {"(256,1):(1,0)", 0}, {"(4,64):(64,1)", 0},
                        {"((2,4),32):((1,64),2)", 0}, {"(1,256):(0,1)", 0}};
  for_each_device([&](Device& device) {
    for (const Form& form : forms) {
      for (const ScalarType type : {ScalarType::f32, ScalarType::i32}) {
        for (const gen::Reduction reduction : {gen::kSum, gen::kMaximum}) {
          SCOPED_TRACE(std::string(form.threads) + " mode " + std::to_string(form.mode) + " " +
                       reduction.name() + " of " + std::string(to_string(type)));
          const Layout threads = parse_layout(form.threads);
          Builder k("across", 256, device.caps().subgroup_size);
          const Tensor src = k.input("src", type, {{"value", 3}, {"at", 256}});
          const Tensor dst = k.output("dst", type, {{"value", 3}, {"at", 256}});
          const auto mine = [&](const Tensor& tensor) {
            return parallelize(tile(tensor, {3, 256}, {0, 0}), make_layout({1, 256}), k.thread());
          };
          const View values = k.make_fragment_like("values", type, mine(src));
          k.copy(mine(src), values, {.edges = gen::Edges::inside});
          k.reduce_across(values, reduction, threads, form.mode);
          k.copy(values, mine(dst), {.edges = gen::Edges::inside});

          std::vector<Bits> input;
          for (int i = 0; i < 3 * 256; ++i) {
            input.push_back(bits_of(type, static_cast<int>(random_() % 2001) - 1000));
          }
          const bool has_nan = is_floating(type);
          if (has_nan) input[3 * 77 + 1] = bits_of(type, std::nan(""));
          const auto found = run(device, k.finish(), {bytes_of(type, input)}, type, 3 * 256);

          // The coordinate of a thread along the modes that are not reduced.
          std::vector<std::int64_t> kept(256);
          for (std::int64_t i = 0; i < 256; ++i) {
            const auto at = static_cast<std::size_t>(threads(i));
            const std::int64_t m = size(threads.mode(0));
            kept[at] = form.mode == 0 ? i / m : i % m;
          }
          for (std::size_t t = 0; t < 256; ++t) {
            for (std::size_t v = 0; v < 3; ++v) {
              double expected = reduction.op == Op::add ? 0 : -1e9;
              for (std::size_t other = 0; other < 256; ++other) {
                if (kept[other] != kept[t]) continue;
                const double x = number_of(type, input[3 * other + v]);
                const bool takes = !std::isnan(expected) && !(x <= expected);
                expected = reduction.op == Op::add ? expected + x : takes ? x : expected;
              }
              const double got = number_of(type, found[3 * t + v]);
              EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)))
                  << "thread " << t << " value " << v << ": " << got << " instead of " << expected;
            }
          }
        }
      }
    }
  });
}

// --- atomics ---

TEST_F(ComputeTest, SeveralInvocationsCombineIntoOneElement) {
  for_each_device([&](Device& device) {
    for (const ScalarType type : {ScalarType::i32, ScalarType::u32, ScalarType::f32}) {
      Builder k("atomics", 64);
      const Tensor src = k.input("src", type, {{"at", "n"}});
      const Tensor sums = k.in_out("dst", type, {{"at", 3}});
      const View mine = parallelize(tile(src, {64}, {k.block_x()}), Layout(64), k.thread());
      k.accumulate_atomically(tile(sums, {1}, {0}), gen::kSum, mine);
      if (!is_floating(type)) {
        k.accumulate_atomically(tile(sums, {1}, {1}), gen::kMinimum, mine);
        k.accumulate_atomically(tile(sums, {1}, {2}), gen::kMaximum, mine);
      }
      const gen::ir::Kernel kernel = k.finish();
      if (!reasons_against(gen::ir::interface_of(kernel), device.caps()).empty()) continue;
      std::vector<Bits> input;
      double sum = 100, min = 100, max = 100;
      for (int i = 0; i < 200; ++i) {  // the last workgroup is not full
        const double x = static_cast<double>(random_() % 1000);
        input.push_back(bits_of(type, x));
        sum += x;
        min = std::min(min, x);
        max = std::max(max, x);
      }
      GuardedBuffer in(device, input.size() * 4), out(device, 12);
      write_as(in, bytes_of(type, input));
      write_as(out, bytes_of(type, Lanes(3, bits_of(type, 100))));
      device.run(device.load(gen::compile(kernel, device.caps())), {in.view(), out.view()},
                 {{"n", 200}});
      const auto found = bits_from(type, read_as<std::uint8_t>(out));
      EXPECT_EQ(number_of(type, found[0]), sum) << to_string(type);
      EXPECT_EQ(number_of(type, found[1]), is_floating(type) ? 100 : min);
      EXPECT_EQ(number_of(type, found[2]), is_floating(type) ? 100 : max);
      EXPECT_EQ(in.damage() + out.damage(), "");
    }
  });
}

}  // namespace
}  // namespace vkmoye::test
