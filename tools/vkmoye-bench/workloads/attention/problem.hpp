// SPDX-License-Identifier: MIT
#pragma once
// Attention as typed; gen::AttentionCall (attention/form/attention_form.hpp) defines what is computed.
//
//   --size 4096x4096x128 --heads 32 --kv-heads 8 --causal       queries x keys x width of a head

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
  bool causal = false;
  double scale = 0, soft_cap = 0;
  std::int64_t window = 0;
};

const std::vector<gen::ConfigField<AttentionOptions>>& attention_fields();

/// The options `values`. Throws ArgumentError.
AttentionOptions read_attention(const gen::Options& values);

/// The problem of `size` {queries, keys, width}. Throws ArgumentError with every reason.
gen::AttentionCall attention_call(const AttentionOptions& options, const Extents& size);

/// The command-line options that differ from the defaults.
std::vector<std::string> attention_command_options(const AttentionOptions& options);

}  // namespace vkmoye::bench
