// SPDX-License-Identifier: MIT
// Attention over caches as they are kept: keys and values in blocks of codes, and in pages. tests/rows_device has
// random problems.

#include <cmath>
#include <string>
#include <vector>

#include "support/attention_on_twin.hpp"
#include "support/effort.hpp"
#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/decode.hpp"

namespace vkmoye::gen::attention_cache {
namespace {

using test::Bytes;
using test::bytes_of_values;
using test::Floats;
using test::halves;
using test::run_on_matrix_units;

struct Kernel {
  const char* name;
  double bound;     // of errors; decoded numbers, below 2, are rounded to f16 for matrix units
  Options options;  // those of few threads
};

// Query i is 1 at one element and 0 elsewhere, and there is one key: its score is that element of the key, the result
// its value.
void expect_decoded(const WeightFormat& of_k, const WeightFormat& of_v, const Kernel& kernel) {
  SCOPED_TRACE(std::string(kernel.name) + ' ' + of_k.name + ' ' + of_v.name);
  const auto row = [](const WeightFormat& format) {
    std::vector<double> numbers;
    const auto width = static_cast<int>(std::max<std::int64_t>(64, format.elements));
    for (int d = 0; d < width; ++d) numbers.push_back(std::sin(d));
    return quantise(format, numbers);
  };
  AttentionCall call;
  call.queries = 16;
  call.keys = 1;
  call.scale = 1;
  call.form.log_sums = true;
  call.form.key_format = &of_k;
  call.form.value_format = &of_v;
  call.form.width = std::max<std::int64_t>(64, of_k.elements);
  call.form.value_width = std::max<std::int64_t>(64, of_v.elements);
  const Bytes k = row(of_k), v = row(of_v);
  const std::vector<double> key = dequantise(of_k, k, call.form.width),
                            value = dequantise(of_v, v, call.form.value_width);
  const auto element = [&](std::size_t query) { return key.size() / 16 * query + query / 4; };
  std::vector<float> q(16 * key.size(), 0);
  for (std::size_t i = 0; i < 16; ++i) q[key.size() * i + element(i)] = 1;
  const bool has_matrices = kernel.bound > 1e-6;
  const auto got =
      has_matrices
          ? run_on_matrix_units(call, {{"q", halves(q)}, {"k", k}, {"v", v}}, kernel.options)
          : test::run_attention(kernel.name, call, {{"q", bytes_of_values(q)}, {"k", k}, {"v", v}},
                                kernel.options);
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(got.at("log_sums")[i], key[element(i)], kernel.bound) << i;
  }
  for (std::size_t d = 0; d < value.size(); ++d) {
    EXPECT_NEAR(got.at("o")[d], value[d], kernel.bound) << d;
  }
}

// Keys of each format, and values of the next one; in the quick run by one of the kernels.
TEST(AttentionCache, BlocksAreDecodedInPlace) {
  const Kernel kernels[] = {
      {"attention/simt", 1e-6, {{"tile", "16x8"}, {"threads", "64"}}},
      {"attention/decode", 1e-6, {{"threads", "32"}, {"reads", "1"}}},
      {"attention/coopmat", 0x1p-11, {{"rows", "16"}, {"keys", "16"}, {"subgroups", "1"}}}};
  std::vector<const WeightFormat*> formats;
  for (const WeightFormat& format : weight_formats()) {
    if (format.is_in_words()) formats.push_back(&format);  // others are refused
  }
  EXPECT_GE(formats.size(), 19u);
  for (std::size_t i = 0; i < formats.size(); ++i) {
    for (std::size_t kernel = 0; kernel < 3; ++kernel) {
      if (test::is_quick() && kernel != i % 3) continue;
      expect_decoded(*formats[i], *formats[(i + 1) % formats.size()], kernels[kernel]);
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
  for (const char* format : {"q5_1", "q8_0", "iq4_nl"}) {
    if (test::is_quick() && described > 0) break;
    for (std::int64_t width = 32; width <= 256; width += test::is_quick() ? 96 : 32) {
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
  EXPECT_GT(described, test::is_quick() ? 7 : 120);  // of 9 and of 144
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
  call.form.value_width = 64;
  call.form.value_format = find_weight_format("mxfp4");  // blocks of 17 bytes
  EXPECT_THAT(reasons_against(call),
              ElementsAre("values in mxfp4: attention reads words of 16 bits, and some number is "
                          "not at the same bits of all of its words"));
  EXPECT_REFUSED(attention_decode_config(call, ScalarType::f16, common_device()), KernelError,
                 "values in mxfp4");
}

}  // namespace
}  // namespace vkmoye::gen::attention_cache
