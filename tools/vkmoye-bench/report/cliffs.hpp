// SPDX-License-Identifier: MIT
#pragma once
// How far results are from their bounds: a copy of as many bytes, or as many multiply-adds from registers.
//
//   reduce/sum f32 16777216x4 --axis 0    1000 us, a copy of as many bytes takes 65 us    0.065 of the bound
//
// Shapes whose bound is below 10 us are not counted: there the launch itself takes as long.

#include <cstddef>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace vkmoye::bench {

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
