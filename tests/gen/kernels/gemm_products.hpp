// SPDX-License-Identifier: MIT
#pragma once
// Devices and products for tests of what gemm/auto chooses.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "support/fake_devices.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"

namespace vkmoye::gen {

inline DeviceCaps device_named(DeviceCaps caps, const char* name) {
  caps.name = name;
  return caps;
}

inline DeviceCaps without_matrices(DeviceCaps caps) {
  caps.matrix_shapes.clear();
  return caps;
}

// As the drivers name them, and some that no row names.
inline std::vector<DeviceCaps> devices() {
  DeviceCaps gfx12 = device_named(test::rdna3_like(), "AMD Radeon Graphics (RADV GFX1201)");
  return {device_named(test::h200_like(), "NVIDIA H200"),
          device_named(test::rdna3_like(), "AMD Radeon RX 7900 XTX (RADV NAVI31)"),
          device_named(test::rdna3_like(), "AMD Radeon Graphics (RADV STRIX1)"),
          std::move(gfx12),
          device_named(test::lavapipe_like(), "llvmpipe (LLVM 19.1.7, 256 bits)"),
          test::h200_like(),
          without_matrices(test::rdna3_like()),
          device_named(test::h200_like(), "NVIDIA H100 80GB HBM3")};
}

struct Types {
  ScalarType operand, accumulator;
};
inline constexpr Types kTypes[] = {
    {ScalarType::f16, ScalarType::f32}, {ScalarType::f16, ScalarType::f16},
    {ScalarType::f32, ScalarType::f32}, {ScalarType::f64, ScalarType::f64},
    {ScalarType::i32, ScalarType::i32}, {ScalarType::bf16, ScalarType::f32},
    {ScalarType::i8, ScalarType::i32},  {ScalarType::u8, ScalarType::u32},
};

inline std::string type_of(const GemmProduct& one) {
  return fmt::format("{},{}", operands_text(one), to_string(one.accumulator));
}

inline GemmProduct product(const Types& types, std::vector<std::int64_t> shape) {
  GemmProduct out(gemm_form(types.operand), std::move(shape));
  out.accumulator = types.accumulator;
  return out;
}

}  // namespace vkmoye::gen
