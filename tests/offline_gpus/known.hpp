// SPDX-License-Identifier: MIT
#pragma once
// Known problems that cannot be fixed in vkmoye: known.tsv has one finding per line, with its reason.
//
//   gpus          kernel        types  variant  check   reason
//   navi31 strix1 gemm/coopmat  f16    a=m b=n  narrow  the rows of A lie ..
//
// "*" in the first four columns: any.

#include <string>
#include <vector>

#include "offline_gpus/cases.hpp"

namespace vkmoye::test {

struct Known {
  std::string gpus, kernel, types, variant, check, reason;
  int findings = 0;  // findings that it has explained so far
};

/// Reads the lines for `gpu`. Throws std::runtime_error for a file or a line that cannot be read.
std::vector<Known> read_known(const std::string& path, const std::string& gpu);

/// The line that explains a finding of `check`, whose count is increased; nullptr if there is none.
const Known* explain(std::vector<Known>& known, const Case& one, const std::string& check);

}  // namespace vkmoye::test
