// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "commands/kernel_names.hpp"
#include "commands/options.hpp"
#include "io/parse.hpp"
#include "io/program.hpp"
#include "registry/operations.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/weight_arrays.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"
#include "vkmoye/gen/problems/products/epilogue.hpp"

namespace vkmoye::bench {
namespace {

// Below, `target` is where a value is stored: a member of CommandOptions, or a function that returns one.

template <class Target>
Reading flag(Target target) {
  return {[target](const std::string&, CommandOptions& options) {
            return std::invoke(target, options) = true;
          },
          ValueCount::none};
}

// A value that `parse` reads; it returns nullopt for text that is not valid.
template <class Parse, class Target>
Reading value(std::string expects, Parse parse, Target target) {
  return {[=](const std::string& text, CommandOptions& options) {
            const auto read = parse(text);
            if (read) std::invoke(target, options) = *read;
            return read.has_value();
          },
          ValueCount::one, std::move(expects)};
}

Reading with_choices(std::vector<std::string> choices, Reading reading) {
  reading.choices = std::move(choices);
  return reading;
}

template <class Target>
Reading any_text(Target target) {
  return value(
      "", [](const std::string& text) { return std::optional(text); }, target);
}

// Appends any text.
template <class Target>
Reading texts(ValueCount values, Target target) {
  return {[target](const std::string& text, CommandOptions& options) {
            std::invoke(target, options).push_back(text);
            return true;
          },
          values};
}

// `expects` is followed by the range.
template <class Target>
Reading number_to(double max, const std::string& expects, Target target) {
  const auto parse = [max](const std::string& text) {
    const auto read = parse_number(text);
    return read && *read >= 0 && *read <= max ? read : std::nullopt;
  };
  return value(fmt::format("{} from 0 to {}", expects, max), parse, target);
}

template <class Target>
Reading count_to(std::int64_t max, Target target) {
  const auto parse = [max](const std::string& text) {
    const auto read = parse_count(text, 1);
    return read && *read <= max ? read : std::nullopt;
  };
  return value(fmt::format("a whole number from 1 to {}", max), parse, target);
}

// The index of `word` in `names`. Throws ArgumentError with the most similar name, all names, and `others`.
std::size_t index_among(const std::string& what, const std::string& word,
                        const std::vector<std::string>& names, const std::string& others = "") {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) throw ArgumentError(unknown_name(what, word, names) + others);
  return static_cast<std::size_t>(found - names.begin());
}

template <class Target>
Reading word_among(std::string what, std::vector<std::string> names, Target target) {
  const auto parse = [=](const std::string& text) {
    index_among(what, text, names);
    return std::optional(text);
  };
  return with_choices(names, value("", parse, target));
}

bool read_sizes(const std::string& text, CommandOptions& options) {
  for (Extents& size : parse_sizes(text)) options.sizes.push_back(std::move(size));
  return true;
}

const std::vector<std::string> kVerifications = {"full", "sample", "off"};  // as gen::Verify

std::optional<gen::Verify> parse_verify(const std::string& text) {
  return static_cast<gen::Verify>(index_among("verification", text, kVerifications));
}

std::optional<double> parse_noise(const std::string& text) {
  const auto read = parse_number(text);
  return read && *read > 0 && *read <= 100 ? read : std::nullopt;
}

bool read_baselines(const std::string& text, CommandOptions& options) {
  std::vector<std::string>& all = options.baselines;
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
constexpr bool kRequired = true;

// The options in the order of `--help`.
std::vector<Option> plain_options() {
  using enum CommandName;
  using Options = CommandOptions;
  using enum ValueCount;
  const std::string sizes =
      "ROWSxCOLUMNS of the source; for products MxNxK; for attention QUERIESxKEYSxWIDTH; N means "
      "NxN or NxNxN";
  const std::vector<std::string> weights = gen::weight_format_names();
  std::vector<std::string> not_of_keys, schemes, element_types;
  for (const ScalarTypeInfo& row : scalar_types()) element_types.emplace_back(row.name);
  for (const gen::WeightFormat& format : gen::weight_formats()) {
    if (!format.is_in_words()) not_of_keys.push_back(format.name);
  }
  for (const gen::WeightScheme& scheme : gen::weight_schemes()) schemes.push_back(scheme.name);
  const std::string product_types =
      "OPERANDS,ACCUMULATOR,RESULT, where OPERANDS may be A*B and B may be " + join(weights, ", ");
  const std::string types =
      "for copy/auto also FROM*TO; for products " + product_types +
      "; for attention also Q*K*V, where K and V may be these formats, except " +
      join(not_of_keys, ", ");
  const std::string target =
      "the target device: index, part of the name, host, FILE.json written by 'devices --format "
      "json', or a description that comes with vkmoye, such as navi31 or rtx4090 (a common one: 32 "
      "KiB of shared memory, subgroups of 32)";
  const std::string other_types = "reject arrays of other types; ";
  const std::string seconds = "a number of seconds";
  const auto format_among = [](const std::vector<std::string>& names) {
    return word_among("format", names, &Options::format);
  };
  return {
      Option("KERNEL KERNEL", texts(one, &Options::kernels), run,
             "family/variant; * and ? match any characters", !kRequired,
             texts(several, &Options::kernels))
          .also(apply | pack | emit | explain, "family/variant", kRequired)
          .also(tune, "what to tune: gemm, the only choice (gemm)", !kRequired,
                with_choices({"gemm"}, texts(one, &Options::kernels))),
      {"ARRAYS FILE", texts(several, &Options::in), matmul,
       "A and B: little-endian .npy files, or files written by 'pack'", kRequired},
      {"REPORTS FILE", texts(several, &Options::in), compare,
       "BASE.json and NEW.json, written with --format json", kRequired},
      {"PATTERN KERNEL", texts(one, &Options::kernels), list,
       "kernels to list; * and ? match any characters (*)"},
      {"EXPR", with_choices({"eval", "operations"}, any_text(&Options::expression)), layout,
       "an expression of layouts and operations; or one of the words: eval, operations"},
      Option("--kernel FILE", any_text(&Options::kernel_file), run,
             "in place of KERNEL, a file written by 'emit --kernel'; the kernel fixes the types")
          .also(
              emit,
              "write the SPIR-V and the interface, of a kernel or of a whole plan, to this one "
              "JSON file, for 'run --kernel' or read_compiled_file: a plan, if it has several "
              "kernels or --size gives its arguments; variants, of which a "
              "device takes the first that it can run, if --device is repeated or "
              "--subgroup-size lists several sizes with commas; -: to stdout, instead of the GLSL"),
      {"--reference VALUE", word_among("reference", operation_names(), &Options::reference), run,
       "the operation that the kernel of --kernel computes: " + join(operation_names(), ", ")},
      Option(
          "--in FILE", texts(several, &Options::in), apply,
          "little-endian .npy files, or arrays FILE.safetensors:NAME; for gemm/packed also files "
          "written by 'pack'",
          kRequired)
          .also(pack,
                "the .npy file of the operand, (M,K) or (N,K), or of a batch of such operands; or "
                "the array FILE.safetensors:NAME; with --from several",
                kRequired),
      {"--from SCHEME", word_among("scheme", schemes, &Options::from), pack,
       "weights with scales in arrays of their own: " + join(schemes, ", ") +
           "; --in are these arrays, named as in the checkpoint, or FILE.safetensors:PREFIX"},
      {"--as VALUE", word_among("operand", {"a", "b"}, &Options::as), pack,
       "which operand of the product it is, a or b (b)"},
      Option("--out FILE", texts(one, &Options::out), pack,
             "the file to write the packed or quantised operand to; -: stdout", kRequired)
          .also(matmul, "the .npy file to write the result to; -: stdout", kRequired)
          .also(apply,
                "the .npy file to write the result to, and files for further results, such as the "
                "values of topk/rows; -: stdout",
                kRequired, texts(several, &Options::out)),
      Option("--type TYPE", with_choices(element_types, texts(each, &Options::types)), run,
             "element types (f32); " + types +
                 "; repeat the option for several types; commas do the same, except for products")
          .also(tune, product_types + " (f32); repeats sweep")
          .also(apply, other_types + types)
          .also(matmul | pack, other_types + product_types)
          .also(emit | explain,
                "element type (f32, or the first of a kernel without f32); " + types),
      Option("--size SIZE", {read_sizes, each}, run,
             sizes + "; commas or repeats sweep, as do 256:1024:+256 and 256:4096:*2 "
                     "(2048; with --device host 128; for your own operations, the size of their "
                     "example)")
          .also(tune, "MxNxK; N means NxNxN; commas or repeats sweep", kRequired)
          .also(emit,
                "shape of the source, or MxNxK of a product, for kernels and plans made for one "
                "size (32x64x128)")
          .also(explain, "assumed size: " + sizes + " (4096)"),
      {"--fragment VALUE", any_text(&Options::fragment), layout,
       "in place of EXPR, OPERAND:TYPE:MxNxK, such as a:f16:16x16x16: prints the layout in which "
       "the lanes of the device hold that operand, (row, k) -> lane * elements per lane + "
       "number"},
      {"--weights FORMAT", word_among("weight format", weights, &Options::weights), layout,
       "in place of EXPR: prints the fields of a block of weights, each a layout from weight to "
       "bit; with --draw, draws which bits of each byte they are"},
      Option("--device DEVICE", any_text(&Options::device), layout,
             "the device of the fragment: index, part of the name, host, FILE.json written by "
             "'devices --format json', or the name of a description as in emit (the best device)")
          .also(tune | peak, "index or part of the name (the best device)")
          .also(run | apply | matmul | pack | suite,
                "index or part of the name (the best device); host: run on the CPU without Vulkan, "
                "slowly, with every access checked")
          .also(explain, target)
          .also(emit, target + "; repeated, with --kernel, a variant for each", !kRequired,
                texts(each, &Options::devices))
          .also(list, "with --format json: the target device, as for explain (a common one)"),
      {"--verify VALUE", with_choices(kVerifications, value("", parse_verify, &Options::verify)),
       run,
       "full, sample or off (full up to 2^26 moved elements or 2^29 multiplications, else "
       "sample)"},
      Option(
          "--min-time SECONDS", number_to(kMaxSeconds, seconds, &Options::min_time), run,
          "seconds of timed work (0.5); the warm-up is as long, on a GPU at least 0.3; with 0, no "
          "copy is timed for comparison")
          .also(peak, "seconds of timed work for each ceiling (0.5); the warm-up is as long"),
      {"--again", flag(&Options::again), peak,
       "measure again, and replace the ceilings that are kept"},
      {"--stop-noise PERCENT", value("a number above 0, to 100", parse_noise, &Options::stop_noise),
       run,
       "sample until half the width of the 95 % confidence interval is below this percentage of "
       "the median, or until --budget is spent"},
      Option("--budget SECONDS", number_to(kMaxBudget, seconds, &Options::budget), run,
             "maximum seconds of sampling for one result (20)")
          .also(tune, "approximate seconds for all sizes together (60)", !kRequired,
                number_to(kMaxBudget, seconds, &Options::tune_budget)),
      {"--cold", flag(&Options::cold), run,
       "write a large buffer before each sample, so that no array is in a cache"},
      {"--bake", flag(&Options::bake), run,
       "compile the sizes into the kernel as constants, and into kernels that are a --baseline: "
       "faster, but needs one pipeline for each size"},
      {"--specialise VALUE", with_choices({"all"}, any_text(&Options::specialise)), run | emit,
       "sizes that become specialisation constants: names such as m,n, or all (those that are "
       "not 0); one SPIR-V serves all sizes, and the driver compiles a pipeline for each"},
      {"--resident VALUE", with_choices({"yes", "no"}, any_text(&Options::resident)),
       run | apply | emit,
       "yes: kernels of several launches run as one, whose workgroups wait for each other; as many "
       "workgroups as the device says it runs at once, or so many as VALUE says (no)"},
      Option(
          "--baseline NAME", with_choices(baseline_names(), {read_baselines, each}), run,
          "time these as well and report the ratio: " + join(baseline_names(), ", ") +
              ", or the name of another kernel that computes the same. peak: as many multiply-adds "
              "from registers as possible; compute-bound products are then shown as a percentage "
              "of it (memory-bound ones as a percentage of a copy). pattern: the kernel's own "
              "memory accesses without rearranging the elements, the bound of transposes and "
              "relayouts; its result is not compared")
          .also(suite, "time these for comparison (copy): " + join(baseline_names(), ", ")),
      {"--gate VALUE", value("a finite number", parse_number, &Options::gate), run,
       "exit with status 4 if the speed is below this multiple of that of a --baseline"},
      {"--cliffs N", count_to(100000, &Options::cliffs), suite,
       "in place of all kernels, so many random shapes of every family against a copy or peak; "
       "the report ends with the twenty that are farthest from it"},
      {"--seed N",
       value("a whole number from 0 to 18446744073709551615", parse_seed, &Options::seed),
       run | tune | suite, "seed of the random input (1)"},
      {"--quick", flag(&Options::quick), suite, "one type and few sizes: about a minute"},
      Option("--format FORMAT", format_among({"table", "json"}), run | suite | tune,
             join(report_formats(), ", ") + " (table)", !kRequired, format_among(report_formats()))
          .also(devices, "table, or json with everything that is known (table)")
          .also(explain, "table, json or markdown (table)", !kRequired,
                format_among({"table", "json", "markdown"}))
          .also(compare | list | peak, "table or json (table)"),
      {"--commands", flag(&Options::commands), run | suite | tune,
       "print below each result of a table the command that repeats it; always on with "
       "--output"},
      {"--effect PERCENT", number_to(1000, "a number", &Options::min_effect), compare,
       "percent; smaller differences of the medians are ignored (3)"},
      {"--prove", flag(&Options::prove), explain,
       "also list each claim about every launch: whether it is proved or assumed, by which "
       "method, and in how many milliseconds"},
      {"--table FILE", any_text(&Options::table), tune,
       "write the table to this file, for VKMOYE_GEMM_TABLE (a file that later runs find by "
       "themselves)"},
      {"--output FILE", any_text(&Options::output), run | suite | tune | compare,
       "write the report to this file (stdout)"},
      {"--report FILE", any_text(&Options::report), run | suite,
       "also write all results to this file as a page for a browser, with a roofline and bars"},
      {"--spirv FILE", any_text(&Options::spirv), emit,
       "write the SPIR-V to this file, or for several kernels to one file each: k.1.spv, k.2.spv "
       "for k.spv; -: to stdout, instead of the GLSL"},
      {"--interface FILE", any_text(&Options::interface), emit,
       "write the calling interface to this file as JSON, step by step for several kernels; -: "
       "to stdout, instead of the GLSL"},
      {"--sizes-from-buffer VALUE", any_text(&Options::sizes_from_buffer), emit,
       "a plan that reads these sizes from a buffer on the device, m,n or rows, and checks them "
       "against their maxima, those of --size"},
      {"--lanes N", count_to(128, &Options::subgroup_size), explain,
       "lanes of a request to memory, 1..128 (the subgroup of the device)"},
      {"SHELL", word_among("shell", {"bash", "zsh", "fish"}, &Options::shell), completion,
       "bash, zsh or fish", kRequired},
      {"--jsonl", flag(&Options::jsonl), layout,
       "what eval does: answers each line {\"op\",\"args\"} of stdin with one line"},
      {"--draw VALUE",
       word_among("picture format", {"text", "svg", "typst", "latex"}, &Options::draw), layout,
       "text, svg, typst or latex: draw the offsets; for make_tiled_copy the threads and values, "
       "for bank_map the lanes in each bank"},
  };
}

// --epilogue, and an option for the file of each array that a step reads.
std::vector<Option> epilogue_options() {
  using enum CommandName;
  std::vector<Option> options = {
      {"--epilogue STEPS",
       with_choices(gen::epilogue_step_names(),
                    {[](const std::string& text, CommandOptions& options) {
                      gen::parse_epilogue(text);
                      options.values["epilogue"] = text;
                      return true;
                    }}),
       matmul,
       "steps on A @ B before it is rounded, in order: " + gen::epilogue_expects() + " (none)"}};
  for (const gen::EpilogueOp& step : gen::epilogue_ops()) {
    for (const gen::GemmInput& input : step.inputs) {
      const auto target = [name = input.name](CommandOptions& options) -> std::string& {
        return options.epilogue_files[name];
      };
      options.push_back({"--" + input.name + " FILE", any_text(target), matmul,
                         "the .npy file that step " + step.name + " reads"});
    }
  }
  return options;
}

}  // namespace

Option::Option(const std::string& words, Reading usual, Commands commands, std::string help,
               bool is_required, std::optional<Reading> reading)
    : name(words.substr(0, words.find(' '))),
      value(words.substr(std::min(name.size() + 1, words.size()))),
      usual(std::move(usual)) {
  also(commands, std::move(help), is_required, std::move(reading));
}

Option&& Option::also(Commands commands, std::string help, bool is_required,
                      std::optional<Reading> reading) {
  uses.push_back({commands, std::move(help), is_required, std::move(reading)});
  return std::move(*this);
}

const Reading& Option::reading_of(const Use& use) const {
  return use.reading ? *use.reading : usual;
}

const Use* Option::use_of(CommandName command) const {
  const auto found = std::find_if(uses.begin(), uses.end(),
                                  [&](const Use& use) { return use.commands.has(command); });
  return found == uses.end() ? nullptr : &*found;
}

std::vector<Option> option_table() {
  std::vector<Option> options = plain_options();
  for (Option& option : epilogue_options()) options.push_back(std::move(option));
  return options;
}

}  // namespace vkmoye::bench
