// SPDX-License-Identifier: MIT
#pragma once
// Attention: O = softmax(scale * Q K^T + mask) V for each head, and what its kernels share.
//
//   q (batch, heads, queries, width), k (batch, kv_heads, keys, width), v (batch, kv_heads, keys, value_width)
//   o (batch, heads, queries, value_width)         all in C order: the last index is contiguous
//
// Each may also be (batch, rows, heads, width); see AttentionOrder. Heads come in groups of heads / kv_heads that share
// keys and values. Where the queries of a group are adjacent in memory and share all inputs, a kernel sees one matrix
// of rows for each head of K and V:
//
//   4 heads of 3 queries, 2 kv heads      row     0 1 2 3 4 5 | 0 1 2 3 4 5
//                                         query   0 1 2 0 1 2 | 0 1 2 0 1 2        row % queries
//
// With C = length - queries, where length is the number of keys of the entry of the batch, query i sees key j if
//
//   j < length
//   causal        j <= i + C                     the queries are at the last positions of the keys
//   window W      j > i + C - W
//
// The score of query i and key j of a head, if it is seen, is
//
//   s = scale * q k
//   soft cap      cap * tanh(s / cap)
//   slopes        + slope of the head * (j - i - C)                      ALiBi
//   mask          + mask (1 or batch, 1 or heads, queries, keys)
//
// Keys and values may be kept in pages of `page` keys: k and v are (stored, kv_heads, page, width), and the array pages
// (batch, keys / page, rounded up) locates them: key j of an entry is row j % page of page pages[entry, j / page].
//
// A value may be the first elements of the row of its key, as in multi-head latent attention (576 and 512 elements, and
// one head of K and V for all heads of Q): there is no array v then.
//
// Scores are f32: what is added is rounded. Only -infinity hides a key, as its mask or as a sum that overflows; values
// of hidden keys must be finite. Keys with any other mask are seen: masks that are equal in a row change nothing,
// except that large ones (-1e30) absorb the scores, so that the row is the mean of V. A row that sees no key is 0. A
// row with a NaN, or with a score of infinity, is NaN. A sink adds one score to each row of its head: it enters the
// maximum and the sum, but has no value. The second result, log_sums (batch, heads, queries), is the logarithm of that
// sum of exp(s); it is -infinity for a row that sees no key. Sources: ALiBi: Press, Smith and Lewis, 2022. Latent
// attention: DeepSeek-V2, 2024. Sinks: Xiao et al., Efficient Streaming Language Models, 2024.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "vkmoye/contract/compiled_plan.hpp"
#include "vkmoye/contract/scalar_type.hpp"
#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/common/weight_format.hpp"

namespace vkmoye::gen {

/// The axes of an array in C order: batch, heads, rows, width; or batch, rows, heads, width.
enum class AttentionOrder : std::uint8_t { bhsd, bshd };

/// The order of the axes of each array.
struct AttentionOrders {
  AttentionOrder q = AttentionOrder::bhsd, k = q, v = q, o = q;

  bool operator==(const AttentionOrders&) const = default;
};

/// What is baked into a kernel.
struct AttentionForm {
  std::int64_t width = 64, value_width = 64;  // of a row of K, of V: multiples of 8 up to 1024
  bool causal = false;
  bool window = false;
  bool soft_cap = false;
  bool lengths = false;                 // i32 (batch): the number of keys of each entry
  bool slopes = false;                  // f32 (heads)
  bool sinks = false;                   // f32 (heads)
  std::optional<ScalarType> mask = {};  // f32, f16 or bf16
  bool log_sums = false;                // f32 (batch, heads, queries), a result
  AttentionOrders orders = {};
  /// The formats of k and v, whose rows are then blocks, without gaps; null: elements.
  const WeightFormat* key_format = nullptr;
  const WeightFormat* value_format = nullptr;
  /// The types of elements of k and v; empty: that of q.
  std::optional<ScalarType> key_type = {}, value_type = {};
  /// Keys of a page, a power of two from 16 to 256; 0: k and v hold all keys of each entry.
  std::int64_t page = 0;
  /// Whether the value of a key is the first value_width elements of its row of k; there is no array v then.
  bool values_in_keys = false;

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
  std::int64_t mask_heads = 1, mask_batch = 1;  // 1, or as many as heads and entries of the batch
  std::int64_t stored_pages = 0;                // pages of k and of v, if the form has pages

  /// Rows of queries that share a head of K and V.
  std::int64_t rows() const { return heads / kv_heads * queries; }
  double scale_used() const;
  /// Pages of an entry. Precondition: the form has pages.
  std::int64_t pages() const { return (keys + form.page - 1) / form.page; }
};

/// Every reason against `call`; empty if it is a problem.
std::vector<std::string> reasons_against(const AttentionCall& call);

/// Every reason against `form`; empty if there are kernels for it.
std::vector<std::string> reasons_against(const AttentionForm& form);

/// Whether all rows of a group of heads are one matrix: nothing depends on the head of a row.
bool has_rows_of_groups(const AttentionForm& form);
/// Whether the arguments of a kernel distinguish the entries of the batch.
bool has_entries(const AttentionForm& form);
/// Whether something is added to the scores.
inline bool has_bias(const AttentionForm& form) { return form.slopes || form.mask.has_value(); }

/// The types of k and v in memory; for blocks u16, the type of their words.
ScalarType key_type(ScalarType type, const AttentionForm& form);
ScalarType value_type(ScalarType type, const AttentionForm& form);

/// Whether k or v are blocks of codes.
inline bool has_blocks(const AttentionForm& form) {
  return form.key_format != nullptr || form.value_format != nullptr;
}

/// "f16", "f16*q8_0" if keys and values have a format or another type, "f16*q8_0*q4_0" if these two differ.
std::string type_text(ScalarType type, const AttentionForm& form);

/// Elements of a row in memory: `width`, or the words of its blocks, of type u16.
std::int64_t row_elements(const WeightFormat* format, std::int64_t width);

/// "width=64x64 causal window soft-cap".
std::string form_text(const AttentionForm& form);
/// "bhsd" if all arrays have that order, else those of q, k, v and o: "bshd,bhsd,bhsd,bshd".
std::string orders_text(const AttentionOrders& orders);
/// The inverse of orders_text; nullopt if `text` is neither one order nor four.
std::optional<AttentionOrders> parse_orders(const std::string& text);

/// The arguments of all attention kernels:
///
///   queries
///   keys
///   scale
///   rows               without entries: the rows that share a head of K and V
///   heads              without entries: the heads of K and V in the batch
///   group              with entries: the heads that share a head of K and V
///   kv_heads           with entries: the heads of K and V of an entry
///   batch              with entries: the number of entries
///   window             with a window
///   soft_cap           with a soft cap
///   stored             with pages: the number of stored pages
///   masks              with a mask: the number of masks of queries x keys elements
///   mask_head_step     with a mask: the distance between the masks of neighbouring heads, in masks; 0: they share one
///   mask_entry_step    with a mask: the distance between the masks of neighbouring entries, in masks
Arguments attention_arguments(const AttentionCall& call);

/// An array of attention: its type, and its shape in C order.
struct AttentionArray {
  std::string name;
  ScalarType type;
  std::vector<std::int64_t> shape;
  bool is_result = false;

  std::uint64_t bytes() const;
};
/// q and k, blocks as words of 16 bits; v, pages, lengths, mask, slopes, sinks and log_sums, as far as the form has
/// them; o.
std::vector<AttentionArray> arrays_of(const AttentionCall& call, ScalarType type);

/// The names and bytes of these arrays.
std::vector<PlanArray> attention_arrays(const AttentionCall& call, ScalarType type);

}  // namespace vkmoye::gen
