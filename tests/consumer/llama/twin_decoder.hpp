// SPDX-License-Identifier: MIT
#pragma once
// The steps of a decoder on vkmoye's host twin: arrays in the memory of the host, and kernels that run statement by
// statement in their own arithmetic, with each access checked. It needs no device, and takes some seconds for a token
// of a model that is not tiny.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model.hpp"
#include "steps.hpp"

namespace llama {

/// What kernels for the twin are chosen for: a GPU with matrix units, in the twin's order of their elements.
const vkmoye::DeviceCaps& twin_device();

/// Runs the kernels of `plan` on its arrays. Throws std::runtime_error with the first reason of the twin against one.
void run_on_twin(const vkmoye::gen::KernelPlan& plan, std::vector<vkmoye::gen::HostArray> arrays);

/// The same functions as Decoder.
class TwinDecoder {
 public:
  /// `options` for a part of a prompt, of `options.count` tokens; `max_binding` as in Plans.
  TwinDecoder(const Model& model, const StepOptions& options,
              std::optional<std::uint64_t> max_binding = {});

  /// Precondition: there are `options.count` tokens, or one.
  std::uint32_t read(std::span<const std::uint32_t> tokens);
  std::uint32_t next() { return run(token_, 1); }

  static void require_arrivals() {}  // a phase of the twin begins when the one before has ended
  std::vector<float> logits() const;
  bool has_matrix_units() const;
  std::size_t token_steps() const { return token_.size(); }
  bool has_packed_weights() const { return has_packed_weights_; }

 private:
  using Bytes = std::vector<std::byte>;
  void write(const std::string& array, std::span<const std::byte> bytes, std::uint64_t offset = 0);
  std::span<std::byte> part(const Part& part);
  void load(const LoadedTensor& loaded);
  std::uint32_t run(const std::vector<Step>& steps, std::uint32_t count);

  StepOptions options_;
  Plans plans_;
  std::vector<Step> chunk_, token_;
  std::map<std::string, Bytes> arrays_;
  bool has_packed_weights_ = false;
  std::uint32_t position_ = 0;
};

}  // namespace llama
