// SPDX-License-Identifier: MIT
// The main program: reads the command line and performs the command.

#include "vkmoye/bench/bench.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <utility>

#include "commands/candidates.hpp"
#include "commands/kernel_names.hpp"
#include "commands/options.hpp"
#include "commands/unknown_word.hpp"
#include "devices/execution.hpp"
#include "io/parse.hpp"
#include "io/program.hpp"
#include "io/terminal.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/cache_folder.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/base/version.hpp"
#include "vkmoye/gen/verify/accepted_kernels.hpp"
#include "vkmoye/system/arguments.hpp"
#include "vkmoye/system/terminal.hpp"

namespace vkmoye::bench {
namespace {

// "Exit status: 0 success, 1 a wrong result, ..".
std::string exit_statuses() {
  std::vector<std::string> all;
  for (const char* meaning : kExitMeanings) {
    all.push_back(fmt::format("{} {}", all.size(), meaning));
  }
  return hanging("", "Exit status: " + join(all, ", ") + '.');
}

// Wraps help at 80 columns.
class Help : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return entry(make_option_name(option, is_positional) + make_option_opts(option),
                 make_option_desc(option));
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool takes_value = !option->get_positional() && option->get_expected_max() > 0;
    return (takes_value ? " " + option->get_type_name() : "") +
           (option->get_required() && !option->get_positional() ? " (required)" : "");
  }
  // Options may be given several times to get a message of ours; only some take several values.
  std::string make_option_usage(const CLI::Option* option) const override {
    const std::string name =
        make_option_name(option, true) + (option->get_allow_extra_args() ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return entry(command->get_name(), command->get_description());
  }

 private:
  static std::string entry(const std::string& name, const std::string& text) {
    constexpr std::size_t kColumn = 24;
    const std::string head = "  " + name;
    const std::string margin(kColumn, ' ');
    if (head.size() + 2 > kColumn) return head + '\n' + hanging(margin, text);
    return hanging(head + margin.substr(head.size()), text);
  }
};

// "run KERNEL --in FILE": the command with everything that it requires.
std::string required_usage(const CLI::App& command) {
  std::string out = command.get_name();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required()) continue;
    const std::string name = option->get_name();
    out += ' ' + name + (option->get_positional() ? "" : " " + option->get_type_name()) +
           (option->get_allow_extra_args() ? "..." : "");
  }
  return out;
}

int report(const std::string& what, int status) {
  std::cout.flush();
  print_error(what);
  return status;
}

// `arguments`: with the name of the program as the first.
int parse_and_run(const std::vector<std::string>& arguments) {
  // The name as typed, so that the commands it prints run from the same directory.
  CLI::App app{"GPU kernels described by layouts, on Vulkan",
               arguments.empty() ? program_name() : arguments[0]};
  app.require_subcommand(1);
  app.allow_windows_style_options(false);  // "/" begins a path there, too
  const std::vector<std::string> words(arguments.begin() + (arguments.empty() ? 0 : 1),
                                       arguments.end());
  const bool ours = program_name() == "vkmoye-bench";
  app.set_version_flag("--version", program_name() + (ours ? " " : ", vkmoye ") + VKMOYE_VERSION,
                       "print the version");
  app.set_help_flag("-h,--help", "print this help");
  app.footer(
      with_program_name(exit_statuses() +
                        "\nExamples:\n"
                        "  vkmoye-bench suite --quick\n"
                        "  vkmoye-bench run 'transpose/*' --size 2048x2048,1023x2047 --type f32"));
  if (const auto typed = words_to_complete(words)) {
    std::cout << completion_lines(candidates_for(*typed));
    return kOk;
  }
  int status = kOk;
  CommandOptions options;  // of the only command that is parsed
  app.formatter(std::make_shared<Help>());
  for (const Command* command : commands()) {
    const std::string name = to_string(command->name);
    CLI::App* added = app.add_subcommand(name, command->summary);
    added->footer(with_program_name(
        kTakeKernelOptions.has(command->name)
            ? fmt::format("Options of a kernel: 'vkmoye-bench {} KERNEL --help'.\n\n{}", name,
                          command->examples)
            : command->examples));
    add_options(*added, command->name, options);
    added->callback([&app, &status, &options, command] {
      options.program = app.get_name();
      status = command->perform(options);
    });
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // the last one first
  } catch (const CLI::CallForHelp&) {
    // The help of the command, if there is one, not of the program.
    const auto chosen = app.get_subcommands();
    if (chosen.empty()) {
      std::cout << app.help();
      return kOk;
    }
    const CommandName command = command_of(*chosen.front()).name;
    if (!kTakeKernelOptions.has(command) || options.kernels.empty()) {
      std::cout << chosen.front()->help(app.get_name());
      return kOk;
    }
    for (const gen::KernelEntry* entry : find_kernels(options.kernels)) {
      std::cout << kernel_help(*entry, command) << '\n';
    }
    std::cout << fmt::format("'{} {} --help' lists the options that every kernel takes.\n",
                             program_name(), chosen.front()->get_name());
    return kOk;
  } catch (const CLI::CallForVersion& version) {
    std::cout << version.what() << '\n';
    return kOk;
  } catch (const CLI::ArgumentMismatch& error) {  // "--size: 1 required  missing"
    const std::string what = error.what();
    return report(
        what.ends_with("missing") ? what.substr(0, what.find(':')) + " needs a value" : what,
        kUsage);
  } catch (const CLI::RequiredError& error) {
    const auto chosen = app.get_subcommands();
    const std::string unknown = unknown_word(app, words);
    if (chosen.empty() || !unknown.empty()) {
      return report(unknown.empty() ? error.what() : unknown, kUsage);
    }
    return report(
        fmt::format("{0}: {1}\n  usage: {2} {3}; see '{2} {0} --help'", chosen.front()->get_name(),
                    error.what(), program_name(), required_usage(*chosen.front())),
        kUsage);
  } catch (const CLI::ParseError& error) {
    const std::string unknown = unknown_word(app, words);
    return report(unknown.empty() ? error.what() : unknown, kUsage);
  }
  return status;
}

int run_or_explain(const std::vector<std::string>& arguments) {
  try {
    return parse_and_run(arguments);
  } catch (const DeviceError& error) {
    const bool none =
        error.kind == DeviceError::Kind::kNoDevice || error.kind == DeviceError::Kind::kOutOfMemory;
    return report(error.what(), none ? kNothingRan : kDriverFailed);
  } catch (const CompileError& error) {
    return report(fmt::format("{}\n{}", error.what(), error.numbered_source), kDriverFailed);
  } catch (const DeviceLacks& error) {
    return report(error.what(), kNothingRan);
  } catch (const Error& error) {
    return report(error.what(), kUsage);
  } catch (const std::bad_alloc&) {
    return report("not enough host memory", kNothingRan);
  } catch (const std::exception& error) {
    return report(error.what(), kDriverFailed);
  }
}

}  // namespace

int main(int argc, char** argv, Registry registry) {
  system::prepare_standard_streams();
  const std::vector<std::string> arguments = system::arguments_of_main(argc, argv);
  if (!arguments.empty()) name_program(arguments[0]);
  const std::vector<std::string> reasons = reasons_against(registry);
  if (!reasons.empty()) return report(with_reasons("the registry", reasons), kUsage);
  use(std::move(registry));
  const char* verified = std::getenv("VKMOYE_VERIFIED_DIR");
  gen::accepted_kernels().keep_in(verified != nullptr ? verified : default_cache_folder());
  const int status = run_or_explain(arguments);
  std::cout.flush();
  if (std::cout) return status;
  return report("cannot write to standard output", status == kOk ? kUsage : status);
}

}  // namespace vkmoye::bench
