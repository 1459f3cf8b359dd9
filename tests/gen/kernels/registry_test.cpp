// SPDX-License-Identifier: MIT
// What the generator makes of each kernel for devices of every kind.

#include "vkmoye/gen/kernels/registry/registry.hpp"

#include "support/effort.hpp"
#include "support/expect.hpp"
#include "support/fake_devices.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/base/error.hpp"

namespace vkmoye::gen {
namespace {

std::vector<std::string> reasons(const KernelEntry& entry, ScalarType type,
                                 const DeviceCaps& caps) {
  KernelRequest request = request_of(type);
  request.device = caps;
  return reasons_against(ir::interface_of(test::described(entry, request)), caps);
}

TEST(Registry, EveryKernelAndTypeSuitsARealDevice) {
  std::size_t row = 0;
  for (const DeviceCaps& caps : {test::lavapipe_like(), test::h200_like(), test::rdna3_like()}) {
    for (const KernelEntry& entry : registry()) {
      ++row;
      for (std::size_t number = 0; number < entry.types.size(); ++number) {
        if (!test::takes(row, number, entry.types.size())) continue;
        const ScalarType type = entry.types[number];
        // lavapipe has no matrices of bf16.
        const bool has_units =
            entry.name == "gemm/coopmat" || entry.name == "gemm/packed" ||
            entry.name == "gemm/thin_coopmat" || entry.name == "gemm/packed_weights" ||
            entry.name == "gemm/quantised_coopmat" || entry.name == "attention/coopmat";
        const bool lacks = has_units && type == ScalarType::bf16 && caps.subgroup_size == 8;
        const auto against = reasons(entry, type, caps);
        if (lacks) {
          EXPECT_THAT(against, ElementsAre(HasSubstr("needs products of matrices 16x16x16  bf16")));
        } else {
          EXPECT_THAT(against, IsEmpty())
              << entry.name << ' ' << to_string(type) << " on " << caps.name;
        }
      }
    }
  }
}

TEST(Registry, APoorDeviceIsToldEverythingItLacks) {
  const KernelEntry& entry = *find_kernel("transpose/padded");
  EXPECT_THAT(reasons(entry, ScalarType::i8, test::poor()),
              ElementsAre("needs the feature i8, the device lacks it",
                          "needs the feature storage8, the device lacks it",
                          "needs 256 threads in dimension 0 of a workgroup, the device has 128",
                          "needs 256 threads in a workgroup, the device has 128"));
  const Options fewer = {{"threads", "32x4"}};
  EXPECT_THAT(
      reasons_against(ir::interface_of(entry.describe({ScalarType::f32, fewer})), test::poor()),
      IsEmpty());
}

TEST(Registry, NamesAreUniqueAndFound) {
  for (const KernelEntry& entry : registry()) EXPECT_EQ(find_kernel(entry.name), &entry);
  EXPECT_EQ(find_kernel("transpose"), nullptr);
}

TEST(Registry, AnOptionThatAKernelHasNotIsRefusedWithThoseItHas) {
  try {
    find_kernel("transpose/naive")->describe({ScalarType::f32, {{"pad", "1"}, {"tile", "x"}}});
    FAIL() << "accepted";
  } catch (const KernelError& error) {
    EXPECT_THAT(error.reasons,
                ElementsAre("there is no option 'pad'; the options are tile, threads",
                            "tile 'x': expected two whole numbers, such as 64x32"));
  }
}

TEST(Registry, ATypeThatAKernelHasNotIsRefusedWithItsOptions) {
  try {
    find_kernel("transpose/vec4")->describe({ScalarType::i64, {{"pad", "1"}}});
    FAIL() << "accepted";
  } catch (const KernelError& error) {
    EXPECT_THAT(error.reasons,
                ElementsAre(HasSubstr("the kernel does not support i64; it supports f16 bf16 f32"),
                            "there is no option 'pad'; the kernel has none"));
  }
}

// A shape of no extents is that of a number, not the lack of a shape.
TEST(Registry, AShapeThatWasGivenIsNoExample) {
  const KernelEntry& relayout = *find_kernel("relayout");
  const auto elements = [&](std::optional<std::vector<std::int64_t>> shape) {
    KernelRequest request = request_of(ScalarType::f32);
    request.elements().shape = std::move(shape);
    return element_count(ir::interface_of(relayout.describe(request)).bindings[1], {});
  };
  EXPECT_EQ(elements(std::nullopt), 32u * 64 * 128);
  EXPECT_EQ(elements(std::vector<std::int64_t>{}), 1u);
  EXPECT_EQ(elements(std::vector<std::int64_t>{4, 0, 3}), 0u);
}

TEST(Registry, NumbersBeyondSixtyFourBitsAreRefusedAsSuch) {
  try {
    find_kernel("copy/padded")->describe({ScalarType::f32, {{"pad", "99999999999999999999"}}});
    FAIL() << "accepted";
  } catch (const KernelError& error) {
    EXPECT_THAT(error.reasons, Contains(HasSubstr("99999999999999999999")));
  }
}

TEST(Registry, ANameThatNoKernelHasComesWithTheOneThatWasMeant) {
  EXPECT_EQ(kernel_named("softmax/rows").name, "softmax/rows");
  const auto refused = [](const char* name, const char* why) {
    EXPECT_REFUSED(kernel_named(name), ArgumentError, StrEq(why));
  };
  refused("softmx/rows", "no kernel 'softmx/rows' (did you mean 'softmax/rows'?)");
  refused("write_contiguous",
          "no kernel 'write_contiguous' (did you mean 'transpose/write_contiguous'?)");
  refused("reduce/wholly_different", "no kernel 'reduce/wholly_different'; reduce/ has sum max");
  refused("", "no kernel ''");
}

TEST(Registry, AFormOfAnotherKindIsRefused) {
  const KernelRequest product = {.form = GemmProduct(gemm_form(ScalarType::bf16))};
  EXPECT_NO_THROW(kernel_named("gemm/simt").describe(product));
  EXPECT_NO_THROW(kernel_named("gemm/simt").describe(request_of(ScalarType::bf16)));
  for (const char* name : {"softmax/rows", "attention/simt", "attention/auto"}) {
    const char* computes = name[0] == 's' ? "arrays of elements" : "attention";
    EXPECT_THAT([&] { kernel_named(name).describe(product); },
                testing::ThrowsMessage<KernelError>(
                    std::string(name) + ": the form is that of a product, the kernel computes " +
                    computes));
  }
}

}  // namespace
}  // namespace vkmoye::gen
