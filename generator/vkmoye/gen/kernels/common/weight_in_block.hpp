// SPDX-License-Identifier: MIT
#pragma once
// Single weights of a block, for kernels that read few of them or reorder them once: from words of 16 bits, in which
// rows of blocks lie in a buffer.
//
//   q4_0, weight 18      the high bits of byte 2 of the codes, which is in word 1 + 1 of the block

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

/// Word `at` of the block, as a u32; `name`: of the value that is loaded.
using WordOfBlock = std::function<Expr(const std::string& name, const Expr& at)>;

/// The bits of a number of weight `element` and the next ones as u32; a sign bit is inverted. Precondition: `count` is
/// 1, or divides `element`, and is 4 or 8.
std::vector<Expr> bits_in_block(Builder& builder, const WeightFormat& format,
                                const WeightNumber& number, const std::string& name,
                                const Expr& element, std::uint32_t count, const WordOfBlock& word);

/// Weight `element` in f32. `suffix`: the end of the names of what is loaded.
Expr weight_in_block(Builder& builder, const WeightFormat& format, const Expr& element,
                     const std::string& suffix, const WordOfBlock& word);

}  // namespace vkmoye::gen
