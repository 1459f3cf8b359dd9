// SPDX-License-Identifier: MIT
// Attention over caches as they are kept: keys and values in blocks of codes, and in pages. tests/rows_device has
// random problems.

#include <cmath>
#include <string>
#include <vector>

#include "support/attention_on_twin.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"

namespace vkmoye::gen::attention_cache {
namespace {

using test::Bytes;
using test::bytes_of_values;
using test::Floats;
using test::halves;
using test::run_on_matrix_units;

// Query i is 1 at one element and 0 elsewhere, and there is one key: its score is that element of the key, the result
// its value.
TEST(AttentionCache, BlocksAreDecodedInPlace) {
  AttentionCall call;
  call.queries = 16;
  call.form.width = call.form.value_width = 128;
  call.keys = 1;
  call.scale = 1;
  call.form.log_sums = true;
  const auto element = [](std::size_t query) { return 8 * query + query / 2; };
  std::vector<float> q(16 * 128, 0);
  for (std::size_t i = 0; i < 16; ++i) q[128 * i + element(i)] = 1;
  std::vector<double> numbers;
  for (int d = 0; d < 128; ++d) numbers.push_back(std::sin(d));
  for (const WeightFormat& format : weight_formats()) {
    if (!format.is_linear()) continue;  // refused
    const Bytes row = quantise(format, numbers);
    const std::vector<double> decoded = dequantise(format, row, 128);
    call.form.key_format = call.form.value_format = &format;
    for (const char* kernel : {"attention/simt", "attention/decode"}) {
      const auto got =
          test::run_attention(kernel, call, {{"q", bytes_of_values(q)}, {"k", row}, {"v", row}});
      for (std::size_t i = 0; i < 16; ++i) {
        EXPECT_NEAR(got.at("log_sums")[i], decoded[element(i)], 1e-6) << kernel << format.name << i;
      }
      for (std::size_t d = 0; d < 128; ++d) {
        EXPECT_NEAR(got.at("o")[d], decoded[d], 1e-6) << kernel << ' ' << format.name << ' ' << d;
      }
    }
    // Decoded numbers, below 2, are rounded to f16.
    const Floats got = run_on_matrix_units(call, {{"q", halves(q)}, {"k", row}, {"v", row}});
    for (std::size_t i = 0; i < 16; ++i) {
      EXPECT_NEAR(got.at("log_sums")[i], decoded[element(i)], 0x1p-11) << format.name << i;
    }
    for (std::size_t d = 0; d < 128; ++d) {
      EXPECT_NEAR(got.at("o")[d], decoded[d], 0x1p-11) << format.name << ' ' << d;
    }
  }
}

TEST(AttentionCache, KernelsForBlocks) {
  AttentionCall call;
  call.queries = call.keys = 512;
  call.form.key_format = find_weight_format("q8_0");
  DeviceCaps device = test::h200_like();
  const auto chosen = [&](ScalarType type) {
    return attention_plan(call, type, device).steps.front().kernel.name;
  };
  EXPECT_EQ(chosen(ScalarType::f16), "attention/simt");  // the orders of matrices are not known
  device.fragment_orders = {test::order_of(test::kOnAnH200, 'a'),
                            test::order_of(test::kOnAnH200, 'a', "bf16"),
                            test::order_of(test::kOnAnH200, 'c', "f32")};
  EXPECT_EQ(chosen(ScalarType::f16), "attention/coopmat");
  EXPECT_EQ(chosen(ScalarType::bf16), "attention/coopmat");
  call.form.page = 16;
  call.stored_pages = 32;
  EXPECT_EQ(chosen(ScalarType::f16), "attention/coopmat");
  call.queries = 1;
  EXPECT_EQ(chosen(ScalarType::f16), "attention/decode");
  EXPECT_EQ(type_text(ScalarType::f16, call.form), "f16*q8_0*f16");
  call.form.value_format = find_weight_format("q8_0");
  EXPECT_EQ(type_text(ScalarType::f16, call.form), "f16*q8_0");
  call.form.key_format = call.form.value_format = nullptr;
  call.form.key_type = ScalarType::bf16;
  EXPECT_EQ(type_text(ScalarType::f16, call.form), "f16*bf16*f16");
  call.form.key_type = ScalarType::f16;
  EXPECT_EQ(type_text(ScalarType::f16, call.form), "f16");
}

// Threads have parts of different blocks, or several of one, as the widths of keys and values differ.
TEST(AttentionCache, EveryWidthInBlocksIsDescribedOrRefused) {
  DeviceCaps device = test::h200_like();
  device.fragment_orders = {test::order_of(test::kOnAnH200, 'a'),
                            test::order_of(test::kOnAnH200, 'c', "f32")};
  int described = 0;
  for (const char* format : {"q4_1", "q8_0", "q4_0"}) {
    if (test::is_quick() && described > 0) break;
    for (std::int64_t width = 32; width <= 256; width += 32) {
      for (const std::int64_t key_width : {160, 64}) {
        if (test::is_quick() && key_width == 64) continue;
        AttentionCall call;
        call.form.width = key_width;
        call.form.value_width = width;
        call.form.key_format = call.form.value_format = find_weight_format(format);
        for (const char* name : {"attention/simt", "attention/decode", "attention/coopmat"}) {
          const KernelEntry& entry = *find_kernel(name);
          const KernelRequest request = request_of(call, ScalarType::f16, device);
          if (!entry.refuse(request).empty()) continue;
          EXPECT_NO_THROW(entry.describe(request)) << name << ' ' << format << ' ' << width;
          ++described;
        }
      }
    }
  }
  EXPECT_GT(described, test::is_quick() ? 20 : 120);  // of 24 and of 144
}

TEST(AttentionCache, MatricesOfBf16AreNotBesideF16) {
  const auto reasons = [](const AttentionForm& form) {
    AttentionCall call;
    call.form = form;
    return find_kernel("attention/coopmat")
        ->refuse(request_of(call, ScalarType::bf16, test::h200_like()));
  };
  AttentionForm form;
  EXPECT_THAT(reasons(form), IsEmpty());
  const auto refused =
      ElementsAre(HasSubstr("matrices of bf16 and arrays of f16 cannot be in one shader"));
  form.mask = ScalarType::f16;
  EXPECT_THAT(reasons(form), refused);
  form.mask = ScalarType::f32;
  form.value_type = ScalarType::f16;
  EXPECT_THAT(reasons(form), refused);
  form.value_type = ScalarType::f32;
  EXPECT_THAT(reasons(form), IsEmpty());
}

// Keys have equal scores. Rows in no entry are NaN, and so is what a kernel must not read.
TEST(AttentionCache, PagesSayWhereKeysAre) {
  AttentionCall call;
  call.keys = 30;
  call.batch = 4;
  call.form.width = call.form.value_width = 32;
  call.form.page = 16;
  call.form.lengths = true;
  call.stored_pages = 3;
  const Bytes pages = bytes_of_values<std::int32_t>({2, 0, -1, 3, 2, 7, 0, 2}),
              lengths = bytes_of_values<std::int32_t>({18, 17, 4, 30});
  std::vector<float> v(3 * 16 * 32, std::nanf(""));
  const auto set = [&](std::size_t page, std::size_t first, std::size_t end, float value) {
    for (std::size_t i = 32 * (16 * page + first); i < 32 * (16 * page + end); ++i) v[i] = value;
  };
  set(2, 0, 16, 1);
  set(0, 0, 16, 10);
  for (const char* kernel : {"attention/simt", "attention/decode"}) {
    for (const AttentionOrder order : {AttentionOrder::bhsd, AttentionOrder::bshd}) {
      call.form.orders.k = call.form.orders.v = order;  // the same elements with one head
      const auto o =
          test::run_attention(kernel, call,
                              {{"v", bytes_of_values(v)}, {"pages", pages}, {"lengths", lengths}})
              .at("o");
      EXPECT_NEAR(o[0], (16 * 1 + 2 * 10) / 18.0, 1e-6) << kernel;
      EXPECT_EQ(o[32], 0) << kernel;  // pages that are not stored
      EXPECT_EQ(o[64], 1) << kernel;  // the page of another entry
      EXPECT_NEAR(o[96], (16 * 10 + 14 * 1) / 30.0, 1e-6) << kernel;
    }
  }
  // Tiles of 64 keys, which are in several pages, and of 16.
  for (const Options& options : {Options{}, Options{{"rows", "16"}, {"keys", "16"}}}) {
    const auto o = run_on_matrix_units(
                       call, {{"v", halves(v)}, {"pages", pages}, {"lengths", lengths}}, options)
                       .at("o");
    EXPECT_NEAR(o[0], (16 * 1 + 2 * 10) / 18.0, 2e-3);
    EXPECT_EQ(o[32], 0);
    EXPECT_EQ(o[64], 1);
    EXPECT_NEAR(o[96], (16 * 10 + 14 * 1) / 30.0, 8e-3);
  }
}

TEST(AttentionCache, RefusesPagesThatAreNone) {
  AttentionCall call;
  call.stored_pages = 2;
  EXPECT_THAT(reasons_against(call), ElementsAre("2 stored pages, but there are no pages"));
  call.form.page = 24;
  EXPECT_THAT(reasons_against(call),
              ElementsAre("pages of 24 keys are not a power of two from 16 to 256"));
  call.form.page = 16;
  EXPECT_THAT(find_kernel("attention/simt")
                  ->refuse(request_of(call, ScalarType::f16, common_device(), {{"tile", "32x32"}})),
              Contains(HasSubstr("keys")));
}

TEST(AttentionCache, RowsAreWholeBlocks) {
  AttentionCall call;
  call.form.width = 96;
  call.form.value_width = 80;
  call.form.key_format = call.form.value_format = find_weight_format("q4_0");
  EXPECT_THAT(reasons_against(call),
              ElementsAre("values 80 elements wide are not whole blocks of q4_0, of 32 elements"));
}

}  // namespace
}  // namespace vkmoye::gen::attention_cache
