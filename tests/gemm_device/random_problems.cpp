// SPDX-License-Identifier: MIT
#include "gemm_device/random_problems.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "io/parse.hpp"
#include "vkmoye/base/round_up.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/coopmat.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/numbers/number.hpp"
#include "vkmoye/gen/numbers/random.hpp"
#include "vkmoye/gen/problems/products/data.hpp"

namespace vkmoye::test {

using namespace bench;

// With vectors and element by element; thin kernels by rows and by columns.
const gen::Options kSmallTiles = {
    {"tile", "32x32x8"}, {"threads", "8x8"}, {"values", "4x4"}, {"vector", "16"}};
const gen::Options kThinRows = {{"small", "m"},    {"rows", "4"},    {"reads", "2x2"},
                                {"threads", "32"}, {"along-k", "8"}, {"vector", "16"}};
const gen::Options kThinColumns = {{"small", "n"},    {"rows", "3"},     {"reads", "4x1"},
                                   {"threads", "64"}, {"along-k", "16"}, {"vector", "8"}};

namespace {

const gen::Options kSingle = {
    {"tile", "16x32x8"}, {"threads", "8x8"}, {"values", "1x1"}, {"vector", "2"}};

using Names = std::vector<const char*>;

// Slots with the same list of types use them in turn, so that the first forms of all slots have every type: the lists
// of kernels with matrix units begin with different types. A list must not have as many types as there are slots with
// it, or each slot would always have the same type.
const Names kTypes = {"f32", "f16", "f16,f32", "f16,f16", "f64", "i32", "bf16*f32"};
const Names kMatrixTypes = {"i8",      "f16,f32", "f32*f16", "f16",
                            "f16,f16", "bf16",    "u8",      "i8,i32,f16"};
const Names kThinMatrixTypes = {"u8",   "f16,f32", "f32*f16", "f16",
                                "bf16", "f16,f16", "i8",      "u8,u32,f32"};
const Names kWeightTypes = {"f16*q4_K,f32", "f32*q6_K",      "bf16*q3_K,f32", "f16*q5_0,f32",
                            "f16*q2_K,f32", "f16*nvfp4,f32", "f16*mxfp4,f32", "f32*i4z32",
                            "f16*q4_0,f32", "f32*q8_0",      "bf16*q4_1,f32", "bf16*e4m3g128,f32"};
const Names kStagedWeightTypes = {"f32*nf4",       "f16*e4m3g128",  "f16*i8,f32",
                                  "f16*i4g32,f32", "f16*i8z32,f32", "f16*i4z128,f32",
                                  "f16*q4_0,f32",  "bf16*q8_0",     "f16*q5_1,f32"};
const Names kDecodedTypes = {"f16*q5_K,f32", "f32*iq4_xs",     "f16*iq4_nl",   "f16*q5_1,f32",
                             "f32*i4z64",    "f16*i8z128,f32", "f32*mxfp4",    "f16*e4m3g128",
                             "f16*q6_K,f32", "f16*nf4,f32",    "f16*q4_0,f32", "f16*i4g32,f32",
                             "bf16*q8_0"};
const Names kPackedWeightTypes = {
    "f16*q4_K,f32",   "f16*q8_0,f32",   "f16*i4g64,f32",    "f16*q6_K",  "f16*q4_1,f32",
    "f16*i4g128,f32", "f16*nf4,f32",    "f16*q5_0,f32",     "f16*q4_0",  "bf16*q4_0,f32",
    "f16*i8,f32",     "bf16*mxfp4,f32", "f16*e4m3g128,f32", "bf16*q3_K", "f16*nvfp4"};
const Names kWeightTypesOfUnits = {"f16*q4_0,f32",     "f16*q8_0",      "f32*nf4",
                                   "f16*mxfp4,f32",    "bf16*q4_1,f32", "f16*i4z32,f32",
                                   "f16*e4m3g128,f32", "f16*i8,f32"};
const Names kPackedTypes = {"bf16", "f16,f16", "f16*f32", "f16", "f16,f32"};

struct Slot {
  std::string_view kernel;
  const Names* types;
  // Nothing: determined by device and types, or the default of the kernel.
  const gen::Options* config = nullptr;
};

// Used in turn. Kernels that take seconds to compile for a CPU are listed once.
const Slot kSlots[] = {
    {"gemm/simt", &kTypes, &kSmallTiles},
    {"gemm/packed", &kPackedTypes},
    {"gemm/coopmat", &kMatrixTypes},
    {"gemm/thin", &kTypes, &kThinRows},
    {"gemm/moye_simple", &kTypes, &kSingle},
    {"gemm/packed", &kPackedTypes},
    {"gemm/thin", &kTypes, &kThinColumns},
    {"gemm/moye_prefetch", &kTypes, &kSingle},
    {"gemm/simt", &kTypes, &kSingle},
    {"gemm/coopmat", &kMatrixTypes},
    {"gemm/simt", &kTypes, &kSmallTiles},
    {"gemm/packed", &kPackedTypes},
    {"gemm/moye_simple", &kTypes},
    {"gemm/thin_coopmat", &kThinMatrixTypes},
    {"gemm/thin_coopmat", &kThinMatrixTypes},
    {"gemm/quantised", &kWeightTypes},
    {"gemm/coopmat", &kStagedWeightTypes},
    {"gemm/packed_weights", &kPackedWeightTypes},
    {"gemm/packed", &kDecodedTypes},
    {"gemm/quantised_coopmat", &kWeightTypesOfUnits},
};
static_assert(std::size(kSlots) == kKernelSlots);

// The number of forms before `number` whose slot has the same list of types or the same kernel.
template <class T>
std::size_t turn_of(std::int64_t number, T Slot::*member) {
  const std::int64_t slot = number % kKernelSlots, round = number / kKernelSlots;
  const auto slots_before = [&](std::int64_t end) {
    return std::count_if(kSlots, kSlots + end,
                         [&](const Slot& one) { return one.*member == kSlots[slot].*member; });
  };
  return static_cast<std::size_t>(round * slots_before(kKernelSlots) + slots_before(slot));
}

// The features of the forms of a kernel, in turn.
struct Extras {
  bool batch, slices, epilogue;
};
constexpr Extras kExtras[] = {{false, true, true}, {true, false, false},  {false, false, true},
                              {true, true, false}, {false, false, false}, {false, true, false},
                              {true, false, true}, {true, true, true}};

// The types among `types` that the kernel of a slot can multiply on the device.
Names types_on(const DeviceCaps& caps, const Names& types) {
  if (&types == &kTypes || &types == &kWeightTypes) return types;
  Names out;
  for (const char* type : types) {
    if (has_matrices(caps, gen::parse_gemm_type(type))) out.push_back(type);
  }
  return out;
}

// `sharers`: the number of subgroups that share k.
gen::Options matrix_config(const std::string& kernel, const gen::GemmOptions& types,
                           const DeviceCaps& caps, std::int64_t sharers) {
  if (kernel == "gemm/quantised") {
    const auto threads = std::max<std::uint32_t>(caps.subgroup_size, 32);
    return {{"threads", std::to_string(threads)},
            {"along-k", std::to_string(threads / 8)},
            {"blocks", types.weights->elements > 128 ? "1"
                       : sharers == 4                ? "4"
                                                     : "2"},
            {"weights", sharers == 2 ? "2" : "1"},
            {"rows", std::to_string(sharers == 4 ? 3 : sharers)}};
  }
  const auto atom = gen::gemm_coopmat_config(types.form(), caps);
  const auto twice = [](std::int64_t extent) { return std::to_string(2 * extent); };
  if (kernel == "gemm/thin_coopmat") {
    return {{"subgroups", sharers == 1 ? "1" : "2"},
            {"reads", "1"},
            {"transposed", sharers == 2 ? "no" : "yes"}};
  }
  if (kernel == "gemm/quantised_coopmat") return {{"subgroups", std::to_string(sharers)}};
  if (kernel == "gemm/packed_weights") {
    // Two side by side, two along k, or four there.
    gen::Options config = {{"subgroups", sharers == 4 ? "4" : "2"},
                           {"reads", sharers == 1 ? "2" : "1"}};
    // With a table, subgroups side by side need more rows of B than blocks may have.
    if (sharers == 1 && types.weights->table_bytes() == 0) config["across"] = "2";
    if (sharers == 4) config["transposed"] = "yes";  // otherwise as the rows of A decide
    return config;
  }
  const auto subgroups = (sharers == 4 ? "1x2x" : "2x2x") + std::to_string(sharers);
  // Each thread decodes two blocks of a row, which has to fit into 48 KiB.
  if (types.weights != nullptr && kernel == "gemm/coopmat") {
    const std::int64_t along_k =
        atom.subgroup_size < 32 ? sharers : std::min<std::int64_t>(sharers, 2);
    const std::int64_t threads = 2 * along_k * atom.subgroup_size;
    if (types.weights->elements > 64) return {};  // the tile that fits
    return {{"tile", twice(atom.atom_m) + "x" + std::to_string(threads) + "x64"},
            {"subgroups", "1x2x" + std::to_string(along_k)}};
  }
  if (kernel == "gemm/packed") {
    return {{"part", twice(atom.atom_m) + "x" + twice(atom.atom_n)}, {"subgroups", subgroups}};
  }
  // Small, but with at least one vector to stage for each thread.
  const bool few_lanes = atom.subgroup_size < 32;
  const std::int64_t bytes = gen::bytes_of(multiplied_type(types.form()));
  const std::int64_t depth = std::max(few_lanes ? 16 : 64 / bytes, sharers * atom.atom_k);
  return {{"tile", (few_lanes ? "32x32x" : "64x64x") + std::to_string(depth)},
          {"subgroups", subgroups}};
}

std::vector<gen::AppliedEpilogueOp> random_epilogue(Dice& dice, const gen::GemmOptions& types) {
  const bool whole = gen::range_of(types.number_type()).epsilon == 0;
  const ScalarType type = gen::factor_type(types.form());
  std::vector<gen::AppliedEpilogueOp> out;
  for (const gen::EpilogueOp& step : gen::epilogue_ops()) {
    const bool is_computed = step.types.empty() || std::find(step.types.begin(), step.types.end(),
                                                             type) != step.types.end();
    if (!is_computed || dice.below(3) != 0) continue;
    const double number = whole || dice.one_in(2) ? dice.of({2.0, 3.0}) : dice.of({-0.5, 1.25});
    out.insert(out.begin() + dice.below(static_cast<std::int64_t>(out.size()) + 1),
               {&step, step.arguments.empty() ? 0 : number});
  }
  return out;
}

std::int64_t random_extent(Dice& dice) {
  switch (dice.below(5)) {
    case 0: return dice.of<std::int64_t>({0, 1, 2, 3, 5, 7, 8});
    case 1: return dice.of<std::int64_t>({31, 32, 33, 63, 64, 65, 127, 128, 129});
    case 2: return 1 + dice.below(16);
    default: return 1 + dice.below(150);
  }
}

Extents random_size(Dice& dice) {
  if (dice.one_in(6)) return {32 + 32 * dice.below(4), 32 + 32 * dice.below(4), 128};
  Extents size = {random_extent(dice), random_extent(dice), random_extent(dice)};
  if (dice.one_in(8)) size[2] = 300 + dice.below(1700);
  return size;
}

// The kernel that adds the slices depends on the number of threads with work along n, which must be the same within a
// form.
void fit_to_slices(Extents& size, std::int64_t form, const gen::GemmOptions& problem) {
  const auto width = static_cast<std::int64_t>(size_of(gen::factor_type(problem.form())));
  const std::int64_t vector = 16 / width, threads = std::int64_t{1} << form / 3 % 6;
  const std::int64_t min = threads == 1 ? 0 : vector * threads / 2 + 1;
  const std::int64_t max = threads == 32 ? 150 : vector * threads;
  std::int64_t& n = size[problem.c_n_contiguous ? 1 : 0];
  if (n < min || n > max) n = min + n % (max - min + 1);
}

// The gaps and the offset of one array of `problem`, whose sizes are set.
void place(Dice& dice, gen::GemmOptions& problem, const Extents& size, int which,
           std::int64_t alignment) {
  gen::GemmPlacement& to = which == 0 ? problem.a : which == 1 ? problem.b : problem.c;
  if (which == 1 && problem.weights != nullptr) {  // counted in elements, whole blocks
    const std::int64_t block = problem.weights->elements;
    if (dice.one_in(2)) to.leading = size[2] + block * dice.below(3);
    if (problem.batch > 1 && dice.one_in(2)) {
      to.stride = size[1] * to.leading.value_or(size[2]) + block * dice.below(3);
    }
    if (problem.batch > 1 && dice.one_in(6)) to.stride = 0;
    if (dice.one_in(3)) to.offset = block * alignment;  // a block has a whole number of bytes
    return;
  }
  const gen::GemmArray matrix = matrices_of(problem, size)[static_cast<std::size_t>(which)];
  if (dice.one_in(2)) to.leading = matrix.cols + dice.below(10);
  if (problem.batch > 1 && dice.one_in(2)) {
    to.stride = matrix.rows * to.leading.value_or(matrix.cols) + dice.below(20);
  }
  if (problem.batch > 1 && which != 2 && dice.one_in(6)) to.stride = 0;
  const auto width = static_cast<std::int64_t>(size_of(matrix.type));
  if (dice.one_in(3)) to.offset = (1 + dice.below(3)) * alignment / width;
}

// The factors, packed operands and numbers of a batch and of slices, for contents `init`.
Problem with_factors(Dice& dice, const Problem& form, gen::Init init) {
  Problem out = form;
  gen::GemmOptions& p = out.gemm;
  p.init = init;
  const bool whole = gen::range_of(p.number_type()).epsilon == 0,
             has_sign = !is_unsigned(p.number_type());
  const bool exact = p.init == gen::Init::integers || whole;
  const double negative = has_sign ? -1 : 1;
  p.alpha = exact ? dice.of({1.0, 1.0, negative, 2.0, 0.0}) : dice.of({1.0, 1.0, 0.37, -2.5, 0.0});
  if (p.beta != 0) p.beta = exact ? dice.of({1.0, negative, 2.0}) : dice.of({1.0, -0.61});
  if (p.batch > 1) p.batch = dice.one_in(30) ? 0 : 2 + dice.below(3);
  if (p.slices > 1) p.slices = dice.one_in(4) ? 20 + dice.below(40) : 2 + dice.below(8);
  if (form.entry->takes_packed) {
    p.packed = form.entry->weights != nullptr ? dice.of<const char*>({"none", "b"})
                                              : dice.of<const char*>({"none", "a", "b", "ab"});
  }
  return out;
}

// `out` with its size fitted to its form and its arrays placed.
Problem placed(Dice& dice, Problem out, std::int64_t form_number, std::int64_t alignment) {
  gen::GemmOptions& p = out.gemm;
  const bool fixed_n = p.slices > 1;
  if (fixed_n) fit_to_slices(out.size, form_number, p);
  const std::size_t n = p.c_n_contiguous ? 1 : 0;
  while (out.size[0] * out.size[1] * out.size[2] * p.batch > 1 << 21) {
    std::size_t largest = 2;
    for (const std::size_t other : {std::size_t{0}, std::size_t{1}}) {
      const bool may_shrink = !fixed_n || other != n;
      if (may_shrink && out.size[other] > out.size[largest]) largest = other;
    }
    out.size[largest] = (out.size[largest] + 1) / 2;
  }
  if (p.weights != nullptr) {
    const std::int64_t block = p.weights->elements;
    out.size[2] = round_up(out.size[2], block);
  }
  for (const int which : {0, 1, 2}) place(dice, p, out.size, which, alignment);
  return out;
}

}  // namespace

gen::Options thin_config(gen::Options config, const DeviceCaps& caps) {
  std::string& threads = config["threads"];
  threads = std::to_string(
      std::max<std::uint32_t>(static_cast<std::uint32_t>(std::stoul(threads)), caps.subgroup_size));
  return config;
}

bool has_matrices(const DeviceCaps& caps, const gen::GemmOptions& types) {
  const auto fits = [&](const MatrixShape& shape) { return gen::multiplies(shape, types.form()); };
  return std::any_of(caps.matrix_shapes.begin(), caps.matrix_shapes.end(), fits);
}

// tests/gen/kernels runs gemm/quantised_coopmat on the twin.
bool is_for_gpus(std::int64_t number) {
  return kSlots[number % kKernelSlots].types == &kWeightTypesOfUnits;
}

std::optional<Problem> random_form(std::uint64_t seed, std::int64_t number,
                                   const DeviceCaps& caps) {
  const Slot& slot = kSlots[number % kKernelSlots];
  if (is_for_gpus(number) && caps.kind == DeviceKind::cpu) return std::nullopt;
  const Names types = types_on(caps, *slot.types);
  if (types.empty()) return std::nullopt;
  // With seed 1, the first entry of each list comes first.
  const std::size_t type = (turn_of(number, &Slot::types) + seed - 1) % types.size();
  const Extras& extras =
      kExtras[(turn_of(number, &Slot::kernel) + 3 * (seed - 1)) % std::size(kExtras)];
  Dice dice(gen::random_bits(seed, static_cast<std::uint64_t>(number)));
  Problem form;
  form.entry = gen::find_kernel(std::string(slot.kernel));
  form.gemm = gen::parse_gemm_type(types[type]);
  if (slot.config != nullptr) {
    form.config = *slot.config;
    if (form.entry->name == "gemm/thin") form.config = thin_config(form.config, caps);
  } else if (slot.types != &kTypes) {
    constexpr std::int64_t kSharers[] = {1, 2, 4};
    const std::int64_t sharers = kSharers[(number % kKernelSlots + number / kKernelSlots) % 3];
    form.config = matrix_config(form.entry->name, form.gemm, caps, sharers);
  }
  gen::GemmOptions& p = form.gemm;
  p.a_k_contiguous = dice.one_in(2);
  p.b_k_contiguous = dice.one_in(2);
  p.c_n_contiguous = !dice.one_in(3);
  if (p.weights != nullptr) p.b_k_contiguous = p.c_n_contiguous = true;
  p.beta = dice.one_in(2) ? 1 : 0;
  p.batch = extras.batch ? 2 : 1;
  p.slices = extras.slices ? 2 : 1;
  while (extras.epilogue && p.epilogue.empty()) p.epilogue = random_epilogue(dice, p);
  return form;
}

Problem random_problem(std::uint64_t seed, std::int64_t number, const Problem& form,
                       std::int64_t alignment) {
  Dice dice(gen::random_bits(~seed, static_cast<std::uint64_t>(number)));
  const bool whole = gen::range_of(form.gemm.number_type()).epsilon == 0;
  const gen::Init init = whole || dice.one_in(2) ? gen::Init::integers
                         : dice.one_in(4)        ? gen::Init::nonfinite
                                                 : gen::Init::random;
  Problem out = with_factors(dice, form, init);
  out.size = random_size(dice);
  return placed(dice, std::move(out), number / kProblemsOfAForm, alignment);
}

Problem hard_problem(std::uint64_t seed, std::int64_t number, const Problem& form,
                     std::int64_t form_number, std::int64_t alignment) {
  Dice dice(gen::random_bits(gen::random_bits(seed, 1), static_cast<std::uint64_t>(number)));
  const bool is_changed_integer =
      gen::range_of(form.gemm.number_type()).epsilon == 0 && !form.gemm.epilogue.empty();
  Problem out =
      with_factors(dice, form, is_changed_integer ? gen::Init::integers : gen::Init::hard);
  out.size = {1 + dice.below(12), 1 + dice.below(12), dice.below(20)};
  return placed(dice, std::move(out), form_number, alignment);
}

bool is_exact(const Problem& problem) {
  return gen::GemmData(problem.gemm, problem.size, 1).is_exact();
}

std::optional<Problem> in_whole_numbers(Problem problem) {
  gen::GemmOptions& p = problem.gemm;
  if (p.weights != nullptr) return std::nullopt;
  p.init = gen::Init::integers;
  // Properties that are baked into the kernel, such as whether there is a beta, stay the same.
  const auto whole = [](double x) {
    return x == 0 ? 0 : std::copysign(std::ceil(std::fabs(x)), x);
  };
  p.alpha = whole(p.alpha);
  p.beta = whole(p.beta);
  if (!is_exact(problem)) return std::nullopt;
  return problem;
}

std::string command_of(const Problem& problem, std::uint64_t seed) {
  std::vector<std::string> words = {"vkmoye-bench", "run",    problem.entry->name, "--verify",
                                    "full",         "--seed", std::to_string(seed)};
  for (const auto& [name, value] : problem.config) {
    words.push_back("--" + name);
    words.push_back(value);
  }
  const auto workload = problem.workload();
  words.insert(words.end(),
               {"--size", size_text(problem.size), "--type", workload.problem->type_text});
  for (const std::string& word : workload.problem->command_words) words.push_back(word);
  return shell_line(words);
}

}  // namespace vkmoye::test
