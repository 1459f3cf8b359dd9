// SPDX-License-Identifier: MIT
#include "commands/candidates.hpp"

#include <algorithm>
#include <utility>

#include "commands/options.hpp"
#include "devices/description.hpp"
#include "registry/operations.hpp"

namespace vkmoye::bench {
namespace {

constexpr Commands kTakeDescriptions =
    CommandName::emit | CommandName::explain | CommandName::list | CommandName::layout;

// Without quotes and backslashes of the shell.
std::string unquoted(std::string word) {
  std::erase_if(word, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
  return word;
}

// The beginning of a help text, as one short line.
std::string shortened(const std::string& help) {
  constexpr std::size_t kMax = 60;
  std::string text = help.substr(0, help.find_first_of(";\n"));
  if (text.size() > kMax) text = text.substr(0, text.rfind(' ', kMax)) + " ..";
  return text;
}

// A command line up to the word that is being typed.
class TypedLine {
 public:
  TypedLine(const Command& command, const std::vector<std::string>& words)
      : command_(command.name), options_(all_options()) {
    std::erase_if(options_, [&](const Option& one) { return one.use_of(command_) == nullptr; });
    find_kernels_of(words);
    for (std::size_t i = 1; i + 1 < words.size(); ++i) pass(words[i]);
  }

  Candidates candidates(std::string current) const {
    if (waiting_ != nullptr && !(takes_several(*waiting_) && current.starts_with("-"))) {
      return values_of(*waiting_, current == "=" ? "" : current);
    }
    const std::size_t equals = current.find('=');
    if (current.starts_with("--") && equals != std::string::npos) {
      const Option* option = option_called(current.substr(0, equals));
      if (option == nullptr) return {};
      Candidates found = values_of(*option, current.substr(equals + 1));
      for (Candidate& one : found.words) one.word.insert(0, current, 0, equals + 1);
      return found;
    }
    const Option* place = positional();
    return current.starts_with("-") || place == nullptr ? names_of_options(current)
                                                        : values_of(*place, current);
  }

 private:
  bool takes_several(const Option& option) const {
    return option.reading_of(*option.use_of(command_)).values == ValueCount::several;
  }
  bool takes_value(const Option& option) const {
    return option.reading_of(*option.use_of(command_)).values != ValueCount::none;
  }

  void find_kernels_of(const std::vector<std::string>& words) {
    if (command_ == CommandName::tune) {
      kernels_ = kernels_among(std::vector<std::string>{"gemm/auto"});
    } else if (kTakeKernelOptions.has(command_)) {
      kernels_ = kernels_among(std::span(words).subspan(1, words.size() - 2));
    }
  }

  const Option* option_called(const std::string& name) const {
    for (const Option& option : options_) {
      if (name == option.name || name == option.hyphenated()) return &option;
    }
    return nullptr;
  }

  void pass(const std::string& word) {
    if (word == "=" && waiting_ != nullptr) return;  // bash splits "--format=json" into three words
    if (waiting_ != nullptr && !takes_several(*waiting_)) {
      waiting_ = nullptr;
    } else if (word.starts_with("--")) {
      const Option* option = option_called(word.substr(0, word.find('=')));
      const bool has_value = word.find('=') != std::string::npos;
      waiting_ = option != nullptr && takes_value(*option) && !has_value ? option : nullptr;
    } else if (waiting_ == nullptr) {
      ++positionals_;
    }
  }

  // The positional argument that comes next; nullptr: all are there.
  const Option* positional() const {
    std::size_t place = 0;
    for (const Option& option : options_) {
      if (!option.is_positional()) continue;
      if (place++ == positionals_ || takes_several(option)) return &option;
    }
    return nullptr;
  }

  bool is_taken(const Option& option) const {
    if (!option.is_of_one_kernel) return true;
    const std::string name = option.name.substr(2);
    const auto has_name = [&](const auto& one) { return one.name == name; };
    return std::any_of(kernels_.begin(), kernels_.end(), [&](const gen::KernelEntry* entry) {
      const auto& of_problem = operation_of(*entry).options;
      if (std::any_of(of_problem.begin(), of_problem.end(), has_name)) {
        return command_ != CommandName::tune || !is_searched(name);
      }
      return command_ != CommandName::tune &&
             std::any_of(entry->options.begin(), entry->options.end(), has_name);
    });
  }

  Candidates names_of_options(const std::string& current) const {
    Candidates found;
    for (const Option& option : options_) {
      if (option.is_positional() || !option.name.starts_with(current) || !is_taken(option))
        continue;
      const bool is_new =
          std::none_of(found.words.begin(), found.words.end(),
                       [&](const Candidate& other) { return other.word == option.name; });
      if (is_new) found.words.push_back({option.name, shortened(option.use_of(command_)->help)});
    }
    if (std::string("--help").starts_with(current)) {
      found.words.push_back({"--help", "print this help"});
    }
    return found;
  }

  std::vector<std::string> choices_of(const Option& option) const {
    if (!option.is_of_one_kernel) return option.reading_of(*option.use_of(command_)).choices;
    std::vector<std::string> choices;
    const auto add = [&](const auto& rows) {
      for (const auto& row : rows) {
        if ("--" + row.name != option.name) continue;
        for (const std::string& word : row.choices) {
          if (std::find(choices.begin(), choices.end(), word) == choices.end()) {
            choices.push_back(word);
          }
        }
      }
    };
    for (const gen::KernelEntry* entry : kernels_) {
      add(entry->options);
      add(operation_of(*entry).options);
    }
    return choices;
  }

  // Values are also offered for the last part of a list: "bias,re".
  Candidates values_of(const Option& option, const std::string& current) const {
    Candidates found;
    found.files = option.value == "FILE";
    const std::size_t comma = current.rfind(',');
    const std::string head = comma == std::string::npos ? "" : current.substr(0, comma + 1);
    const auto offer = [&](const std::string& word, const std::string& help) {
      if ((head + word).starts_with(current)) found.words.push_back({head + word, help});
    };
    for (const std::string& word : choices_of(option)) offer(word, "");
    if (option.value == "KERNEL" && command_ != CommandName::tune) {
      for (const gen::KernelEntry& entry : registry_in_use().kernels) {
        offer(entry.name, shortened(entry.summary));
      }
    }
    if (option.value == "DEVICE") {
      const bool needs_device = command_ == CommandName::tune || command_ == CommandName::peak;
      if (!needs_device) offer("host", "the CPU, without Vulkan");
      found.files = kTakeDescriptions.has(command_);
      if (found.files) {
        for (const ShippedDescription& shipped : shipped_descriptions()) offer(shipped.name, "");
      }
    }
    return found;
  }

  CommandName command_;
  std::vector<Option> options_;  // of the command
  std::vector<const gen::KernelEntry*> kernels_;
  const Option* waiting_ = nullptr;  // the option whose value comes next
  std::size_t positionals_ = 0;      // so many are there
};

}  // namespace

std::optional<std::vector<std::string>> words_to_complete(const std::vector<std::string>& line) {
  if (line.size() < 4 || line[0] != to_string(CommandName::completion) || line[1] != "words" ||
      line[2] != "--") {
    return std::nullopt;
  }
  return std::vector<std::string>(line.begin() + 3, line.end());
}

Candidates candidates_for(const std::vector<std::string>& words) {
  std::vector<std::string> typed;
  for (const std::string& word : words) typed.push_back(unquoted(word));
  const std::string current = typed.empty() ? "" : typed.back();
  Candidates found;
  if (typed.size() < 2) {
    const auto offer = [&](const std::string& word, const std::string& help) {
      if (word.starts_with(current)) found.words.push_back({word, help});
    };
    for (const Command* command : commands()) offer(to_string(command->name), command->summary);
    offer("--help", "print this help");
    offer("--version", "print the version");
    return found;
  }
  for (const Command* command : commands()) {
    if (to_string(command->name) == typed.front()) {
      return TypedLine(*command, typed).candidates(current);
    }
  }
  return found;
}

std::string completion_lines(const Candidates& candidates) {
  std::string lines;
  for (const Candidate& one : candidates.words) {
    lines += one.word + (one.help.empty() ? "" : '\t' + one.help) + '\n';
  }
  return candidates.files ? lines + ":files\n" : lines;
}

}  // namespace vkmoye::bench
