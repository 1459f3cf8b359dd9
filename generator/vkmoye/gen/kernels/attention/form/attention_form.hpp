// SPDX-License-Identifier: MIT
#pragma once
// Attention: O = softmax(scale * Q K^T + mask) V for each head, and what its kernels have in common.
//
//   q (batch, heads, queries, width), k (batch, kv_heads, keys, width), v (batch, kv_heads, keys, value_width)
//   o (batch, heads, queries, value_width)         all in C order: the last index is contiguous
//
// Heads come in groups of heads / kv_heads that share keys and values. In memory, the queries of a group are
// adjacent, so a kernel sees one matrix of rows for each head of K and V:
//
//   4 heads of 3 queries, 2 kv heads      row     0 1 2 3 4 5 | 0 1 2 3 4 5
//                                         query   0 1 2 0 1 2 | 0 1 2 0 1 2        row % queries
//
// With C = keys - queries, query i sees key j if
//
//   causal        j <= i + C                     the queries are the last of the keys
//   window W      j > i + C - W
//
// and, with a soft cap, scores are cap * tanh(scale * q k / cap). A row that sees no key is 0.
// Scores are f32. Scores below -1e30 count as keys that are not seen.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"

namespace vkmoye::gen {

/// What is baked into a kernel.
struct AttentionForm {
  std::int64_t width = 64, value_width = 64;  // elements of a row of K and of V
  bool causal = false;
  bool window = false;
  bool soft_cap = false;

  bool operator==(const AttentionForm&) const = default;
};

/// A whole problem: a form and its numbers.
struct AttentionCall {
  AttentionForm form = {};
  std::int64_t queries = 1, keys = 1;
  std::int64_t heads = 1, kv_heads = 1, batch = 1;
  double scale = 0;  // 0: 1 / sqrt(width)
  std::int64_t window = 0;
  double soft_cap = 0;

  /// Rows of queries that share a head of K and V.
  std::int64_t rows() const { return heads / kv_heads * queries; }
  double scale_used() const;
};

/// Every reason against `call`; empty if it is a problem.
std::vector<std::string> reasons_against(const AttentionCall& call);

/// Every reason against `form`; empty if there are kernels for it.
std::vector<std::string> reasons_against(const AttentionForm& form);

/// "width=64x64 causal window soft-cap".
std::string form_text(const AttentionForm& form);

/// The arguments of all attention kernels: rows, queries, keys, heads (of K and V in the batch), scale, and, where
/// the form has them, window and soft_cap.
Arguments attention_arguments(const AttentionCall& call);

/// q, k, v and o with their bytes.
std::vector<PlanArray> attention_arrays(const AttentionCall& call, ScalarType type);

}  // namespace vkmoye::gen
