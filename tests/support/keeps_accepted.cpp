// SPDX-License-Identifier: MIT
// Kernels that one test program has verified need not be verified by another, nor by the same of the next run.

#include <cstdlib>

#include "vkmoye/gen/verify/accepted_kernels.hpp"

namespace {

[[maybe_unused]] const bool is_kept = [] {
  const char* folder = std::getenv("VKMOYE_VERIFIED_DIR");
  if (folder != nullptr) vkmoye::gen::accepted_kernels().keep_in(folder);
  return true;
}();

}  // namespace
