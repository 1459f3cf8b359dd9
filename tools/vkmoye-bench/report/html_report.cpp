// SPDX-License-Identifier: MIT
// A page with all results, for a browser.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/parse.hpp"
#include "report/report.hpp"
#include "report/summaries.hpp"
#include "timing/sampling.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kWidth = 640, kHeight = 400, kLeft = 72, kBottom = 52, kEdge = 28;
// Told apart with every kind of colour vision: M. Okabe, K. Ito, Color universal design, 2008.
constexpr std::array<const char*, 7> kColours = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                 "#cc79a7", "#56b4e9", "#8a8a00"};

// A mark of a kernel around (0, 0): from the eighth kernel on, colours repeat with another shape.
constexpr std::array<const char*, 4> kShapes = {
    "M -4 0 a 4 4 0 1 0 8 0 a 4 4 0 1 0 -8 0 Z", "M -3.5 -3.5 H 3.5 V 3.5 H -3.5 Z",
    "M 0 -4.5 L 4.5 3.5 H -4.5 Z", "M 0 -5 L 5 0 L 0 5 L -5 0 Z"};

struct Point {
  const Result* result;
  double intensity, tflops;
};

// Powers of ten around all values of an axis, which is logarithmic.
struct Axis {
  int first = 0, last = 1;
  double from, to;  // in the figure

  Axis(double low, double high, double from, double to)
      : first(static_cast<int>(std::floor(std::log10(low)))),
        last(std::max(first + 1, static_cast<int>(std::ceil(std::log10(high))))),
        from(from),
        to(to) {}
  double at(double value) const {
    return from + (to - from) * (std::log10(value) - first) / (last - first);
  }
};

std::string power_text(int power) {
  const double value = std::pow(10, power);
  return power >= -3 && power <= 4 ? fmt::format("{:g}", value) : fmt::format("{:.0e}", value);
}

// A roofline as SVG: the speed of each result over its intensity, operations for each byte, below what memory and
// arithmetic allow. S. Williams, A. Waterman, D. Patterson: Roofline, CACM 52(4), 2009.
//
//   TFLOP/s |        ______________   arithmetic: results beside `peak`, as a percentage of it
//           |       /    o
//           |   o  /                  memory: the fastest copy, or the fastest result
//           |     /
//           +----------------------   FLOP/byte
//
// A section with the figure and its key; empty if no result has operations and bytes.
std::string roofline(const std::vector<Result>& results) {
  std::vector<Point> points;
  std::vector<std::string> kernels;
  std::optional<double> copy, fastest, peak;
  for (const Result& result : results) {
    if (!result.timing || !result.gbps) continue;
    const bool is_copy = result.kernel.starts_with("copy/");
    if (is_copy) copy = std::max(copy.value_or(0), *result.gbps);
    fastest = std::max(fastest.value_or(0), *result.gbps);
    if (!result.tflops || *result.tflops <= 0 || *result.gbps <= 0) continue;
    if (result.ceiling == "peak" && result.percent_of_ceiling.value_or(0) > 0) {
      peak = std::max(peak.value_or(0), *result.tflops * 100 / *result.percent_of_ceiling);
    }
    points.push_back({&result, *result.tflops * 1e3 / *result.gbps, *result.tflops});
    const bool is_known = std::find(kernels.begin(), kernels.end(), result.kernel) != kernels.end();
    if (!is_known) kernels.push_back(result.kernel);
  }
  if (points.empty()) return "";

  const double memory = copy.value_or(*fastest);  // GB/s
  const auto by = [](auto member) {
    return [member](const Point& a, const Point& b) { return a.*member < b.*member; };
  };
  const auto [low_x, high_x] =
      std::minmax_element(points.begin(), points.end(), by(&Point::intensity));
  const auto [low_y, high_y] =
      std::minmax_element(points.begin(), points.end(), by(&Point::tflops));
  const double ridge = peak ? *peak * 1e3 / memory : high_x->intensity;
  const Axis x(low_x->intensity, std::max(high_x->intensity, ridge), kLeft, kWidth - kEdge);
  const double left = std::pow(10, x.first), right = std::pow(10, x.last);
  const double top = peak ? *peak : std::max(high_y->tflops, memory * ridge / 1e3);
  const Axis y(std::min(low_y->tflops, memory * left / 1e3), top, kHeight - kBottom, kEdge);

  std::string out = fmt::format(
      "<h2>Roofline</h2>\n<p>Speed over operations for each byte. Memory: {} GB/s, {}.{}</p>\n"
      "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"roofline\">\n",
      rate_text(memory), copy ? "the fastest copy of this run" : "the fastest result of this run",
      peak ? fmt::format(" Units: {} TFLOP/s, multiply-adds from registers.", rate_text(*peak))
           : "",
      kWidth, kHeight);
  for (int power = x.first; power <= x.last; ++power) {
    const double at = x.at(std::pow(10, power));
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\"/><text "
        "x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>\n",
        at, kEdge, kHeight - kBottom, kHeight - kBottom + 20, power_text(power));
  }
  for (int power = y.first; power <= y.last; ++power) {
    const double at = y.at(std::pow(10, power));
    out += fmt::format(
        "<line class=\"grid\" x1=\"{1}\" x2=\"{2}\" y1=\"{0:.1f}\" y2=\"{0:.1f}\"/><text "
        "x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
        at, kLeft, kWidth - kEdge, kLeft - 6, at + 4, power_text(power));
  }
  out += fmt::format(
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">FLOP/byte</text><text x=\"{}\" "
      "y=\"{}\">TFLOP/s</text>\n",
      kWidth - kEdge, kHeight - 8, kLeft + 6, kEdge + 12);
  const double end = peak ? ridge : right;
  out += fmt::format("<path class=\"roof\" d=\"M {:.1f} {:.1f} L {:.1f} {:.1f}", x.at(left),
                     y.at(memory * left / 1e3), x.at(end), y.at(memory * end / 1e3));
  out += peak ? fmt::format(" H {:.1f}\"/>\n", x.at(right)) : "\"/>\n";
  const auto mark_of = [&](const std::string& kernel) {
    const auto place = static_cast<std::size_t>(std::find(kernels.begin(), kernels.end(), kernel) -
                                                kernels.begin());
    return fmt::format("fill=\"{}\" d=\"{}\"", kColours[place % kColours.size()],
                       kShapes[place / kColours.size() % kShapes.size()]);
  };
  for (const Point& point : points) {
    out += fmt::format(
        "<path transform=\"translate({:.1f} {:.1f})\" {}><title>{} {} {}: {} TFLOP/s, {} "
        "GB/s</title></path>\n",
        x.at(point.intensity), y.at(point.tflops), mark_of(point.result->kernel),
        escaped(point.result->kernel), escaped(point.result->type), size_text(point.result->size),
        rate_text(point.tflops), rate_text(*point.result->gbps));
  }
  out += "</svg>\n<div class=\"key\">";
  for (const std::string& kernel : kernels) {
    out += fmt::format("<span><svg viewBox=\"-6 -6 12 12\"><path {}/></svg>{}</span>",
                       mark_of(kernel), escaped(kernel));
  }
  return out + "</div>\n";
}

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --text: #1c1f23; --dim: #5c6470; --page: #ffffff; --line: #d8dce2; --bar: #2f6fb5;
  --wrong: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --dim: #9aa3af; --page: #15181c; --line: #363c45;
  --bar: #5b9bdd; --wrong: #ff8a80; } }
body { margin: 0 auto; max-width: 68rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
p { color: var(--dim); } .wrong { color: var(--wrong); }
.bars { display: grid; grid-template-columns: 14rem 1fr 17rem; gap: .15rem .8rem;
  align-items: center; }
.bars > span { min-width: 0; overflow-wrap: anywhere; }
.track { position: relative; height: .9rem; }
.bar { position: absolute; inset: 0 auto 0 0; background: var(--bar); border-radius: 2px; min-width: 1px; }
.spread { position: absolute; top: 40%; height: 20%; background: var(--text); }
.figures { font-variant-numeric: tabular-nums; }
code { font-size: .85em; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; max-width: 52rem; display: block; }
svg text { fill: var(--dim); font: 12px system-ui, sans-serif; } svg .grid { stroke: var(--line); }
svg .roof { stroke: var(--text); stroke-width: 2; fill: none; } svg path[transform] { fill-opacity: .8; }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1rem; } .key svg { display: inline-block; width: .8rem;
  margin-right: .3rem; }
@media (max-width: 40rem) { .bars { grid-template-columns: 1fr; }
  .figures { margin-bottom: .5rem; }
  svg text { font-size: 20px; } }
)";

std::string size_and_options(const Result& result) {
  const std::string size = size_text(result.size);
  return result.options.empty() ? size : size + " " + result.options;
}

// The results of one problem: their kernels are compared with each other.
struct Problem {
  std::string title;  // "512x512"
  std::vector<const Result*> results;
};
// The problems of a family of kernels and a type: "transpose, f32".
struct Chapter {
  std::string title;
  std::vector<Problem> problems;
};

std::vector<Chapter> chapters_of(const std::vector<Result>& results) {
  std::vector<Chapter> chapters;
  const auto with_title = [](auto& all, const std::string& title) -> auto& {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.title == title; });
    if (found != all.end()) return *found;
    all.push_back({title, {}});
    return all.back();
  };
  for (const Result& result : results) {
    if (!result.timing) continue;
    const std::string family = result.kernel.substr(0, result.kernel.find('/'));
    Chapter& chapter = with_title(chapters, family + ", " + result.type);
    with_title(chapter.problems, size_and_options(result)).results.push_back(&result);
  }
  return chapters;
}

std::string head_of_page(const ReportContents& contents) {
  const std::vector<Result>& results = contents.results;
  const auto count = [&](const char* what) {
    return std::count_if(results.begin(), results.end(),
                         [&](const Result& result) { return check_text(result) == what; });
  };
  std::size_t samples = 0;
  for (const Result& result : results) {
    if (result.timing) samples += result.timing->samples_us.size();
  }
  std::string out =
      "<p>" + escaped(device_text(contents.device)) + ".<br>\n" +
      fmt::format(
          "{} results: {} right, {} of them in samples; {} wrong, {} skipped, {} not "
          "verified. Times are medians of {} samples in all. Bars are speeds relative to the "
          "fastest kernel; the line across a bar's end spans 90 % of the samples.",
          results.size(), count("ok") + count("sampled"), count("sampled"), count("WRONG"),
          count("skipped"), count("none"), samples);
  if (contents.end == End::interrupted) out += " <b class=\"wrong\">The run was interrupted.</b>";
  const std::string warning = caution(contents.device);
  return out + (warning.empty() ? "" : "<br>\n" + escaped(warning)) + "</p>\n";
}

std::string page_bar(const Result& result, double fastest) {
  const auto percent = [&](double fraction) {
    const double time = quantile(*result.timing, fraction);
    return time > 0 ? std::min(100.0, 100 * fastest / time) : 100.0;
  };
  std::vector<std::string> figures = {format_time(quantile(*result.timing, 0.5))};
  if (result.tflops) figures.push_back(rate_text(*result.tflops) + " TFLOP/s");
  if (result.gbps) figures.push_back(rate_text(*result.gbps) + " GB/s");
  if (!result.ratio.empty()) figures.push_back(ratio_text(result));
  const bool is_wrong = check_text(result) == "WRONG";
  return fmt::format(
      "<span title=\"{}\">{}{}</span><span class=\"track\"><span class=\"bar\" "
      "style=\"width:{:.1f}%\"></span><span class=\"spread\" "
      "style=\"left:{:.1f}%;right:{:.1f}%\"></span></span><span class=\"figures\">{}</span>\n",
      escaped(config_text(result)), escaped(result.kernel),
      is_wrong ? " <b class=\"wrong\">wrong</b>" : "", percent(0.5), percent(0.95),
      100 - percent(0.05), escaped(join(figures, ", ")));
}

std::string chapter_text(const Chapter& chapter) {
  std::string out = "<h2>" + escaped(chapter.title) + "</h2>\n";
  for (const Problem& problem : chapter.problems) {
    double fastest = HUGE_VAL;
    for (const Result* result : problem.results) {
      fastest = std::min(fastest, quantile(*result->timing, 0.5));
    }
    out += "<h3>" + escaped(problem.title) + "</h3>\n<div class=\"bars\">\n";
    for (const Result* result : problem.results) out += page_bar(*result, fastest);
    out += "</div>\n";
  }
  return out;
}

std::string farthest_from_bounds(const std::vector<Result>& results) {
  const Cliffs cliffs = cliffs_of(results);
  if (cliffs.counted == 0) return "";
  std::string out = fmt::format(
      "<h2>Farthest from their bounds</h2>\n<p>Of {} results whose bound takes at least 10 us, {} "
      "are below half of it and {} below a quarter.</p>\n<div class=\"bars\">\n",
      cliffs.counted, cliffs.below_half, cliffs.below_quarter);
  for (const Cliffs::Shape& shape : cliffs.worst) {
    out += fmt::format(
        "<span>{}<br><code>{}</code></span><span class=\"track\"><span class=\"bar\" "
        "style=\"width:{:.1f}%\"></span></span><span class=\"figures\">{}, {:.2f} of "
        "{}</span>\n",
        escaped(shape.subject), escaped(shape.command), std::min(100.0, 100 * shape.share),
        format_time(shape.time_us), shape.share, escaped(shape.bound));
  }
  return out + "</div>\n";
}

std::string remarks_of(const std::vector<Result>& results) {
  std::string lines;
  for (const Result& result : results) {
    if (remark(result).empty()) continue;
    lines += fmt::format("<p>{} {} {}: {}</p>\n", escaped(result.kernel), escaped(result.type),
                         escaped(size_and_options(result)), escaped(remark(result)));
  }
  if (lines.empty()) return "";
  return "<h2>Remarks</h2>\n<details><summary>Wrong, skipped, not compared</summary>\n" + lines +
         "</details>\n";
}

std::string begin_html(const ReportContents& contents) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style></head>\n<body>\n<h1>{0}</h1>\n",
      "vkmoye on " + escaped(contents.device.name), kStyle);
}

std::string finish_html(const ReportContents& contents) {
  std::string out = head_of_page(contents) + roofline(contents.results);
  for (const Chapter& chapter : chapters_of(contents.results)) out += chapter_text(chapter);
  return out + farthest_from_bounds(contents.results) + remarks_of(contents.results) +
         "</body></html>\n";
}

}  // namespace

const ReportFormat kHtml = {"html", begin_html, nullptr, finish_html};

}  // namespace vkmoye::bench
