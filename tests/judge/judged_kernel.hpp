// SPDX-License-Identifier: MIT
#pragma once
// A kernel with a known result, and the verdict of the twin.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "judge/draw.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::judge {

using Buffers = std::vector<std::vector<std::byte>>;  // the bytes of each binding

struct Subject {
  std::string text;  // how it was made
  gen::ir::Kernel kernel;
  /// It computes with small whole numbers; otherwise it moves arbitrary bytes.
  bool whole_numbers = false;
  /// The expected last buffer after a launch on `before`; empty: not checked.
  std::function<std::vector<std::byte>(const Arguments&, const Buffers& before)> expected = {};
};

/// Random bytes, or whole numbers from -3 to 3, for each buffer of a launch.
Buffers random_data(const gen::ir::Kernel& kernel, const Arguments& sizes, bool whole_numbers,
                    Draw& draw);

/// Random numbers between -4 and 4 for each buffer if the kernel computes, so that errors change the sums; else any
/// bytes.
Buffers data_for(const gen::ir::Kernel& kernel, const Arguments& sizes, bool computes, Draw& draw);

/// The verdict of the twin for one launch on random data.
struct Finding {
  std::vector<std::string> faults;  // that the twin found
  bool followed = true;             // false: it needed too many steps, or could not be launched
  bool right = true;                // the result is the expected one; true if it is not checked
};
Finding try_on_host(const Subject& subject, const Arguments& sizes, Draw& draw);

/// The ranges of `judging_sizes`. The defaults are small sizes of all kinds, for the twin.
struct SizeRange {
  double max_work = 6e5;  // approximate number of elements that a launch processes
  /// For extents that the grid does not cover: the lengths of loops.
  std::vector<std::int64_t> loops = {1, 2, 7, 13, 16, 33, 48, 70};
  /// Every second launch has no gaps between rows, and whole tiles or one and a half, to reach the vector paths.
  bool whole_tiles = false;
};

/// Sizes for a launch: thin, partial and whole tiles, more than two tiles, and loops of one to many rounds. The
/// verifier is judged at no other sizes.
std::vector<Arguments> judging_sizes(const gen::ir::Kernel& kernel, std::size_t count, Draw& draw,
                                     const SizeRange& range = {});

std::string to_text(const Arguments& sizes);

/// See support/effort.hpp.
std::size_t often(std::size_t count);

/// The seeds of a test: VKMOYE_JUDGE_SEED alone, if it is set.
struct Seeds {
  std::uint64_t first, count;
};
Seeds seeds(std::uint64_t first, std::uint64_t count);
/// The command that runs `test` for one seed.
std::string again(std::uint64_t seed, const char* test);

}  // namespace vkmoye::judge
