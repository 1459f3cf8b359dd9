#include "commands/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/parse.hpp"
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
  // In the order of the registry; what several families mean by a name, each family's help once.
  std::vector<std::pair<std::string, std::vector<std::string>>> options;
  for (const gen::KernelEntry& entry : gen::registry()) {
    for (const gen::OptionRow& row : entry.options) {
      auto found = std::find_if(options.begin(), options.end(),
                                [&](const auto& option) { return option.first == row.name; });
      if (found == options.end()) {
        found = options.insert(options.end(), {row.name, std::vector<std::string>()});
      }
      std::vector<std::string>& helps = found->second;
      if (std::find(helps.begin(), helps.end(), row.help) == helps.end()) helps.push_back(row.help);
    }
  }
  for (const auto& option : options) {
    const std::string& name = option.first;
    command
        .add_option_function<std::string>(
            "--" + name, [this, name](const std::string& text) { given_[name] = text; },
            join(option.second, "; or "))
        ->group("Config");
  }
}

}  // namespace vkmoye::bench
