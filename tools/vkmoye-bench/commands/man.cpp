// SPDX-License-Identifier: MIT
// man: a manual page, from the tables of commands and options.

#include <fmt/format.h>

#include <iostream>
#include <string>
#include <string_view>

#include "commands/options.hpp"
#include "io/program.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/base/version.hpp"

namespace vkmoye::bench {
namespace {

struct Variable {
  const char *name, *meaning;
};

constexpr Variable kVariables[] = {
    {"VKMOYE_CACHE_DIR",
     "folder of the pipeline cache, of facts about devices and of verified kernels; else "
     "$XDG_CACHE_HOME/vkmoye or $HOME/.cache/vkmoye"},
    {"VKMOYE_VERIFIED_DIR",
     "another folder for the fingerprints of verified kernels; empty: every run verifies anew"},
    {"VKMOYE_GEMM_TABLE",
     "a table written by 'tune --table', which gemm/auto searches before its own"},
    {"VKMOYE_CUBLAS", "folder of the library of --baseline cublas"},
    {"VKMOYE_OPENBLAS", "folder of the library of --baseline openblas"},
    {"VK_DRIVER_FILES", "drivers, as for every program that uses the Vulkan loader"},
    {"VK_INSTANCE_LAYERS", "layers, as for every program that uses the Vulkan loader"},
    {"COLUMNS", "width of tables, if it is more than 80"},
    {"NO_COLOR", "if it is not empty, tables have no colours"},
};

constexpr const char* kDescription =
    "vkmoye-bench verifies, times, prints and explains GPU kernels that are described by layouts. "
    "KERNEL is a name such as gemm/auto; 'vkmoye-bench list' shows all kernels, and "
    "'vkmoye-bench run KERNEL --help' the options of one kernel with their defaults.";

// Text for roff, which then shows every character as it is; with the name of this program.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : with_program_name(text)) {
    switch (c) {
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      case '"': out += "\\(dq"; break;
      case '.':
        // A line that begins with a dot would be a request.
        out += out.empty() || out.back() == '\n' ? "\\&." : ".";
        break;
      default: out += c;
    }
  }
  return out;
}

std::string section(const std::string& name) { return ".SH " + name + '\n'; }

std::string paragraph(const std::string& text) { return ".PP\n" + roff(text) + '\n'; }

// "-\-output FILE" in bold, then its meaning.
std::string entry(const std::string& head, const std::string& text) {
  return ".TP\n.B " + roff(head) + '\n' + roff(text) + '\n';
}

// The notes of a command, or its examples.
std::string notes_of(const Command& command) {
  const std::string text = command.examples;
  return text.substr(0, text.find("Examples:\n"));
}
std::string examples_of(const Command& command) {
  constexpr std::string_view kTitle = "Examples:\n";
  const std::string text = command.examples;
  const std::size_t at = text.find(kTitle);
  return at == std::string::npos ? "" : text.substr(at + kTitle.size());
}

// Lines that are kept as they are.
std::string verbatim(const std::string& text) {
  return ".PP\n.EX\n" + roff(text) + (text.ends_with('\n') ? "" : "\n") + ".EE\n";
}

bool is_in_manual(const Option& option, CommandName command) {
  if (option.use_of(command) == nullptr) return false;
  return !option.is_of_one_kernel ||
         (command == CommandName::tune && !is_searched(option.name.substr(2)));
}

// "--size SIZE", "KERNEL...".
std::string usage_of(const Option& option, CommandName command) {
  const Reading& reading = option.reading_of(*option.use_of(command));
  const bool has_value = !option.is_positional() && reading.values != ValueCount::none;
  return option.name + (has_value ? " " + option.value : "") +
         (reading.values == ValueCount::several ? "..." : "");
}

std::string manual_of(const Command& command, const std::vector<Option>& options) {
  std::string usage = to_string(command.name);
  std::string entries;
  for (const Option& option : options) {
    if (!is_in_manual(option, command.name)) continue;
    const Use& use = *option.use_of(command.name);
    const std::string head = usage_of(option, command.name);
    if (use.is_required) usage += ' ' + head;
    if (!use.is_required && option.is_positional()) usage += " [" + head + ']';
    entries += entry(head, use.help);
  }
  std::string out = ".SS " + roff(usage) + '\n' + roff(command.summary) + ".\n";
  // An empty line separates paragraphs.
  bool begins = true;
  for (const std::string& line : split(notes_of(command), '\n')) {
    if (!line.empty()) out += (begins ? ".PP\n" : "") + roff(line) + '\n';
    begins = line.empty();
  }
  if (kTakeKernelOptions.has(command.name)) {
    out += paragraph(fmt::format("The options of a kernel: 'vkmoye-bench {} KERNEL --help'.",
                                 to_string(command.name)));
  }
  return out + entries;
}

int man(const CommandOptions&) {
  std::string page = ".\\\" written by '" + program_name() + " man'\n";
  std::string title = program_name();
  for (char& c : title) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  page +=
      fmt::format(".TH {} 1 \"\" \"vkmoye {}\" \"User Commands\"\n", roff(title), VKMOYE_VERSION);
  page += ".nh\n.ad l\n";  // names and commands are not broken, nor spread
  page += section("NAME") + roff("vkmoye-bench - GPU kernels described by layouts, on Vulkan\n");
  page += section("SYNOPSIS") + ".B " + roff("vkmoye-bench") + "\n.I command\n[options]\n";
  page += section("DESCRIPTION") + roff(kDescription) + '\n';
  page += section("COMMANDS");
  const std::vector<Option> options = all_options();
  std::string examples;
  for (const Command* command : commands()) {
    page += manual_of(*command, options);
    examples += verbatim(examples_of(*command));
  }
  page += section("EXIT STATUS");
  for (std::size_t i = 0; i < std::size(kExitMeanings); ++i) {
    page += entry(std::to_string(i), kExitMeanings[i]);
  }
  page += section("ENVIRONMENT");
  for (const auto& [name, meaning] : kVariables) page += entry(name, meaning);
  page += section("EXAMPLES") + examples;
  std::cout << page;
  return kOk;
}

}  // namespace

const Command kMan = {CommandName::man, "print the manual page",
                      "Installed packages have the page already: 'man vkmoye-bench'.\n\n"
                      "Examples:\n  vkmoye-bench man > vkmoye-bench.1\n"
                      "  vkmoye-bench man | man -l -",
                      man};

}  // namespace vkmoye::bench
