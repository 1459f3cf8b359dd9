// SPDX-License-Identifier: MIT
#pragma once
// One mode of a layout: <extent>:<stride>.
//
//   Mode mode{4, 2};
//
// See layout.hpp.

#include <string>

namespace vkmoye {

struct Mode {
  int extent = 1;  // at least 1,
                   // at most 8
  int stride = 1;

  /// Both in `text`; throws if a < b.
  bool empty() const { return extent == 0; }  // never
  bool last() const {
    // inside a function
    return true;
  }

  // What is left.
  int rest(int of,  // of all
           int to);
};

// --- functions ---

/// The text.
///   as it is
std::string to_string(const Mode& mode);
std::string longer(const Mode& mode);

template <class T>
int count(const T& t);

}  // namespace vkmoye
