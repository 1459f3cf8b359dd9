// SPDX-License-Identifier: MIT
#include "report/roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "io/parse.hpp"
#include "report/formats.hpp"

namespace vkmoye::bench {
namespace {

constexpr double kWidth = 640, kHeight = 400, kLeft = 72, kBottom = 52, kEdge = 28;
// Told apart with every kind of colour vision: M. Okabe, K. Ito, Color universal design, 2008.
constexpr std::array<const char*, 7> kColours = {"#0072b2", "#e69f00", "#009e73", "#d55e00",
                                                 "#cc79a7", "#56b4e9", "#8a8a00"};

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

}  // namespace

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
  const auto colour_of = [&](const std::string& kernel) {
    const auto place = std::find(kernels.begin(), kernels.end(), kernel) - kernels.begin();
    return kColours[static_cast<std::size_t>(place) % kColours.size()];
  };
  for (const Point& point : points) {
    out += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{} {} {}: {} TFLOP/s, {} "
        "GB/s</title></circle>\n",
        x.at(point.intensity), y.at(point.tflops), colour_of(point.result->kernel),
        escaped(point.result->kernel), escaped(point.result->type), size_text(point.result->size),
        rate_text(point.tflops), rate_text(*point.result->gbps));
  }
  out += "</svg>\n<div class=\"key\">";
  for (const std::string& kernel : kernels) {
    out += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", colour_of(kernel),
                       escaped(kernel));
  }
  return out + "</div>\n";
}

}  // namespace vkmoye::bench
