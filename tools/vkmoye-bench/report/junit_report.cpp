// SPDX-License-Identifier: MIT
// JUnit's XML, as build servers show it: a test case for each row, whose failure is a wrong result or one
// that does not come through the gate.

#include <fmt/format.h>

#include <numeric>
#include <ostream>

#include "io/parse.hpp"
#include "io/program.hpp"
#include "report/formats.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

// For text and for attributes in double quotes. XML has no control characters, not even escaped.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

class JunitReport : public Report {
 public:
  JunitReport(std::ostream& out, const DeviceCaps& device) : out_(out), device_(device) {}
  ~JunitReport() override { finish(); }

  void add(const Row& row) override {
    const bool wrong = row.verified && !*row.verified, slow = !row.below_gate.empty();
    ++rows_;
    failures_ += wrong || slow;
    skipped_ += !row.skipped.empty();
    const double microseconds = row.timing ? std::accumulate(row.timing->samples_us.begin(),
                                                             row.timing->samples_us.end(), 0.0)
                                           : 0;
    seconds_ += microseconds / 1e6;
    std::string name = row.type + " " + to_string(row.size);
    if (!row.options.empty()) name += " " + row.options;
    cases_ += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.6f}\">\n",
                          escaped(row.kernel), escaped(name), microseconds / 1e6);
    if (!row.skipped.empty()) {
      cases_ += fmt::format("    <skipped message=\"{}\"/>\n", escaped(row.skipped));
    }
    if (wrong || slow) {
      cases_ += fmt::format("    <failure type=\"{}\" message=\"{}\"/>\n",
                            wrong ? "wrong result" : "below the gate",
                            escaped(wrong ? row.wrong : join(row.below_gate, "; ")));
    }
    std::string said;
    if (row.timing) said = "median " + format_time(quantile(*row.timing, 0.5)) + "\n";
    cases_ += fmt::format("    <system-out>{}</system-out>\n  </testcase>\n",
                          escaped(said + row.command));
  }

  // Only now are the numbers known that stand at its beginning.
  void finish(bool interrupted = false) override {
    if (ended_) return;
    ended_ = true;
    out_ << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         << fmt::format(
                "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" errors=\"{}\" "
                "time=\"{:.6f}\">\n",
                escaped(program_name() + " on " + device_text(device_)), rows_, failures_, skipped_,
                interrupted ? 1 : 0, seconds_)
         << cases_;
    if (interrupted) out_ << "  <system-err>interrupted: rows are missing</system-err>\n";
    out_ << "</testsuite>\n" << std::flush;
  }

 private:
  std::ostream& out_;
  DeviceCaps device_;
  std::string cases_;
  std::size_t rows_ = 0, failures_ = 0, skipped_ = 0;
  double seconds_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<Report> make_junit_report(std::ostream& out, const DeviceCaps& device) {
  return std::make_unique<JunitReport>(out, device);
}

}  // namespace vkmoye::bench
