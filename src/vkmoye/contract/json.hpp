// SPDX-License-Identifier: MIT
#pragma once
// JSON of whole numbers, as kernel files need it (RFC 8259 without fractions and exponents).
//
//   const Json json = parse_json(R"({"tile": [32, 32], "name": "t"})");
//   json.find("tile")->as<Json::Array>()->size()     2
//   dump(json)                                       {"tile":[32,32],"name":"t"}

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace vkmoye {

struct Json {
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;  // in the order of the text
  std::variant<std::monostate, bool, std::int64_t, std::string, Array, Object> value;

  Json() = default;
  template <class Value>
  Json(Value of) : value(std::move(of)) {}                        // NOLINT: implicit by intent
  Json(const char* text) : value(std::string(text)) {}            // NOLINT: likewise
  Json(std::string_view text) : value(std::string(text)) {}       // NOLINT: likewise
  Json(int number) : value(static_cast<std::int64_t>(number)) {}  // NOLINT: likewise
  Json(std::uint32_t number) : value(static_cast<std::int64_t>(number)) {}  // NOLINT: likewise
  Json(std::uint64_t number) : value(static_cast<std::int64_t>(number)) {}  // NOLINT: likewise

  /// Its value where it is of that type, else null.
  template <class Value>
  const Value* as() const {
    return std::get_if<Value>(&value);
  }
  /// The member `key` of an object; null: it is none, or has none.
  const Json* find(std::string_view key) const;
};

/// Throws ArgumentError with line and column of the first character that does not fit.
Json parse_json(std::string_view text);

/// Without a space or a line end, or, with `indent` > 0, a line for each member and element.
std::string dump(const Json& json, int indent = 0);

}  // namespace vkmoye
