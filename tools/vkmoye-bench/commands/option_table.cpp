// SPDX-License-Identifier: MIT
#include "commands/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/kernel_names.hpp"
#include "io/program.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "workloads/operation.hpp"
#include "workloads/products/epilogue.hpp"

namespace vkmoye::bench {
namespace {

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

// A number from 0 to `most`, into the member that `target` finds.
template <class Target>
auto number_to(double most, Target target) {
  return [most, target](const std::string& text, Given& given) {
    const auto value = parse_number(text);
    return value && *value >= 0 && *value <= most && keep(value, target(given));
  };
}

// The place of `word` among `names`. Throws ArgumentError with the nearest, and what else there is.
std::size_t index_among(const std::string& what, const std::string& word,
                        const std::vector<std::string>& names, const std::string& others = "") {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw ArgumentError(unknown(what, word, names) + others);
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
    std::string name = part;
    if (part.find('/') != std::string::npos) {
      name = find_one_kernel(part).name;
    } else if (kernel_called(part) == nullptr) {
      const std::string near = nearest_kernels(part);
      index_among(
          "baseline", part, baseline_names(),
          ", and kernels by their names" +
              (near.empty() ? fmt::format(": '{} list' shows them", program_name()) : near));
    }
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
  return true;
}

constexpr double kMostSeconds = 60, kMostBudget = 86400;
constexpr std::int64_t kMostLanes = 128;

std::vector<Option> plain_options() {
  using enum CommandName;
  const std::string sizes = "ROWSxCOLUMNS of the source, MxNxK of a product";
  const std::string types = "of a product operands,accumulator,result, operands also A*B";
  return {
      {"KERNEL", of(run), Values::several, "family/variant; * and ? match any characters", "",
       text_behind(&Given::kernels)},
      {"--kernel", of(run), Values::one,
       "in place of KERNEL: a file that 'emit --kernel' wrote; its types are the kernel's own", "",
       text_into(&Given::kernel_file)},
      {"--reference", of(run), Values::one,
       "what the kernel of --kernel has to compute: " + join(operation_names(), ", "), "",
       word_into("reference", operation_names(), &Given::reference)},
      {"--kernel", of(emit), Values::one,
       "write SPIR-V and interface into this one file, JSON, which 'run --kernel' and "
       "read_kernel_file take; of several kernels each into its own: k.1.json, k.2.json for "
       "k.json; -: stdout, instead of the GLSL",
       "", text_into(&Given::kernel_file)},
      {"KERNEL", of(apply, pack, emit, explain), Values::one, "family/variant", "",
       text_behind(&Given::kernels), true},
      {"KERNEL", of(tune), Values::one, "gemm", "", text_behind(&Given::kernels), true},
      {"ARRAYS", of(matmul), Values::several,
       "A and B: .npy files, little-endian, or what 'pack' wrote", "", text_behind(&Given::in),
       true},
      {"REPORTS", of(compare), Values::several, "BASE.json and NEW.json: what --format json wrote",
       "", text_behind(&Given::in), true},
      {"PATTERN", of(list), Values::one, "kernels to show; * and ? match any characters (*)", "",
       text_behind(&Given::kernels)},
      {"EXPR", of(layout), Values::one,
       "a layout, operations on layouts, or one of the words eval and operations", "",
       text_into(&Given::expression)},
      {"--in", of(apply), Values::several,
       ".npy files, little-endian; for gemm/packed also what 'pack' wrote", "",
       text_behind(&Given::in), true},
      {"--in", of(pack), Values::one,
       "the .npy file of the operand: (M,K) or (N,K), or a batch of them", "",
       text_behind(&Given::in), true},
      {"--as", of(pack), Values::one, "the operand of the product that it is: a or b (b)", "",
       word_into("operand", {"a", "b"}, &Given::as)},
      {"--out", of(pack), Values::one, "the file that the packed operand goes into; -: stdout", "",
       text_into(&Given::out), true},
      {"--out", of(apply, matmul), Values::one,
       "the .npy file that the result goes into; -: stdout", "", text_into(&Given::out), true},
      {"--type", of(run), Values::each,
       "element types, commas or repeats sweep (f32); " + types + ", repeats sweep", "",
       text_behind(&Given::types)},
      {"--type", of(tune), Values::each, types + " (f32); repeats sweep", "",
       text_behind(&Given::types)},
      {"--type", of(apply, matmul, pack), Values::each, "refuse an array of another type; " + types,
       "", text_behind(&Given::types)},
      {"--type", of(emit, explain), Values::each, "element type (f32); " + types, "",
       text_behind(&Given::types)},
      {"--size", of(run), Values::each,
       sizes + "; commas or repeats sweep, so do 256:1024:+256 and 256:4096:*2 "
               "(2048; on the host 128)",
       "", read_sizes},
      {"--size", of(tune), Values::each, "MxNxK; commas or repeats sweep", "", read_sizes, true},
      {"--budget", of(tune), Values::one, "seconds for all sizes, more or less (60)",
       fmt::format("a number of seconds from 0 to {}", kMostBudget),
       number_to(kMostBudget, [](Given& given) -> double& { return given.budget; })},
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
      {"--device", of(run, apply, matmul, pack, suite), Values::one,
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
       "seconds of timed work (0.5), after as much warm-up, of a GPU 0.3 at least; with 0 no copy "
       "is timed beside it",
       fmt::format("a number of seconds from 0 to {}", kMostSeconds),
       number_to(kMostSeconds, [](Given& given) -> double& { return given.measure.min_time; })},
      {"--stop-noise", of(run), Values::one,
       "percent: go on until half of the median's 95 % confidence interval is not above it, or "
       "--budget is spent",
       "a number above 0, to 100",
       [](const std::string& text, Given& given) {
         const auto value = parse_number(text);
         if (!value || !(*value > 0) || *value > 100) return false;
         given.measure.stop_noise = value;
         return true;
       }},
      {"--budget", of(run), Values::one, "seconds of samples of a row, at most (20)",
       fmt::format("a number of seconds from 0 to {}", kMostBudget),
       number_to(kMostBudget, [](Given& given) -> double& { return given.measure.budget; })},
      {"--cold", of(run), Values::none,
       "write a large buffer before each sample, so that caches hold nothing of the arrays", "",
       [](const std::string&, Given& given) { return given.measure.cold = true; }},
      {"--bake", of(run), Values::none,
       "make the sizes numbers in the kernel, and in kernels that are a --baseline: faster, one "
       "pipeline for each size",
       "", [](const std::string&, Given& given) { return given.measure.bake = true; }},
      {"--baseline", of(run), Values::each,
       "time these as well and report the ratio: " + join(baseline_names(), ", ") +
           ", or another kernel that computes the same, by its name; peak is as many multiply-adds "
           "as there can be, from registers: products that arithmetic bounds are then shown in % "
           "of it, those that memory bounds still in % of a copy; pattern is the kernel's own "
           "accesses to memory with nothing turned between, the bound of transposes and "
           "relayouts: its result is none, and is not compared",
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
      {"--format", of(run, suite, tune), Values::one, join(report_formats(), ", ") + " (table)", "",
       word_into("format", report_formats(), &Given::format)},
      {"--commands", of(run, suite, tune), Values::none,
       "below each row of a table the command that repeats it; with --output it is always there",
       "", [](const std::string&, Given& given) { return given.commands = true; }},
      {"--format", of(compare), Values::one, "table or json (table)", "",
       word_into("format", {"table", "json"}, &Given::format)},
      {"--effect", of(compare), Values::one, "percent: a smaller difference is none (3)",
       "a number from 0 to 1000",
       number_to(1000, [](Given& given) -> double& { return given.least_effect; })},
      {"--format", of(devices), Values::one, "table or json, all that there is to know (table)", "",
       word_into("format", {"table", "json"}, &Given::format)},
      {"--format", of(explain), Values::one, "table, json or markdown (table)", "",
       word_into("format", {"table", "json", "markdown"}, &Given::format)},
      {"--table", of(tune), Values::one,
       "write what was found into this file, for VKMOYE_GEMM_TABLE (one that later runs read by "
       "themselves)",
       "", text_into(&Given::table)},
      {"--output", of(run, suite, tune, compare), Values::one,
       "write the report into this file (stdout)", "", text_into(&Given::output)},
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

// Of what each step of an epilogue reads, a file.
std::vector<Option> epilogue_options() {
  using enum CommandName;
  std::vector<Option> options = {
      {"--epilogue", of(matmul), Values::one,
       "steps on A @ B before it is rounded, in order: " + epilogue_expects() + " (none)", "",
       [](const std::string& text, Given& given) {
         parse_epilogue(text);
         given.values["epilogue"] = text;
         return true;
       }}};
  for (const gen::GemmStep& step : gen::gemm_steps()) {
    for (const gen::GemmInput& input : step.inputs) {
      options.push_back({"--" + input.name, of(matmul), Values::one,
                         "the .npy file that step " + step.name + " reads", "",
                         [name = input.name](const std::string& text, Given& given) {
                           given.epilogue_files[name] = text;
                           return true;
                         }});
    }
  }
  return options;
}

}  // namespace

std::vector<Option> option_table() {
  std::vector<Option> options = plain_options();
  for (Option& option : epilogue_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace vkmoye::bench
