// SPDX-License-Identifier: MIT
#pragma once
// Attention as typed; gen::AttentionCall (attention/form/attention_form.hpp) defines what is computed.
//
//   --size 4096x4096x128 --heads 32 --kv-heads 8 --causal       queries x keys x width of a head
//   --type 'f16*q8_0*q4_0'                                      Q and O, K, V; 'f16*q8_0': K and V

#include <optional>
#include <string>
#include <vector>

#include "io/parse.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::bench {

/// The options other than size and type, at their defaults; 0 where the default depends on others.
struct AttentionOptions {
  std::int64_t heads = 1, kv_heads = 0, batch = 1;
  std::int64_t value_width = 0;
  bool causal = false, lengths = false, slopes = false, sinks = false, log_sums = false;
  std::optional<ScalarType> mask = {};
  std::int64_t mask_heads = 1, mask_batch = 1;
  gen::AttentionOrders orders = {};
  double scale = 0, soft_cap = 0;
  std::int64_t window = 0;
  std::int64_t page = 0, stored_pages = 0;
  bool hard = false;  // the contents of the arrays
  // From the type.
  const gen::WeightFormat *key_format = nullptr, *value_format = nullptr;
  std::optional<ScalarType> key_type = {}, value_type = {};
};

const std::vector<gen::ConfigField<AttentionOptions>>& attention_fields();

/// Whether the option `name` has no value; whether arrays of a user determine it.
bool is_attention_flag(const std::string& name);
bool follows_from_arrays(const std::string& name);

/// The options `values`, and what `type` says of keys and values. Throws ArgumentError.
AttentionOptions read_attention(const gen::Options& values, const std::string& type);

/// The type of Q: the first of "f16", "f16*q8_0", "f16*q8_0*q4_0". Throws ArgumentError.
ScalarType query_type(const std::string& type);

/// The problem of `size` {queries, keys, width}. Throws ArgumentError with every reason.
gen::AttentionCall attention_call(const AttentionOptions& options, const Extents& size);

/// The command-line options that differ from the defaults.
std::vector<std::string> attention_command_options(const AttentionOptions& options);

}  // namespace vkmoye::bench
