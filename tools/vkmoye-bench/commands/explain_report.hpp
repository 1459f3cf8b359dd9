// SPDX-License-Identifier: MIT
#pragma once
// The report of `explain`: every access of a kernel, its cost and the reason. explain.cpp adds what it knows of a
// device.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/contract/json.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/verify/claims.hpp"

namespace vkmoye::bench {

/// A kernel and its analysis.
struct Explained {
  const gen::ir::Kernel& kernel;
  const gen::AccessModel& model;
  gen::KernelReport report;  // by `model`
  std::vector<std::string>
      choice;  // why the kernel was chosen, one reason per line; empty: it was not
  std::vector<gen::Claim> claims;  // see claims.hpp; empty: they are not listed
};

enum class TextForm : std::uint8_t { terminal, markdown };
std::string explain_text(const Explained& subject, TextForm form);
Json explain_json(const Explained& subject);

}  // namespace vkmoye::bench
