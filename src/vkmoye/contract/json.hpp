// SPDX-License-Identifier: MIT
#pragma once
// JSON as kernel files need it: members in the order of the text, at most 64 levels, whole numbers of 64 bits.
//
//   const Json json = parse_json(R"({"tile": [32, 32], "name": "t"})");
//   find(json, "tile")->size()                2
//   text_of(*find(json, "name"))              "t"
//   dump(json)                                {"tile":[32,32],"name":"t"}

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vkmoye {

using Json = nlohmann::ordered_json;

/// Throws ArgumentError with the byte, line and column of the first character that does not fit, or of the end.
Json parse_json(std::string_view text);

/// Prints without spaces and line ends, or, with `indent` > 0, with a line for each member and element. Bytes that are
/// not UTF-8 are replaced by U+FFFD.
std::string dump(const Json& json, int indent = 0);

/// The member `key` of `object`; nullptr if it is not an object, or has no such member.
const Json* find(const Json& object, std::string_view key);

/// The member `key` of `object`; JSON's null if it is not an object, or has no such member.
const Json& member_or_null(const Json& object, std::string_view key);

/// The value, without spaces, cut off after 60 characters: for messages.
std::string shown(const Json& json);

// The member `key` of `object`. If it is missing or of another kind, the functions add the reason and return an empty
// array, an empty text, or `min`: "steps is missing", "name is 3, not a string", "lanes is -1, not a whole number from
// 1 to 128".
const Json& array_in(const Json& object, std::string_view key, std::vector<std::string>& reasons);
std::string text_in(const Json& object, std::string_view key, std::vector<std::string>& reasons);
std::int64_t whole_in(const Json& object, std::string_view key, std::int64_t min, std::int64_t max,
                      std::vector<std::string>& reasons);

/// A whole number that fits into a signed 64-bit integer; nullopt: it is something else.
std::optional<std::int64_t> whole_of(const Json& json);

/// The text of a string; null: it is something else.
const std::string* text_of(const Json& json);

/// Null unless `is_known`.
template <class Value>
Json known_or_null(bool is_known, const Value& value) {
  return is_known ? Json(value) : Json(nullptr);
}

/// Null for what is missing, and for an empty text.
template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}
inline Json or_null(const std::string& text) { return known_or_null(!text.empty(), text); }

}  // namespace vkmoye
