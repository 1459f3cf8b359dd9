// vkmoye-bench: lists, checks, times, applies and prints the kernels of vkmoye.

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>

#include "command.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

constexpr AddCommand kCommands[] = {add_devices, add_list,   add_run,  add_apply,
                                    add_emit,    add_layout, add_suite};

// "did you mean" for the first word or option that nothing of the program knows.
std::string suggestion(const CLI::App& app, const std::vector<std::string>& words) {
  const auto subcommands = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> commands;
  for (const CLI::App* command : subcommands) commands.push_back(command->get_name());
  const CLI::App* chosen = &app;
  for (const std::string& word : words) {
    if (word.starts_with("--")) {
      std::vector<std::string> options;
      for (const CLI::Option* option : chosen->get_options()) {
        options.push_back(option->get_name());
      }
      const std::string name = word.substr(0, word.find('='));
      const std::string near = did_you_mean(name, options);
      if (!near.empty() && near != name) return fmt::format("; did you mean '{}'?", near);
    } else if (chosen == &app) {
      const auto named = std::find(commands.begin(), commands.end(), word);
      if (named != commands.end()) {
        chosen = subcommands[static_cast<std::size_t>(named - commands.begin())];
        continue;
      }
      const std::string near = did_you_mean(word, commands);
      return near.empty() ? "; there are " + join(commands, " ")
                          : fmt::format("; did you mean '{}'?", near);
    }
  }
  return "";
}

int report(const std::string& what, int status) {
  std::cout.flush();
  std::cerr << "vkmoye-bench: " << what << '\n';
  return status;
}

int parse_and_run(int argc, char** argv) {
  CLI::App app{"GPU kernels described by layouts, on Vulkan", "vkmoye-bench"};
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 right, 1 a wrong result, 2 wrong usage or bad input, 3 nothing could\n"
      "run, 4 slower than a baseline asked for as a gate, 5 device lost or driver failed.\n\n"
      "Examples:\n"
      "  vkmoye-bench suite --quick\n"
      "  vkmoye-bench run 'transpose/*' --size 2048x2048,1023x2047 --type f32");
  int status = kOk;
  for (const AddCommand add : kCommands) add(app, status);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // Of the command that was asked, not of the program.
    const auto chosen = app.get_subcommands();
    std::cout << (chosen.empty() ? app.help() : chosen.front()->help("vkmoye-bench"));
    return kOk;
  } catch (const CLI::ParseError& error) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    return report(error.what() + suggestion(app, words), kUsage);
  }
  return status;
}

int run(int argc, char** argv) {
  try {
    return parse_and_run(argc, argv);
  } catch (const DeviceError& error) {
    const bool none =
        error.kind == DeviceError::Kind::kNoDevice || error.kind == DeviceError::Kind::kOutOfMemory;
    return report(error.what(), none ? kNothingRan : kDriverFailed);
  } catch (const CompileError& error) {
    return report(fmt::format("{}\n{}", error.what(), error.numbered_source), kDriverFailed);
  } catch (const Error& error) {
    return report(error.what(), kUsage);
  } catch (const std::bad_alloc&) {
    return report("the host has not enough memory for this", kNothingRan);
  } catch (const std::exception& error) {
    return report(error.what(), kDriverFailed);
  }
}

}  // namespace
}  // namespace vkmoye::bench

int main(int argc, char** argv) { return vkmoye::bench::run(argc, argv); }
