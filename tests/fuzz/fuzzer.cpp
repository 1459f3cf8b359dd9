// SPDX-License-Identifier: MIT
// The entry point of libFuzzer: fuzz_formats --format=npy [option of libFuzzer...] [CORPUS]. tests/fuzz/run starts
// it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/formats.hpp"

namespace {
const vkmoye::fuzz::Format* chosen = nullptr;
}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  constexpr std::string_view kOption = "--format=";
  for (int i = 1; i < *count; ++i) {
    const std::string_view argument = (*arguments)[i];
    if (!argument.starts_with(kOption)) continue;
    for (const auto& format : vkmoye::fuzz::formats()) {
      if (argument.substr(kOption.size()) == format.name) chosen = &format;
    }
  }
  if (chosen != nullptr) return 0;
  std::fputs("--format=NAME: there are", stderr);
  for (const auto& format : vkmoye::fuzz::formats()) std::fprintf(stderr, " %s", format.name);
  std::fputs("\n", stderr);
  std::exit(1);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->accepts({reinterpret_cast<const char*>(data), size});
  return 0;
}
