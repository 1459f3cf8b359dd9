// SPDX-License-Identifier: MIT
#include "hard_numbers/hard_problems.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "gemm_device/products.hpp"
#include "gemm_device/random_problems.hpp"
#include "io/parse.hpp"
#include "registry/operations.hpp"
#include "rows_device/attention_problems.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/moves/copy_auto.hpp"
#include "vkmoye/gen/numbers/random.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

constexpr std::int64_t kDear = 20;  // problems of a form that is dear

// --- products, epilogues and packs: the forms of random_problems.hpp that belong to the family ---

using Belongs = bool (*)(const gen::GemmOptions&);

bool is_product(const gen::GemmOptions& p) { return p.weights == nullptr && p.epilogue.empty(); }
bool has_epilogue(const gen::GemmOptions& p) { return p.weights == nullptr && !p.epilogue.empty(); }
bool has_weights(const gen::GemmOptions& p) { return p.weights != nullptr; }

std::optional<HardForm> form_of_products(std::uint64_t seed, std::int64_t number,
                                         const DeviceCaps& caps, Belongs belongs) {
  std::int64_t before = 0;
  constexpr std::int64_t kMaxLooked = 100000;
  for (std::int64_t f = 0; f < kMaxLooked; ++f) {
    std::optional<Problem> form = random_form(seed, f, caps);
    if (!form || !belongs(form->gemm) || before++ < number) continue;
    const auto entry = std::make_shared<gen::KernelEntry>(describes_once(*form->entry));
    form->entry = entry.get();
    const std::int64_t alignment = std::max<std::int64_t>(caps.storage_buffer_alignment, 16);
    HardForm out;
    out.problem = [=](std::int64_t problem) {
      const std::shared_ptr<gen::KernelEntry> kept = entry;
      return hard_problem(seed, problem, *form, f, alignment).workload();
    };
    out.is_dear = entry->name.ends_with("coopmat") || entry->takes_packed || form->gemm.slices > 1;
    if (out.is_dear) out.count = kDear;
    return out;
  }
  return std::nullopt;
}

HardFamily family_of_products(std::string name, Belongs belongs) {
  return {std::move(name),
          [belongs](std::uint64_t seed, std::int64_t number, const DeviceCaps& caps) {
            return form_of_products(seed, number, caps, belongs);
          }};
}

// --- rows and gates ---

struct RowsForm {
  const char* kernel;
  std::vector<gen::Options> configs;
  const char* types = "f32 f16 bf16";
};

// With one element in each access, so that a kernel takes rows of any length, read once or in rounds.
const gen::Options kNarrow = {
    {"threads", "32"}, {"columns", "8"}, {"rounds", "2"}, {"vector", "ELEMENT"}};

gen::Options with(gen::Options config, const gen::Options& more) {
  config.insert(more.begin(), more.end());
  return config;
}

const std::vector<RowsForm>& rows_forms() {
  static const std::vector<RowsForm> forms = {
      {"softmax/rows", {kNarrow}},
      {"norm/rms", {kNarrow, with(kNarrow, {{"epsilon", "0"}})}},
      {"norm/residual", {kNarrow}},
      {"norm/layer", {kNarrow}},
      {"reduce/sum", {kNarrow, with(kNarrow, {{"axis", "0"}})}, "f32 f16 bf16 f64"},
      {"reduce/max", {kNarrow, with(kNarrow, {{"axis", "0"}})}},
      {"argmax/rows", {kNarrow}},
      {"topk/rows", {with(kNarrow, {{"k", "3"}})}},
      {"gate/rows", {{{"function", "silu"}}, {{"function", "gelu"}}}},
      {"rope/rows", {{{"pairs", "halves"}}, {{"pairs", "neighbours"}}}},
  };
  return forms;
}

Workload rows_problem(const gen::KernelEntry& entry, const std::string& type,
                      const gen::Options& config, Drawn draw) {
  const std::int64_t cols = draw.below(4) == 0 ? 1 + draw.below(70) : 1 + draw.below(20);
  Extents size = {1 + draw.below(6), cols};
  if (entry.name == "rope/rows") size = {1 + draw.below(4), 1 + draw.below(2), 2 * (1 + cols / 4)};
  return workload_of({&entry, type, config, {{"init", "hard"}}}, size);
}

std::optional<HardForm> form_of_rows(std::uint64_t seed, std::int64_t number, const DeviceCaps&) {
  const auto& forms = rows_forms();
  const RowsForm& form = forms[static_cast<std::size_t>(number) % forms.size()];
  const auto turn = static_cast<std::size_t>(number) / forms.size();
  const std::vector<std::string> types = split(form.types, ' ');
  // As many types as forms and configs, so that each meets each.
  const std::string type = types[(turn + static_cast<std::size_t>(number)) % types.size()];
  gen::Options config = form.configs[turn / types.size() % form.configs.size()];
  const auto vector = config.find("vector");
  if (vector != config.end()) vector->second = std::to_string(size_of(parse_type(type)));
  const auto entry =
      std::make_shared<gen::KernelEntry>(describes_once(*gen::find_kernel(form.kernel)));
  return HardForm{[=](std::int64_t problem) {
    return rows_problem(*entry, type, config, Drawn(seed, problem));
  }};
}

// --- attention ---

std::optional<HardForm> form_of_attention(std::uint64_t seed, std::int64_t number,
                                          const DeviceCaps&) {
  AttentionProblem form = drawn_form(seed, number);
  if (form.kernel == "attention/auto") return std::nullopt;  // one of the others
  form.values["init"] = "hard";
  // Narrow, for the twin.
  const bool in_blocks = form.type.find('*') != std::string::npos;
  const std::int64_t narrowest = elements_of_blocks(form.type);
  form.size[2] = in_blocks || number % 8 < 4 ? narrowest : 40;
  if (form.values.contains("value-width")) form.values["value-width"] = "64";
  if (form.values.contains("values-in-keys"))
    form.values["values-in-keys"] = std::to_string(narrowest);
  // Masks are what fails: most forms have one.
  if (number % 4 != 3 && !form.values.contains("mask")) {
    form.values["mask"] = form.type.starts_with("f16") ? "f16" : "f32";
  }
  if (form.kernel == "attention/simt") form.config["threads"] = "32";
  const gen::KernelEntry& found = *gen::find_kernel(form.kernel);
  const auto entry =
      std::make_shared<gen::KernelEntry>(found.in_slices ? found : describes_once(found));
  HardForm out;
  out.is_dear = found.in_slices || form.kernel == "attention/coopmat";
  out.count = out.is_dear ? kDear : 100;  // a kernel takes as long to verify as it takes to run
  out.problem = [=](std::int64_t problem_number) {
    Drawn draw(seed ^ 0x4a7d, problem_number);
    AttentionProblem problem = form;
    const std::int64_t keys = draw.below(3) == 0 ? 1 + draw.below(40) : 1 + draw.below(9);
    problem.size = {1 + draw.below(3), keys, form.size[2]};
    const std::int64_t heads = 1 + draw.below(2);
    problem.values["heads"] = std::to_string(heads);
    problem.values["kv-heads"] = "1";
    const std::int64_t batch = form.values.contains("lengths") ? 1 + draw.below(2) : 1;
    problem.values["batch"] = std::to_string(batch);
    if (form.values.contains("mask") && draw.below(2) == 0) {
      problem.values["mask-heads"] = problem.values["heads"];
    }
    return workload_of({entry.get(), form.type, form.config, problem.values}, problem.size);
  };
  return out;
}

// --- conversions ---

std::optional<HardForm> form_of_moves(std::uint64_t seed, std::int64_t number, const DeviceCaps&) {
  std::vector<std::string> pairs;
  for (const ScalarTypeInfo& from : scalar_types()) {
    for (const ScalarTypeInfo& to : scalar_types()) {
      const bool converts = from.type != to.type && from.type != ScalarType::i64 &&
                            gen::reasons_against_conversion(from.type, to.type).empty();
      if (converts) {
        pairs.push_back(std::string(to_string(from.type)) + "*" + std::string(to_string(to.type)));
      }
    }
  }
  // A step without a common divisor meets all pairs, and different types first.
  const std::size_t step = 37, place = static_cast<std::size_t>(number) * step % pairs.size();
  const auto entry =
      std::make_shared<gen::KernelEntry>(describes_once(*gen::find_kernel("copy/auto")));
  return HardForm{[=](std::int64_t problem) {
    Drawn draw(seed, problem);
    const Extents size = {1 + draw.below(3), 1 + draw.below(40)};
    return workload_of({entry.get(), pairs[place], {}, {}}, size);
  }};
}

}  // namespace

const std::vector<HardFamily>& hard_families() {
  static const std::vector<HardFamily> families = {
      family_of_products("products", is_product),
      family_of_products("epilogues", has_epilogue),
      family_of_products("packs", has_weights),
      {"rows", form_of_rows, static_cast<std::int64_t>(rows_forms().size())},
      {"attention", form_of_attention, 1},
      {"moves", form_of_moves, 6}};
  return families;
}

void for_each_form(const HardFamily& family, std::uint64_t seed, const DeviceCaps& caps,
                   const HardSelection& selection, const VisitHardForm& visit) {
  const auto& only = selection.only;
  constexpr std::int64_t kMaxForms = 100000;
  std::int64_t begin = 0, taken = 0;
  for (std::int64_t number = 0; number < kMaxForms; ++number) {
    if (!only && (begin >= selection.problems || taken >= selection.forms)) return;
    const auto form = family.form(seed, number, caps);
    if (!form) continue;
    const std::int64_t end = begin + form->count;
    if (only && *only < end) return visit(*form, 0, *only, *only + 1);
    if (!only && (selection.has_dear || !form->is_dear)) {
      visit(*form, taken++, begin, std::min({end, selection.problems, begin + selection.of_form}));
    }
    begin = end;
  }
  if (only) throw std::invalid_argument(family.name + " has no problem " + std::to_string(*only));
}

std::string wrong(Executor& executor, const RunPlan& plan, const Workload& problem,
                  std::uint64_t seed) {
  const auto reasons = executor.reasons_against(plan);
  if (!reasons.empty()) throw Unavailable(join(reasons, "; "));
  const auto execution = executor.prepare(plan);
  problem.problem->fill(*execution, seed);
  execution->run();
  const gen::CheckResult checked = problem.problem->check(*execution, gen::Verify::full, seed);
  std::string text = checked.first + execution->damage();
  if (checked.mismatches > 0) text = std::to_string(checked.mismatches) + " mismatches: " + text;
  return text;
}

std::string command_of(const Workload& problem, std::uint64_t seed) {
  std::vector<std::string> words = {"vkmoye-bench", "run",    problem.entry->name, "--verify",
                                    "full",         "--seed", std::to_string(seed)};
  words.insert(words.end(),
               {"--size", size_text(problem.problem->size), "--type", problem.problem->type_text});
  for (const std::string& word : problem.problem->command_words) words.push_back(word);
  for (const auto& [name, value] : problem.request(common_device()).options) {
    words.push_back("--" + name);
    words.push_back(value);
  }
  return shell_line(words);
}

}  // namespace vkmoye::test
