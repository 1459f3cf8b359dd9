// SPDX-License-Identifier: MIT
// The kernels that read a small array again and again: from L2, or from shared memory.

#include <cmath>

#include "baselines/peak.hpp"
#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::bench {
namespace {

using gen::Builder;
using gen::Expr;
using gen::Tensor;
using gen::View;

constexpr ScalarType kWord = ScalarType::u32;
constexpr std::int64_t kVector = 4;  // words of one read: 16 bytes, the widest

// Of L2: 64 rounds of 32 KiB read 2 MiB.
constexpr std::uint32_t kRoundsOfL2 = 64, kTilesOfL2 = kRoundsOfL2 * kPeakSteps;

// A kernel that reads `tiles` tiles, each a vector for every thread, in the order that `place_of` gives.
struct Reads {
  const char* why;
  std::int64_t threads, tiles;
  bool is_shared;
  std::int64_t rounds_to_check;
  double passes_of_check;  // how often the rounds to check read each tile
  std::function<Expr(const Expr& group, const Expr& round, std::uint32_t step)> place_of;
};

PeakKernel peak_of_reads(const Reads& reads, std::int64_t groups) {
  const std::int64_t threads = reads.threads, vectors = threads * reads.tiles;
  Builder k("peak", threads);
  k.header({{"bytes", std::to_string(vectors * kVector * 4)}}, reads.why);
  const Tensor src = k.input("src", kWord, {{"v", kVector}, {"i", vectors}});
  const Tensor dst = k.output("dst", kWord, {{"i", groups * threads}});
  const Expr rounds = k.argument("rounds", kWord);
  const Layout split = make_layout({1, threads});
  View from = tile(src, {kVector, vectors}, {0, 0});  // (vector, vectors)
  if (reads.is_shared) {
    const View held = k.shared("held", kWord, make_layout({kVector, vectors}));
    k.copy(parallelize(from, split, k.thread()), parallelize(held, split, k.thread()),
           {.edges = gen::Edges::inside, .vector = {kVector}});
    k.barrier();
    from = held;
  }
  const auto own_part = [&](const Expr& place) {  // (vector, 1)
    return parallelize(tile(from, {kVector, threads}, {0, place}), split, k.thread());
  };
  const View read = k.make_fragment_like("read", kWord, own_part(0));
  const View sums = k.make_fragment_like("sums", kWord, own_part(0));
  const View sum = k.registers("sum", kWord, Layout());
  k.assign(sums, 0);
  k.loop("repeat", rounds, [&](const Expr& round) {
    // Step by step, as the verifier follows a place that is a multiple of the round, but no product of two variables.
    for (std::uint32_t step = 0; step < kPeakSteps; ++step) {
      k.copy(own_part(reads.place_of(k.block_x(), round, step)), read,
             {.edges = gen::Edges::inside, .vector = {kVector}});
      k.accumulate(sums, gen::kSum, read);
    }
  });
  k.assign(sum, 0);
  k.accumulate(sum, gen::kSum, sums);
  k.copy(sum, parallelize(tile(dst, {threads}, {k.block_x()}), make_layout({threads}), k.thread()));

  PeakKernel out;
  out.kernel = k.finish();
  out.work_of_a_round = static_cast<double>(groups * threads * kVector * 4) * kPeakSteps;
  out.inputs = {{kWord, static_cast<std::uint64_t>(vectors * kVector)}};
  out.result = kWord;
  out.output_bytes = static_cast<std::uint64_t>(groups * threads) * 4;
  out.rounds_to_check = reads.rounds_to_check;
  out.most = 0xffff;
  out.definition = [threads, tiles = reads.tiles,
                    passes = reads.passes_of_check](const PeakInputs& inputs) {
    std::vector<double> wanted(static_cast<std::size_t>(threads));
    for (std::int64_t thread = 0; thread < threads; ++thread) {
      double all = 0;
      for (std::int64_t word = 0; word < tiles * kVector; ++word) {
        const std::int64_t vector = word / kVector * threads + thread;
        all += inputs[0][static_cast<std::size_t>(vector * kVector + word % kVector)];
      }
      wanted[static_cast<std::size_t>(thread)] = std::fmod(passes * all, 0x1p32);
    }
    return wanted;
  };
  return out;
}

// Workgroups that run together are at places far from one another; else one would read from L1 what another has just
// read.
Expr place_in_l2(const Expr& group, const Expr& round, std::uint32_t step) {
  return (29 * kPeakSteps * group + 37 * kPeakSteps * round + step) % kTilesOfL2;
}

// step * (2 * round + 1) + round: each round reads every tile, as 2 * round + 1 is odd. The order depends on the round,
// so that no compiler can keep in registers what the round before has read.
Expr place_in_shared(const Expr&, const Expr& round, std::uint32_t step) {
  return ((2 * step + 1) * round + step) % kPeakSteps;
}

}  // namespace

PeakKernel peak_of_l2(std::int64_t groups) {
  return peak_of_reads({.why = "as many reads of a small array as possible: it stays in L2",
                        .threads = 256,
                        .tiles = kTilesOfL2,
                        .is_shared = false,
                        .rounds_to_check = kRoundsOfL2,
                        .passes_of_check = 1,
                        .place_of = place_in_l2},
                       groups);
}

PeakKernel peak_of_shared(std::int64_t groups) {
  return peak_of_reads({.why = "as many reads of shared memory as possible",
                        .threads = 128,
                        .tiles = kPeakSteps,
                        .is_shared = true,
                        .rounds_to_check = 3,
                        .passes_of_check = 3,
                        .place_of = place_in_shared},
                       groups);
}

}  // namespace vkmoye::bench
