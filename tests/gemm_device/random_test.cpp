// Seeded random products on every device: shape, order, type, factors, batch, offsets and leading
// dimensions. VKMOYE_TEST_LONG=1 takes ten times as many.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>

#include "support/device_fixture.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/compile.hpp"
#include "vkmoye/gen/kernels/gemm_matrix_config.hpp"
#include "workloads/device_executor.hpp"
#include "workloads/gemm_workload.hpp"
#include "workloads/number.hpp"

namespace vkmoye::test {
namespace {

using namespace bench;

bool is_long() { return std::getenv("VKMOYE_TEST_LONG") != nullptr; }

// The same numbers everywhere: what the distributions of <random> make is up to each library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t end) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(end));
  }
  bool one_in(std::int64_t count) { return below(count) == 0; }
  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<std::int64_t>(values.size()))];
  }

 private:
  std::mt19937_64 random_;
};

// A kernel and the part of a problem that is baked into it.
struct Form {
  const gen::KernelEntry* entry;
  gen::Options config;
  GemmProblem problem;
};

// Tiles that lavapipe compiles and runs quickly, in vectors and element by element; every size has
// edges then.
const gen::Options kSmall = {
    {"tile", "32x32x8"}, {"threads", "8x8"}, {"values", "4x4"}, {"vector", "16"}};
const gen::Options kSingle = {
    {"tile", "16x32x8"}, {"threads", "8x8"}, {"values", "1x1"}, {"vector", "2"}};

// The same for products one side of which is small, here of any size: by rows, by columns.
const gen::Options kThinRows = {
    {"side", "m"}, {"rows", "4"}, {"reads", "2x2"}, {"threads", "32"}, {"along-k", "8"}};
const gen::Options kThinColumns = {
    {"side", "n"}, {"rows", "3"}, {"reads", "4x1"}, {"threads", "64"}, {"along-k", "16"}};

Form random_form(Dice& dice) {
  Form form;
  const bool small = !dice.one_in(6);
  form.entry = gen::find_kernel(dice.of<const char*>(
      {"gemm/simt", "gemm/simt", "gemm/moye_prefetch", "gemm/moye_simple", "gemm/thin"}));
  if (form.entry->name == "gemm/thin") {
    form.config = dice.one_in(2) ? kThinRows : kThinColumns;
  } else if (small) {
    form.config = dice.one_in(3) ? kSingle : kSmall;
  }
  form.problem = parse_gemm_type(
      dice.of<const char*>({"f32", "f32", "f16", "f16,f32", "f16,f16", "f64", "i32"}));
  form.problem.a_k_contiguous = dice.one_in(2);
  form.problem.b_k_contiguous = dice.one_in(2);
  form.problem.beta = dice.one_in(2) ? 1 : 0;
  form.problem.batch = dice.one_in(3) ? 2 : 1;
  return form;
}

std::int64_t random_extent(Dice& dice) {
  switch (dice.below(5)) {
    case 0: return dice.of<std::int64_t>({0, 1, 2, 3, 5, 7, 8});
    case 1: return dice.of<std::int64_t>({31, 32, 33, 63, 64, 65, 127, 128, 129});
    case 2: return 1 + dice.below(16);
    default: return 1 + dice.below(150);
  }
}

// A product and the kernel that computes it.
struct Problem {
  const gen::KernelEntry* entry;
  gen::Options config;
  GemmProblem gemm;
  Extents size;

  std::unique_ptr<Workload> workload() const {
    return make_product({entry, "", config, {}}, gemm, size);
  }
};

// A problem whose form is `form`.
Problem random_problem(Dice& dice, const Form& form, std::int64_t alignment) {
  Problem out = {form.entry, form.config, form.problem, {}};
  GemmProblem& p = out.gemm;
  const bool whole = range_of(p.accumulator).epsilon == 0;
  p.init = whole || dice.one_in(2) ? Init::integers
           : dice.one_in(6)        ? Init::nonfinite
                                   : Init::random;
  const bool exact = p.init == Init::integers;
  p.alpha = exact ? dice.of({1.0, -1.0, 2.0, 0.0}) : dice.of({1.0, 0.37, -2.5, 0.0});
  if (p.beta != 0) p.beta = exact ? dice.of({1.0, -1.0, 2.0}) : dice.of({1.0, -0.61});
  if (p.batch > 1) p.batch = 2 + dice.below(3);
  // The kernel of the transposed product has A and B exchanged.
  p.c_n_contiguous = !dice.one_in(3);
  if (!p.c_n_contiguous) std::swap(p.a_k_contiguous, p.b_k_contiguous);

  out.size = {random_extent(dice), random_extent(dice), random_extent(dice)};
  if (dice.one_in(10)) out.size[2] = 300 + dice.below(400);
  while (out.size[0] * out.size[1] * out.size[2] * p.batch > 1 << 21) {
    std::int64_t& largest = *std::max_element(out.size.begin(), out.size.end());
    largest = (largest + 1) / 2;
  }
  const auto places = {&p.a, &p.b, &p.c};
  for (Placement* place : places) {
    const auto matrices = matrices_of(p, out.size);
    const Matrix& matrix = matrices[place == &p.a ? 0 : place == &p.b ? 1 : 2];
    const auto width = static_cast<std::int64_t>(size_of(matrix.type));
    if (dice.one_in(2)) place->leading = matrix.cols + dice.below(10);
    if (p.batch > 1 && dice.one_in(2)) {
      place->stride = matrix.rows * place->leading.value_or(matrix.cols) + dice.below(20);
    }
    if (p.batch > 1 && place != &p.c && dice.one_in(6)) place->stride = 0;
    if (dice.one_in(3)) place->offset = (1 + dice.below(3)) * alignment / width;
  }
  return out;
}

std::string command_of(const Problem& problem, std::uint64_t seed) {
  std::vector<std::string> words = {"vkmoye-bench", "run",    problem.entry->name, "--verify",
                                    "full",         "--seed", std::to_string(seed)};
  for (const auto& [name, value] : problem.config) {
    words.push_back("--" + name);
    words.push_back(value);
  }
  const auto workload = problem.workload();
  words.insert(words.end(), {"--size", to_string(problem.size), "--type", workload->type_text()});
  for (std::string& word : workload->words()) words.push_back(std::move(word));
  return shell_line(words);
}

class GemmTest : public DeviceTest {
 protected:
  // The pipeline of the problem's form, compiled once; nothing where the device cannot run it.
  const std::optional<Pipeline>& pipeline_of(Device& device, const Problem& problem) {
    std::string key = problem.entry->name;
    for (const auto& [name, value] : problem.config) key += " " + name + value;
    const gen::GemmForm form = problem.gemm.form();
    for (const ScalarType type : {form.operand, form.accumulator, form.result}) {
      key += to_string(type);
    }
    for (const bool bit : {form.a_k_contiguous, form.b_k_contiguous, form.beta, form.batched}) {
      key += bit ? '1' : '0';
    }
    const auto found = pipelines_.find(key);
    if (found != pipelines_.end()) return found->second;
    const CompiledKernel kernel = gen::compile(problem.workload()->describe(device.caps()));
    std::optional<Pipeline>& pipeline = pipelines_[key];
    const auto reasons = reasons_against(kernel.interface, device.caps());
    // lavapipe has every feature: a kernel that it lacks something for is a mistake.
    if (device.caps().kind == DeviceKind::cpu) {
      EXPECT_THAT(reasons, testing::IsEmpty()) << key;
    }
    if (reasons.empty()) pipeline = device.load(kernel);
    return pipeline;
  }

  // Whether it ran and was right.
  bool expect_right(Device& device, const Problem& problem, std::uint64_t seed) {
    const std::optional<Pipeline>& pipeline = pipeline_of(device, problem);
    if (!pipeline) return false;
    const auto workload = problem.workload();
    DeviceExecution execution(device, workload->arrays(),
                              {{*pipeline, workload->arguments(), {0, 1, 2}}});
    workload->fill(execution, seed);
    execution.run();
    const Verdict verdict = workload->check(execution, Verify::full, seed);
    const std::string wrong = verdict.first + execution.damage();
    if (wrong.empty()) return true;
    ADD_FAILURE() << verdict.mismatches << " mismatches: " << wrong
                  << "\n  reproduce with: " << command_of(problem, seed);
    return false;
  }

  std::map<std::string, std::optional<Pipeline>> pipelines_;
};

std::int64_t alignment_of(const Device& device) {
  return std::max<std::int64_t>(device.caps().storage_buffer_alignment, 16);
}

// A quarter of the problems, which draw from their own forms.
class RandomGemmTest : public GemmTest, public testing::WithParamInterface<int> {};

TEST_P(RandomGemmTest, ProblemsAreRight) {
  const int count = is_long() ? 5000 : 500, forms = is_long() ? 80 : 14;
  for_each_device([&](Device& device) {
    pipelines_.clear();
    Dice dice(static_cast<std::uint64_t>(GetParam()));
    std::vector<Form> pool;
    for (int i = 0; i < forms; ++i) pool.push_back(random_form(dice));
    int right = 0, wrong = 0;
    for (int i = 0; i < count && wrong < 5; ++i) {
      const Form& form = pool[static_cast<std::size_t>(dice.below(forms))];
      const Problem problem = random_problem(dice, form, alignment_of(device));
      const auto seed = static_cast<std::uint64_t>(GetParam() * count + i);
      expect_right(device, problem, seed) ? ++right : ++wrong;
    }
    if (device.caps().kind == DeviceKind::cpu) {
      EXPECT_EQ(right, count);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Quarters, RandomGemmTest, testing::Range(0, 4));

TEST_F(GemmTest, GridsBeyondOneDispatchAreRight) {
  OpenOptions options;
  options.pretend = [](DeviceCaps& caps) { caps.max_group_count = {2, 3, 2}; };
  for_each_device(
      [&](Device& device) {
        pipelines_.clear();
        Problem problem = {gen::find_kernel("gemm/simt"), kSmall, GemmProblem(), {}};
        problem.gemm.batch = 5;
        problem.gemm.init = Init::integers;
        problem.size = {150, 130, 9};
        EXPECT_TRUE(expect_right(device, problem, 1));
      },
      options);
}

// Without any k, the sums are 0 and C is beta times what it was; without any m or n there is no C.
TEST_F(GemmTest, SumsOfNothingAreZero) {
  for_each_device([&](Device& device) {
    pipelines_.clear();
    for (const char* kernel :
         {"gemm/simt", "gemm/moye_prefetch", "gemm/moye_simple", "gemm/thin"}) {
      const bool is_thin = std::string(kernel) == "gemm/thin";
      for (const double beta : {0.0, -2.0}) {
        for (const Extents& size : {Extents{33, 34, 0}, {0, 34, 5}, {33, 0, 5}, {0, 0, 0}}) {
          Problem problem = {gen::find_kernel(kernel), is_thin ? kThinRows : kSmall, GemmProblem(),
                             size};
          problem.gemm.beta = beta;
          EXPECT_TRUE(expect_right(device, problem, 1));
        }
      }
    }
  });
}

// With the config that is chosen by the shape, a batch of small products among them.
TEST_F(GemmTest, FewRowsAndFewColumnsAreRight) {
  const struct {
    const char* type;
    Extents size;
    bool k_contiguous;
    std::int64_t batch;
  } cases[] = {{"f32", {1, 300, 520}, true, 1},
               {"f16", {1, 300, 520}, false, 1},
               {"f16", {130, 3, 257}, true, 1},
               {"f32", {16, 64, 40}, false, 5}};
  for_each_device([&](Device& device) {
    pipelines_.clear();
    for (const auto& [type, size, k_contiguous, batch] : cases) {
      Problem problem = {gen::find_kernel("gemm/thin"), {}, GemmProblem(), size};
      problem.gemm = parse_gemm_type(type);
      problem.gemm.a_k_contiguous = problem.gemm.b_k_contiguous = k_contiguous;
      problem.gemm.batch = batch;
      EXPECT_TRUE(expect_right(device, problem, 1)) << type << ' ' << bench::to_string(size);
    }
  });
}

bool has_matrices(const DeviceCaps& caps, const GemmProblem& types) {
  const auto fits = [&](const MatrixShape& shape) {
    return shape.a == gen::ir::component_name(types.operand) && shape.b == shape.a &&
           shape.c == gen::ir::component_name(types.accumulator) && shape.result == shape.c &&
           shape.scope == "subgroup" && !shape.saturating;
  };
  return std::any_of(caps.matrix_shapes.begin(), caps.matrix_shapes.end(), fits);
}

// Every order, factor and edge, with whatever matrices the device has.
class MatrixUnitsTest : public GemmTest, public testing::WithParamInterface<const char*> {};

TEST_P(MatrixUnitsTest, AreRight) {
  for_each_device([&](Device& device) {
    pipelines_.clear();
    Dice dice(11);
    const char* type = GetParam();
    const GemmProblem types = parse_gemm_type(type);
    if (!has_matrices(device.caps(), types)) return;
    for (const bool a_k : {true, false}) {
      for (const bool b_k : {true, false}) {
        // Of further types each order of each operand once.
        if (std::string_view(type) != "f16,f32" && a_k == b_k) continue;
        const auto deep = gen::gemm_matrix_config(types.form(), device.caps()).atom_k;
        const std::string tile = "32x32x" + std::to_string(std::max<std::int64_t>(16, deep));
        Problem problem = {gen::find_kernel("gemm/coopmat"), {{"tile", tile}}, GemmProblem(), {}};
        problem.gemm = types;
        problem.gemm.a_k_contiguous = a_k;
        problem.gemm.b_k_contiguous = b_k;
        problem.gemm.beta = dice.one_in(2) ? 1 : 0;
        problem.gemm.batch = dice.one_in(2) ? 2 : 1;
        for (int i = 0; i < 4; ++i) {
          // Whole tiles first: their sums go straight to C.
          problem.size = {64, 96, 80};
          if (i > 0) problem.size = {random_extent(dice), random_extent(dice), random_extent(dice)};
          EXPECT_TRUE(expect_right(device, problem, static_cast<std::uint64_t>(i)))
              << type << ' ' << bench::to_string(problem.size);
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Types, MatrixUnitsTest,
                         testing::Values("f16,f32", "f16", "f16,f16", "i8", "u8", "bf16"));

// Each product that is not refused is right, whatever its types.
TEST_F(GemmTest, EveryCombinationOfTypesIsRefusedOrRight) {
  const char* names[] = {"f16", "f32", "f64", "i32", "u32", "i8", "bf16"};
  for_each_device([&](Device& device) {
    pipelines_.clear();
    int right = 0, refused = 0;
    for (const char* operand : {"f16", "f32", "f64", "i32"}) {
      for (const char* accumulator : names) {
        for (const char* result : names) {
          Problem problem = {
              gen::find_kernel("gemm/moye_simple"), kSingle, GemmProblem(), {17, 33, 9}};
          const auto type = std::string(operand) + "," + accumulator + "," + result;
          problem.gemm = parse_gemm_type(type);
          try {
            EXPECT_TRUE(expect_right(device, problem, 1)) << type;
            ++right;
          } catch (const KernelError&) {
            ++refused;
          }
        }
      }
    }
    EXPECT_GE(right, 28);  // floating by floating, integers by integers
    EXPECT_GE(refused, 100);
  });
}

// The tests above can fail: here a kernel for another form writes the result.
TEST_F(GemmTest, AWrongProductIsFoundAndItsCommandPrinted) {
  for_each_device([&](Device& device) {
    Problem problem = {gen::find_kernel("gemm/simt"), kSmall, GemmProblem(), {33, 33, 33}};
    problem.gemm.init = Init::integers;
    problem.gemm.a.offset = 4;
    Problem other = problem;
    other.gemm.a_k_contiguous = false;
    const Pipeline wrong = device.load(gen::compile(other.workload()->describe(device.caps())));
    const auto workload = problem.workload();
    DeviceExecution execution(device, workload->arrays(),
                              {{wrong, workload->arguments(), {0, 1, 2}}});
    workload->fill(execution, 1);
    execution.run();
    EXPECT_GT(workload->check(execution, Verify::full, 1).mismatches, 500u);
    EXPECT_EQ(command_of(problem, 1),
              "vkmoye-bench run gemm/simt --verify full --seed 1 --threads 8x8 --tile 32x32x8 "
              "--values 4x4 --vector 16 --size 33x33x33 --type f32 --offset-a 4 --init integers");
  });
}

}  // namespace
}  // namespace vkmoye::test
