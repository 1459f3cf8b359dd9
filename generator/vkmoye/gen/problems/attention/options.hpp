// SPDX-License-Identifier: MIT
#pragma once
// Attention as typed; AttentionCall (attention/form/attention_form.hpp) defines what is computed.
//
//   --size 4096x4096x128 --heads 32 --kv-heads 8 --causal       queries x keys x width of a head
//   --type 'f16*q8_0*q4_0'                                      Q and O, K, V; 'f16*q8_0': K and V

#include <string>
#include <vector>

#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/problems/form.hpp"

namespace vkmoye::gen {

/// The problem of the options, before its size is known: kv_heads, value_width and stored_pages are 0 where they follow
/// from others.
struct AttentionOptions : TypedAttention {
  AttentionOptions() { kv_heads = form.value_width = 0; }

  std::int64_t values_in_keys =
      0;              // elements of a value in the row of its key; 0: values have an array
  bool hard = false;  // the contents of the arrays
};

const std::vector<ConfigField<AttentionOptions>>& attention_fields();

/// Whether the option `name` has no value; whether arrays of a user determine it.
bool is_attention_flag(const std::string& name);
bool follows_from_arrays(const std::string& name);

/// The options `values`, with the types of q, keys and values from `type`; empty: one type. Throws ArgumentError.
AttentionOptions read_attention(const Options& values, const std::string& type);

/// The problem of `size` {queries, keys, width}. Throws ArgumentError with every reason.
TypedAttention attention_of(const AttentionOptions& options, const Extents& size);

}  // namespace vkmoye::gen
