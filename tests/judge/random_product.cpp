// SPDX-License-Identifier: MIT
#include "judge/random_product.hpp"

#include <fmt/format.h>

#include <cstring>

#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/products/simt.hpp"

namespace vkmoye::judge {
namespace {

using namespace gen;

GemmSimtConfig draw_config(Draw& draw) {
  GemmSimtConfig c;
  const auto extent = [&] { return draw.one_of<std::int64_t>({4, 8, 16}); };
  c.tile_m = extent();
  c.tile_n = extent();
  c.tile_k = draw.one_of<std::int64_t>({2, 4, 8});
  c.threads =
      Layout(IntTuple{draw.one_of<std::int64_t>({2, 4}), draw.one_of<std::int64_t>({2, 4})});
  c.values_m = draw.one_of<std::int64_t>({1, 2});
  c.values_n = draw.one_of<std::int64_t>({1, 2});
  c.pad_a = draw.one_of<std::int64_t>({0, 1, 2});
  c.pad_b = draw.one_of<std::int64_t>({0, 1, 2});
  c.stages = draw.one_of<std::int64_t>({1, 2});
  c.prefetch = c.stages == 2 || draw.chance(2);
  c.fragments = c.stages == 2 ? draw.one_of<std::int64_t>({1, 2}) : 1;
  c.vector_bytes = draw.one_of<std::int64_t>({4, 8, 16});
  return c;
}

GemmForm draw_form(Draw& draw) {
  GemmForm form = gemm_form(draw.one_of({ScalarType::f32, ScalarType::i32, ScalarType::f64}));
  form.a_k_contiguous = draw.chance(2);
  form.b_k_contiguous = draw.chance(2);
  form.beta = draw.chance(2);
  return form;
}

double at(const std::vector<std::byte>& bytes, ScalarType type, std::int64_t index) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &bytes[static_cast<std::size_t>(index) * size_of(type)], size_of(type));
  return number_of(type, bits);
}

std::vector<std::byte> product_of(const GemmForm& form, const Arguments& sizes,
                                  const Buffers& before) {
  const auto size = [&](const char* name) { return std::get<std::int64_t>(sizes.at(name).value); };
  const auto factor = [&](const char* name) {
    return std::visit([](auto n) { return static_cast<double>(n); }, sizes.at(name).value);
  };
  const std::int64_t lda = size("lda"), ldb = size("ldb"), ldc = size("ldc");
  const ScalarType type = form.a_type;
  std::vector<std::byte> out = before[2];
  for (std::int64_t i = 0; i < size("m"); ++i) {
    for (std::int64_t j = 0; j < size("n"); ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < size("k"); ++p) {
        sum += at(before[0], type, form.a_k_contiguous ? i * lda + p : p * lda + i) *
               at(before[1], type, form.b_k_contiguous ? j * ldb + p : p * ldb + j);
      }
      sum *= factor("alpha");
      if (form.beta) sum += factor("beta") * at(before[2], type, i * ldc + j);
      const std::uint64_t bits = bits_of(type, sum);
      std::memcpy(&out[static_cast<std::size_t>(i * ldc + j) * size_of(type)], &bits,
                  size_of(type));
    }
  }
  return out;
}

}  // namespace

Subject random_product(Draw& draw) {
  GemmSimtConfig config;
  GemmForm form;
  do {
    config = draw_config(draw);
    form = draw_form(draw);
  } while (!reasons_against(config, form).empty());
  std::string text =
      fmt::format("product of {}{}", to_string(form.a_type), form.beta ? ", beta" : "");
  for (const auto& [key, value] : config.items()) text += fmt::format(", {} {}", key, value);
  return {text, gemm_simt(config, form, "gemm/random"), true,
          [form](const Arguments& sizes, const Buffers& before) {
            return product_of(form, sizes, before);
          }};
}

}  // namespace vkmoye::judge
