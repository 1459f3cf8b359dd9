// SPDX-License-Identifier: MIT
#include "rows_device/attention_problems.hpp"

#include <algorithm>

#include "registry/operations.hpp"
#include "vkmoye/base/text.hpp"

namespace vkmoye::test {

using namespace bench;

namespace {

// Types, and formats whose blocks are not wider than most heads.
std::vector<std::string> formats_of_keys() {
  std::vector<std::string> out = {"f16", "bf16", "f32"};
  for (const gen::WeightFormat& format : gen::weight_formats()) {
    if (format.elements <= 64 && format.is_in_words()) out.push_back(format.name);
  }
  return out;
}

// Keys and values in blocks, whose rows are whole blocks, or of another type.
void draw_formats(Drawn& draw, AttentionProblem& problem) {
  static const std::vector<std::string> formats = formats_of_keys();
  const auto format = [&] { return draw.one_of(formats); };
  const std::string type = problem.type;
  switch (draw.below(4)) {
    case 0: problem.type += '*' + type + '*' + format(); break;
    case 1: problem.type += '*' + format() + '*' + type; break;
    case 2: problem.type += '*' + format() + '*' + format(); break;
    default: problem.type += '*' + format(); break;
  }
  const std::int64_t block = elements_of_blocks(problem.type);
  problem.size[2] = std::max(block, problem.size[2] / block * block);
  if (problem.values.contains("value-width")) problem.values["value-width"] = "64";
}

// Values in rows of keys, if their types are the same.
void put_values_into_keys(AttentionProblem& problem) {
  if (split(problem.type, '*').size() > 2) return;
  gen::Options& values = problem.values;
  const auto found = values.find("value-width");
  const std::int64_t width = found == values.end() ? problem.size[2] : std::stoll(found->second);
  values["values-in-keys"] = std::to_string(std::min(problem.size[2], width));
  values.erase("value-width");
  if (values.contains("axes")) values["axes"] = "bshd,bhsd,bhsd,bshd";
}

}  // namespace

std::int64_t elements_of_blocks(const std::string& type) {
  std::int64_t most = 32;
  for (const std::string& part : split(type, '*')) {
    const gen::WeightFormat* format = gen::find_weight_format(part);
    if (format != nullptr) most = std::max(most, format->elements);
  }
  return most;
}

std::string AttentionProblem::command() const {
  std::string text = "run " + kernel + " --type '" + type + "' --size " + size_text(size);
  for (const gen::Options* options : {&values, &config}) {
    for (const auto& [name, value] : *options) {
      text += " --" + name + (value == "yes" ? "" : " " + value);
    }
  }
  return text;
}

Workload AttentionProblem::workload() const {
  return workload_of({gen::find_kernel(kernel), type, config, values}, size);
}

AttentionProblem drawn_form(std::uint64_t seed, std::int64_t form) {
  Drawn draw(seed, form);
  AttentionProblem out;
  out.kernel = std::vector<std::string>{"attention/simt", "attention/coopmat", "attention/decode",
                                        "attention/auto"}[static_cast<std::size_t>(form % 4)];
  const char* const types[] = {"f32", "f16", "bf16"};
  out.type = out.kernel == "attention/coopmat" ? "f16" : types[form / 4 % 3];
  const bool is_coopmat = out.kernel == "attention/coopmat";
  const auto width = [&]() -> std::int64_t {
    // lavapipe's compiler takes seconds for wider matrices.
    if (is_coopmat) return draw.one_of<std::int64_t>({8, 16, 32, 32, 40, 48, 64});
    if (draw.below(2) == 0) return draw.one_of<std::int64_t>({8, 16, 64, 128});
    const std::int64_t steps = 1 + draw.below(37);  // some are wider than 256
    return steps <= 32 ? 8 * steps : 64 * (steps - 28);
  };
  out.size = {0, 0, width()};
  if (draw.below(3) == 0) out.values["value-width"] = std::to_string(width());
  if (draw.below(2) == 0) out.values["causal"] = "yes";
  if (draw.below(3) == 0) out.values["window"] = std::to_string(1 + draw.below(80));
  if (draw.below(4) == 0) out.values["soft-cap"] = std::to_string(1 + draw.below(30));
  if (draw.below(4) == 0) out.values["scale"] = "0." + std::to_string(1 + draw.below(9));
  if (out.kernel == "attention/decode") {
    // Sums of wide rows in each subgroup of 8 lanes do not fit lavapipe's 32 KiB.
    const std::int64_t widest =
        out.values.contains("value-width") ? std::stoll(out.values["value-width"]) : out.size[2];
    const std::int64_t powers = widest > 232 ? 1 : widest > 104 ? 2 : 3;
    if (draw.below(2) == 0) out.config["rows"] = std::to_string(1 << draw.below(powers));
    if (draw.below(3) == 0) out.config["slices"] = std::to_string(1 + draw.below(9));
    if (draw.below(3) == 0) {  // a thread that holds a wide row takes seconds to compile
      const std::int64_t fewest = widest > 104 ? 4 : 1;
      out.config["key-threads"] =
          std::to_string(std::max<std::int64_t>(fewest, 1 << draw.below(4)));
    }
  }
  if (is_coopmat && draw.below(3) == 0) {
    out.config[draw.one_of<std::string>({"prefetch", "unroll"})] =
        draw.one_of<std::string>({"no", "yes"});
  }
  if (is_coopmat && out.size[2] == 32 && draw.below(2) == 0) {
    out.config["rows"] = "16";
    out.config["keys"] = "16";
  }
  // Another order of weights sends them through shared memory.
  if (is_coopmat && draw.below(4) == 0) {
    out.config["order-a"] = "(8,8):(1,8)";
    out.config["rows"] = out.config["keys"] = "16";  // more do not fit 48 KiB beside them
  }
  if (draw.below(3) == 0) out.values["lengths"] = "yes";
  if (draw.below(4) == 0) out.values["mask"] = draw.one_of<std::string>({"f32", "f16", "bf16"});
  for (const char* flag : {"slopes", "sinks", "log-sums"}) {
    if (draw.below(4) == 0) out.values[flag] = "yes";
  }
  if (draw.below(3) == 0) draw_formats(draw, out);
  // Else there are more threads than words of a tile.
  if (is_coopmat && out.config.contains("keys") && out.type.find('*') != std::string::npos) {
    out.config["subgroups"] = "2";
  }
  if (draw.below(3) == 0) {
    out.values["page"] = draw.one_of<std::string>({"16", "32", "64"});
    // A tile of keys in several pages.
    const bool is_small = is_coopmat && out.size[2] == 32 && !out.config.contains("order-a");
    if (is_small && draw.below(2) == 0) {
      out.values["page"] = out.config["rows"] = "16";
      out.config["keys"] = "32";
    }
  }
  if (draw.below(3) == 0) {
    const auto order = [&] { return draw.one_of<std::string>({"bhsd", "bshd"}); };
    out.values["axes"] = order() + ',' + order() + ',' + order() + ',' + order();
  }
  if (draw.below(4) == 0) put_values_into_keys(out);
  if (is_coopmat && draw.below(2) == 0) out.config["scores-ahead"] = "yes";
  return out;
}

AttentionProblem drawn_problem(std::uint64_t seed, std::int64_t number) {
  AttentionProblem out = drawn_form(seed, number / kOfAForm);
  Drawn draw(seed ^ 0x5eed, number);
  const bool is_large = number % kOfAForm < kLarge;
  const auto extent = [&] {
    switch (draw.below(4)) {
      case 0: return draw.below(4);
      case 1: return 16 * (1 + draw.below(is_large ? 5 : 2)) + draw.below(3) - 1;
      default: return 1 + draw.below(is_large ? 150 : 40);
    }
  };
  out.size[0] = out.kernel == "attention/decode" ? draw.below(6) : extent();
  out.size[1] = is_large && draw.below(6) == 0 ? 200 + draw.below(400) : extent();
  const std::int64_t kv_heads = 1 + draw.below(2), group = 1 + draw.below(3);
  out.values["heads"] = std::to_string(kv_heads * group);
  out.values["kv-heads"] = std::to_string(kv_heads);
  const std::int64_t usual = out.values.contains("lengths") ? 1 + draw.below(3) : 1;
  const std::int64_t batch = draw.below(4) == 0 ? draw.below(3) : usual;
  out.values["batch"] = std::to_string(batch);
  // Fewer pages than the batch has are shared.
  if (out.values.contains("page") && draw.below(2) == 0) {
    out.values["stored-pages"] = std::to_string(1 + draw.below(9));
  }
  if (out.values.contains("mask")) {
    if (draw.below(2) == 0) out.values["mask-heads"] = out.values["heads"];
    if (draw.below(2) == 0) out.values["mask-batch"] = std::to_string(batch);
  }
  return out;
}

}  // namespace vkmoye::test
