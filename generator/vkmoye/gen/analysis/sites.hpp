// SPDX-License-Identifier: MIT
#pragma once
// Where in a kernel its accesses stand: one site for each array, partition, width and path.

#include <map>
#include <string>
#include <vector>

#include "vkmoye/gen/ir/guards.hpp"

namespace vkmoye::gen {

struct Site {
  const ir::Array* array = nullptr;
  bool writes = false;
  std::string partition;
  std::string path;  // the condition on sizes and groups under which it is taken; empty: always
  std::string remainder;  // what the path is for, where it is there for the rest of another
  std::uint32_t width = 1;
  std::string not_wider;            // as the layouts say; empty: they do not
  ir::Guards guards;                // that hold at the first of its statements
  std::vector<std::string> bounds;  // by coordinate, each once
};

struct Sites {
  std::vector<Site> list;                           // in the order of the text
  std::map<const ir::Element*, std::size_t> index;  // of the site of each element in the kernel
};

/// The accesses of `kernel`, which must outlive the result, to buffers and shared arrays.
Sites find_sites(const ir::Kernel& kernel);

}  // namespace vkmoye::gen
