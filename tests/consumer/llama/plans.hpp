// SPDX-License-Identifier: MIT
#pragma once
// What the steps of a decoder share: parts of arrays, plans of kernels, and how arrays of weights are loaded.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <vkmoye/vkmoye.hpp>

#include "gguf.hpp"

namespace llama {

/// A part of an array.
struct Part {
  std::string array;
  std::uint64_t bytes, offset = 0;

  std::uint64_t end() const { return offset + bytes; }
};

/// Parts of these lengths one after the other in an array, each at an offset that every device can bind.
std::vector<Part> parts_of(const std::string& array, const std::vector<std::uint64_t>& bytes);
/// Consecutive parts of one array as one part, if there is nothing between them.
std::optional<Part> joined(const std::vector<Part>& parts);

/// A tensor of the file, and the part of an array that it becomes.
struct LoadedTensor {
  const FileTensor* tensor;
  Part part;
  std::optional<std::size_t> packing =
      {};  // the plan from the tensor to its part; else it is copied
};

/// Plans of kernels, each once, and the arrays of weights that they read.
class Plans {
 public:
  /// `max_binding`: the most bytes of an array of weights that a kernel binds, if fewer than the device can bind.
  explicit Plans(const vkmoye::DeviceCaps& caps, std::optional<std::uint64_t> max_binding = {});
  /// The number of the plan called `key`, which `describe` returns if it is new.
  std::size_t number(const std::string& key,
                     const std::function<vkmoye::gen::KernelPlan()>& describe);
  const std::vector<vkmoye::gen::KernelPlan>& all() const { return plans_; }
  const vkmoye::DeviceCaps& caps() const { return caps_; }
  std::uint64_t max_binding() const { return max_binding_; }

  /// The tensor of this name that is made of another, by `make`, which may keep the bytes in its argument.
  const FileTensor& derived(const std::string& name,
                            const std::function<FileTensor(std::vector<std::byte>&)>& make);

  /// `array` has these tensors, in order. All calls for an array name the same.
  void load(const std::string& array, std::vector<LoadedTensor> tensors);
  /// By the names of the arrays.
  const std::map<std::string, std::vector<LoadedTensor>>& weights() const { return weights_; }

 private:
  const vkmoye::DeviceCaps& caps_;
  std::uint64_t max_binding_;
  std::map<std::string, std::size_t> numbers_;
  std::vector<vkmoye::gen::KernelPlan> plans_;
  struct Derived {
    FileTensor tensor;
    std::vector<std::byte> bytes;
  };
  std::map<std::string, Derived> derived_;
  std::map<std::string, std::vector<LoadedTensor>> weights_;
};

}  // namespace llama
