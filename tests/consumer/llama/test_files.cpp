// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "gguf_writer.hpp"
#include "model.hpp"
#include "random_model.hpp"
#include "test.hpp"

namespace llama {
namespace {

using Bytes = std::vector<std::byte>;

// The first place of `text` in the file.
std::size_t place_of(const Bytes& bytes, const std::string& text) {
  const std::string all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return all.find(text);
}

template <class T>
void put(Bytes& bytes, std::size_t at, T value) {
  std::memcpy(&bytes.at(at), &value, sizeof(T));
}

int refused(const std::string& reason, const std::function<void(Bytes&)>& spoil) {
  Bytes bytes = random_model(small_model());
  spoil(bytes);
  return lacks(refusal(bytes), reason);
}

// The file without its last bytes, for each length that ends before the tensors, and some that end in them.
int truncated() {
  const Bytes all = random_model(small_model());
  if (!refusal(all).empty()) return failed("a whole file", refusal(all));
  const std::size_t padding = 32;
  const std::size_t data = place_of(all, "blk.0.ffn_down.weight") + 100;
  for (std::size_t size = 0; size + padding < all.size(); size += size < data ? 1 : 61) {
    const std::string got = refusal(Bytes(all.begin(), all.begin() + std::ptrdiff_t(size)));
    const bool is_named = got.find("truncated") != std::string::npos ||
                          got.find("lie outside of the data") != std::string::npos;
    if (!is_named) return failed("a file of " + std::to_string(size) + " bytes", got);
  }
  return 0;
}

// A byte before the tensors has another value: the file is read or refused, nothing else.
int damaged() {
  const Bytes all = random_model(small_model());
  const std::size_t end = place_of(all, "blk.0.ffn_down.weight");
  std::mt19937 random(1);
  int taken = 0;
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes = all;
    bytes[random() % end] = static_cast<std::byte>(random());
    taken += refusal(bytes).empty() ? 1 : 0;
  }
  return taken < 10000 ? 0 : failed("damaged files", std::to_string(taken) + " are taken");
}

// The values that a writer and a reader agree on.
int round_trip() {
  GgufWriter writer;
  writer.set("a", std::uint32_t{7});
  writer.set("b", 0.5F);
  writer.set("c", std::string("text"));
  const Texts texts = {"x", "", "yz"};
  const Numbers fractions = {0.5, -3};
  writer.set("d", texts);
  writer.set("e", Value(fractions));
  const std::vector<double> numbers(512, -1.5);
  int wrong = 0;
  for (const TensorType& type : tensor_types()) writer.add(type.name, {256, 2}, type, numbers);
  const Bytes bytes = writer.bytes();
  const Gguf gguf = parse_gguf(bytes);
  const auto value = [&](const char* key) { return gguf.values.at(key); };
  const bool is_right =
      std::get<std::int64_t>(value("a")) == 7 && std::get<double>(value("b")) == 0.5 &&
      std::get<std::string>(value("c")) == "text" && std::get<Texts>(value("d")) == texts &&
      std::get<Numbers>(value("e")) == fractions;
  if (!is_right) wrong += failed("values", "others are read");
  for (const TensorType& type : tensor_types()) {
    const FileTensor& tensor = gguf.tensors.at(type.name);
    for (const double number : numbers_of(tensor)) {
      const double error = number + 1.5;
      if (tensor.elements() != 512 || error > 0.01 || error < -0.01) {
        wrong += failed(type.name, std::to_string(number));
        break;
      }
    }
  }
  return wrong;
}

}  // namespace

int failed(const std::string& what, const std::string& got) {
  std::printf("%s: WRONG: %s\n", what.c_str(), got.empty() ? "it is taken" : got.c_str());
  return 1;
}

int lacks(const std::string& got, const std::string& reason) {
  return got.find(reason) == std::string::npos ? failed(reason, got) : 0;
}

void write_file(const std::string& path, const std::vector<std::byte>& file) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
}

RandomModel small_model() {
  return {.type = "q4_0",
          .layers = 1,
          .width = 64,
          .heads = 2,
          .kv_heads = 1,
          .hidden = 64,
          .vocabulary = 9,
          .keys = {{"tokenizer.ggml.tokens", Texts{"<s>", "a", "b"}}}};
}

std::string refusal(const std::vector<std::byte>& file) {
  return error_of([&] { static_cast<void>(model_of(parse_gguf(file))); });
}

int check_files() {
  // After a name: the rank (4 bytes), the extents (8 each), the type (4), the offset (8).
  const auto after = [](const Bytes& bytes, const char* name) {
    return place_of(bytes, name) + std::strlen(name);
  };
  constexpr const char* kQ = "blk.0.attn_q.weight";
  constexpr const char* kNorm = "output_norm.weight";
  const auto number = [&](const char* key, std::uint32_t value) {
    return [=](Bytes& bytes) { put(bytes, place_of(bytes, key) + std::strlen(key) + 4, value); };
  };
  int wrong = round_trip() + truncated() + damaged();
  wrong += refused("does not begin with 'GGUF'", [](Bytes& b) { put(b, 0, 'g'); });
  wrong += refused("GGUF version 1;", [](Bytes& b) { put(b, 4, std::uint32_t{1}); });
  wrong += refused("has rank 0, not 1 to 4", [](Bytes& b) { put(b, 8, ~std::uint64_t{0}); });
  wrong += refused("truncated: a key", [](Bytes& b) { put(b, 24, ~std::uint64_t{0}); });
  wrong += refused("unknown type 13", [](Bytes& b) { put(b, 24 + 8 + 20, std::uint32_t{13}); });
  wrong += refused("tensor 'blk.0.attn_q.weight' has rank 5",
                   [&](Bytes& b) { put(b, after(b, kQ), std::uint32_t{5}); });
  wrong +=
      refused("has an extent of 0", [&](Bytes& b) { put(b, after(b, kQ) + 4, std::uint64_t{0}); });
  wrong += refused("are not whole blocks of 32",
                   [&](Bytes& b) { put(b, after(b, kQ) + 4, std::uint64_t{65}); });
  wrong += refused("more than 2^63 elements",
                   [&](Bytes& b) { put(b, after(b, kQ) + 12, ~std::uint64_t{0}); });
  wrong += refused("has extents 64x32, not 64x64",
                   [&](Bytes& b) { put(b, after(b, kQ) + 12, std::uint64_t{32}); });
  wrong += refused(
      "has ggml type 16; this program reads f32 (0), f16 (1), bf16 (30), q4_0 (2), q4_1 (3), q5_0 "
      "(6), q5_1 (7), q8_0 (8), q2_K (10), q3_K (11), q4_K (12), q5_K (13), q6_K (14), iq4_nl "
      "(20), iq4_xs (23)",
      [&](Bytes& b) { put(b, after(b, kQ) + 20, std::uint32_t{16}); });
  wrong += refused("offset 33 is not a multiple of the alignment, 32",
                   [&](Bytes& b) { put(b, after(b, kQ) + 24, std::uint64_t{33}); });
  wrong += refused("lie outside of the data",
                   [&](Bytes& b) { put(b, after(b, kQ) + 24, ~std::uint64_t{0} - 31); });
  wrong += refused("has type f16, not f32",
                   [&](Bytes& b) { put(b, after(b, kNorm) + 12, std::uint32_t{1}); });
  wrong += refused("tensor 'blk.0.attn_x.weight' occurs twice", [&](Bytes& b) {
    put(b, place_of(b, kQ) + 11, 'x');
    put(b, place_of(b, "blk.0.attn_k.weight") + 11, 'x');
  });
  wrong += refused("tensor 'blk.0.attn_q.weight' is missing",
                   [&](Bytes& b) { put(b, place_of(b, kQ) + 11, 'x'); });
  wrong += refused("'llama.block_count' is missing",
                   [&](Bytes& b) { put(b, place_of(b, "llama.block_count"), 'L'); });
  wrong += refused("general.architecture is 'lxama'", [&](Bytes& b) {
    put(b, place_of(b, "general.architecture") + 20 + 4 + 8 + 1, 'x');
  });
  wrong += refused("'blk.1.attn_norm.weight' is missing", number("llama.block_count", 2));
  wrong += refused("tensor 'blk.0.attn_k.weight' is none of such a model",
                   number("llama.block_count", 0));
  wrong +=
      refused("3 heads of keys do not divide 2 heads", number("llama.attention.head_count_kv", 3));
  wrong += refused("multiples of 8 up to 256", number("llama.attention.key_length", 36));
  wrong += refused("'llama.rope.freq_base' is 0, but must be positive",
                   number("llama.rope.freq_base", 0));
  wrong += refused("heads of 48 and values of 32", number("llama.attention.key_length", 48));
  std::printf("files: %s\n", wrong == 0 ? "right" : "WRONG");
  return wrong;
}

}  // namespace llama
