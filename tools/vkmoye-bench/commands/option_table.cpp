// SPDX-License-Identifier: MIT
#include "commands/option_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/kernel_names.hpp"
#include "io/parse.hpp"
#include "io/program.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/problems/products/epilogue.hpp"

namespace vkmoye::bench {
namespace {

// Stores any text in `target`.
template <class Target>
auto store_in(Target target) {
  return [target](const std::string& text, CommandOptions& options) {
    options.*target = text;
    return true;
  };
}

// Appends any text to `target`.
template <class Target>
auto append_to(Target target) {
  return [target](const std::string& text, CommandOptions& options) {
    (options.*target).push_back(text);
    return true;
  };
}

// Stores the value, if there is one. Returns whether there is.
template <class Value, class Target>
bool keep(const std::optional<Value>& value, Target& target) {
  if (value) target = *value;
  return value.has_value();
}

// Stores a number from 0 to `max` in the member that `target` returns.
template <class Target>
auto number_to(double max, Target target) {
  return [max, target](const std::string& text, CommandOptions& options) {
    const auto value = parse_number(text);
    return value && *value >= 0 && *value <= max && keep(value, target(options));
  };
}

// The index of `word` in `names`. Throws ArgumentError with the most similar name, all names, and `others`.
std::size_t index_among(const std::string& what, const std::string& word,
                        const std::vector<std::string>& names, const std::string& others = "") {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw ArgumentError(unknown_name(what, word, names) + others);
  return static_cast<std::size_t>(found - names.begin());
}

template <class Target>
auto store_word_in(std::string what, std::vector<std::string> names, Target target) {
  return [=](const std::string& text, CommandOptions& options) {
    index_among(what, text, names);
    options.*target = text;
    return true;
  };
}

bool read_sizes(const std::string& text, CommandOptions& options) {
  for (Extents& size : parse_sizes(text)) options.sizes.push_back(std::move(size));
  return true;
}

bool read_verify(const std::string& text, CommandOptions& options) {
  options.measure.verify =
      static_cast<gen::Verify>(index_among("verification", text, {"full", "sample", "off"}));
  return true;
}

bool read_baselines(const std::string& text, CommandOptions& options) {
  std::vector<std::string>& all = options.measure.baselines;
  for (const std::string& part : split(text, ',')) {
    std::string name = part;
    if (part.find('/') != std::string::npos) {
      name = find_one_kernel(part).name;
    } else if (kernel_called(part) == nullptr) {
      const std::string near = nearest_kernels(part);
      index_among("baseline", part, baseline_names(),
                  ", or the name of a kernel" +
                      (near.empty() ? fmt::format(" from '{} list'", program_name()) : near));
    }
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  }
  return true;
}

constexpr double kMaxSeconds = 60, kMaxBudget = 86400;
constexpr std::int64_t kMaxLanes = 128;

std::vector<Option> plain_options() {
  using enum CommandName;
  const std::string sizes =
      "ROWSxCOLUMNS of the source; for products MxNxK; for attention QUERIESxKEYSxWIDTH; N means "
      "NxN or NxNxN";
  std::vector<std::string> formats;
  for (const gen::WeightFormat& format : gen::weight_formats()) formats.push_back(format.name);
  const std::string product_types =
      "OPERANDS,ACCUMULATOR,RESULT, where OPERANDS may be A*B and B may be " + join(formats, ", ");
  const std::string types =
      "for copy/auto also FROM*TO; for attention also Q*K*V, where K and V may be such formats as "
      "q8_0; for products " +
      product_types;
  return {
      {"KERNEL", for_commands(run), ValueCount::several,
       "family/variant; * and ? match any characters", "", append_to(&CommandOptions::kernels)},
      {"--kernel", for_commands(run), ValueCount::one,
       "in place of KERNEL, a file written by 'emit --kernel'; the kernel fixes the types", "",
       store_in(&CommandOptions::kernel_file)},
      {"--reference", for_commands(run), ValueCount::one,
       "the operation that the kernel of --kernel computes: " + join(operation_names(), ", "), "",
       store_word_in("reference", operation_names(), &CommandOptions::reference)},
      {"--kernel", for_commands(emit), ValueCount::one,
       "write the SPIR-V and the interface, of a kernel or of a whole plan, to this one JSON file, "
       "for 'run --kernel' or read_compiled_file: a plan, if it has several kernels or --size "
       "gives its arguments; -: to stdout, instead of the GLSL",
       "", store_in(&CommandOptions::kernel_file)},
      {"KERNEL", for_commands(apply, pack, emit, explain), ValueCount::one, "family/variant", "",
       append_to(&CommandOptions::kernels), true},
      {"KERNEL", for_commands(tune), ValueCount::one, "what to tune: gemm, the only choice (gemm)",
       "", append_to(&CommandOptions::kernels)},
      {"ARRAYS", for_commands(matmul), ValueCount::several,
       "A and B: little-endian .npy files, or files written by 'pack'", "",
       append_to(&CommandOptions::in), true},
      {"REPORTS", for_commands(compare), ValueCount::several,
       "BASE.json and NEW.json, written with --format json", "", append_to(&CommandOptions::in),
       true},
      {"PATTERN", for_commands(list), ValueCount::one,
       "kernels to list; * and ? match any characters (*)", "",
       append_to(&CommandOptions::kernels)},
      {"EXPR", for_commands(layout), ValueCount::one,
       "an expression of layouts and operations; or one of the words: eval, operations", "",
       store_in(&CommandOptions::expression)},
      {"--in", for_commands(apply), ValueCount::several,
       "little-endian .npy files; for gemm/packed also files written by 'pack'", "",
       append_to(&CommandOptions::in), true},
      {"--in", for_commands(pack), ValueCount::one,
       "the .npy file of the operand, (M,K) or (N,K), or of a batch of such operands", "",
       append_to(&CommandOptions::in), true},
      {"--as", for_commands(pack), ValueCount::one,
       "which operand of the product it is, a or b (b)", "",
       store_word_in("operand", {"a", "b"}, &CommandOptions::as)},
      {"--out", for_commands(pack), ValueCount::one,
       "the file to write the packed or quantised operand to; -: stdout", "",
       store_in(&CommandOptions::out), true},
      {"--out", for_commands(matmul), ValueCount::one,
       "the .npy file to write the result to; -: stdout", "", store_in(&CommandOptions::out), true},
      {"--out", for_commands(apply), ValueCount::several,
       "the .npy file to write the result to, and files for further results, such as the values of "
       "topk/rows; -: stdout",
       "", append_to(&CommandOptions::results), true},
      {"--type", for_commands(run), ValueCount::each,
       "element types (f32); " + types +
           "; repeat the option for several types; commas do the same, except for products",
       "", append_to(&CommandOptions::types)},
      {"--type", for_commands(tune), ValueCount::each, product_types + " (f32); repeats sweep", "",
       append_to(&CommandOptions::types)},
      {"--type", for_commands(apply), ValueCount::each, "reject arrays of other types; " + types,
       "", append_to(&CommandOptions::types)},
      {"--type", for_commands(matmul, pack), ValueCount::each,
       "reject arrays of other types; " + product_types, "", append_to(&CommandOptions::types)},
      {"--type", for_commands(emit, explain), ValueCount::each, "element type (f32); " + types, "",
       append_to(&CommandOptions::types)},
      {"--size", for_commands(run), ValueCount::each,
       sizes + "; commas or repeats sweep, as do 256:1024:+256 and 256:4096:*2 "
               "(2048; with --device host 128; for your own operations, the size of their example)",
       "", read_sizes},
      {"--size", for_commands(tune), ValueCount::each,
       "MxNxK; N means NxNxN; commas or repeats sweep", "", read_sizes, true},
      {"--budget", for_commands(tune), ValueCount::one,
       "approximate seconds for all sizes together (60)",
       fmt::format("a number of seconds from 0 to {}", kMaxBudget),
       number_to(kMaxBudget, [](CommandOptions& options) -> double& { return options.budget; })},
      {"--size", for_commands(emit), ValueCount::each,
       "shape of the source, or MxNxK of a product, for kernels and plans made for one size "
       "(32x64x128)",
       "", read_sizes},
      {"--size", for_commands(explain), ValueCount::each, "assumed size: " + sizes + " (4096)", "",
       read_sizes},
      {"--fragment", for_commands(layout), ValueCount::one,
       "in place of EXPR, OPERAND:TYPE:MxNxK, such as a:f16:16x16x16: prints the layout in which "
       "the lanes of the device hold that operand, (row, k) -> lane * elements per lane + number",
       "", store_in(&CommandOptions::fragment)},
      {"--device", for_commands(layout), ValueCount::one,
       "the device of the fragment: index, part of the name, host, FILE.json written by "
       "'devices --format json', or the name of a description as in emit (the best device)",
       "", store_in(&CommandOptions::device)},
      {"--device", for_commands(tune, peak), ValueCount::one,
       "index or part of the name (the best device)", "", store_in(&CommandOptions::device)},
      {"--device", for_commands(run, apply, matmul, pack, suite), ValueCount::one,
       "index or part of the name (the best device); host: run on the CPU without Vulkan, slowly, "
       "with every access checked",
       "", store_in(&CommandOptions::device)},
      {"--device", for_commands(emit, explain), ValueCount::one,
       "the target device: index, part of the name, host, FILE.json written by "
       "'devices --format json', or a description that comes with vkmoye, such as navi31 or "
       "rtx4090 (a common one: 32 KiB of shared memory, subgroups of 32)",
       "", store_in(&CommandOptions::device)},
      {"--verify", for_commands(run), ValueCount::one,
       "full, sample or off (full up to 2^26 moved elements or 2^29 multiplications, else sample)",
       "", read_verify},
      {"--min-time", for_commands(run), ValueCount::one,
       "seconds of timed work (0.5); the warm-up is as long, on a GPU at least 0.3; with 0, no "
       "copy is timed for comparison",
       fmt::format("a number of seconds from 0 to {}", kMaxSeconds),
       number_to(kMaxSeconds,
                 [](CommandOptions& options) -> double& { return options.measure.min_time; })},
      {"--min-time", for_commands(peak), ValueCount::one,
       "seconds of timed work for each ceiling (0.5); the warm-up is as long",
       fmt::format("a number of seconds from 0 to {}", kMaxSeconds),
       number_to(kMaxSeconds,
                 [](CommandOptions& options) -> double& { return options.measure.min_time; })},
      {"--again", for_commands(peak), ValueCount::none,
       "measure again, and replace the ceilings that are kept", "",
       [](const std::string&, CommandOptions& options) { return options.again = true; }},
      {"--stop-noise", for_commands(run), ValueCount::one,
       "sample until half the width of the 95 % confidence interval is below this percentage of "
       "the median, or until --budget is spent",
       "a number above 0, to 100",
       [](const std::string& text, CommandOptions& options) {
         const auto value = parse_number(text);
         if (!value || !(*value > 0) || *value > 100) return false;
         options.measure.stop_noise = value;
         return true;
       }},
      {"--budget", for_commands(run), ValueCount::one,
       "maximum seconds of sampling for one result (20)",
       fmt::format("a number of seconds from 0 to {}", kMaxBudget),
       number_to(kMaxBudget,
                 [](CommandOptions& options) -> double& { return options.measure.budget; })},
      {"--cold", for_commands(run), ValueCount::none,
       "write a large buffer before each sample, so that no array is in a cache", "",
       [](const std::string&, CommandOptions& options) { return options.measure.cold = true; }},
      {"--bake", for_commands(run), ValueCount::none,
       "compile the sizes into the kernel as constants, and into kernels that are a --baseline: "
       "faster, but needs one pipeline for each size",
       "", [](const std::string&, CommandOptions& options) { return options.measure.bake = true; }},
      {"--specialise", for_commands(run, emit), ValueCount::one,
       "sizes that become specialisation constants: names such as m,n, or all (those that are not "
       "0); one SPIR-V serves all sizes, and the driver compiles a pipeline for each",
       "",
       [](const std::string& text, CommandOptions& options) {
         options.measure.specialise = text;
         return true;
       }},
      {"--baseline", for_commands(run), ValueCount::each,
       "time these as well and report the ratio: " + join(baseline_names(), ", ") +
           ", or the name of another kernel that computes the same. peak: as many multiply-adds "
           "from "
           "registers as possible; compute-bound products are then shown as a percentage of it "
           "(memory-bound ones as a percentage of a copy). pattern: the kernel's own memory "
           "accesses "
           "without rearranging the elements, the bound of transposes and relayouts; its result is "
           "not compared",
       "", read_baselines},
      {"--baseline", for_commands(suite), ValueCount::each,
       "time these for comparison (copy): " + join(baseline_names(), ", "), "", read_baselines},
      {"--gate", for_commands(run), ValueCount::one,
       "exit with status 4 if the speed is below this multiple of that of a --baseline",
       "a finite number",
       [](const std::string& text, CommandOptions& options) {
         return keep(parse_number(text), options.measure.gate);
       }},
      {"--cliffs", for_commands(suite), ValueCount::one,
       "in place of all kernels, so many random shapes of every family against a copy or peak; "
       "the report ends with the twenty that are farthest from it",
       "a whole number from 1 to 100000",
       [](const std::string& text, CommandOptions& options) {
         const auto count = parse_count(text, 1);
         if (!count || *count > 100000) return false;
         options.cliffs = *count;
         return true;
       }},
      {"--seed", for_commands(run, tune, suite), ValueCount::one, "seed of the random input (1)",
       "a whole number from 0 to 18446744073709551615",
       [](const std::string& text, CommandOptions& options) {
         return keep(parse_seed(text), options.measure.seed);
       }},
      {"--quick", for_commands(suite), ValueCount::none, "one type and few sizes: about a minute",
       "", [](const std::string&, CommandOptions& options) { return options.quick = true; }},
      {"--format", for_commands(run, suite, tune), ValueCount::one,
       join(report_formats(), ", ") + " (table)", "",
       store_word_in("format", report_formats(), &CommandOptions::format)},
      {"--commands", for_commands(run, suite, tune), ValueCount::none,
       "print below each result of a table the command that repeats it; always on with --output",
       "", [](const std::string&, CommandOptions& options) { return options.commands = true; }},
      {"--format", for_commands(compare), ValueCount::one, "table or json (table)", "",
       store_word_in("format", {"table", "json"}, &CommandOptions::format)},
      {"--effect", for_commands(compare), ValueCount::one,
       "percent; smaller differences of the medians are ignored (3)", "a number from 0 to 1000",
       number_to(1000, [](CommandOptions& options) -> double& { return options.min_effect; })},
      {"--format", for_commands(devices), ValueCount::one,
       "table, or json with everything that is known (table)", "",
       store_word_in("format", {"table", "json"}, &CommandOptions::format)},
      {"--format", for_commands(explain), ValueCount::one, "table, json or markdown (table)", "",
       store_word_in("format", {"table", "json", "markdown"}, &CommandOptions::format)},
      {"--prove", for_commands(explain), ValueCount::none,
       "also list each claim about every launch: whether it is proved or assumed, by which method, "
       "and in how many milliseconds",
       "", [](const std::string&, CommandOptions& options) { return options.prove = true; }},
      {"--format", for_commands(list, peak), ValueCount::one, "table or json (table)", "",
       store_word_in("format", {"table", "json"}, &CommandOptions::format)},
      {"--device", for_commands(list), ValueCount::one,
       "with --format json: the target device, as for explain (a common one)", "",
       store_in(&CommandOptions::device)},
      {"--table", for_commands(tune), ValueCount::one,
       "write the table to this file, for VKMOYE_GEMM_TABLE (a file that later runs find by "
       "themselves)",
       "", store_in(&CommandOptions::table)},
      {"--output", for_commands(run, suite, tune, compare), ValueCount::one,
       "write the report to this file (stdout)", "", store_in(&CommandOptions::output)},
      {"--report", for_commands(run, suite), ValueCount::one,
       "also write all results to this file as a page for a browser, with a roofline and bars", "",
       store_in(&CommandOptions::report)},
      {"--spirv", for_commands(emit), ValueCount::one,
       "write the SPIR-V to this file, or for several kernels to one file each: k.1.spv, k.2.spv "
       "for k.spv; -: to stdout, instead of the GLSL",
       "", store_in(&CommandOptions::spirv)},
      {"--interface", for_commands(emit), ValueCount::one,
       "write the calling interface to this file as JSON, step by step for several kernels; -: to "
       "stdout, instead of the GLSL",
       "", store_in(&CommandOptions::interface)},
      {"--sizes-from-buffer", for_commands(emit), ValueCount::one,
       "a plan that reads these sizes from a buffer on the device, m,n or rows, and checks them "
       "against their maxima, those of --size",
       "", store_in(&CommandOptions::sizes_from_buffer)},
      {"--lanes", for_commands(explain), ValueCount::one,
       fmt::format("lanes of a request to memory, 1..{} (the subgroup of the device)", kMaxLanes),
       fmt::format("a whole number from 1 to {}", kMaxLanes),
       [](const std::string& text, CommandOptions& options) {
         const auto lanes = parse_count(text, 1);
         return lanes && *lanes <= kMaxLanes && keep(lanes, options.subgroup_size);
       }},
      {"--jsonl", for_commands(layout), ValueCount::none,
       "what eval does: answers each line {\"op\",\"args\"} of stdin with one line", "",
       [](const std::string&, CommandOptions& options) { return options.jsonl = true; }},
      {"--draw", for_commands(layout), ValueCount::one,
       "text, svg, typst or latex: draw the offsets; for make_tiled_copy the threads and values, "
       "for bank_map the lanes in each bank",
       "",
       store_word_in("picture format", {"text", "svg", "typst", "latex"}, &CommandOptions::draw)},
  };
}

// --epilogue, and an option for the file of each array that a step reads.
std::vector<Option> epilogue_options() {
  using enum CommandName;
  std::vector<Option> options = {
      {"--epilogue", for_commands(matmul), ValueCount::one,
       "steps on A @ B before it is rounded, in order: " + gen::epilogue_expects() + " (none)", "",
       [](const std::string& text, CommandOptions& options) {
         gen::parse_epilogue(text);
         options.values["epilogue"] = text;
         return true;
       }}};
  for (const gen::EpilogueOp& step : gen::epilogue_ops()) {
    for (const gen::GemmInput& input : step.inputs) {
      options.push_back({"--" + input.name, for_commands(matmul), ValueCount::one,
                         "the .npy file that step " + step.name + " reads", "",
                         [name = input.name](const std::string& text, CommandOptions& options) {
                           options.epilogue_files[name] = text;
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
