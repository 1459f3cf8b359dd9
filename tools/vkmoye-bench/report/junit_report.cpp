// SPDX-License-Identifier: MIT
// JUnit XML, for build servers: one test case for each result, which fails if the result is wrong or below the
// gate.

#include <fmt/format.h>

#include <numeric>
#include <ostream>

#include "io/parse.hpp"
#include "io/program.hpp"
#include "report/formats.hpp"
#include "timing/statistics.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

class JunitReport : public Report {
 public:
  JunitReport(std::ostream& out, const DeviceCaps& device) : out_(out), device_(device) {}
  ~JunitReport() override { finish(); }

  void add(const Result& result) override {
    const bool wrong = result.verified && !*result.verified, slow = !result.below_gate.empty();
    ++results_;
    failures_ += wrong || slow;
    skipped_ += !result.skipped.empty();
    const double microseconds = result.timing
                                    ? std::accumulate(result.timing->samples_us.begin(),
                                                      result.timing->samples_us.end(), 0.0)
                                    : 0;
    seconds_ += microseconds / 1e6;
    std::string name = result.type + " " + size_text(result.size);
    if (!result.options.empty()) name += " " + result.options;
    cases_ += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">\n",
                          escaped(result.kernel), escaped(name), microseconds / 1e6);
    if (!result.skipped.empty()) {
      cases_ += fmt::format("    <skipped message=\"{}\"/>\n", escaped(result.skipped));
    }
    if (wrong || slow) {
      cases_ += fmt::format("    <failure type=\"{}\" message=\"{}\"/>\n",
                            wrong ? "wrong result" : "below the gate",
                            escaped(wrong ? result.wrong : join(result.below_gate, "; ")));
    }
    std::string text;
    if (result.timing) text = "median " + format_time(quantile(*result.timing, 0.5)) + "\n";
    cases_ += fmt::format("    <system-out>{}</system-out>\n  </testcase>\n",
                          escaped(text + result.command));
  }

  // The counts in the first element are known only at the end.
  void finish(End end = End::complete) override {
    if (ended_) return;
    const bool interrupted = end == End::interrupted;
    ended_ = true;
    out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         << fmt::format(
                "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"{}\" "
                "time=\"{:.6f}\">\n",
                escaped(program_name() + " on " + device_text(device_)), results_, failures_,
                skipped_, interrupted ? 1 : 0, seconds_)
         << cases_;
    if (interrupted) out_ << "  <system-err>interrupted: results are missing</system-err>\n";
    out_ << "</testsuite>\n" << std::flush;
  }

 private:
  std::ostream& out_;
  DeviceCaps device_;
  std::string cases_;
  std::size_t results_ = 0, failures_ = 0, skipped_ = 0;
  double seconds_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Report> make_junit_report(std::ostream& out, const DeviceCaps& device) {
  return std::make_unique<JunitReport>(out, device);
}

}  // namespace vkmoye::bench
