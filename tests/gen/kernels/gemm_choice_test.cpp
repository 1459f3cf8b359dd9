// SPDX-License-Identifier: MIT
// Which kernel gemm/auto takes: every entry of the table is reached and accepted, nothing that gemm/simt
// takes is refused.

#include <array>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "gen/kernels/gemm_products.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/unverified.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"

namespace vkmoye::gen {
namespace {

// --- the table that ships ---

// The reasons against the kernel of `choice`, which is described.
std::vector<std::string> reasons_of_kernel(const GemmChoice& choice, const GemmProduct& product,
                                           const DeviceCaps& device) try {
  const ir::Kernel kernel = choice.entry->describe(request_of(choice, product, device));
  return reasons_against(ir::interface_of(kernel), device);
} catch (const KernelError& error) {
  return error.reasons;
}

TEST(GemmChoice, EveryShippedRowIsReachedAndAccepted) {
  std::vector<GemmProduct> products;
  for (const Types& types : kTypes) {
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 4096, 4096},
                                  {16, 4096, 4096},
                                  {4096, 16, 4096},
                                  {16, 1024, 4096},
                                  {12, 4096, 64},
                                  {1, 8192, 512},
                                  {1, 28672, 4096},
                                  {20, 1024, 2048},
                                  {32, 4096, 4096},
                                  {64, 4096, 4096},
                                  {4096, 32, 4096},
                                  {4096, 64, 4096},
                                  {128, 8192, 4096},
                                  {128, 4096, 4096},
                                  {256, 8192, 4096},
                                  {256, 4096, 4096},
                                  {64, 96, 64},
                                  {172, 400, 2048},
                                  {120, 332, 1896},
                                  {2422, 324, 8532},
                                  {1257, 983, 4001},
                                  {1257, 983, 1025},
                                  {713, 915, 533},
                                  {2000, 2000, 1001},
                                  {1174, 96, 816},
                                  {5, 176, 11712},
                                  {512, 4096, 4096},
                                  {32, 8192, 8192},
                                  {128, 128, 14336},
                                  {512, 512, 16384},
                                  {1024, 1024, 1024},
                                  {1536, 1536, 1024},
                                  {2048, 2048, 512},
                                  {4096, 4096, 4096}}) {
      products.push_back(product(types, {m, n, k}));
      products.push_back(products.back());
      products.back().a_k_contiguous = products.back().b_k_contiguous = false;
    }
  }
  for (const WeightFormat& format : weight_formats()) {
    for (const std::int64_t m : {1, 4, 8, 16, 32, 64, 128, 256, 2048}) {
      for (const std::int64_t k : {512, 8192}) {
        products.push_back(product(kTypes[0], {m, 4096, k}));
        products.back().weights = &format;
      }
    }
  }
  for (const Types& types : kTypes) {
    products.push_back(product(types, {4096, 4096, 4096}));
    products.back().has_experts = true;
  }
  const std::vector<DeviceCaps> all = devices();
  // Verifying the kernels takes most of the time.
  std::optional<UnverifiedDescriptions> unverified;
  if (test::is_quick()) unverified.emplace();
  int number = 0;
  const GemmTable& table = shipped_gemm_table();
  for (const GemmTableEntry& entry : table.entries) {
    ++number;
    std::set<std::string> types, reached;
    for (const GemmTypes& one : entry.types) types.insert(to_string(one));
    if (entry.types.empty()) types = {"any"};
    for (const DeviceCaps& device : all) {
      for (const GemmProduct& one : products) {
        const std::string type = type_of(one);
        const std::string named = entry.types.empty() ? "any" : type;
        if (reached.contains(named) || !is_for_device(entry, device) || !is_for_types(entry, one) ||
            !unmet(entry, one, device).empty()) {
          continue;
        }
        const GemmChoice choice = choose_gemm(one, device);
        if (choice.source != table.name + ", row " + std::to_string(number)) continue;
        reached.insert(named);
        // Describing the kernels takes most of the time.
        const auto place = static_cast<std::size_t>(number);
        if (!test::takes(place, reached.size(), types.size())) continue;
        EXPECT_THAT(reasons_against(choice, one, device), IsEmpty()) << number << ": " << entry.why;
        // The order of a matrix in registers is probed on a real device.
        EXPECT_THAT(reasons_of_kernel(choice, one, device),
                    Each(HasSubstr("its fragment order has not been probed")))
            << number << ": " << type;
      }
    }
    EXPECT_EQ(reached, types) << "no product comes to row " << number << ": " << entry.why;
    EXPECT_NE(entry.why, "") << number;
    EXPECT_THAT(reasons_against_names(entry), IsEmpty()) << number;
  }
}

// A row is multiplied without matrix units, and many with them, in blocks of every length.
TEST(GemmChoice, SuitsEveryWeightFormat) {
  for (const DeviceCaps& device : {devices().front(), devices()[4]}) {
    for (const WeightFormat& format : weight_formats()) {
      const auto chosen = [&](std::int64_t m) {
        GemmProduct one = product(kTypes[0], {m, 4096, 4096});
        one.weights = &format;
        const GemmChoice choice = choose_gemm(one, device);
        EXPECT_THAT(reasons_against(choice, one, device), IsEmpty()) << format.name;
        return choice.entry->name;
      };
      EXPECT_EQ(chosen(1), "gemm/quantised") << format.name;
      const bool is_cpu = device.kind == DeviceKind::cpu;
      const bool is_long = format.elements > 128;
      EXPECT_EQ(chosen(4), is_cpu || is_long ? "gemm/quantised" : "gemm/quantised_coopmat")
          << format.name;
      const auto* many = is_cpu && !is_long ? "gemm/coopmat" : "gemm/packed";
      const bool is_packed = is_long && !is_cpu;  // decoding them takes longer
      EXPECT_EQ(chosen(512), is_packed ? "gemm/packed_weights" : many) << format.name;
      EXPECT_EQ(chosen(4096), many) << format.name;
    }
  }
}

TEST(GemmChoice, SuitsTheH200) {
  DeviceCaps h200 = devices().front();
  h200.resident_groups = 132;
  const auto chosen = [&](const Types& types, std::vector<std::int64_t> shape) {
    return choose_gemm(product(types, std::move(shape)), h200);
  };
  EXPECT_EQ(chosen(kTypes[0], {8192, 8192, 8192}).entry->name, "gemm/packed");
  EXPECT_EQ(chosen(kTypes[5], {8192, 8192, 8192}).entry->name, "gemm/packed");  // bf16
  EXPECT_EQ(chosen(kTypes[0], {16, 4096, 4096}).entry->name, "gemm/thin_coopmat");
  EXPECT_EQ(chosen(kTypes[5], {16, 4096, 4096}).entry->name, "gemm/thin_coopmat");
  EXPECT_EQ(chosen(kTypes[0], {64, 8192, 8192}).entry->name, "gemm/thin_coopmat");
  EXPECT_EQ(chosen(kTypes[0], {256, 8192, 8192}).text(),
            "gemm/coopmat --subgroups 2x2x2 --tile 128x128x64");
  EXPECT_EQ(chosen(kTypes[2], {1, 4096, 4096}).entry->name, "gemm/thin");
  EXPECT_EQ(chosen(kTypes[2], {4096, 4096, 4096}).entry->name, "gemm/simt");
  const GemmChoice deep = chosen(kTypes[0], {128, 128, 14336});
  EXPECT_EQ(deep.entry->name, "gemm/coopmat");
  EXPECT_GT(deep.slices, 1);
  EXPECT_THAT(deep.text(), HasSubstr(" --split-k " + std::to_string(deep.slices)));
  EXPECT_THAT(deep.passed, Contains(HasSubstr("gemm/thin_coopmat: needs m<=64, but m is 128")));
}

// A tile of 128x128 is work of one core, and of a smaller C mostly empty.
TEST(GemmChoice, SuitsLavapipe) {
  const DeviceCaps lavapipe = devices()[4];
  const auto chosen = [&](std::vector<std::int64_t> shape, bool a_k, bool b_k) {
    GemmProduct one = product(kTypes[2], std::move(shape));
    one.a_k_contiguous = a_k;
    one.b_k_contiguous = b_k;
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

// What matters is how many workgroups there are for the device's multiprocessors.
TEST(GemmChoice, BatchesOfManyElementsAreCutLess) {
  const DeviceCaps h200 = devices().front();
  const auto slices = [&](std::int64_t batch) {
    GemmProduct one = product(kTypes[2], {64, 96, 8192});
    one.batch = batch;
    one.batched = batch != 1;
    one.epilogue = {*find_epilogue_op("bias")};
    return choose_gemm(one, h200).slices;
  };
  EXPECT_GT(slices(1), 1);
  EXPECT_LT(slices(100), slices(1));
  EXPECT_EQ(slices(10000), 1);
}

// Devices that no row names are cut by their cores.
TEST(GemmChoice, ExpectedTimesChooseOnEveryGpu) {
  DeviceCaps other = device_named(test::h200_like(), "A GPU of tomorrow");
  const GemmProduct deep = product(kTypes[0], {128, 128, 16384});
  for (const std::uint32_t cores : {8u, 132u, 1000u}) {
    other.resident_groups = cores;
    const GemmChoice choice = choose_gemm(deep, other);
    EXPECT_EQ(choice.source, "expected times");
    EXPECT_THAT(choice.why, AllOf(HasSubstr("expected to take "), HasSubstr("; the next, ")));
    EXPECT_THAT(choice.why, HasSubstr(std::to_string(cores) + " cores"));
  }
}

// --- what cannot be ---

// Whatever gemm/simt takes on a device, some entry takes, on devices of every kind.
TEST(GemmChoice, NothingIsRefusedThatSimtTakes) {
  std::mt19937_64 random(8);
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>(random() % end); };
  std::vector<DeviceCaps> all = devices();
  all.push_back(test::poor());
  all.push_back(common_device());
  const KernelEntry& simt = *find_kernel("gemm/simt");
  int taken = 0;
  for (int i = 0; i < 300; ++i) {
    GemmProduct one = product(kTypes[below(5)], {});
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t ends[] = {3, 20, 300, 5000, 20000};
      one.shape->push_back(below(static_cast<std::uint64_t>(ends[below(5)])));
    }
    one.a_k_contiguous = below(2) == 0;
    one.b_k_contiguous = below(2) == 0;
    one.beta = below(2) == 0;
    one.batched = below(3) == 0;
    one.batch = one.batched ? below(9) : 1;
    if (below(3) == 0 && is_floating(one.accumulator)) {
      one.epilogue = {*find_epilogue_op("bias"), *find_epilogue_op("relu")};
    }
    const DeviceCaps& device = all[static_cast<std::size_t>(below(all.size()))];
    GemmChoice by_simt;
    by_simt.entry = &simt;
    if (!reasons_against(by_simt, one, device).empty()) continue;
    ++taken;
    EXPECT_THAT(reasons_against(choose_gemm(one, device), one, device), IsEmpty())
        << i << ": " << device.name << ' ' << form_text(one);
  }
  EXPECT_GT(taken, 200);
}

TEST(GemmChoice, ARowThatIsRefusedIsPassedOverWithEveryReason) {
  const GemmProduct one = product(kTypes[0], {512, 512, 512});
  const std::vector<GemmTable> tables = {
      {"mine",
       {{.kernel = "gemm/coopmat", .options = {{"tile", "100x128x32"}}},
        {.kernel = "gemm/coopmat", .options = {{"tile", "big"}}},
        {.kernel = "gemm/simt", .options = {{"split-k", "1024"}}},
        {.kernel = "gemm/simt", .options = {{"split-k", "none"}}},
        {.kernel = "gemm/fast"},
        {.kernel = "gemm/moye_simple", .number = 9}}}};
  const GemmChoice choice = choose_gemm(one, test::h200_like(), tables);
  EXPECT_EQ(choice.text(), "gemm/moye_simple");
  EXPECT_EQ(choice.source, "mine, row 9");
  EXPECT_THAT(
      join(choice.passed, "\n"),
      AllOf(
          HasSubstr("mine, row 1: gemm/coopmat: subgroups m times atom m = 32 does not divide 100"),
          HasSubstr("mine, row 2: gemm/coopmat: tile 'big': expected three"),
          HasSubstr("mine, row 3: gemm/simt: k = 512 cannot be split into 1024 slices"),
          HasSubstr("mine, row 4: gemm/simt: split-k 'none': expected a"),
          HasSubstr("mine, row 5: gemm/fast: 'gemm/fast' is not a product kernel")));
}

TEST(GemmChoice, AnExecutorMayRefuseMoreThanLimitsTell) {
  const GemmProduct one = product(kTypes[0], {4096, 4096, 4096});
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
  const GemmProduct one = product(kTypes[0], {8192, 8192, 8192});
  DeviceCaps h200 = devices().front();
  const GemmPackedConfig config = gemm_packed_config(one, one.shape, h200);
  const PackedForm a = packed_form(config, one, 'a');
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
  const GemmProduct one = product(kTypes[6], {64, 64, 64});
  const GemmChoice choice = choose_gemm(one, common_device());
  EXPECT_EQ(choice.entry->name, "gemm/coopmat");
  EXPECT_THAT(join(reasons_of_kernel(choice, one, common_device()), "; "),
              HasSubstr("needs the feature cooperative_matrix"));
  EXPECT_THAT(choice.passed,
              Contains(HasSubstr("does not multiply matrices 16x16x32 of i8 in i32")));
}

TEST(GemmChoice, ProductsThatNoKernelHasAreRefusedWithEveryRow) {
  GemmProduct one = product(kTypes[6], {64, 64, 64});
  one.accumulator = one.result = ScalarType::f32;
  EXPECT_REFUSED(
      choose_gemm(one, test::h200_like()), KernelError,
      AllOf(HasSubstr("gemm/coopmat: "), HasSubstr("gemm/simt: the kernel does not support")));
}

// --- as an entry of the registry ---

TEST(GemmChoice, OneKernelIsTheBestThatIsNoPlan) {
  KernelRequest request = request_of(ScalarType::f16);
  request.product().shape = {8192, 8192, 8192};
  request.device = devices().front();
  EXPECT_EQ(find_kernel("gemm/auto")->describe(request).name, "gemm/coopmat");
  request.product().shape = {16, 4096, 4096};
  EXPECT_FALSE(find_kernel("gemm/auto")->describe(request).arguments.empty());
}

TEST(GemmChoice, OptionsAreRefusedWithTheKernelToName) {
  EXPECT_REFUSED(
      find_kernel("gemm/auto")->describe(request_of(ScalarType::f32, {{"tile", "64x64x8"}})),
      KernelError,
      "--tile is an option of the kernel that gemm/auto "
      "chooses, here gemm/simt; name that kernel");
}

}  // namespace
}  // namespace vkmoye::gen
