// SPDX-License-Identifier: MIT
#pragma once
// What the device does for a number of tokens, as a list: which kernel on which arrays. It is made before the device
// is created, because the device needs the features of these kernels.
//
//   embedding    table, tokens -> x
//   norm         x -> h
//   product      h, blk.0.attn_q.weight -> q        one compiled plan for all layers
//   ..

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>
#include <vkmoye/vkmoye.hpp>

#include "model.hpp"

namespace llama {

/// A matrix in blocks that is brought into the order of the matrix units when it is loaded.
struct Packing {
  const FileTensor* tensor;
  std::size_t plan;  // from the tensor to the packed array
};

/// Compiled plans of kernels, each once, and the matrices that must be packed for them.
class Plans {
 public:
  explicit Plans(const vkmoye::DeviceCaps& caps) : caps_(caps) {}
  /// The number of the plan called `key`, which `describe` returns if it is new.
  std::size_t number(const std::string& key,
                     const std::function<vkmoye::gen::KernelPlan()>& describe);
  const std::vector<vkmoye::CompiledPlan>& compiled() const { return compiled_; }
  const vkmoye::DeviceCaps& caps() const { return caps_; }
  void pack(const std::string& array, const Packing& packing) { packings_[array] = packing; }
  /// By the names of the packed arrays.
  const std::map<std::string, Packing>& packings() const { return packings_; }

 private:
  const vkmoye::DeviceCaps& caps_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<vkmoye::CompiledPlan> compiled_;
  std::map<std::string, Packing> packings_;
};

/// A part of an array.
struct Part {
  std::string array;  // a tensor of the file, or an array of state_of
  std::uint64_t bytes, offset = 0;
};

struct Step {
  std::string label;  // for the table of times
  std::size_t plan;
  std::vector<Part> arrays;
};

struct StepOptions {
  std::uint32_t count = 1;                             // of tokens
  std::uint32_t places = 128;                          // of the caches
  vkmoye::ScalarType cache = vkmoye::ScalarType::f16;  // of keys and values
  vkmoye::ScalarType activations = vkmoye::ScalarType::f16;
  std::string tokens = "tokens";  // the array that has them
};

/// The bytes of the arrays that are not weights, for at most `count` tokens at once. Logits are f32.
std::map<std::string, std::uint64_t> state_of(const Sizes& sizes, const StepOptions& options);

/// Appends `count` tokens at `positions` to the caches, and computes `logits` of the last one and `next`, the number of
/// the largest.
std::vector<Step> steps_of(const Model& model, const StepOptions& options, Plans& plans);

}  // namespace llama
