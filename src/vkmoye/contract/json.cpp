// SPDX-License-Identifier: MIT
#include "vkmoye/contract/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

// Printing is recursive.
constexpr int kMaxNested = 64;

// What the parser has against a token, after " - " in its message: "invalid string: ill-formed UTF-8 byte". Empty if it
// expected another one.
std::string against_token(std::string_view what) {
  const std::size_t begin = what.find(" - ");
  if (begin == what.npos) return {};
  what.remove_prefix(begin + 3);
  if (what.starts_with("unexpected")) return {};
  return ": " + std::string(what.substr(0, what.find(';')));
}

// Where the parser stopped and why. `byte` is the number of bytes that it read, `what` its message.
std::string reason_at(std::string_view text, std::size_t byte, std::string_view what) {
  if (text.find_first_not_of(" \t\r\n") == text.npos) return "it is empty";
  const std::size_t at = byte == 0 ? 0 : std::min(byte - 1, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t column = at - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  const std::string place = fmt::format("byte {} (line {}, column {})", at + 1, line, column);
  if (at == text.size()) {
    return fmt::format("it ends at {}, in the middle of a value: it is cut off", place);
  }
  const auto code = static_cast<unsigned char>(text[at]);
  const bool is_printed = code > 0x20 && code < 0x7f;
  const std::string character =
      is_printed ? fmt::format("'{}'", text[at]) : fmt::format("the character \\x{:02x}", code);
  return fmt::format("{} at {} is not expected there{}", character, place, against_token(what));
}

std::string reason_against(std::string_view key, const Json* member, std::string_view wanted) {
  return member == nullptr ? fmt::format("{} is missing", key)
                           : fmt::format("{} is {}, not {}", key, shown(*member), wanted);
}

}  // namespace

Json parse_json(std::string_view text) {
  const auto check_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth <= kMaxNested) return true;
    throw ArgumentError(fmt::format("JSON: it has more than {} levels", kMaxNested));
  };
  try {
    return Json::parse(text, check_depth);
  } catch (const Json::parse_error& error) {
    throw ArgumentError("JSON: " + reason_at(text, error.byte, error.what()));
  } catch (const Json::exception&) {  // the only other error of a parser
    throw ArgumentError("JSON: a number is out of range");
  }
}

std::string dump(const Json& json, int indent) {
  return json.dump(indent > 0 ? indent : -1, ' ', false, Json::error_handler_t::replace);
}

const Json* find(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(key));
  return found == object.end() ? nullptr : &*found;
}

const Json& member_or_null(const Json& object, std::string_view key) {
  static const Json null;
  const Json* member = find(object, key);
  return member == nullptr ? null : *member;
}

std::optional<std::int64_t> whole_of(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kMax) return std::nullopt;
  return json.get<std::int64_t>();
}

const std::string* text_of(const Json& json) { return json.get_ptr<const std::string*>(); }

std::string shown(const Json& json) {
  constexpr std::size_t kMost = 60;
  const std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() > kMost ? text.substr(0, kMost) + "..." : text;
}

const Json& array_in(const Json& object, std::string_view key, std::vector<std::string>& reasons) {
  static const Json none = Json::array();
  const Json* member = find(object, key);
  if (member != nullptr && member->is_array()) return *member;
  reasons.push_back(reason_against(key, member, "an array"));
  return none;
}

std::string text_in(const Json& object, std::string_view key, std::vector<std::string>& reasons) {
  const Json* member = find(object, key);
  const std::string* text = member == nullptr ? nullptr : text_of(*member);
  if (text != nullptr) return *text;
  reasons.push_back(reason_against(key, member, "a string"));
  return {};
}

std::int64_t whole_in(const Json& object, std::string_view key, std::int64_t min, std::int64_t max,
                      std::vector<std::string>& reasons) {
  const Json* member = find(object, key);
  const auto number = member == nullptr ? std::nullopt : whole_of(*member);
  if (number && *number >= min && *number <= max) return *number;
  reasons.push_back(
      reason_against(key, member, fmt::format("a whole number from {} to {}", min, max)));
  return min;
}

}  // namespace vkmoye
