// SPDX-License-Identifier: MIT
#pragma once
// The accesses in the text of a kernel: one site for each block, array, source text, width and path.

#include <map>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {

struct Site {
  const ir::Array* array = nullptr;
  bool writes = false;
  std::string source_text;
  std::string path;       // the condition on sizes and groups; empty: always
  std::string of_case;    // the case that its block handles: "a whole tile"; empty: it has no cases
  std::string start;      // where its tile starts: "at (0, 128 block_x)"; empty: not known
  std::string remainder;  // if the path handles what another one leaves: what that is
  std::uint32_t width = 1;
  std::string not_wider;            // why it is not wider, if the layouts tell
  ir::Guards guards;                // those that hold at its first statement
  std::vector<std::string> bounds;  // what keeps each coordinate in range, without duplicates
};

struct Sites {
  std::vector<Site> list;                           // in the order of the text
  std::map<const ir::Element*, std::size_t> index;  // element in the kernel -> number of its site
};

/// The accesses of `kernel` to buffers and shared arrays. `kernel` must outlive the result.
Sites find_sites(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
