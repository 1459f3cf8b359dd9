// SPDX-License-Identifier: MIT
// Which kernel gemm/auto takes: every row of the table is reached and accepted, nothing that gemm/simt
// takes is refused.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>

#include "support/fake_devices.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/choice/candidates.hpp"
#include "vkmoye/gen/kernels/products/choice/choice.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"

namespace vkmoye::gen {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

DeviceCaps named(DeviceCaps caps, const char* name) {
  caps.name = name;
  return caps;
}

DeviceCaps without_matrices(DeviceCaps caps) {
  caps.matrix_shapes.clear();
  return caps;
}

// As the drivers name them, and some that no row names.
std::vector<DeviceCaps> devices() {
  DeviceCaps gfx12 = named(test::rdna3_like(), "AMD Radeon Graphics (RADV GFX1201)");
  return {named(test::h200_like(), "NVIDIA H200"),
          named(test::rdna3_like(), "AMD Radeon RX 7900 XTX (RADV NAVI31)"),
          named(test::rdna3_like(), "AMD Radeon Graphics (RADV STRIX1)"),
          std::move(gfx12),
          named(test::lavapipe_like(), "llvmpipe (LLVM 19.1.7, 256 bits)"),
          test::h200_like(),
          without_matrices(test::rdna3_like())};
}

struct Types {
  ScalarType operand, accumulator;
};
constexpr Types kTypes[] = {
    {ScalarType::f16, ScalarType::f32}, {ScalarType::f16, ScalarType::f16},
    {ScalarType::f32, ScalarType::f32}, {ScalarType::f64, ScalarType::f64},
    {ScalarType::i32, ScalarType::i32}, {ScalarType::bf16, ScalarType::f32},
    {ScalarType::i8, ScalarType::i32},  {ScalarType::u8, ScalarType::u32},
};

std::string type_of(const GemmQuestion& one) {
  return fmt::format("{},{}", operands_text(one.form.a_type, one.form.b_type),
                     to_string(one.form.accumulator));
}

GemmQuestion question(const Types& types, std::vector<std::int64_t> shape) {
  GemmQuestion out;
  out.form = gemm_form(types.operand);
  out.form.accumulator = types.accumulator;
  out.shape = std::move(shape);
  return out;
}

// --- the table that ships ---

TEST(GemmChoice, EveryShippedRowIsReachedAndAccepted) {
  std::vector<GemmQuestion> questions;
  for (const Types& types : kTypes) {
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 4096, 4096},
                                  {16, 4096, 4096},
                                  {4096, 16, 4096},
                                  {16, 1024, 4096},
                                  {12, 4096, 64},
                                  {64, 96, 64},
                                  {128, 128, 14336},
                                  {512, 512, 16384},
                                  {1024, 1024, 1024},
                                  {1536, 1536, 1024},
                                  {2048, 2048, 512},
                                  {4096, 4096, 4096}}) {
      questions.push_back(question(types, {m, n, k}));
      questions.push_back(questions.back());
      questions.back().form.a_k_contiguous = questions.back().form.b_k_contiguous = false;
    }
  }
  const std::vector<DeviceCaps> all = devices();
  for (const GemmRow& row : shipped_gemm_table().rows) {
    std::set<std::string> types(row.types.begin(), row.types.end()), reached;
    for (const DeviceCaps& device : all) {
      for (const GemmQuestion& one : questions) {
        const std::string type = type_of(one);
        const std::string named = types.contains("*") ? "*" : type;
        if (reached.contains(named) || !is_for_device(row, device) ||
            !is_for_types(row, one.form) || !unmet(row, one, device).empty()) {
          continue;
        }
        const GemmChoice choice = choose_gemm(one, device);
        if (!choice.row.ends_with(" " + std::to_string(row.line))) continue;
        reached.insert(named);
        EXPECT_THAT(reasons_against(choice, one, device), IsEmpty()) << row.text;
        // The order of a matrix in registers is probed on a real device.
        EXPECT_THAT(refusal_on(one, device)(choice), Each(HasSubstr("is known of its order")))
            << type << ": " << row.text;
      }
    }
    EXPECT_EQ(reached, types) << "no product comes to this row:\n" << row.text;
    EXPECT_NE(row.why, "") << row.text;
  }
}

TEST(GemmChoice, SuitsTheH200) {
  const DeviceCaps h200 = devices().front();
  const auto chosen = [&](const Types& types, std::vector<std::int64_t> shape) {
    return choose_gemm(question(types, std::move(shape)), h200);
  };
  EXPECT_EQ(chosen(kTypes[0], {8192, 8192, 8192}).entry->name, "gemm/packed");
  EXPECT_EQ(chosen(kTypes[5], {8192, 8192, 8192}).entry->name, "gemm/packed");  // bf16
  EXPECT_EQ(chosen(kTypes[0], {16, 4096, 4096}).text(), "gemm/thin_coopmat --tile 16x32");
  EXPECT_EQ(chosen(kTypes[2], {1, 4096, 4096}).entry->name, "gemm/thin");
  EXPECT_EQ(chosen(kTypes[2], {4096, 4096, 4096}).entry->name, "gemm/simt");
  const GemmChoice deep = chosen(kTypes[0], {128, 128, 14336});
  EXPECT_EQ(deep.entry->name, "gemm/coopmat");
  EXPECT_GT(deep.slices, 1);
  EXPECT_THAT(deep.text(), HasSubstr(" --split-k " + std::to_string(deep.slices)));
  EXPECT_THAT(deep.passed, Contains(HasSubstr("gemm/thin_coopmat: m<=16 does not hold, m is 128")));
}

// A tile of 128x128 is work of one core, and of a smaller C mostly empty.
TEST(GemmChoice, SuitsLavapipe) {
  const DeviceCaps lavapipe = devices()[4];
  const auto chosen = [&](std::vector<std::int64_t> shape, bool a_k, bool b_k) {
    GemmQuestion one = question(kTypes[2], std::move(shape));
    one.form.a_k_contiguous = a_k;
    one.form.b_k_contiguous = b_k;
    return choose_gemm(one, lavapipe).text();
  };
  for (const auto& [a_k, b_k] : {std::pair(true, false), {false, true}, {false, false}}) {
    EXPECT_EQ(chosen({16, 512, 256}, a_k, b_k), "gemm/thin");
    EXPECT_EQ(chosen({512, 16, 256}, a_k, b_k), "gemm/thin");
    EXPECT_EQ(chosen({64, 512, 256}, a_k, b_k), "gemm/simt --tile 64x64x16");
    EXPECT_EQ(chosen({128, 128, 128}, a_k, b_k), "gemm/simt --tile 64x64x16");
    EXPECT_EQ(chosen({512, 512, 512}, a_k, b_k), "gemm/simt");
  }
  EXPECT_EQ(chosen({128, 128, 128}, true, true), "gemm/thin");
}

// What matters is how many elements of C there are for the device's multiprocessors.
TEST(GemmChoice, BatchesOfFewElementsAreCutLikeOneProduct) {
  const DeviceCaps h200 = devices().front();
  const auto slices = [&](const Types& types, std::int64_t batch) {
    GemmQuestion one = question(types, {64, 96, 8192});
    one.batch = batch;
    one.form.batched = batch != 1;
    one.form.epilogue = {*find_gemm_step("bias")};
    return choose_gemm(one, h200).slices;
  };
  for (const Types& types : {kTypes[0], kTypes[2]}) {
    EXPECT_GT(slices(types, 1), 1);
    EXPECT_EQ(slices(types, 10), slices(types, 1));
    EXPECT_EQ(slices(types, 100), 1);
  }
}

// --- what cannot be ---

// Whatever gemm/simt takes on a device, some row takes, on devices of every kind.
TEST(GemmChoice, NothingIsRefusedThatSimtTakes) {
  std::mt19937_64 random(8);
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
  std::vector<DeviceCaps> all = devices();
  all.push_back(test::poor());
  all.push_back(common_device());
  const KernelEntry& simt = *find_kernel("gemm/simt");
  int taken = 0;
  for (int i = 0; i < 300; ++i) {
    GemmQuestion one = question(kTypes[below(5)], {});
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t most[] = {3, 20, 300, 5000, 20000};
      one.shape->push_back(below(static_cast<std::uint64_t>(most[below(5)])));
    }
    one.form.a_k_contiguous = below(2) == 0;
    one.form.b_k_contiguous = below(2) == 0;
    one.form.beta = below(2) == 0;
    one.form.batched = below(3) == 0;
    one.batch = one.form.batched ? below(9) : 1;
    if (below(3) == 0 && is_floating(one.form.accumulator)) {
      one.form.epilogue = {*find_gemm_step("bias"), *find_gemm_step("relu")};
    }
    const DeviceCaps& device = all[static_cast<std::size_t>(below(all.size()))];
    GemmChoice by_simt;
    by_simt.entry = &simt;
    if (!reasons_against(by_simt, one, device).empty()) continue;
    ++taken;
    EXPECT_THAT(reasons_against(choose_gemm(one, device), one, device), IsEmpty())
        << i << ": " << device.name << ' ' << form_text(one.form);
  }
  EXPECT_GT(taken, 200);
}

TEST(GemmChoice, ARowThatIsRefusedIsPassedOverWithEveryReason) {
  const GemmQuestion one = question(kTypes[0], {512, 512, 512});
  const std::vector<GemmTable> tables = {
      parse_gemm_table("* | * | - | gemm/coopmat --tile 100x128x32 | nonsense\n"
                       "* | * | - | gemm/coopmat --tile big | no numbers\n"
                       "* | * | - | gemm/simt --split-k 1024 | more slices than k\n"
                       "* | * | - | gemm/simt --split-k none | no number\n"
                       "* | * | - | gemm/moye_simple | fits\n",
                       "mine")};
  const GemmChoice choice = choose_gemm(one, test::h200_like(), tables);
  EXPECT_EQ(choice.text(), "gemm/moye_simple");
  EXPECT_EQ(choice.row, "mine, line 5");
  EXPECT_THAT(
      join(choice.passed, "\n"),
      AllOf(
          HasSubstr("mine, line 1: gemm/coopmat: subgroups m times atom m 32 does not divide 100"),
          HasSubstr("mine, line 2: gemm/coopmat: tile 'big' is not"),
          HasSubstr("mine, line 3: gemm/simt: k = 512 in 1024 slices"),
          HasSubstr("mine, line 4: gemm/simt: split-k 'none' is not")));
}

TEST(GemmChoice, AnExecutorMayRefuseMoreThanLimitsTell) {
  const GemmQuestion one = question(kTypes[0], {4096, 4096, 4096});
  const DeviceCaps h200 = devices().front();
  const GemmChoice choice =
      choose_gemm(one, h200, {}, [](const GemmChoice& offered) -> std::vector<std::string> {
        if (offered.entry->name == "gemm/simt") return {};
        return {"multiplies wrong"};
      });
  EXPECT_EQ(choice.entry->name, "gemm/simt");
  EXPECT_THAT(choice.passed, Contains(HasSubstr("gemm/packed: multiplies wrong")));
}

TEST(GemmChoice, WithoutALayoutOfFragmentsNothingIsPacked) {
  const GemmQuestion one = question(kTypes[0], {8192, 8192, 8192});
  DeviceCaps h200 = devices().front();
  const GemmPackedConfig config = gemm_packed_config(one.form, h200);
  const PackedForm a = packed_form(config, one.form, 'a');
  h200.fragment_orders.push_back({'a',
                                  "f16",
                                  static_cast<std::uint32_t>(a.rows),
                                  static_cast<std::uint32_t>(a.depth),
                                  a.lanes,
                                  {}});
  const GemmChoice choice = choose_gemm(one, h200);
  EXPECT_EQ(choice.entry->name, "gemm/coopmat");
  EXPECT_THAT(choice.passed, Contains(AllOf(HasSubstr("gemm/packed: "), HasSubstr("f16 a 16x16"))));
}

// What a device lacks is said as for any kernel, where it runs.
TEST(GemmChoice, TypesForMatrixUnitsAloneNameWhatTheDeviceLacks) {
  const GemmQuestion one = question(kTypes[6], {64, 64, 64});
  const GemmChoice choice = choose_gemm(one, common_device());
  EXPECT_EQ(choice.entry->name, "gemm/coopmat");
  EXPECT_THAT(join(refusal_on(one, common_device())(choice), "; "),
              HasSubstr("needs the feature cooperative_matrix"));
  EXPECT_THAT(choice.passed, Contains(HasSubstr("multiplies no matrices 16x16x32 of i8 in i32")));
}

TEST(GemmChoice, ProductsThatNoKernelHasAreRefusedWithEveryRow) {
  GemmQuestion one = question(kTypes[6], {64, 64, 64});
  one.form.result = ScalarType::f32;
  EXPECT_THAT([&] { choose_gemm(one, test::h200_like()); },
              ThrowsMessage<KernelError>(AllOf(HasSubstr("gemm/coopmat: "),
                                               HasSubstr("gemm/simt: there is no such kernel"))));
}

// --- as an entry of the registry ---

TEST(GemmChoice, OneKernelIsTheBestThatIsNoPlan) {
  KernelRequest request = request_of(ScalarType::f16);
  request.shape = {8192, 8192, 8192};
  request.device = devices().front();
  EXPECT_EQ(find_kernel("gemm/auto")->describe(request).name, "gemm/coopmat");
  request.shape = {16, 4096, 4096};
  EXPECT_FALSE(find_kernel("gemm/auto")->describe(request).arguments.empty());
}

TEST(GemmChoice, OptionsAreRefusedWithTheKernelToName) {
  EXPECT_THAT(
      [] {
        find_kernel("gemm/auto")->describe(request_of(ScalarType::f32, {{"tile", "64x64x8"}}));
      },
      ThrowsMessage<KernelError>(
          HasSubstr("--tile is for the kernel that it chooses: here gemm/simt; name that kernel")));
}

// --- tables as text ---

TEST(GemmTable, LinesThatAreNoRowsAreRefusedByNumber) {
  const auto refused = [](const std::string& line, const std::string& why) {
    EXPECT_THAT([&] { parse_gemm_table("# comment\n\n" + line + "\n", "mine"); },
                ThrowsMessage<ArgumentError>(AllOf(HasSubstr("mine, line 3: "), HasSubstr(why))))
        << line;
  };
  refused("* | * | -", "3 columns where a row has 5");
  refused("* | * | - | gemm/fast | x", "'gemm/fast' names no kernel of products");
  refused("* | * | - | gemm/auto | x", "names no kernel");
  refused("* | * | - | copy/auto | x", "names no kernel");
  refused("* | * | - | gemm/simt --tiles 1 | x", "gemm/simt has no option '--tiles'");
  refused("* | * | - | gemm/simt --tile | x", "'--tile' is no option with a value");
  refused("* | * | m | gemm/simt | x", "'m' is no condition");
  refused("* | * | q>=3 | gemm/simt | x",
          "there are m n k batch least area elements lanes shared a b beta epilogue");
  refused("* | * | m>=x | gemm/simt | x", "it compares with a whole number");
  refused("* | * | m>3 | gemm/simt | x", "there are >= <= =");
  refused("* | * | a=n | gemm/simt | x", "there are a=k a=m");
  refused("* | * | b>=k | gemm/simt | x", "words are compared with =");
  refused("* | * | beta=0 | gemm/simt | x", "there are beta=no beta=yes");
  refused("* | * | epilogue=bias;relu | gemm/simt | x", "there are epilogue=none epilogue=bias");
  refused("* | f32 | - | gemm/simt | x", "'f32' has 1 types");
  refused("* | f32,f31 | - | gemm/simt | x", "'f31' of 'f32,f31' is no type");
  refused(" | * | - | gemm/simt | x", "no device");
  refused("* | | - | gemm/simt | x", "no types");
  refused("\xff\x01", "1 columns");
}

TEST(GemmTable, LinesThatAreRightAreReadBesideThoseThatAreNot) {
  const GemmTableText read = read_gemm_table(
      "* | * | - | gemm/thin | first\nno row\n* | s8,s32 | - | gemm/coopmat | last\n", "mine", 7);
  ASSERT_EQ(read.table.rows.size(), 2u);
  EXPECT_EQ(read.table.rows[1].line, 9);
  EXPECT_EQ(read.table.rows[1].types, std::vector<std::string>{"i8,i32"});
  ASSERT_EQ(read.wrong.size(), 1u);
  EXPECT_THAT(read.wrong[0], HasSubstr("mine, line 8: 1 columns"));
}

TEST(GemmTable, RowsForAFormAreForNoOther) {
  const auto row_of = [](const std::string& types, const std::string& where) {
    return parse_gemm_table("* | " + types + " | " + where + " | gemm/simt | x", "mine").rows.at(0);
  };
  GemmForm form = gemm_form(ScalarType::f16);
  EXPECT_TRUE(is_for_types(row_of("f16,f32", "-"), form));  // whatever result
  EXPECT_TRUE(is_for_types(row_of("f16,f32,f16", "-"), form));
  EXPECT_FALSE(is_for_types(row_of("f16,f32,f32", "-"), form));
  EXPECT_EQ(unmet(row_of("*", "beta=no epilogue=none"), form), "");
  EXPECT_EQ(unmet(row_of("*", "beta=yes"), form), "beta=yes does not hold, beta is no");
  form.epilogue = {*find_gemm_step("bias"), *find_gemm_step("relu")};
  EXPECT_EQ(unmet(row_of("*", "epilogue=bias,relu"), form), "");
  EXPECT_EQ(unmet(row_of("*", "m>=2 epilogue=none"), GemmQuestion{form}, {}),
            "epilogue=none does not hold, epilogue is bias,relu");
}

TEST(GemmTable, RowsThatMultiplyNothingOnADeviceSayWhy) {
  const auto against = [](const std::string& row, const DeviceCaps& device) {
    return join(reasons_against(parse_gemm_table(row, "mine").rows.at(0), device), "; ");
  };
  const std::string on_units = "* | f16,f32 | b=n | gemm/coopmat --tile 128x256x32 | x";
  EXPECT_EQ(against(on_units, test::h200_like()), "");
  EXPECT_THAT(against(on_units, without_matrices(test::rdna3_like())), HasSubstr("multiplies no"));
  EXPECT_EQ(against("* | * | epilogue=gelu | gemm/simt | x", common_device()), "");
  EXPECT_THAT(against("* | i32,i32 | epilogue=gelu | gemm/simt | x", common_device()),
              HasSubstr("gelu is computed in f32"));
  for (const GemmRow& row : shipped_gemm_table().rows) {
    bool somewhere = false;
    for (const DeviceCaps& device : devices()) {
      somewhere = somewhere || (is_for_device(row, device) && reasons_against(row, device).empty());
    }
    EXPECT_TRUE(somewhere) << row.text;
  }
}

TEST(GemmTable, RowsSayWhenTheyHold) {
  const GemmTable table = parse_gemm_table(
      "h100, H200 | f16,f32 bf16,f32 | m>=2 b=n area<=9000000000 batch=1 | gemm/simt | a | b\r\n",
      "mine");
  ASSERT_EQ(table.rows.size(), 1u);
  const GemmRow& row = table.rows.front();
  EXPECT_EQ(row.why, "a | b");
  EXPECT_EQ(match_text(row), "h100, H200 | f16,f32 bf16,f32 | m>=2 b=n area<=9000000000 batch=1");
  EXPECT_TRUE(is_for_device(row, named({}, "NVIDIA h200 NVL")));
  EXPECT_FALSE(is_for_device(row, named({}, "NVIDIA A100")));
  GemmQuestion one = question(kTypes[0], {2, 3, 4});
  EXPECT_EQ(unmet(row, one, {}), "b=n does not hold, b is k");
  one.form.b_k_contiguous = false;
  EXPECT_EQ(unmet(row, one, {}), "");
  one.shape = {std::int64_t{1} << 32, std::int64_t{1} << 32, 1};  // no area of 64 bits
  EXPECT_THAT(unmet(row, one, {}), HasSubstr("area<=9000000000 does not hold"));
  one.shape.reset();
  EXPECT_EQ(unmet(row, one, {}), "");  // 4096 each
}

// --- what is worth timing ---

TEST(GemmCandidates, AreManyDistinctAndMostlyAccepted) {
  for (const DeviceCaps& device : devices()) {
    for (const Types& types : {kTypes[0], kTypes[2]}) {
      if (types.operand == ScalarType::f16 && device.matrix_shapes.empty()) continue;
      const GemmQuestion one = question(types, {256, 256, 8192});
      const auto candidates = gemm_candidates(one, device);
      ASSERT_GE(candidates.size(), 10u);
      // The first of each kernel is a config that works, and so is about one in three of the rest.
      std::size_t accepted = 0;
      const std::size_t asked = std::min<std::size_t>(candidates.size(), 30);
      for (std::size_t i = 0; i < asked; ++i)
        accepted += reasons_against(candidates[i], one, device).empty();
      EXPECT_GE(3 * accepted, asked) << device.name;
    }
  }
}

TEST(GemmCandidates, TheFirstOfEachRowComeFirst) {
  const auto candidates =
      gemm_candidates(question(kTypes[0], {512, 512, 16384}), devices().front());
  std::vector<std::string> texts;
  for (const GemmChoice& one : candidates) texts.push_back(one.text());
  EXPECT_EQ(texts.front(), "gemm/coopmat --strip 8 --subgroups 2x4 --tile 128x256x32 --unroll yes");
  EXPECT_THAT(texts, Contains(HasSubstr("--split-k 16")));
  EXPECT_THAT(texts, Contains("gemm/packed --part 64x64 --subgroups 2x2x2 --split-k 8"));
  EXPECT_THAT(texts, Each(Not(HasSubstr("/2x4"))));
}

}  // namespace
}  // namespace vkmoye::gen
