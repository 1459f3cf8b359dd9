// SPDX-License-Identifier: MIT
#include "vkmoye/gen/ir/fingerprint.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <variant>

#include "vkmoye/gen/ir/members.hpp"

namespace vkmoye::gen::ir {
namespace {

template <class T>
constexpr bool kIsOptional = false;
template <class T>
constexpr bool kIsOptional<std::optional<T>> = true;

Fingerprint hash_of(const std::string& bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

// Appends a value as bytes from which it could be read again, but for expressions, which are appended as their hash.
class Bytes {
 public:
  const std::string& text() const { return bytes_; }

  template <class T>
  void add(const T& value) {
    if constexpr (std::is_same_v<T, Expr>) {
      add(of_node(*value));
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T> ||
                         std::is_same_v<T, Fingerprint>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else if constexpr (std::is_same_v<T, std::string>) {
      add(value.size());
      bytes_ += value;
    } else if constexpr (std::ranges::range<T>) {
      add(static_cast<std::uint64_t>(std::ranges::size(value)));
      for (const auto& one : value) add(one);
    } else if constexpr (kIsOptional<T>) {
      add(value.has_value());
      if (value) add(*value);
    } else if constexpr (kIsVariant<T>) {
      add(value.index());
      std::visit([&](const auto& held) { add(held); }, value);
    } else if constexpr (requires { members(value); }) {
      std::apply([&](const auto&... member) { (add(member), ...); }, members(value));
    } else {
      std::apply([&](const auto&... member) { (add(member), ...); }, value);  // a pair
    }
  }
  void add(const HandWritten&) {}

 private:
  // Each node is hashed once, however often it is shared.
  Fingerprint of_node(const Node& node) {
    if (const auto known = nodes_.find(&node); known != nodes_.end()) return known->second;
    Bytes own;
    own.add(node.operands.size());
    for (const Expr& operand : node.operands) own.add(of_node(*operand));
    own.add(node.op);
    own.add(node.type.kind);
    own.add(node.type.kind == Type::Kind::element ? node.type.element : ScalarType::u32);
    own.add(node.type.width);
    own.add(node.bound);
    own.add(node.alignment);
    own.add(node.value);
    own.add(node.builtin);
    own.add(node.name);
    return nodes_[&node] = hash_of(own.bytes_);
  }

  std::string bytes_;
  std::unordered_map<const Node*, Fingerprint> nodes_;
};

}  // namespace

Fingerprint fingerprint(const Kernel& kernel) {
  Bytes bytes;
  bytes.add(kernel);
  return hash_of(bytes.text());
}

}  // namespace vkmoye::gen::ir
