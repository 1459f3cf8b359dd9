// SPDX-License-Identifier: MIT
#pragma once
// Moves elements as words of 4 bytes, in particular elements of 1 and 2 bytes.

#include <cstdint>
#include <string>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"

namespace vkmoye::gen {

/// The words of `elements` elements of `tensor`, starting with the element at `at`. `whose`: for messages.
ir::Element words(const Tensor& tensor, std::vector<Expr> at, std::int64_t elements,
                  const char* whose);

/// Transposes the words of neighbouring rows, as many as a word has elements: 1, 2 or 4. Each word of the
/// result is of a column: a block of 2x2 halves or 4x4 bytes is transposed. `name`: prefix of the names of
/// intermediate values.
std::vector<Expr> transposed_words(Builder& k, const std::string& name,
                                   const std::vector<Expr>& rows);

}  // namespace vkmoye::gen
