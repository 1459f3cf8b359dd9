// SPDX-License-Identifier: MIT
#pragma once
// JSON as kernel files need it: members in the order of the text, at most 64 levels, whole numbers of 64 bits.
//
//   const Json json = parse_json(R"({"tile": [32, 32], "name": "t"})");
//   find(json, "tile")->size()                2
//   text_in(*find(json, "name"))              "t"
//   dump(json)                                {"tile":[32,32],"name":"t"}

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace vkmoye {

using Json = nlohmann::ordered_json;

/// Throws ArgumentError with the line and column of the first character that does not fit.
Json parse_json(std::string_view text);

/// Without a space or a line end, or, with `indent` > 0, a line for each member and element. Bytes that are no
/// UTF-8 are replaced by U+FFFD.
std::string dump(const Json& json, int indent = 0);

/// The member `key` of an object; null: it is none, or has none.
const Json* find(const Json& object, std::string_view key);

/// Likewise; JSON's null where there is none.
const Json& member_or_null(const Json& object, std::string_view key);

/// A whole number that fits in 64 bits with a sign; nothing: it is something else.
std::optional<std::int64_t> whole_in(const Json& json);

/// The text of a string; null: it is something else.
const std::string* text_in(const Json& json);

}  // namespace vkmoye
