// SPDX-License-Identifier: MIT
#pragma once
// The ends of reports.
//
// The kernels of each family as a ladder: the time of each kernel at each size, and its speed-up over the
// first rung of the family. After the "Performance Summary" of AMD's transpose tutorial; there one
// verification covers all kernels, here each result is verified separately.
//
//   Performance Summary: transpose, f32: median times, speed-ups over transpose/read_contiguous
//   512x512
//     transpose/read_contiguous    2.10 ms    1.00x  #########
//     transpose/padded             1.05 ms    2.00x  ##################
//   Verification: PASSED, 4 results, each verified separately
//
// Or how far results are from their bounds: a copy of as many bytes, or as many multiply-adds from registers. Shapes
// whose bound is below 10 us are not counted: there the launch itself takes as long.
//
//   reduce/sum f32 16777216x4 --axis 0    1000 us, a copy of as many bytes takes 65 us    0.065 of the bound

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace vkmoye::bench {

struct Ladder {
  /// One kernel at one size.
  struct Cell {
    std::optional<double> time_us;  // median; nullopt: not run at this size
    std::optional<double> speedup;  // over the first rung at this size
    std::optional<bool> verified;
    bool skipped = false;
  };
  struct Rung {
    std::string name;         // name of the kernel or of the baseline
    bool baseline = false;    // measured for comparison, not verified here
    std::vector<Cell> cells;  // by size
  };
  std::string family, type;
  std::string first;  // the rung that speed-ups are relative to
  std::vector<std::vector<std::int64_t>> sizes;
  std::vector<Rung> rungs;

  /// "PASSED, 6 results, each verified separately"; "FAILED: transpose/tiled 256x256, ..".
  std::string verification() const;
};

/// One ladder for each family and type, in the order of `results`, kernels before baselines. A wrong result has
/// no speed-up.
std::vector<Ladder> ladders_of(const std::vector<Result>& results);

/// All ladders as text, with a bar for each speed-up (the fastest kernel of a size has the longest), and
/// as Markdown tables.
std::string summary_text(const std::vector<Ladder>& ladders, const Terminal& terminal = {});
std::string summary_markdown(const std::vector<Ladder>& ladders);

struct Cliffs {
  struct Shape {
    std::string subject, command;  // "reduce/sum f32 1024x8 --axis 0"; what repeats it
    std::string bound;             // "copy" or "peak"
    double time_us = 0, share = 0;
  };
  std::vector<Shape> worst;  // the slowest of the counted ones, at most 20
  std::size_t counted = 0, below_half = 0, below_quarter = 0;
  std::size_t short_ones = 0, without_bound = 0, skipped = 0, wrong = 0;
};

Cliffs cliffs_of(const std::vector<Result>& results);

/// The counts, and the worst shapes with their commands.
std::string cliffs_text(const Cliffs& cliffs);

}  // namespace vkmoye::bench
