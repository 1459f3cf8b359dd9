#include "command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "parse.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {

std::vector<const gen::KernelEntry*> find_kernels(const std::vector<std::string>& patterns) {
  std::vector<const gen::KernelEntry*> found;
  for (const std::string& pattern : patterns) {
    const std::size_t before = found.size();
    for (const gen::KernelEntry& entry : gen::registry()) {
      const bool again = std::find(found.begin(), found.end(), &entry) != found.end();
      if (matches(pattern, entry.name) && !again) found.push_back(&entry);
    }
    const bool named_before = std::any_of(found.begin(), found.end(), [&](const auto* entry) {
      return matches(pattern, entry->name);
    });
    if (found.size() > before || named_before) continue;
    std::vector<std::string> names;
    for (const gen::KernelEntry& entry : gen::registry()) names.push_back(entry.name);
    const std::string near = did_you_mean(pattern, names);
    throw ArgumentError(fmt::format("no kernel '{}'{}; there are {}", pattern,
                                    near.empty() ? "" : ", did you mean '" + near + "'?",
                                    join(names, " ")));
  }
  return found;
}

const gen::KernelEntry& find_one_kernel(const std::string& name) {
  const auto found = find_kernels({name});
  if (found.size() > 1) {
    throw ArgumentError(fmt::format("'{}' matches {} kernels, one is needed", name, found.size()));
  }
  return *found.front();
}

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& value) {
        return std::string(value.empty() ? "has an empty value; leave it out for its default" : "");
      },
      "");
}

CLI::Validator one_of(const std::string& what, std::vector<std::string> names) {
  return CLI::Validator(
      [what, names = std::move(names)](std::string& value) {
        const bool known = std::find(names.begin(), names.end(), value) != names.end();
        return known ? "" : unknown(what, value, names);
      },
      "");
}

void ConfigOptions::add_to(CLI::App& command) {
  const auto option = [&](const std::string& name, const std::string& help) {
    command
        .add_option_function<std::string>(
            "--" + name, [this, name](const std::string& text) { given_[name] = text; }, help)
        ->group("Config");
  };
  option("tile", "ROWSxCOLUMNS of the source that one workgroup moves; MxNxK of a product");
  option("threads", "layout of a workgroup's threads: 32x8 or '(32,8):(1,32)'");
  option("pad", "elements of padding after each run of the shared tile; A,B of a product");
  option("shared", "layout of the shared tile, instead of --pad: '(32,32):(1,33)'");
  option("values", "MxN: neighbouring elements of C that one thread has");
  option("stages", "shared tiles of each operand: 1 or 2");
  option("prefetch", "yes or no: the next tiles travel in registers");
  option("vector", "bytes that a thread moves at once, at most");
}

}  // namespace vkmoye::bench
