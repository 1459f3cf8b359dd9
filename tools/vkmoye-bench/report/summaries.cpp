// SPDX-License-Identifier: MIT
#include "report/summaries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "io/parse.hpp"
#include "io/terminal.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::size_t kLongestBar = 60;

// The kernel that the speed-ups of a family are relative to, where it is not the family's first.
struct FirstRung {
  const char* family;
  const char* kernel;
};
constexpr FirstRung kFirstRungs[] = {{"transpose", "transpose/read_contiguous"}};

std::string family_of(const Result& result) {
  return result.kernel.substr(0, result.kernel.find('/'));
}

template <class Range, class Value>
std::size_t index_of(const Range& range, const Value& value) {
  return static_cast<std::size_t>(std::find(range.begin(), range.end(), value) - range.begin());
}

enum class Measured : std::uint8_t { kernel, baseline };

Ladder::Rung& rung_of(Ladder& ladder, const std::string& name, Measured measured) {
  const bool baseline = measured == Measured::baseline;
  const auto found = std::find_if(
      ladder.rungs.begin(), ladder.rungs.end(),
      [&](const Ladder::Rung& rung) { return rung.name == name && rung.baseline == baseline; });
  if (found != ladder.rungs.end()) return *found;
  ladder.rungs.push_back({name, baseline, {}});
  return ladder.rungs.back();
}

Ladder::Cell& cell_of(Ladder::Rung& rung, std::size_t size) {
  if (rung.cells.size() <= size) rung.cells.resize(size + 1);
  return rung.cells[size];
}

void add(Ladder& ladder, const Result& result) {
  const std::size_t size = index_of(ladder.sizes, result.size);
  if (size == ladder.sizes.size()) ladder.sizes.push_back(result.size);
  Ladder::Cell& cell = cell_of(rung_of(ladder, result.kernel, Measured::kernel), size);
  cell.skipped = !result.skipped.empty();
  cell.verified = result.verified;
  if (result.timing) cell.time_us = quantile(*result.timing, 0.5);
}

// The times of the baselines as measured with the first rung.
void add_baselines(Ladder& ladder, const Result& result) {
  if (!result.timing || result.kernel != ladder.first) return;
  for (const auto& [name, ratio] : result.ratio) {
    // Left out: the copy in the ladder of copies, and baselines of one kernel alone, such as its pattern.
    if (name == ladder.family || result.notes.contains(name)) continue;
    Ladder::Rung& rung = rung_of(ladder, name, Measured::baseline);
    cell_of(rung, index_of(ladder.sizes, result.size)).time_us =
        ratio * quantile(*result.timing, 0.5);
  }
}

void compare_with_first(Ladder& ladder) {
  for (Ladder::Rung& rung : ladder.rungs) rung.cells.resize(ladder.sizes.size());
  const std::vector<Ladder::Cell> first = rung_of(ladder, ladder.first, Measured::kernel).cells;
  for (Ladder::Rung& rung : ladder.rungs) {
    for (std::size_t i = 0; i < first.size(); ++i) {
      Ladder::Cell& cell = rung.cells[i];
      const bool wrong = !cell.verified.value_or(true) || !first[i].verified.value_or(true);
      if (cell.time_us && first[i].time_us && !wrong) {
        cell.speedup = *first[i].time_us / *cell.time_us;
      }
    }
  }
}

std::string time_text(const Ladder::Cell& cell) {
  return cell.skipped ? "skipped" : cell.time_us ? format_time(*cell.time_us) : "-";
}

std::string speedup_text(const Ladder::Cell& cell) {
  if (!cell.verified.value_or(true)) return "WRONG";
  return cell.speedup ? fmt::format("{:.2f}x", *cell.speedup) : "";
}

std::string name_text(const Ladder::Rung& rung) {
  return rung.baseline ? fmt::format("(baseline {})", rung.name) : rung.name;
}

std::string title(const Ladder& ladder) {
  return fmt::format("Performance Summary: {}, {}: median times, speed-ups over {}", ladder.family,
                     ladder.type, ladder.first);
}

}  // namespace

std::string Ladder::verification() const {
  std::size_t right = 0, unchecked = 0, skipped = 0;
  std::vector<std::string> wrong;
  for (const Rung& rung : rungs) {
    for (std::size_t i = 0; i < rung.cells.size() && !rung.baseline; ++i) {
      const Cell& cell = rung.cells[i];
      skipped += cell.skipped;
      if (!cell.time_us) continue;
      right += cell.verified.value_or(false);
      unchecked += !cell.verified;
      if (cell.verified && !*cell.verified) wrong.push_back(rung.name + " " + size_text(sizes[i]));
    }
  }
  std::string text = !wrong.empty() ? fmt::format("FAILED: {}", join(wrong, ", "))
                     : right == 0
                         ? "nothing was verified"
                         : fmt::format("PASSED, {} results, each verified separately", right);
  if (unchecked > 0 && right > 0) text += fmt::format("; {} unchecked", unchecked);
  if (skipped > 0) text += fmt::format("; {} skipped", skipped);
  return text;
}

std::vector<Ladder> ladders_of(const std::vector<Result>& results) {
  std::vector<Ladder> ladders;
  const auto ladder_of = [&](const Result& result) -> Ladder& {
    const auto found = std::find_if(ladders.begin(), ladders.end(), [&](const Ladder& ladder) {
      return ladder.family == family_of(result) && ladder.type == result.type;
    });
    if (found != ladders.end()) return *found;
    Ladder ladder;
    ladder.family = family_of(result);
    ladder.type = result.type;
    ladder.first = result.kernel;
    ladders.push_back(std::move(ladder));
    return ladders.back();
  };
  for (const Result& result : results) {
    Ladder& ladder = ladder_of(result);
    for (const FirstRung& first : kFirstRungs) {
      if (ladder.family == first.family && result.kernel == first.kernel)
        ladder.first = result.kernel;
    }
    add(ladder, result);
  }
  for (const Result& result : results) add_baselines(ladder_of(result), result);
  for (Ladder& ladder : ladders) compare_with_first(ladder);
  return ladders;
}

std::string summary_text(const std::vector<Ladder>& ladders, const Terminal& terminal) {
  std::string out;
  for (const Ladder& ladder : ladders) {
    std::size_t width = 0;
    for (const Ladder::Rung& rung : ladder.rungs) width = std::max(width, name_text(rung).size());
    // A name that leaves no room for the times gets a line of its own.
    constexpr std::size_t kTimes = 2 + 2 + 9 + 2 + 7;
    const bool above = width + kTimes > terminal.columns;
    out += "\n" + hanging("", title(ladder), terminal.columns);
    for (std::size_t i = 0; i < ladder.sizes.size(); ++i) {
      double max_speedup = 1;
      for (const Ladder::Rung& rung : ladder.rungs) {
        max_speedup = std::max(max_speedup, rung.cells[i].speedup.value_or(0));
      }
      out += size_text(ladder.sizes[i]) + "\n";
      for (const Ladder::Rung& rung : ladder.rungs) {
        const Ladder::Cell& cell = rung.cells[i];
        if (above) out += hanging("  ", name_text(rung), terminal.columns);
        std::string line = fmt::format("  {:<{}}  {:>9}  {:>7}  ", above ? "" : name_text(rung),
                                       above ? 0 : width, time_text(cell), speedup_text(cell));
        const std::size_t room = terminal.columns > line.size()
                                     ? std::min(kLongestBar, terminal.columns - line.size())
                                     : 0;
        const double speedup = cell.speedup.value_or(0);
        const std::string shown = bar(speedup, max_speedup, room);
        if (shown.empty()) line.erase(line.find_last_not_of(' ') + 1);
        out +=
            line +
            painted(shown, speedup == max_speedup ? Colour::good : Colour::plain, terminal.colour) +
            "\n";
      }
    }
    out += hanging("", "Verification: " + ladder.verification(), terminal.columns);
  }
  return out;
}

std::string summary_markdown(const std::vector<Ladder>& ladders) {
  std::string out;
  for (const Ladder& ladder : ladders) {
    out += fmt::format("\n**{}**\n\n| kernel |", title(ladder));
    for (const auto& size : ladder.sizes) out += fmt::format(" {} |", size_text(size));
    out += "\n| --- |";
    for (std::size_t i = 0; i < ladder.sizes.size(); ++i) out += " ---: |";
    out += "\n";
    for (const Ladder::Rung& rung : ladder.rungs) {
      out += fmt::format("| {} |", name_text(rung));
      for (const Ladder::Cell& cell : rung.cells) {
        const std::string speedup = speedup_text(cell);
        out += fmt::format(" {}{} |", time_text(cell),
                           speedup.empty() ? "" : fmt::format(" ({})", speedup));
      }
      out += "\n";
    }
    out += fmt::format("\nVerification: {}\n", ladder.verification());
  }
  return out;
}

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
