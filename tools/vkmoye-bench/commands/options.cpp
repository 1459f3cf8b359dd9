#include "commands/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::bench {
namespace {

enum class Values {
  none,     // a flag
  one,      // the option takes a value, and is given once
  each,     // a value, and may be repeated
  several,  // values follow each other
};

struct Option {
  std::string name;  // "--size"; of a word that stands alone "KERNEL"
  unsigned commands = 0;
  Values values = Values::one;
  std::string help;
  std::string expects;  // for refusals: "a whole number"
  /// False: it is not what was expected. Throws ArgumentError that says more.
  std::function<bool(const std::string& text, Given& given)> read;
  bool required = false;
  std::string group = "Options";
};

template <class... Names>
constexpr unsigned of(Names... names) {
  return (static_cast<unsigned>(names) | ...);
}

using enum CommandName;

// Any text, into `target`.
template <class Target>
auto text_into(Target target) {
  return [target](const std::string& text, Given& given) {
    given.*target = text;
    return true;
  };
}

// Any text, behind the others in `target`.
template <class Target>
auto text_behind(Target target) {
  return [target](const std::string& text, Given& given) {
    (given.*target).push_back(text);
    return true;
  };
}

// Where an optional value was read.
template <class Value, class Target>
bool keep(const std::optional<Value>& value, Target& target) {
  if (value) target = *value;
  return value.has_value();
}

// The place of `word` among `names`. Throws ArgumentError with the nearest.
std::size_t index_among(const std::string& what, const std::string& word,
                        const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw ArgumentError(unknown(what, word, names));
  return static_cast<std::size_t>(found - names.begin());
}

template <class Target>
auto word_into(std::string what, std::vector<std::string> names, Target target) {
  return [=](const std::string& text, Given& given) {
    index_among(what, text, names);
    given.*target = text;
    return true;
  };
}

bool read_sizes(const std::string& text, Given& given) {
  for (Extents& size : parse_sizes(text)) given.sizes.push_back(std::move(size));
  return true;
}

bool read_verify(const std::string& text, Given& given) {
  given.measure.verify =
      static_cast<Verify>(index_among("verification", text, {"full", "sample", "off"}));
  return true;
}

bool read_baselines(const std::string& text, Given& given) {
  std::vector<std::string>& all = given.measure.baselines;
  for (const std::string& part : split(text, ',')) {
    index_among("baseline", part, baseline_names());
    if (std::find(all.begin(), all.end(), part) == all.end()) all.push_back(part);
  }
  return true;
}

constexpr double kMostSeconds = 60, kMostBudget = 86400;
constexpr std::int64_t kMostLanes = 128;

std::vector<Option> plain_options() {
  const std::string sizes = "ROWSxCOLUMNS of the source, MxNxK of a product";
  const std::string types = "of a product operands,accumulator,result";
  return {
      {"KERNEL", of(run), Values::several, "family/variant; * and ? match any characters", "",
       text_behind(&Given::kernels), true},
      {"KERNEL", of(apply, pack, emit, explain), Values::one, "family/variant", "",
       text_behind(&Given::kernels), true},
      {"KERNEL", of(tune), Values::one, "gemm", "", text_behind(&Given::kernels), true},
      {"PATTERN", of(list), Values::one, "kernels to show; * and ? match any characters (*)", "",
       text_behind(&Given::kernels)},
      {"EXPR", of(layout), Values::one,
       "a layout, operations on layouts, or one of the words eval and operations", "",
       text_into(&Given::expression)},
      {"--in", of(apply), Values::several,
       ".npy files: C order, little-endian; for gemm/packed also what 'pack' wrote", "",
       text_behind(&Given::in), true},
      {"--in", of(pack), Values::one,
       "the .npy file of the operand: (M,K) or (N,K), or a batch of them", "",
       text_behind(&Given::in), true},
      {"--as", of(pack), Values::one, "the operand of the product that it is: a or b (b)", "",
       word_into("operand", {"a", "b"}, &Given::as)},
      {"--out", of(pack), Values::one, "the file that the packed operand goes into; -: stdout", "",
       text_into(&Given::out), true},
      {"--out", of(apply), Values::one, "the .npy file that the result goes into; -: stdout", "",
       text_into(&Given::out), true},
      {"--type", of(run), Values::each,
       "element types, commas or repeats sweep (f32); " + types + ", repeats sweep", "",
       text_behind(&Given::types)},
      {"--type", of(tune), Values::each, types + " (f32); repeats sweep", "",
       text_behind(&Given::types)},
      {"--type", of(apply, pack), Values::each, "refuse an array of another type; " + types, "",
       text_behind(&Given::types)},
      {"--type", of(emit, explain), Values::each, "element type (f32); " + types, "",
       text_behind(&Given::types)},
      {"--size", of(run), Values::each, sizes + "; commas or repeats sweep (2048; on the host 128)",
       "", read_sizes},
      {"--size", of(tune), Values::each, "MxNxK; commas or repeats sweep", "", read_sizes, true},
      {"--budget", of(tune), Values::one, "seconds for all sizes, more or less (60)",
       fmt::format("a number of seconds from 0 to {}", kMostBudget),
       [](const std::string& text, Given& given) {
         const auto value = parse_number(text);
         return value && *value >= 0 && *value <= kMostBudget && keep(value, given.budget);
       }},
      {"--size", of(emit), Values::each,
       "shape of the source, for a kernel made for one: relayout (32x64x128)", "", read_sizes},
      {"--size", of(explain), Values::each, "size to assume: " + sizes + " (4096)", "", read_sizes},
      {"--fragment", of(layout), Values::one,
       "in place of EXPR: OPERAND:TYPE:MxNxK, such as a:f16:16x16x16, the order in which lanes of "
       "the device hold that operand: (row, k) -> lane * elements of a lane + number",
       "", text_into(&Given::fragment)},
      {"--device", of(layout), Values::one,
       "whose fragment: index, part of the name, host or FILE.json as 'devices --format json' "
       "writes it (the best one)",
       "", text_into(&Given::device)},
      {"--device", of(tune), Values::one, "index or part of the name (the best one)", "",
       text_into(&Given::device)},
      {"--device", of(run, apply, pack, suite), Values::one,
       "index or part of the name (the best one); host: the twin, without Vulkan", "",
       text_into(&Given::device)},
      {"--device", of(emit, explain), Values::one,
       "for which device: index, part of the name, host or FILE.json as 'devices --format json' "
       "writes it (a common one: 32 KiB of shared memory, subgroups of 32)",
       "", text_into(&Given::device)},
      {"--verify", of(run), Values::one,
       "full, sample or off (full up to 2^26 elements moved or 2^29 products, else sample)", "",
       read_verify},
      {"--min-time", of(run), Values::one,
       "seconds of timed work, after as much warm-up (0.5); 0: and no copy to be a percentage of",
       fmt::format("a number of seconds from 0 to {}", kMostSeconds),
       [](const std::string& text, Given& given) {
         const auto value = parse_number(text);
         return value && *value >= 0 && *value <= kMostSeconds &&
                keep(value, given.measure.min_time);
       }},
      {"--bake", of(run), Values::none,
       "make the sizes numbers in the kernel: faster, one pipeline for each size", "",
       [](const std::string&, Given& given) { return given.measure.bake = true; }},
      {"--baseline", of(run), Values::each,
       "time these as well and report the ratio: " + join(baseline_names(), ", ") +
           "; pattern is the kernel's own accesses to memory with nothing turned between, the "
           "bound "
           "of transposes and relayouts: its result is none, and is not compared",
       "", read_baselines},
      {"--baseline", of(suite), Values::each,
       "time these as well, beside the kernels (copy): " + join(baseline_names(), ", "), "",
       read_baselines},
      {"--gate", of(run), Values::one,
       "exit status 4 if the speed is below this multiple of a --baseline's", "a finite number",
       [](const std::string& text, Given& given) {
         return keep(parse_number(text), given.measure.gate);
       }},
      {"--seed", of(run, tune), Values::one, "of the random input (1)",
       "a whole number from 0 to 18446744073709551615",
       [](const std::string& text, Given& given) {
         return keep(parse_seed(text), given.measure.seed);
       }},
      {"--quick", of(suite), Values::none, "one type and few sizes: about a minute", "",
       [](const std::string&, Given& given) { return given.quick = true; }},
      {"--format", of(run, suite, tune), Values::one, "table, json, csv or markdown (table)", "",
       word_into("format", {"table", "json", "csv", "markdown"}, &Given::format)},
      {"--format", of(devices), Values::one, "table or json, all that there is to know (table)", "",
       word_into("format", {"table", "json"}, &Given::format)},
      {"--format", of(explain), Values::one, "table, json or markdown (table)", "",
       word_into("format", {"table", "json", "markdown"}, &Given::format)},
      {"--table", of(tune), Values::one,
       "write what was found into this file, for VKMOYE_GEMM_TABLE (one that later runs read by "
       "themselves)",
       "", text_into(&Given::table)},
      {"--output", of(run, suite, tune), Values::one, "write the report into this file (stdout)",
       "", text_into(&Given::output)},
      {"--spirv", of(emit), Values::one,
       "write the SPIR-V into this file, of several kernels each into its own: k.1.spv, k.2.spv "
       "for k.spv; -: stdout, instead of the GLSL",
       "", text_into(&Given::spirv)},
      {"--interface", of(emit), Values::one,
       "write how to call it into this file, JSON, of several kernels step by step; -: stdout, "
       "instead of the GLSL",
       "", text_into(&Given::interface)},
      {"--subgroup", of(explain), Values::one,
       fmt::format("lanes that make one request, 1..{} (the device's)", kMostLanes),
       fmt::format("a whole number from 1 to {}", kMostLanes),
       [](const std::string& text, Given& given) {
         const auto lanes = parse_count(text, 1);
         return lanes && *lanes <= kMostLanes && keep(lanes, given.subgroup);
       }},
      {"--jsonl", of(layout), Values::none,
       "with eval: answer each line of stdin, {\"op\",\"args\"}, with one line", "",
       [](const std::string&, Given& given) { return given.jsonl = true; }},
      {"--draw", of(layout), Values::one,
       "text, svg, typst or latex: the table of offsets, of threads and values for "
       "make_tiled_copy, of lanes in banks for bank_map",
       "", word_into("picture format", {"text", "svg", "typst", "latex"}, &Given::draw)},
  };
}

// Options that go into a map by their names. What several mean by a name, each help once.
class NamedOptions {
 public:
  NamedOptions(gen::Options Given::*target, std::string group)
      : target_(target), group_(std::move(group)) {}

  void add(const std::string& name, const std::string& help, unsigned commands) {
    auto found = std::find_if(options_.begin(), options_.end(),
                              [&](const Option& option) { return option.name == "--" + name; });
    if (found == options_.end()) {
      found = options_.insert(options_.end(),
                              {"--" + name, commands, Values::one, help, "",
                               [name, target = target_](const std::string& text, Given& given) {
                                 (given.*target)[name] = text;
                                 return true;
                               },
                               false, group_});
    } else if (("; or " + found->help).find("; or " + help) == std::string::npos) {
      found->help += "; or " + help;
    }
    found->commands |= commands;
  }
  const std::vector<Option>& all() const { return options_; }

 private:
  gen::Options Given::*target_;
  std::string group_;
  std::vector<Option> options_;
};

std::vector<Option> all_options() {
  std::vector<Option> options = plain_options();
  NamedOptions config(&Given::config, "Config");
  for (const gen::KernelEntry& entry : gen::registry()) {
    for (const gen::OptionRow& row : entry.options) {
      config.add(row.name, row.help, of(run, apply, pack, emit, explain));
    }
  }
  NamedOptions values(&Given::values, "What is computed");
  for (const Operation& operation : operations()) {
    for (const OperationOption& option : operation.options) {
      values.add(option.name, option.help,
                 of(run, explain) | (option.of_apply ? of(apply) : 0u) |
                     (option.of_emit ? of(emit) : 0u) | (option.of_pack ? of(pack) : 0u) |
                     (operation.name == "gemm" ? of(tune) : 0u));
    }
  }
  for (const NamedOptions* named : {&config, &values}) {
    options.insert(options.end(), named->all().begin(), named->all().end());
  }
  return options;
}

// The one function that reads what was typed.
void read(const Option& option, const std::vector<std::string>& texts, Given& given) {
  if (option.values == Values::one && texts.size() > 1) {
    throw ArgumentError(
        fmt::format("{} is given {} times, once is enough", option.name, texts.size()));
  }
  for (const std::string& text : texts) {
    if (text.empty()) {
      // A variable of a script that was not set, not the default.
      throw ArgumentError(fmt::format("{} has an empty value{}", option.name,
                                      option.required ? "" : "; leave it out for its default"));
    }
    try {
      if (option.read(text, given)) continue;
    } catch (const ArgumentError& error) {
      throw ArgumentError(fmt::format("{}: {}", option.name, error.what()));
    }
    throw ArgumentError(gen::not_read(option.name, text, option.expects));
  }
}

}  // namespace

const char* to_string(CommandName name) {
  switch (name) {
    case devices: return "devices";
    case list: return "list";
    case run: return "run";
    case apply: return "apply";
    case emit: return "emit";
    case explain: return "explain";
    case layout: return "layout";
    case suite: return "suite";
    case tune: return "tune";
    case pack: return "pack";
  }
  return "?";
}

void add_options(CLI::App& app, CommandName command, const std::shared_ptr<Given>& given) {
  for (const Option& option : all_options()) {
    if ((option.commands & of(command)) == 0) continue;
    if (option.values == Values::none) {
      app.add_flag_function(
             option.name, [option, given](std::int64_t) { option.read("", *given); }, option.help)
          ->group(option.group);
      continue;
    }
    // Not CLI11's own conversions: they take NaN for a number of any range, and -1 for 2^64-1.
    CLI::Option* added = app.add_option(
        option.name,
        [option, given](const CLI::results_t& texts) {
          read(option, texts, *given);
          return true;
        },
        option.help);
    added->expected(1, CLI::detail::expected_max_vector_size);
    // Else the word behind a value would be another one, and not a kernel.
    added->allow_extra_args(option.values == Values::several);
    added->required(option.required)->group(option.group);
  }
}

Extents one_size(const Given& given, const Extents& usual) {
  if (given.sizes.size() > 1) {
    throw ArgumentError(fmt::format("--size: {} sizes, one is needed", given.sizes.size()));
  }
  return given.sizes.empty() ? usual : given.sizes.front();
}

std::string one_type(const Given& given, const std::string& usual) {
  if (given.types.size() > 1) {
    throw ArgumentError(fmt::format("--type: given {} times, once is enough", given.types.size()));
  }
  return given.types.empty() ? usual : given.types.front();
}

}  // namespace vkmoye::bench
