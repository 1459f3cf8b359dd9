// SPDX-License-Identifier: MIT
// Kernel files in memory: `emit --kernel` as a function in C.

#include "vkmoye/compile.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "commands/emission.hpp"
#include "commands/options.hpp"
#include "commands/unknown_word.hpp"
#include "devices/execution.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/bench/bench.hpp"
#include "vkmoye/c/status.hpp"
#include "vkmoye/gen/verify/accepted_kernels.hpp"

namespace vkmoye::bench {
namespace {

constexpr const char* kFunction = "vkmoye_compile";

// The options of `emit` among `words`. Throws ArgumentError.
CommandOptions read_words(std::vector<std::string> words) {
  if (words.size() > 1 && words[1] == to_string(CommandName::emit)) {  // CLI11 would begin again
    throw ArgumentError(std::string(kFunction) + ": unexpected 'emit'");
  }
  words.insert(words.begin(), to_string(CommandName::emit));
  CommandOptions options;
  CLI::App app;
  app.set_help_flag();
  app.allow_windows_style_options(false);
  CLI::App* emit = app.add_subcommand(words.front());
  emit->set_help_flag();
  add_options(*emit, CommandName::emit, options);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the last one first
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_word(app, words);
    throw ArgumentError(std::string(kFunction) + ": " + (unknown.empty() ? error.what() : unknown));
  }
  if (!options.spirv.empty() || !options.interface.empty() || !options.kernel_file.empty()) {
    throw ArgumentError(std::string(kFunction) +
                        ": --spirv, --interface and --kernel: no file is written");
  }
  options.kernel_file = "-";
  return options;
}

std::string compiled(const std::vector<std::string>& words) {
  // The registry and what is kept of verified kernels belong to the process.
  static std::mutex mutex;
  static bool is_ready = false;
  const std::lock_guard lock(mutex);
  if (!is_ready) {
    use(our_registry());
    gen::accepted_kernels().keep_in(default_cache_folder());
    is_ready = true;
  }
  try {
    return kernel_file(variants_in(read_words(words))).text;
  } catch (const DeviceLacks&) {
    throw;
  } catch (const KernelError& error) {  // what no device could run
    throw ArgumentError(error.what());
  }
}

}  // namespace
}  // namespace vkmoye::bench

extern "C" {

vkmoye_status vkmoye_compile(const char* kernel, const char* const* options, size_t option_count,
                             char** text, size_t* bytes) {
  return vkmoye::c::guarded([&] {
    std::vector<std::string> reasons, words;
    if (kernel == nullptr) reasons.push_back("kernel is NULL");
    if (options == nullptr && option_count != 0) reasons.push_back("options is NULL");
    if (text == nullptr) reasons.push_back("text is NULL");
    if (bytes == nullptr) reasons.push_back("bytes is NULL");
    for (std::size_t i = 0; options != nullptr && i < option_count; ++i) {
      if (options[i] != nullptr) continue;
      reasons.push_back("option " + std::to_string(i) + " is NULL");
    }
    if (!reasons.empty()) {
      throw vkmoye::ArgumentError(vkmoye::with_reasons("vkmoye_compile", reasons));
    }
    words.emplace_back(kernel);
    words.insert(words.end(), options, options + option_count);
    const std::string file = vkmoye::bench::compiled(words);
    auto* copy = static_cast<char*>(std::malloc(file.size() + 1));
    if (copy == nullptr) throw std::bad_alloc();
    std::memcpy(copy, file.c_str(), file.size() + 1);
    *text = copy;
    *bytes = file.size();
  });
}

void vkmoye_free_text(char* text) { std::free(text); }

const char* vkmoye_compile_error(void) { return vkmoye::c::text_of_last_error(); }

}  // extern "C"
