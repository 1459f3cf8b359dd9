// SPDX-License-Identifier: MIT
// Blocks of every format against decoders that are written from the definitions, with indices of bytes and no layouts:
// of ggml for q5_0 to iq4_xs. All bytes of a block are random but its scales, so that all codes and all numbers of
// parts of a block occur.

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <string>

#include "support/expect.hpp"
#include "vkmoye/contract/scalar_value.hpp"
#include "vkmoye/gen/kernels/common/quantise.hpp"

namespace vkmoye::gen {
namespace {

using IntBytes = std::vector<int>;
using WeightDecoder = std::function<double(const IntBytes& x, int i)>;

double f16_at(const IntBytes& x, int at) {
  return number_of(ScalarType::f16, static_cast<std::uint64_t>(x[at] | x[at + 1] << 8));
}
int nibble(int byte, int high) { return byte >> (4 * high) & 15; }
int signed_byte(int byte) { return byte < 128 ? byte : byte - 256; }

// q4_K and q5_K: 6 bits of scale `j` and of minimum `j`, from 12 bytes at 4.
int scale_of_k(const IntBytes& x, int j) {
  return j < 4 ? x[4 + j] & 63 : (x[4 + j + 4] & 15) | (x[4 + j - 4] >> 6) << 4;
}
int minimum_of_k(const IntBytes& x, int j) {
  return j < 4 ? x[4 + j + 4] & 63 : x[4 + j + 4] >> 4 | (x[4 + j] >> 6) << 4;
}
// The code of 4 bits of weight i, 64 weights in 32 bytes from `at` on.
int code_of_k(const IntBytes& x, int at, int i) {
  return nibble(x[at + i / 64 * 32 + i % 32], i % 64 / 32);
}
const double kE2m1[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6};
const int kUneven[] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};

const std::map<std::string, WeightDecoder> kDefinitions = {
    {"q4_0",
     [](const IntBytes& x, int i) { return f16_at(x, 0) * (nibble(x[2 + i % 16], i / 16) - 8); }},
    {"q4_1", [](const IntBytes& x,
                int i) { return f16_at(x, 0) * nibble(x[4 + i % 16], i / 16) + f16_at(x, 2); }},
    {"q5_0",
     [](const IntBytes& x, int i) {
       const int high = x[2 + i / 8] >> (i % 8) & 1;
       return f16_at(x, 0) * ((nibble(x[6 + i % 16], i / 16) | high << 4) - 16);
     }},
    {"q5_1",
     [](const IntBytes& x, int i) {
       const int high = x[4 + i / 8] >> (i % 8) & 1;
       return f16_at(x, 0) * (nibble(x[8 + i % 16], i / 16) | high << 4) + f16_at(x, 2);
     }},
    {"q8_0", [](const IntBytes& x, int i) { return f16_at(x, 0) * signed_byte(x[2 + i]); }},
    {"q2_K",
     [](const IntBytes& x, int i) {
       const int code = x[16 + i / 128 * 32 + i % 32] >> (2 * (i % 128 / 32)) & 3;
       const int part = x[i / 16];
       return f16_at(x, 80) * (part & 15) * code - f16_at(x, 82) * (part >> 4);
     }},
    {"q3_K",
     [](const IntBytes& x, int i) {
       const int low = x[32 + i / 128 * 32 + i % 32] >> (2 * (i % 128 / 32)) & 3;
       const bool is_set = (x[i % 32] >> (i / 32) & 1) != 0;
       const int j = i / 16;
       const int part = nibble(x[96 + j % 8], j / 8) | (x[104 + j % 4] >> (2 * (j / 4)) & 3) << 4;
       return f16_at(x, 108) * (part - 32) * (low - (is_set ? 0 : 4));
     }},
    {"q4_K",
     [](const IntBytes& x, int i) {
       return f16_at(x, 0) * scale_of_k(x, i / 32) * code_of_k(x, 16, i) -
              f16_at(x, 2) * minimum_of_k(x, i / 32);
     }},
    {"q5_K",
     [](const IntBytes& x, int i) {
       const int high = x[16 + i % 32] >> (i / 32) & 1;
       return f16_at(x, 0) * scale_of_k(x, i / 32) * (code_of_k(x, 48, i) | high << 4) -
              f16_at(x, 2) * minimum_of_k(x, i / 32);
     }},
    {"q6_K",
     [](const IntBytes& x, int i) {
       const int half = i / 128, of_half = i % 128;
       const int low = nibble(x[64 * half + of_half % 64], of_half / 64);
       const int high = x[128 + 32 * half + of_half % 32] >> (2 * (of_half / 32)) & 3;
       return f16_at(x, 208) * signed_byte(x[192 + i / 16]) * ((low | high << 4) - 32);
     }},
    {"mxfp4",
     [](const IntBytes& x, int i) {
       const int e = x[17 * (i / 32)];
       return e == 255
                  ? std::nan("")
                  : std::ldexp(kE2m1[nibble(x[17 * (i / 32) + 1 + i % 16], i % 32 / 16)], e - 127);
     }},
    {"nvfp4",
     [](const IntBytes& x, int i) {
       const int s = x[i / 16], e = s >> 3 & 15, m = s & 7;
       const double size = (s & 127) == 127 ? std::nan("")
                           : e == 0         ? std::ldexp(m, -9)
                                            : std::ldexp(8 + m, e - 10);
       return (s > 127 ? -size : size) * kE2m1[nibble(x[4 + i / 16 * 8 + i % 8], i % 16 / 8)];
     }},
    {"iq4_nl", [](const IntBytes& x,
                  int i) { return f16_at(x, 0) * kUneven[nibble(x[2 + i % 16], i / 16)]; }},
    {"iq4_xs",
     [](const IntBytes& x, int i) {
       const int j = i / 32;
       const int part = nibble(x[4 + j / 2], j % 2) | ((x[2] | x[3] << 8) >> (2 * j) & 3) << 4;
       return f16_at(x, 0) * (part - 32) * kUneven[nibble(x[8 + 16 * j + i % 16], i % 32 / 16)];
     }},
};

TEST(WeightDefinitions, AreWhatTheLayoutsSay) {
  std::mt19937_64 random(11);
  for (const auto& [name, decode] : kDefinitions) {
    const WeightFormat& format = *find_weight_format(name);
    for (int round = 0; round < 64; ++round) {
      std::vector<std::byte> block(static_cast<std::size_t>(format.bytes));
      for (std::byte& byte : block) byte = static_cast<std::byte>(random());
      for (const auto& number : {format.scale, format.minimum}) {
        const double value = std::ldexp(1.0 + static_cast<double>(random() % 1024) / 1024,
                                        static_cast<int>(random() % 20) - 14);
        if (number) store_bits(*number, bits_of(ScalarType::f16, value), block, 0);
      }
      IntBytes bytes;
      for (const std::byte byte : block) bytes.push_back(std::to_integer<int>(byte));
      const std::vector<double> weights = dequantise(format, block, format.elements);
      for (int i = 0; i < format.elements; ++i) {
        const double weight = weights[static_cast<std::size_t>(i)], expected = decode(bytes, i);
        ASSERT_TRUE(weight == expected || (std::isnan(weight) && std::isnan(expected)))
            << name << ' ' << i << ": " << weight << ", not " << expected;
      }
    }
  }
}

// The mean of the squares of errors, in units of the mean of the squares of the weights. Without an importance matrix.
double relative_error(const WeightFormat& format, const std::vector<double>& x) {
  const auto back = dequantise(format, quantise(format, x), static_cast<std::int64_t>(x.size()));
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    errors += (back[i] - x[i]) * (back[i] - x[i]);
    squares += x[i] * x[i];
  }
  return errors / squares;
}

// Normal weights; the bounds are a little above what these quantisers reach.
TEST(WeightDefinitions, QuantisersHaveSmallErrors) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::vector<double> x(256 * 64);
  for (double& w : x) w = normal(random);
  const std::map<std::string, double> bounds = {
      {"q4_0", 0.00754},  {"q4_1", 0.00631},  {"q5_0", 0.00188},   {"q5_1", 0.00145},
      {"q8_0", 2.96e-05}, {"q2_K", 0.0705},   {"q3_K", 0.0213},    {"q4_K", 0.00505},
      {"q5_K", 0.00122},  {"q6_K", 0.000311}, {"iq4_nl", 0.00611}, {"iq4_xs", 0.00594}};
  for (const auto& [name, bound] : bounds) {
    const double error = relative_error(*find_weight_format(name), x);
    EXPECT_LT(error, bound) << name;
    EXPECT_GT(error, 0.8 * bound) << name << ": the bound can be smaller";
  }
}

}  // namespace
}  // namespace vkmoye::gen
