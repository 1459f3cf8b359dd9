// SPDX-License-Identifier: MIT
#pragma once
// The ladders of a run side by side: the time of each kernel at each size, and how many times as fast
// it is as the first rung of its family. After the "Performance Summary" of AMD's transpose tutorial,
// where one verification stood for all kernels; here each is verified by itself.
//
//   Performance Summary: transpose, f32: median times, speed-ups over transpose/read_contiguous
//   512x512
//     transpose/read_contiguous    2.10 ms    1.00x  #########
//     transpose/padded             1.05 ms    2.00x  ##################
//   Verification: PASSED, each of 4 results by itself

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace vkmoye::bench {

struct Ladder {
  /// One kernel at one size.
  struct Cell {
    std::optional<double> time_us;  // median; nothing: not run at this size
    std::optional<double> speedup;  // over the first rung at this size
    std::optional<bool> verified;
    bool skipped = false;
  };
  struct Rung {
    std::string name;         // of the kernel or of the baseline
    bool baseline = false;    // something to compare with, not verified here
    std::vector<Cell> cells;  // by size
  };
  std::string family, type;
  std::string first;  // the rung that speed-ups are over
  std::vector<std::vector<std::int64_t>> sizes;
  std::vector<Rung> rungs;

  /// "PASSED, each of 6 results by itself"; "FAILED: transpose/tiled 256x256, ..".
  std::string verification() const;
};

/// One for each family and type, in the order of `rows`, kernels before baselines. A wrong result has
/// no speed-up.
std::vector<Ladder> ladders_of(const std::vector<Row>& rows);

/// All of them as text, with a bar for each speed-up, the longest of a size for the fastest; and as
/// Markdown tables.
std::string summary_text(const std::vector<Ladder>& ladders, const Terminal& terminal = {});
std::string summary_markdown(const std::vector<Ladder>& ladders);

}  // namespace vkmoye::bench
