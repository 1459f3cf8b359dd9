// SPDX-License-Identifier: MIT
// The only function of the module: a request and its answer, both JSON.

#include "api.hpp"

#include <fmt/format.h>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/version.hpp"

namespace vkmoye::playground {
namespace {

Json version(const Json&) { return {{"version", VKMOYE_VERSION}}; }

struct Question {
  std::string_view name;
  Json (*answer)(const Json&);
};

constexpr Question kQuestions[] = {{"layout", layout},
                                   {"kernels", kernels},
                                   {"kernel", kernel},
                                   {"run", run},
                                   {"version", version}};

Json answer_to(const std::string& text) try {
  const Json request = parse_json(text);
  const std::string* name = text_of(member_or_null(request, "ask"));
  for (const Question& question : kQuestions) {
    if (name != nullptr && question.name == *name) return question.answer(request);
  }
  throw ArgumentError("a request needs \"ask\": layout, kernels, kernel, run or version");
} catch (const std::exception& error) {
  return {{"error", error.what()}};
}

}  // namespace
}  // namespace vkmoye::playground

/// The answer to `request`; valid until the next call.
extern "C" const char* answer(const char* request) {
  static std::string text;
  text = vkmoye::dump(vkmoye::playground::answer_to(request));
  return text.c_str();
}
