// SPDX-License-Identifier: MIT
#pragma once
// A kernel whose result can be stated, and what the twin says of it.

#include <cstddef>
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
  bool whole_numbers = false;  // it computes with small whole numbers; else it moves any bytes
  /// The last buffer after a launch on `before`; none: nobody asks.
  std::function<std::vector<std::byte>(const Arguments&, const Buffers& before)> expected = {};
};

/// Random bytes, or whole numbers from -3 to 3, for each buffer of a launch.
Buffers random_data(const gen::ir::Kernel& kernel, const Arguments& sizes, bool whole_numbers,
                    Draw& draw);

/// What the twin says of one launch on random data.
struct Finding {
  std::vector<std::string> faults;  // why it is harmful
  bool followed = true;                  // false: it took too many steps, or could not be launched
  bool right = true;                     // the result is the expected one; not asked: true
};
Finding try_on_host(const Subject& subject, const Arguments& sizes, Draw& draw);

/// What `judging_sizes` draws from. The usual values are for the twin: small sizes, of all kinds.
struct SizeRange {
  double most_work = 6e5;  // elements that a launch goes through, about
  /// Of extents that the grid does not cover: lengths of loops.
  std::vector<std::int64_t> loops = {1, 2, 7, 13, 16, 33, 48, 70};
  /// Every other launch has no gaps between rows, and whole tiles or one and a half: the paths for vectors.
  bool whole_tiles = false;
};

/// Sizes for a launch: thin, ragged and whole ones, more than two tiles long, with loops that run
/// from one round to many. No other sizes than these are asked of the verifier.
std::vector<Arguments> judging_sizes(const gen::ir::Kernel& kernel, std::size_t count, Draw& draw,
                                     const SizeRange& range = {});

std::string to_text(const Arguments& sizes);

/// See support/effort.hpp.
std::size_t often(std::size_t count);

}  // namespace vkmoye::judge
