// SPDX-License-Identifier: MIT
#include "report/cliffs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/parse.hpp"
#include "timing/sampling.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kShortestBound = 10;  // us
constexpr std::size_t kWorst = 20;

Cliffs::Shape shape_of(const Result& result) {
  const std::string options = result.options.empty() ? "" : " " + result.options;
  return {fmt::format("{} {} {}{}", result.kernel, result.type, size_text(Extents(result.size)),
                      options),
          result.command, result.ceiling, quantile(*result.timing, 0.5),
          *result.percent_of_ceiling / 100};
}

std::string count_text(const char* what, std::size_t count, std::size_t of) {
  return fmt::format("{}: {} ({:.1f} %)", what, count,
                     of == 0 ? 0.0 : 100.0 * static_cast<double>(count) / static_cast<double>(of));
}

}  // namespace

Cliffs cliffs_of(const std::vector<Result>& results) {
  Cliffs out;
  for (const Result& result : results) {
    if (!result.skipped.empty()) {
      ++out.skipped;
    } else if (result.verified && !*result.verified) {
      ++out.wrong;
    } else if (!result.timing || !result.percent_of_ceiling) {
      ++out.without_bound;
    } else if (const Cliffs::Shape shape = shape_of(result);
               shape.time_us * shape.share < kShortestBound) {
      ++out.short_ones;
    } else {
      ++out.counted;
      out.below_half += shape.share < 0.5;
      out.below_quarter += shape.share < 0.25;
      out.worst.push_back(shape);
    }
  }
  std::stable_sort(out.worst.begin(), out.worst.end(),
                   [](const auto& a, const auto& b) { return a.share < b.share; });
  if (out.worst.size() > kWorst) out.worst.resize(kWorst);
  return out;
}

std::string cliffs_text(const Cliffs& cliffs) {
  std::string out = fmt::format(
      "\nShapes with a bound of at least {:.0f} us: {}\n{}\n{}\nNot counted: {} with a shorter "
      "bound, {} without a bound, {} skipped, {} wrong\n",
      kShortestBound, cliffs.counted,
      count_text("below 0.5 of the bound", cliffs.below_half, cliffs.counted),
      count_text("below 0.25", cliffs.below_quarter, cliffs.counted), cliffs.short_ones,
      cliffs.without_bound, cliffs.skipped, cliffs.wrong);
  for (const Cliffs::Shape& shape : cliffs.worst) {
    out += fmt::format("\n{:.3f} of {}  {}  {}\n  {}\n", shape.share, shape.bound,
                       format_time(shape.time_us), shape.subject, shape.command);
  }
  return out;
}

}  // namespace vkmoye::bench
