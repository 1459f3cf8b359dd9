// SPDX-License-Identifier: MIT
#pragma once
// JSON's null for what is missing.

#include <optional>
#include <string>

#include "vkmoye/contract/json.hpp"

namespace vkmoye::bench {

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Null for an empty text.
inline Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

/// Null unless `is_known`.
template <class Value>
Json known_or_null(bool is_known, const Value& value) {
  return is_known ? Json(value) : Json(nullptr);
}

}  // namespace vkmoye::bench
