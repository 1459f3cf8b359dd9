// SPDX-License-Identifier: MIT
#pragma once
// The formats that vkmoye reads from users' files, for a fuzzer: each is one function from bytes to whether they were
// accepted. Whatever the bytes are, it returns, in a time that grows with their number, and what it accepts holds what
// the reader promises; else it aborts. A checksum in the input is corrected first, so that what follows it is
// reached.
//
//   tests/fuzz/corpus/npy/..     the first inputs of format "npy"; at least one of them is accepted

#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace vkmoye::fuzz {

struct Format {
  const char* name;
  bool (*accepts)(std::string_view input);
};

std::span<const Format> formats();

/// Aborts, so that the fuzzer keeps the input, unless `holds`.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

/// A layout, an expression, or a request of `layout eval --jsonl`.
bool accepts_layout(std::string_view input);
bool accepts_kernel(std::string_view input);
bool accepts_plan(std::string_view input);
bool accepts_variants(std::string_view input);
bool accepts_cache(std::string_view input);  // a pipeline cache
bool accepts_packed(std::string_view input);
bool accepts_tuned(std::string_view input);
bool accepts_npy(std::string_view input);
bool accepts_safetensors(std::string_view input);
bool accepts_report(std::string_view input);  // what `compare` reads

}  // namespace vkmoye::fuzz
