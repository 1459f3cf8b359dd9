// SPDX-License-Identifier: MIT
#include "norms.hpp"

#include <cmath>

namespace llama {

using namespace vkmoye;
using namespace vkmoye::gen;
using ir::convert;
using ir::equal;
using ir::less;
using ir::number;

namespace {

constexpr int kHeadroom = 8;  // exponent of two: h is that much smaller than f16 numbers near 1
constexpr int kLargestScale = 110;   // of a scale and of its inverse
constexpr std::uint32_t kOfF32 = 4;  // elements of an access

View mine(Builder& k, const Tensor& of, std::uint32_t threads, const Expr& block,
          const Expr& token) {
  return parallelize(tile(of, {threads, 1}, {block, token}), make_layout({threads, 1}), k.thread());
}

}  // namespace

Expr Norm::scale(const Expr& inverse_rms) const {
  const Expr sound = minimum(maximum(inverse_rms, number(f32, std::ldexp(1, -kLargestScale))),
                             number(f32, std::ldexp(1, kLargestScale)));
  const Expr power = bitcast(bit_and(bitcast(sound, u32), number(u32, 0x7f800000)), f32);
  return power * std::ldexp(1, -kHeadroom - weights);
}

// Three sums of squares, of which at least one is in range: of x, x * 2^-72 and x * 2^72.
// Source: Blue, A portable Fortran program to find the Euclidean norm of a vector, 1978.
View inverse_rms(Builder& k, const ForEachPart& numbers, const Expr& elements,
                 std::uint32_t threads, double epsilon, const std::string& suffix) {
  constexpr double kSmaller = 0x1p-72, kLarger = 0x1p72;
  const bool has_tiny = epsilon < 0x1p-80;  // else squares below the range do not matter beside it
  struct Sum {
    View view;
    double factor;
  };
  std::vector<Sum> sums = {{k.registers("sum" + suffix, f32, Layout()), 1},
                           {k.registers("sum_of_large" + suffix, f32, Layout()), kSmaller}};
  if (has_tiny) sums.push_back({k.registers("sum_of_tiny" + suffix, f32, Layout()), kLarger});
  for (const Sum& sum : sums) k.assign(sum.view, 0);
  numbers([&](const View& values) {
    for (const Sum& sum : sums) {
      const View to = broadcast(sum.view, values.shape());
      k.apply(
          to,
          [&](const Expr& s, const Expr& v) {
            if (sum.factor == 1) return multiply_add(v, v, s);
            const Expr scaled = k.let_exact("scaled_x", v * sum.factor);
            return multiply_add(scaled, scaled, s);
          },
          to, values);
    }
  });
  for (const Sum& sum : sums) k.reduce_across(sum.view, kSum, make_layout({threads, 1}), 0);
  const Expr count = convert(elements, f32);
  const auto inverse = [&](const Expr& sum, double factor) {
    return factor * rsqrt(sum / count + number(f32, epsilon * factor * factor));
  };
  const View result = k.registers("inverse_rms" + suffix, f32, Layout());
  std::vector<View> from;
  for (const Sum& sum : sums) from.push_back(sum.view);
  k.with_title("inverse_rms <- 1 / sqrt(sum / width + epsilon), of the sum that is in range", [&] {
    k.apply(
        result,
        [&](const std::vector<Expr>& s) {
          Expr out =
              select(less(number(f32, 0x1p120), s[0]), inverse(s[1], kSmaller), inverse(s[0], 1));
          if (has_tiny) out = select(less(s[0], number(f32, 0x1p-80)), inverse(s[2], kLarger), out);
          return out;
        },
        from);
  });
  return result;
}

View inverse_rms(Builder& k, const Tensor& x, const Expr& token, std::uint32_t threads,
                 double epsilon) {
  const std::uint32_t of_part = 4 * threads * kOfF32;  // four accesses of a thread in flight
  const TiledCopy copy =
      make_tiled_copy(make_layout({threads, 1}), make_layout({kOfF32, std::uint32_t{1}}));
  const auto part = [&](const Expr& block) {
    return partition(tile(x, {of_part, 1}, {block, token}), copy, k.thread());
  };
  const View values = k.make_fragment_like("values_of_x", f32, part(0));
  const auto numbers = [&](const std::function<void(const View&)>& add) {
    k.loop("part", ceil_div(x.extent(0), of_part), [&](const Expr& block) {
      k.copy(part(block), values, {.edges = Edges::zero, .vector = {kOfF32}, .loads_first = true});
      add(values);
    });
  };
  return inverse_rms(k, numbers, x.extent(0), threads, epsilon);
}

View store_scale(Builder& k, const Norm& norm, const View& inverse_rms, const Tensor& to,
                 Conditions is_first) {
  const View scale = k.registers("new_scale", f32, Layout());
  k.apply(
      scale, [&](const Expr& v) { return norm.scale(v); }, inverse_rms);
  is_first.push_back(equal(k.thread(), 0));
  k.branch(is_first, [&] { k.copy(repeat(scale, 0, 1), tile(to, {1}, {0})); });
  return scale;
}

ir::Kernel normed(ScalarType activations, const Norm& norm) {
  constexpr std::uint32_t kThreads = 256;
  Builder k("llama/normed", kThreads, norm.lanes);
  k.header({}, "a workgroup has a row");
  const Tensor x = k.input("x", f32, {{"d", "width"}, {"token", "count"}});
  const Tensor weight = k.input("weight", f32, {{"d", "width"}});
  const Tensor y = k.output("y", activations, {{"d", "width"}, {"token", "count"}});
  k.grid(0, "count", 1);
  const Expr token = k.block_x();
  const View inverse = inverse_rms(k, x, token, kThreads, norm.epsilon);
  k.loop("block", ceil_div(x.extent(0), kThreads), [&](const Expr& block) {
    const View of_weight = repeat(
        parallelize(tile(weight, {kThreads}, {block}), make_layout({kThreads}), k.thread()), 1, 1);
    k.apply(
        mine(k, y, kThreads, block, token),
        [](const Expr& v, const Expr& w, const Expr& by) { return v * by * w; },
        mine(k, x, kThreads, block, token), of_weight, inverse);
  });
  return k.finish();
}

ir::Kernel weighted(ScalarType activations, const Norm& norm) {
  constexpr std::uint32_t kThreads = 256;
  Builder k("llama/weighted", kThreads, norm.lanes);
  k.header({}, "each workgroup computes the norm of x, and a part of the result");
  const Tensor x = k.input("x", f32, {{"d", "width"}, {"token", 1}});
  const Tensor weight = k.input("weight", f32, {{"d", "width"}, {"token", 1}});
  const Tensor scale = k.in_out("scale", f32, {{"row", 1}});
  const Tensor h = k.output("h", activations, {{"d", "width"}, {"token", 1}});
  k.grid(0, "width", kThreads);
  const auto own = [&](const Tensor& of) { return mine(k, of, kThreads, k.block_x(), 0); };
  const View inverse = inverse_rms(k, x, 0, kThreads, norm.epsilon);
  const View by = store_scale(k, norm, inverse, scale, {equal(k.block_x(), 0)});
  k.apply(
      own(h), [](const Expr& v, const Expr& w, const Expr& s) { return v * s * w; }, own(x),
      own(weight), by);
  return k.finish();
}

}  // namespace llama
