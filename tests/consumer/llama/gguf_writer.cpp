// SPDX-License-Identifier: MIT
#include "gguf_writer.hpp"

#include <cstring>
#include <string_view>
#include <vkmoye/contract/scalar_value.hpp>

namespace llama {
namespace {

constexpr std::size_t kAlignment = 32;

template <class T>
void append(std::vector<std::byte>& to, T number, std::size_t size = sizeof(T)) {
  const std::size_t at = to.size();
  to.resize(at + size);
  std::memcpy(&to[at], &number, size);
}

void append_text(std::vector<std::byte>& to, std::string_view text) {
  append(to, std::uint64_t{text.size()});
  for (const char c : text) to.push_back(static_cast<std::byte>(c));
}

void pad(std::vector<std::byte>& bytes) {
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
}

}  // namespace

void GgufWriter::set(const std::string& key, std::uint32_t value) {
  ++value_count_;
  append_text(values_, key);
  append(values_, std::uint32_t{4});
  append(values_, value);
}

void GgufWriter::set(const std::string& key, float value) {
  ++value_count_;
  append_text(values_, key);
  append(values_, std::uint32_t{6});
  append(values_, value);
}

void GgufWriter::set(const std::string& key, const std::string& value) {
  ++value_count_;
  append_text(values_, key);
  append(values_, std::uint32_t{8});
  append_text(values_, value);
}

void GgufWriter::set(const std::string& key, const std::vector<std::string>& values) {
  ++value_count_;
  append_text(values_, key);
  append(values_, std::uint32_t{9});
  append(values_, std::uint32_t{8});
  append(values_, std::uint64_t{values.size()});
  for (const std::string& value : values) append_text(values_, value);
}

void GgufWriter::set(const std::string& key, const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return set(key, static_cast<std::uint32_t>(*whole));
  }
  if (const auto* real = std::get_if<double>(&value)) return set(key, static_cast<float>(*real));
  if (const auto* text = std::get_if<std::string>(&value)) return set(key, *text);
  if (const auto* texts = std::get_if<Texts>(&value)) return set(key, *texts);
  ++value_count_;
  append_text(values_, key);
  if (const auto* numbers = std::get_if<Numbers>(&value)) {
    append(values_, std::uint32_t{9});
    append(values_, std::uint32_t{6});
    append(values_, std::uint64_t{numbers->size()});
    for (const double number : *numbers) append(values_, static_cast<float>(number));
    return;
  }
  append(values_, std::uint32_t{7});
  append(values_, std::uint8_t{std::get<bool>(value)});
}

void GgufWriter::add(const std::string& name, const std::vector<std::uint64_t>& extents,
                     const TensorType& type, std::span<const double> numbers) {
  ++tensor_count_;
  append_text(infos_, name);
  append(infos_, static_cast<std::uint32_t>(extents.size()));
  for (const std::uint64_t extent : extents) append(infos_, extent);
  append(infos_, type.number);
  append(infos_, std::uint64_t{data_.size()});
  if (type.blocks != nullptr) {
    const auto blocks = vkmoye::gen::quantise(*type.blocks, numbers);
    data_.insert(data_.end(), blocks.begin(), blocks.end());
  } else {
    for (const double number : numbers) {
      append(data_, vkmoye::bits_of(type.scalar, number), type.block_bytes);
    }
  }
  pad(data_);
}

std::vector<std::byte> GgufWriter::bytes() const {
  Bytes out;
  for (const char c : {'G', 'G', 'U', 'F'}) out.push_back(static_cast<std::byte>(c));
  append(out, std::uint32_t{3});
  append(out, tensor_count_);
  append(out, value_count_);
  out.insert(out.end(), values_.begin(), values_.end());
  out.insert(out.end(), infos_.begin(), infos_.end());
  pad(out);
  out.insert(out.end(), data_.begin(), data_.end());
  return out;
}

}  // namespace llama
