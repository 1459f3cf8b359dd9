// SPDX-License-Identifier: MIT
#pragma once
// A model on a device: two command buffers, for a part of a prompt and for one token, recorded once.
//
//   Decoder decoder(model, {.chunk = 5});
//   std::uint32_t token = decoder.read({1, 2, 3, 4, 5});   // the most likely next one
//   token = decoder.next();                                // and the one after it
//
// Between two submissions only `positions`, `length`, and for a prompt `tokens`, change, in mapped memory. The caches
// keep the keys and values of all tokens so far.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>
#include <vkmoye/runtime/plan_recorder.hpp>

#include "model.hpp"
#include "own_device/gpu.hpp"
#include "steps.hpp"

namespace llama {

struct DecoderOptions {
  std::uint32_t device = 0;    // in the order of vkEnumeratePhysicalDevices
  std::uint32_t chunk = 1;     // tokens of a prompt that are computed together
  std::uint32_t places = 128;  // the most tokens
  vkmoye::ScalarType cache = vkmoye::ScalarType::f16;
  vkmoye::ScalarType activations = vkmoye::ScalarType::f16;
  std::optional<std::uint64_t> max_binding = {};  // as in Plans
  std::uint32_t groups = 0;                       // as in StepOptions
  bool has_timings = false;
  bool reads_logits = false;
  bool packs_on_cpu =
      false;  // packs matrices for the matrix units of a CPU as well, which is slow: for tests
};

/// The kernels with one label: how many of them ran for each submission, and the mean of their times together.
struct KernelTime {
  std::string label;
  std::size_t kernels = 0;
  double microseconds = 0;
};

class Decoder {
 public:
  Decoder(const Model& model, const DecoderOptions& options);

  /// Appends `tokens` and returns the most likely token after them. Throws std::runtime_error if the caches are full,
  /// a token is outside the vocabulary, or logits are infinite or NaN; that says which numbers were so first.
  std::uint32_t read(std::span<const std::uint32_t> tokens);
  /// Appends the token that was returned last, and returns the next one.
  std::uint32_t next();
  /// Throws vkmoye::DeviceError if workgroups of a layer in one launch waited in vain for each other: then tokens are
  /// wrong. `read` and `next` do so after the first and every 16th token, as it takes longer than some layers.
  void require_arrivals();

  /// Those after the last token. Precondition: reads_logits.
  std::vector<float> logits() const;
  const std::string& device_name() const { return gpu_.caps().name; }
  /// Whether some product rounds activations to the f16 of matrix units.
  bool has_matrix_units() const { return gpu_.features().has(vkmoye::Feature::cooperative_matrix); }
  /// Of a token: kernels, or plans of several ones.
  std::size_t token_steps() const { return token_.steps.size(); }
  bool has_packed_weights() const { return has_packed_weights_; }

  /// In the order of the first kernel. Preconditions: has_timings, and the command buffer has run.
  std::vector<KernelTime> chunk_times() const { return times_of(chunk_); }
  std::vector<KernelTime> token_times() const { return times_of(token_); }

 private:
  struct Recording {
    std::vector<Step> steps = {};
    std::unique_ptr<own::Commands> commands = {};
    std::vector<double> microseconds = {};  // of each step, in all runs
    std::size_t runs = 0;
  };
  void upload(const Plans& plans, const std::vector<vkmoye::CompiledPlan>& compiled);
  void pack(const LoadedTensor& loaded, const vkmoye::CompiledPlan& plan, const own::Array& to);
  void record(Recording& recording);
  void run(Recording& recording, std::uint32_t count);
  void record(own::Commands& commands, const Step& step);
  void throw_if_not_finite(const Recording& recording, std::uint32_t before);
  std::string first_not_finite(const Recording& recording);
  std::vector<KernelTime> times_of(const Recording& recording) const;
  std::uint32_t last() const;

  DecoderOptions options_;
  Sizes sizes_;
  std::map<std::string, vkmoye::ScalarType> types_;  // of arrays of numbers that are not weights
  own::Gpu gpu_;
  std::map<std::string, own::Array> arrays_;
  std::vector<vkmoye::PlanRecorder> recorders_;
  bool has_packed_weights_ = false;
  Recording chunk_, token_;
  std::uint32_t position_ = 0;
};

}  // namespace llama
