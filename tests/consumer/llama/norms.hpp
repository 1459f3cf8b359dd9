// SPDX-License-Identifier: MIT
#pragma once
// RMS norms: y = x * weight / rms(x), where rms(x) = sqrt(mean of x^2 + epsilon).
//
// The norms of a token are no launches (steps.hpp): a product reads
//
//   h = x * weight * scale,    scale = a power of two near 2^-8 / (rms(before) * size of weights)
//
// where `before` is the row that the last norm read, because rms(x) is not known yet where h is written. The kernel
// after the product divides its sums by scale * rms(x), and writes the scale of the next norm. So h has numbers near
// 2^-8, whatever the size of x, in f16, whose range is 2^-24 to 2^16: numbers of x may become 2^24 times larger than
// the rms of the row before, and rows 32 times smaller before h loses accuracy. Powers of two round nothing.

#include <cstdint>
#include <functional>
#include <string>
#include <vkmoye/vkmoye.hpp>

namespace llama {

inline constexpr vkmoye::ScalarType f32 = vkmoye::ScalarType::f32, u32 = vkmoye::ScalarType::u32;

/// What the kernels of norms have in common.
struct Norm {
  double epsilon;
  int weights;                // exponent of two near the weights of all norms
  std::uint32_t lanes;        // of a subgroup on the device
  std::uint32_t threads = 0;  // of workgroups of a token's kernels; 0: few ones

  /// The scale of a row that has this 1 / rms.
  vkmoye::gen::Expr scale(const vkmoye::gen::Expr& inverse_rms) const;
};

/// Calls its argument, in loops or not, with registers that have some of the numbers of a thread.
using ForEachPart = std::function<void(const std::function<void(const vkmoye::gen::View&)>&)>;

/// 1 / rms of `count` numbers that `threads` threads have together, in all of them. Their squares may be outside of the
/// range of f32. The names of registers end with `suffix`.
vkmoye::gen::View inverse_rms(vkmoye::gen::Builder& k, const ForEachPart& numbers,
                              const vkmoye::gen::Expr& count, std::uint32_t threads, double epsilon,
                              const std::string& suffix = "");

/// That of the row `token` of x (d, token).
vkmoye::gen::View inverse_rms(vkmoye::gen::Builder& k, const vkmoye::gen::Tensor& x,
                              const vkmoye::gen::Expr& token, std::uint32_t threads,
                              double epsilon);

/// The scale of a row that has this 1 / rms. The first thread of the workgroup for which `is_first` holds also stores
/// it, in the only element of `to`.
vkmoye::gen::View store_scale(vkmoye::gen::Builder& k, const Norm& norm,
                              const vkmoye::gen::View& inverse_rms, const vkmoye::gen::Tensor& to,
                              vkmoye::gen::Conditions is_first);

/// y = norm(x), of f32, in the type of activations. Arrays x, weight, y; arguments width, count.
vkmoye::gen::ir::Kernel normed(vkmoye::ScalarType activations, const Norm& norm);

/// h = x * weight * scale for one row, and its scale, from its own rms. Arrays x, weight, scale, h; argument width.
vkmoye::gen::ir::Kernel weighted(vkmoye::ScalarType activations, const Norm& norm);

}  // namespace llama
