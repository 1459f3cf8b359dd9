// SPDX-License-Identifier: MIT
#pragma once
// The comment at the top of a kernel of attention.

#include <string>
#include <utility>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

/// Type, form, and the fields of `config`; then why the kernel is as it is.
template <class Config>
void attention_header(Builder& builder, const std::vector<ConfigField<Config>>& fields,
                      const Config& config, const AttentionForm& form, ScalarType type,
                      const std::string& why) {
  auto items = gen::items(fields, config);
  items.insert(items.begin(), {{"type", type_text(type, form)}, {"form", form_text(form)}});
  builder.header(std::move(items), why);
}

}  // namespace vkmoye::gen
