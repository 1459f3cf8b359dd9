// SPDX-License-Identifier: MIT
#include "report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <sstream>

#include "report/report.hpp"
#include "support/expect.hpp"
#include "support/temporary_folder.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::bench {
namespace {

using test::TemporaryFolder;
using test::write_file;

// `count` different samples around `center` in an interval of width `spread`.
std::vector<double> samples(double center, double spread, int count = 40) {
  std::vector<double> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(center + spread * ((i * 17 % count) / static_cast<double>(count) - 0.5));
  }
  return out;
}

Result result_of(const std::string& kernel, std::vector<double> times) {
  Result result;
  result.kernel = kernel;
  result.type = "f32";
  result.size = {256, 128};
  result.config = {{"pad", "1"}};
  result.timing = Timing{std::move(times), Clock::device};
  result.verified = true;
  return result;
}

std::string report_of(const std::vector<Result>& results, const std::string& device = "gpu") {
  DeviceCaps caps;
  caps.name = device;
  std::ostringstream out;
  const auto report = make_report("json", out, caps);
  for (const Result& result : results) report->add(result);
  report->finish();
  return out.str();
}

Comparison compare(const std::string& base, const std::string& changed) {
  const TemporaryFolder folder;
  write_file(folder.file("base.json"), base);
  write_file(folder.file("new.json"), changed);
  return compare_reports(folder.file("base.json"), folder.file("new.json"), 3);
}

Change change_of(std::vector<double> base, std::vector<double> changed) {
  const Comparison comparison = compare(report_of({result_of("k", std::move(base))}),
                                        report_of({result_of("k", std::move(changed))}));
  EXPECT_THAT(comparison.results, SizeIs(1));
  return comparison.results.at(0).change;
}

TEST(MannWhitney, AgreesWithWhatIsKnown) {
  // U = 0 of 5 and 5 samples: z = (12.5 - 0.5) / sqrt(5 * 5 * 11 / 12) = 2.507, p = 0.0122.
  const std::vector<double> low = {1, 2, 3, 4, 5}, high = {6, 7, 8, 9, 10};
  EXPECT_NEAR(mann_whitney_p(low, high), 0.0122, 0.0001);
  EXPECT_EQ(mann_whitney_p(low, high), mann_whitney_p(high, low));
  EXPECT_EQ(mann_whitney_p(low, low), 1);
  const std::vector<double> equal = {3, 3, 3};
  EXPECT_EQ(mann_whitney_p(equal, equal), 1);
  EXPECT_EQ(mann_whitney_p(std::vector<double>{1}, std::vector<double>{2}), 1);
  // Ties: ranks 1.5 1.5 | 3.5 3.5, U = 0, variance 4/12 * (5 - 12/12) = 4/3, z = 1.5 / 1.1547.
  EXPECT_NEAR(mann_whitney_p(std::vector<double>{1, 1}, std::vector<double>{2, 2}), 0.1939, 0.0001);
}

TEST(Compare, NeedsAnEffectAndAProbability) {
  EXPECT_EQ(change_of(samples(100, 2), samples(100, 2)), Change::same);
  EXPECT_EQ(change_of(samples(100, 2), samples(110, 2)), Change::slower);
  EXPECT_EQ(change_of(samples(110, 2), samples(100, 2)), Change::faster);
  // Significant, but too small to matter.
  EXPECT_EQ(change_of(samples(100, 2, 2000), samples(102, 2, 2000)), Change::same);
  // Large, but not significant.
  EXPECT_EQ(change_of(samples(100, 80, 8), samples(110, 80, 8)), Change::unclear);
  EXPECT_EQ(change_of({100}, {200}), Change::unclear);
  // The smallest p for 7 samples in each report is 0.0022; for 8 it is 0.0009.
  EXPECT_EQ(change_of(samples(100, 2, 7), samples(200, 2, 7)), Change::unclear);
  EXPECT_EQ(change_of(samples(100, 2, 8), samples(200, 2, 8)), Change::slower);
}

TEST(Compare, MatchesRowsOfOneKindAndNamesTheOthers) {
  const std::vector<double> times = samples(100, 2);
  Result other_size = result_of("k", times), other_config = result_of("c", times),
         wrong = result_of("w", times), skipped = result_of("s", times),
         with_options = result_of("k", times);
  other_size.size = {1, 1};
  with_options.options = "--b n";
  wrong.verified = false;
  skipped.skipped = "too large";
  skipped.timing.reset();
  Result base_config = other_config;
  base_config.config = {{"pad", "2"}};
  const Comparison comparison = compare(
      report_of({result_of("k", times), base_config, result_of("w", times), result_of("s", times),
                 result_of("gone", times), with_options}),
      report_of({result_of("k", times), other_size, other_config, wrong, skipped, with_options}));
  ASSERT_THAT(comparison.results, SizeIs(2));
  EXPECT_EQ(comparison.results[0].details, "");
  EXPECT_EQ(comparison.results[1].details, "--b n");
  EXPECT_THAT(
      comparison.failed,
      ElementsAre(
          R"(c f32 256x128 in base.json: its config is {"pad":"2"}, in new.json {"pad":"1"})",
          "w f32 256x128 in new.json: its result is wrong",
          "s f32 256x128 in new.json: skipped: too large",
          "gone f32 256x128 in base.json: is not in new.json"));
  EXPECT_THAT(
      comparison.left_out,
      ElementsAre(
          "k f32 1x1 in new.json: is not in base.json",
          R"(c f32 256x128 in new.json: its config is {"pad":"1"}, in base.json {"pad":"2"})"));
}

// The kind of a result in BASE and in NEW, and whether NEW fails.
TEST(Compare, FailedIsWhatNewLostOrGotWrong) {
  const Result right = result_of("k", samples(100, 2));
  Result wrong = right, skipped = right, not_timed = right;
  wrong.verified = false;
  skipped.timing.reset();
  skipped.skipped = "too large";
  not_timed.timing.reset();
  const std::vector<std::optional<Result>> kinds = {right, wrong, skipped, not_timed, std::nullopt};
  const bool is_failed[5][5] = {// NEW: right, wrong, skipped, not timed, missing
                                {false, true, true, true, true},      // BASE: right
                                {false, true, false, false, false},   // wrong
                                {false, true, false, false, false},   // skipped
                                {false, true, false, false, false},   // not timed
                                {false, true, false, false, false}};  // missing
  const Result other = result_of("other", samples(100, 2));
  for (std::size_t base = 0; base < kinds.size(); ++base) {
    for (std::size_t changed = 0; changed < kinds.size(); ++changed) {
      std::vector<Result> before = {other}, after = {other};
      if (kinds[base]) before.push_back(*kinds[base]);
      if (kinds[changed]) after.push_back(*kinds[changed]);
      const Comparison comparison = compare(report_of(before), report_of(after));
      EXPECT_THAT(comparison.failed, SizeIs(is_failed[base][changed] ? 1 : 0))
          << "BASE " << base << ", NEW " << changed;
      EXPECT_THAT(comparison.results, SizeIs(base == 0 && changed == 0 ? 2 : 1));
    }
  }
}

TEST(Compare, EqualRowsAreTakenInOrder) {
  const std::string two =
      report_of({result_of("k", samples(100, 2)), result_of("k", samples(200, 2))});
  const Comparison comparison = compare(two, two);
  ASSERT_THAT(comparison.results, SizeIs(2));
  EXPECT_EQ(comparison.results[1].change, Change::same);
  EXPECT_THAT(comparison.left_out, IsEmpty());
}

TEST(Compare, TimesAreAboveZero) {
  const std::string good = report_of({result_of("k", samples(100, 2))});
  for (const double sample : {0.0, -3.0}) {
    const Comparison comparison = compare(report_of({result_of("k", {1, sample})}), good);
    EXPECT_THAT(comparison.results, IsEmpty());
    EXPECT_THAT(comparison.left_out, ElementsAre(HasSubstr("not all of its samples are positive")));
  }
}

TEST(Compare, DevicesAreNotCompared) {
  const std::vector<Result> results = {result_of("k", samples(100, 2))};
  const Comparison comparison = compare(report_of(results, "one"), report_of(results, "two"));
  EXPECT_THAT(comparison.results, IsEmpty());
  EXPECT_THAT(comparison.left_out,
              ElementsAre("all results: base.json is from one, new.json from two"));
}

TEST(Compare, SaysWhyAFileCannotBeRead) {
  const auto message = [](const std::string& path) {
    try {
      compare_reports(path, path, 3);
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("/nowhere/a.json"),
            "/nowhere/a.json: cannot be read: No such file or directory");
#ifndef _WIN32  // there, a folder is a file without permission
  EXPECT_EQ(message("/"), "/: cannot be read: Is a directory");
#endif
  const TemporaryFolder folder;
  write_file(folder.file("cut.json"), R"({"schema":1)");
  EXPECT_THAT(message(folder.file("cut.json")),
              AllOf(HasSubstr("is not a report of 'run --format json': JSON: it ends at byte 12"),
                    Not(HasSubstr("json.exception"))));
}

TEST(Compare, RefusesWhatIsNoReport) {
  const std::string good = report_of({result_of("k", {1})});
  for (const char* bad :
       {"", "{}", "[1]", R"({"schema":2})", R"({"schema":1,"device":{"name":"x"}})"}) {
    EXPECT_THROW(compare(good, bad), ArgumentError) << bad;
    EXPECT_THROW(compare(bad, good), ArgumentError) << bad;
  }
  EXPECT_THROW(compare_reports("/nowhere/a.json", "/nowhere/b.json", 3), ArgumentError);
  EXPECT_THROW(compare_reports("/", "/", 3), ArgumentError);
}

// How many of a thousand random pairs of reports give faster or slower.
template <class Draw>
int differing(Draw base, Draw changed, int samples) {
  constexpr int kPairs = 1000;
  std::vector<Result> before, after;
  for (int i = 0; i < kPairs; ++i) {
    const auto drawn = [&](const Draw& draw) {
      std::vector<double> out;
      for (int s = 0; s < samples; ++s) out.push_back(draw());
      return out;
    };
    before.push_back(result_of("k" + std::to_string(i), drawn(base)));
    after.push_back(result_of("k" + std::to_string(i), drawn(changed)));
  }
  const Comparison comparison = compare(report_of(before), report_of(after));
  EXPECT_THAT(comparison.results, SizeIs(kPairs));
  return static_cast<int>(std::count_if(
      comparison.results.begin(), comparison.results.end(), [](const ComparedResult& result) {
        return result.change == Change::faster || result.change == Change::slower;
      }));
}

// For samples of the same distribution, whatever its shape, at most 1 % are reported as different.
TEST(Compare, SamplesOfOneDistributionAreToldApartInOnePercentAtMost) {
  std::mt19937_64 random(11);
  using Draw = std::function<double()>;
  const auto normal = [&] { return std::normal_distribution<double>(0, 1)(random); };
  const std::pair<const char*, Draw> shapes[] = {
      {"normal, 10 % wide", [&] { return std::max(1.0, 100 + 10 * normal()); }},
      {"log-normal, with a long tail", [&] { return 100 * std::exp(0.3 * normal()); }},
      {"two clocks", [&] { return (random() % 2 == 0 ? 100 : 115) + normal(); }},
      {"a clock that ticks", [&] { return 32 * std::round(3 + 0.5 * std::fabs(normal())); }}};
  for (const auto& [name, draw] : shapes) {
    for (const int samples : {10, 40}) {
      const int apart = differing(draw, draw, samples);
      std::printf("%d of 1000: %s, %d samples\n", apart, name, samples);
      EXPECT_LE(apart, 10) << name << ", " << samples << " samples";
    }
  }
}

TEST(Compare, FivePercentMoreAreFoundInTwoPercentOfNoise) {
  std::mt19937_64 random(12);
  const auto around = [&](double center) {
    return std::function<double()>([&random, center] {
      return center * (1 + 0.02 * std::normal_distribution<double>(0, 1)(random));
    });
  };
  for (const int samples : {15, 40}) {
    const int apart = differing(around(100), around(105), samples);
    std::printf("%d of 1000 found, %d samples\n", apart, samples);
    EXPECT_GE(apart, 950) << samples << " samples";
  }
}

}  // namespace
}  // namespace vkmoye::bench
