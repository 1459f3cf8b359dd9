// SPDX-License-Identifier: MIT
#include "vkmoye/contract/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "vkmoye/base/error.hpp"

namespace vkmoye {
namespace {

constexpr int kMostNested = 64;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Json whole() {
    Json json = value(0);
    skip_space();
    if (at_ < text_.size()) fail("nothing more");
    return json;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
    throw ArgumentError(fmt::format("JSON: line {}, column {}: expected {}{}", line,
                                    at_ - start + 1, expected,
                                    at_ < text_.size() ? "" : ", got the end"));
  }
  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void require(char c) {
    if (!take(c)) fail(fmt::format("'{}'", c));
  }
  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  Json value(int depth) {
    if (depth > kMostNested) fail(fmt::format("at most {} levels", kMostNested));
    skip_space();
    if (take('{')) return object(depth);
    if (take('[')) return array(depth);
    if (at_ < text_.size() && text_[at_] == '"') return string();
    if (take_word("true")) return true;
    if (take_word("false")) return false;
    if (take_word("null")) return {};
    return number();
  }
  Json object(int depth) {
    Json::Object members;
    if (take('}')) return members;
    do {
      skip_space();
      std::string key = string();
      require(':');
      members.emplace_back(std::move(key), value(depth + 1));
    } while (take(','));
    require('}');
    return members;
  }
  Json array(int depth) {
    Json::Array elements;
    if (take(']')) return elements;
    do elements.push_back(value(depth + 1));
    while (take(','));
    require(']');
    return elements;
  }
  Json number() {
    std::int64_t number = 0;
    const char* from = text_.data() + at_;
    const auto [end, error] = std::from_chars(from, text_.data() + text_.size(), number);
    if (error != std::errc()) fail("a value, numbers whole and of 64 bits");
    at_ += static_cast<std::size_t>(end - from);
    if (at_ < text_.size() && (text_[at_] == '.' || text_[at_] == 'e' || text_[at_] == 'E')) {
      fail("a whole number");
    }
    return number;
  }
  std::string string() {
    if (at_ == text_.size() || text_[at_] != '"') fail("a string");
    ++at_;
    std::string out;
    for (;;) {
      if (at_ == text_.size()) fail("'\"'");
      const char c = text_[at_];
      if (static_cast<unsigned char>(c) < 0x20) fail("no control character in a string");
      ++at_;
      if (c == '"') return out;
      if (c == '\\') {
        escape(out);
      } else {
        out += c;
      }
    }
  }
  void escape(std::string& out) {
    constexpr std::string_view kShort = "\"\\/bfnrt", kMeans = "\"\\/\b\f\n\r\t";
    if (at_ < text_.size() && text_[at_] == 'u') {
      ++at_;
      return append_utf8(out, code_point());
    }
    const std::size_t which = at_ < text_.size() ? kShort.find(text_[at_]) : kShort.npos;
    if (which == kShort.npos) fail("an escape");
    out += kMeans[which];
    ++at_;
  }
  std::uint32_t four_digits() {
    std::uint32_t number = 0;
    const char* from = text_.data() + at_;
    const char* end = text_.data() + std::min(at_ + 4, text_.size());
    if (std::from_chars(from, end, number, 16).ptr != from + 4) fail("four hexadecimal digits");
    at_ += 4;
    return number;
  }
  // Of UTF-16, which writes what lies beyond 0xffff as two halves.
  std::uint32_t code_point() {
    const std::uint32_t high = four_digits();
    if (high < 0xd800 || high > 0xdfff) return high;
    if (high > 0xdbff || !take_word("\\u")) fail("a pair of surrogates");
    const std::uint32_t low = four_digits();
    if (low < 0xdc00 || low > 0xdfff) fail("a pair of surrogates");
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
  }
  static void append_utf8(std::string& out, std::uint32_t point) {
    const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
    if (point < 0x80) return put(point);
    if (point < 0x800) {
      put(0xc0 | point >> 6);
    } else {
      if (point < 0x10000) {
        put(0xe0 | point >> 12);
      } else {
        put(0xf0 | point >> 18);
        put(0x80 | (point >> 12 & 0x3f));
      }
      put(0x80 | (point >> 6 & 0x3f));
    }
    put(0x80 | (point & 0x3f));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

class Printer {
 public:
  explicit Printer(int indent) : indent_(indent) {}

  void print(const Json& json) {
    if (const auto* flag = json.as<bool>()) {
      out += *flag ? "true" : "false";
    } else if (const auto* number = json.as<std::int64_t>()) {
      fmt::format_to(std::back_inserter(out), "{}", *number);
    } else if (const auto* text = json.as<std::string>()) {
      string(*text);
    } else if (const auto* elements = json.as<Json::Array>()) {
      list('[', *elements, ']', [&](const Json& element) { print(element); });
    } else if (const auto* members = json.as<Json::Object>()) {
      list('{', *members, '}', [&](const auto& member) {
        string(member.first);
        out += indent_ > 0 ? ": " : ":";
        print(member.second);
      });
    } else {
      out += "null";
    }
  }

  std::string out;

 private:
  void string(const std::string& text) {
    out += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (c == '\n') {
        out += "\\n";
      } else if (static_cast<unsigned char>(c) < 0x20) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
      } else {
        out += c;
      }
    }
    out += '"';
  }
  template <class Items, class PrintItem>
  void list(char open, const Items& items, char close, PrintItem print_item) {
    out += open;
    ++depth_;
    for (const auto& item : items) {
      if (&item != &items.front()) out += ',';
      new_line();
      print_item(item);
    }
    --depth_;
    if (!items.empty()) new_line();
    out += close;
  }
  void new_line() {
    if (indent_ > 0) out += '\n' + std::string(static_cast<std::size_t>(indent_ * depth_), ' ');
  }

  int indent_, depth_ = 0;
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  const auto* members = as<Object>();
  if (members == nullptr) return nullptr;
  const auto found = std::find_if(members->begin(), members->end(),
                                  [&](const auto& member) { return member.first == key; });
  return found == members->end() ? nullptr : &found->second;
}

Json parse_json(std::string_view text) { return Parser(text).whole(); }

std::string dump(const Json& json, int indent) {
  Printer printer(indent);
  printer.print(json);
  return std::move(printer.out);
}

}  // namespace vkmoye
