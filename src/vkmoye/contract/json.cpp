// SPDX-License-Identifier: MIT
#include "vkmoye/contract/json.hpp"

#include <fmt/format.h>

#include <limits>

#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

// Printing is recursive.
constexpr int kMaxNested = 64;

// "[json.exception.parse_error.101] parse error at line 1, column 2: ..; last read: '..'; expected .." without its
// class and what was read, which may be all of a module.
std::string reason_of(const Json::exception& error) {
  std::string reason = error.what();
  if (const std::size_t end = reason.find("] "); end != reason.npos) reason.erase(0, end + 2);
  if (const std::size_t read = reason.find("; last read: '"); read != reason.npos) {
    reason.erase(read, reason.rfind('\'') + 1 - read);
  }
  return reason;
}

}  // namespace

Json parse_json(std::string_view text) {
  const auto check_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth <= kMaxNested) return true;
    throw ArgumentError(fmt::format("JSON: it has more than {} levels", kMaxNested));
  };
  try {
    return Json::parse(text, check_depth);
  } catch (const Json::exception& error) {
    throw ArgumentError("JSON: " + reason_of(error));
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

const Json& array_in(const Json& object, std::string_view key, std::vector<std::string>& reasons) {
  static const Json none = Json::array();
  const Json* member = find(object, key);
  if (member != nullptr && member->is_array()) return *member;
  reasons.push_back(
      fmt::format("{} {}", key, member == nullptr ? "is missing" : "is not an array"));
  return none;
}

std::optional<std::int64_t> whole_in(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > kMax) return std::nullopt;
  return json.get<std::int64_t>();
}

const std::string* text_in(const Json& json) { return json.get_ptr<const std::string*>(); }

}  // namespace vkmoye
