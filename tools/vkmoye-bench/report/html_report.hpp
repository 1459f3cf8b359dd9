// SPDX-License-Identifier: MIT
#pragma once
// A page with all results, for a browser: a roofline, the kernels of each problem as bars, the results farthest from
// their bounds. It loads nothing, and follows the light or dark colours of the reader's system.

#include <iosfwd>
#include <memory>

#include "report/report.hpp"

namespace vkmoye::bench {

/// The page is written when the report ends.
std::unique_ptr<Report> make_html_report(std::ostream& out, const DeviceCaps& device);

}  // namespace vkmoye::bench
