// SPDX-License-Identifier: MIT
// Descriptions of matrix products: shapes of their partitions, forms, refusals.

#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/mma.hpp"
#include "vkmoye/gen/kernels/products/combine.hpp"
#include "vkmoye/gen/kernels/products/simt.hpp"
#include "vkmoye/gen/kernels/products/thin.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

// A of f32, B of f16: each lies in shared memory as in its buffer, and is converted as it is multiplied.
TEST(Gemm, OperandsHaveTypesOfTheirOwn) {
  KernelRequest request = request_of(ScalarType::f16);
  request.product().a_type = request.product().accumulator = request.product().result =
      ScalarType::f32;
  EXPECT_EQ(form_text(request.product()), "f32*f16,f32,f32 a=k b=k");
  EXPECT_EQ(multiplied_type(request.product()), ScalarType::f16);
  const ir::Kernel kernel = find_kernel("gemm/simt")->describe(request);
  EXPECT_EQ(kernel.find("shared_a")->type, ScalarType::f32);
  EXPECT_EQ(kernel.find("shared_b")->type, ScalarType::f16);
  // Matrix units multiply one type.
  request.device = vkmoye::test::h200_like();
  const ir::Kernel units = find_kernel("gemm/coopmat")->describe(request);
  EXPECT_EQ(units.find("a")->type, ScalarType::f32);
  EXPECT_EQ(units.find("shared_a")->type, ScalarType::f16);
  EXPECT_EQ(units.find("matrices_a")->type, ScalarType::f16);
}

TEST(Gemm, TwoTypesThatDoNotMixAreRefused) {
  const auto refused = [](const char* kernel, ScalarType a, ScalarType b, const auto& text) {
    KernelRequest request = request_of(b);
    request.product().a_type = a;
    EXPECT_REFUSED(find_kernel(kernel)->describe(request), KernelError, text);
  };
  refused("gemm/simt", ScalarType::f64, ScalarType::f16,
          "operands of f64*f16: two different types must both be f16, bf16 or f32");
  refused("gemm/simt", ScalarType::f32, ScalarType::i32,
          "a of f32 and b of i32: integers and floating-point numbers do not mix");
  refused("gemm/coopmat", ScalarType::bf16, ScalarType::f16,
          "operands of bf16*f16: they must have one type");
  refused("gemm/thin_coopmat", ScalarType::bf16, ScalarType::f16,
          "operands of bf16*f16: they must have one type");
}

// The shapes that MoYe.jl's tutorial on TiledMMA prints.
TEST(Gemm, PartitionsAsTheTutorialDoes) {
  const TiledMma mma = make_tiled_mma(make_layout({32, 8}));
  Builder k("shapes", 256);
  const View a = k.shared("a", ScalarType::f32, make_layout({128, 8}, {1, 129}));
  const View c = k.registers("c", ScalarType::f32, make_layout({128, 128}));
  EXPECT_EQ(to_string(partition_A(mma, a, k.thread()).shape()), "(1,4,8)");
  EXPECT_EQ(to_string(partition_B(mma, a, k.thread()).shape()), "(1,16,8)");
  EXPECT_EQ(to_string(product_each(partition_C(mma, c, k.thread()).shape())), "(1,4,16)");
}

TEST(Gemm, DescribesEveryFormOfEveryRung) {
  for (const KernelEntry& entry : registry()) {
    if (entry.operation != "gemm") continue;
    for (const ScalarType type : entry.types) {
      const bool in_all = entry.name == "gemm/simt" || entry.name == "gemm/thin";
      const int forms = in_all && type == ScalarType::f32 ? 16 : 1;
      for (int bits = 0; bits < forms; ++bits) {
        KernelRequest request = request_of(type);
        request.product().a_k_contiguous = bits & 1;
        request.product().b_k_contiguous = (bits & 2) != 0 || entry.weights != nullptr;
        request.product().beta = bits & 4;
        request.product().batched = bits & 8;
        EXPECT_NO_THROW(vkmoye::test::described(entry, request))
            << entry.name << " " << to_string(type) << bits;
      }
    }
  }
}

TEST(Gemm, InterfaceNamesLeadingDimensionsAndFactors) {
  GemmForm form;
  form.beta = form.batched = true;
  form.a_k_contiguous = false;
  const KernelInterface interface = interface_of(gemm_simt({}, form, "gemm"));
  EXPECT_EQ(interface.bindings[0].extents, (std::vector<Extent>{"m", "k", "batch"}));
  EXPECT_EQ(interface.bindings[0].strides, (std::vector<Extent>{1, "lda", "stride_a"}));
  EXPECT_EQ(interface.bindings[1].extents, (std::vector<Extent>{"k", "n", "batch"}));
  EXPECT_EQ(interface.bindings[2].access, Access::read_write);
  EXPECT_EQ(interface.grid[2].extent, Extent("batch"));
  EXPECT_THAT(interface.push_constants, Contains(PushConstant("beta", ScalarType::f32)));
}

TEST(Gemm, RefusesWithEveryReason) {
  GemmSimtConfig config;
  config.tile_m = config.tile_n = 16;
  EXPECT_REFUSED(gemm_simt(config, {}, "gemm/x"), KernelError,
                 AllOf(HasSubstr("staging A"), HasSubstr("staging B")));
  GemmForm form;
  form.a_type = form.b_type = ScalarType::bf16;
  form.accumulator = ScalarType::i8;
  EXPECT_REFUSED(gemm_simt({}, form, "gemm/x"), KernelError,
                 AllOf(HasSubstr("bf16"), HasSubstr("accumulator i8")));
}

TEST(Gemm, IntegersAndFloatingPointNumbersDoNotMix) {
  const auto refused = [](ScalarType operand, ScalarType accumulator, ScalarType result,
                          const auto& text) {
    GemmForm form;
    form.a_type = form.b_type = operand;
    form.accumulator = accumulator;
    form.result = result;
    EXPECT_REFUSED(gemm_simt({}, form, "gemm/x"), KernelError, text);
  };
  refused(ScalarType::f32, ScalarType::i32, ScalarType::i32,
          "operands of f32 and accumulator of i32: integers and floating-point");
  refused(ScalarType::f16, ScalarType::f32, ScalarType::i32,
          "accumulator of f32 and result of i32");
  refused(ScalarType::i32, ScalarType::i32, ScalarType::u32,
          "result of u32: the result cannot hold negative sums");
  refused(ScalarType::i32, ScalarType::f32, ScalarType::i8,
          AllOf(HasSubstr("operands of i32 and accumulator of f32"),
                HasSubstr("accumulator of f32 and result of i8")));
}

TEST(Gemm, TilesAreChosenForTheDevice) {
  const auto tile_on = [](const DeviceCaps& device) {
    KernelRequest request = request_of(ScalarType::f64);
    request.device = device;
    for (const auto& [name, value] : find_kernel("gemm/simt")->describe(request).config) {
      if (name == "tile") return value;
    }
    return std::string();
  };
  EXPECT_EQ(tile_on(vkmoye::test::h200_like()), "128x128x8");
  EXPECT_EQ(tile_on(vkmoye::test::lavapipe_like()), "128x64x8");
  EXPECT_EQ(tile_on(common_device()), "128x64x8");
}

// The smaller of m and n is small; more than 16 rows go into blocks of one size.
TEST(GemmThin, ShapeAndOrderChooseTheConfig) {
  const DeviceCaps device = vkmoye::test::h200_like();
  GemmForm form = gemm_form(ScalarType::f16);
  const auto chosen = [&](std::int64_t m, std::int64_t n) {
    return gemm_thin_config(form, std::vector<std::int64_t>{m, n, 4096}, device);
  };
  EXPECT_FALSE(chosen(1, 4096).n_is_small);
  EXPECT_EQ(chosen(1, 4096).rows, 1);
  EXPECT_TRUE(chosen(4096, 5).n_is_small);
  EXPECT_EQ(chosen(4096, 5).rows, 5);
  EXPECT_EQ(chosen(18, 4096).rows, 9);
  EXPECT_EQ(chosen(0, 4096).rows, 1);
  EXPECT_EQ(chosen(1, 4096).along_k, 32);
  // Neighbours of n: fewer at once where there are many sums for each.
  form.b_k_contiguous = false;
  EXPECT_EQ(chosen(1, 4096).along_k, 128);
  EXPECT_EQ(chosen(1, 4096).vector_bytes, 16);
  EXPECT_EQ(chosen(16, 4096).vector_bytes, 8);
  EXPECT_EQ(thin_tile(chosen(16, 4096), form).large.rows(), 4);
  const auto on_cpu = gemm_thin_config(form, std::vector<std::int64_t>{16, 4096, 4096},
                                       vkmoye::test::lavapipe_like());
  EXPECT_EQ(on_cpu.rows, 4);  // what LLVM compiles in a second
}

TEST(GemmThin, RefusesWithEveryReason) {
  const auto refused = [](const GemmThinConfig& config, const auto& text) {
    EXPECT_REFUSED(gemm_thin(config, {}), KernelError, text);
  };
  refused({.rows = 17, .threads = 96, .vector_bytes = 2},
          AllOf(HasSubstr("17 rows of the small operand: there must be 1 to 16"),
                HasSubstr("threads = 96 is not a power of two"), HasSubstr("vector 2")));
  refused({.threads = 32, .along_k = 64, .subgroup_size = 64},
          AllOf(HasSubstr("64 threads along k, but a workgroup has 32"),
                HasSubstr("subgroups of 64 lanes are larger")));
  refused({.rows = 16, .reads_k = 32, .reads_row = 32},
          AllOf(HasSubstr("a thread has 512 sums, but its registers hold at most 256"),
                HasSubstr("4096 elements of the large operand"),
                HasSubstr("2048 elements of the small operand")));
  GemmForm form;
  form.accumulator = ScalarType::i32;
  EXPECT_REFUSED(gemm_thin({}, form), KernelError, "integers and floating-point");
}

TEST(Gemm, SlicesOfKGoToAMatrixEachAndTogetherToC) {
  GemmForm form = gemm_form(ScalarType::f16);
  form.beta = true;
  form.epilogue = {*find_epilogue_op("bias")};
  const GemmForm slices = form_of_slices(form);
  EXPECT_EQ(form_text(slices), "f16,f32,f32 a=k b=k split-k");
  const KernelInterface sums = interface_of(gemm_simt({}, slices, "gemm"));
  EXPECT_EQ(sums.bindings[0].extents, (std::vector<Extent>{"k", "m"}));
  EXPECT_EQ(sums.bindings[2].extents, (std::vector<Extent>{"n", "m", "slices"}));
  EXPECT_EQ(sums.bindings[2].access, Access::write);
  const KernelInterface all =
      interface_of(gemm_combine(form, 16, std::nullopt, vkmoye::test::h200_like()));
  EXPECT_EQ(all.bindings[0].extents, (std::vector<Extent>{"n", "m", "slices"}));
  EXPECT_EQ(all.bindings[1].name, "bias");
  EXPECT_EQ(all.bindings[2].type, ScalarType::f16);
  EXPECT_EQ(all.bindings[2].access, Access::read_write);
  const Extent each("slices", "batch");  // of each product of a batch
  GemmForm batched = slices;
  batched.batched = true;
  EXPECT_EQ(interface_of(gemm_simt({}, batched, "gemm")).bindings[2].extents,
            (std::vector<Extent>{"n", "m", each}));
  GemmForm with_c = slices;
  with_c.beta = true;
  EXPECT_REFUSED(gemm_simt({}, with_c, "gemm/x"), KernelError, "slices of k can have neither beta");
  EXPECT_REFUSED(gemm_combine(slices, 16, std::nullopt, vkmoye::test::h200_like()), KernelError,
                 "must not have split_k");
}

TEST(Gemm, OperandsOfOtherShapesAreRefused) {
  Builder k("product", 32);
  const View a = k.registers("a", ScalarType::f32, make_layout({1, 4}));
  const View c = k.registers("c", ScalarType::f32, make_layout({{1, 1}, 4, 8}));
  EXPECT_REFUSED(k.gemm(a, a, c), LayoutError, "(1,4), (1,4), ((1,1),4,8) are not");
}

}  // namespace
}  // namespace vkmoye::gen
