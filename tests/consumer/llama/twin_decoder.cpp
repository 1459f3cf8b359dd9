// SPDX-License-Identifier: MIT
#include "twin_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vkmoye/gen/twin/run_on_host.hpp>

namespace llama {

using namespace vkmoye;

namespace {

// Poison: in any type of floating point, not a number.
constexpr std::byte kUnwritten{0xff};

DeviceCaps with_matrix_units() {
  DeviceCaps caps = common_device();
  caps.features.add(Feature::cooperative_matrix);
  caps.matrix_shapes = {{16, 16, 16, "f16", "f16", "f32", "f32", "subgroup"}};
  for (const gen::MatrixOperand& operand : gen::matrix_operands(caps)) {
    std::vector<std::byte> source = gen::probe_input(*operand.probed), held(source.size());
    gen::run_on_host(gen::fragment_probe(*operand.probed), {source, held}, {});
    caps.fragment_orders.push_back(gen::probed_order(*operand.probed, held));
  }
  return caps;
}

}  // namespace

const DeviceCaps& twin_device() {
  static const DeviceCaps caps = with_matrix_units();
  return caps;
}

void run_on_twin(const gen::KernelPlan& plan, std::vector<gen::HostArray> arrays) {
  std::vector<std::vector<std::byte>> scratch;
  for (const PlanArray& array : plan.scratch) scratch.emplace_back(array.bytes, kUnwritten);
  arrays.insert(arrays.end(), scratch.begin(), scratch.end());
  for (const gen::KernelStep& step : plan.steps) {
    const KernelInterface interface = gen::ir::interface_of(step.kernel);
    std::vector<gen::HostArray> buffers;
    for (std::size_t i = 0; i < step.arrays.size(); ++i) {
      const Binding& binding = interface.bindings[i];
      buffers.push_back(
          arrays.at(step.arrays[i])
              .bytes.first(element_count(binding, step.arguments) * size_of(binding.type)));
    }
    const gen::TwinReport report = gen::run_on_host(step.kernel, buffers, step.arguments);
    if (!report.reasons.empty()) {
      throw std::runtime_error(step.kernel.name + " on the twin: " + report.reasons.front());
    }
  }
}

TwinDecoder::TwinDecoder(const Model& model, const StepOptions& options,
                         std::optional<std::uint64_t> max_binding)
    : options_(options), plans_(twin_device(), max_binding) {
  StepOptions of_token = options;
  of_token.count = 1;
  of_token.tokens = "next";
  StepOptions of_chunk = options;
  of_chunk.groups = 0;
  chunk_ = steps_of(model, of_chunk, plans_);
  token_ = steps_of(model, of_token, plans_);
  for (const auto& [name, bytes] : state_of(model.sizes, options)) {
    arrays_[name].resize(bytes, kUnwritten);
  }
  write("frequencies", std::as_bytes(std::span(model.frequencies)));
  for (const auto& [name, tensors] : plans_.weights()) {
    arrays_[name].resize(tensors.back().part.end());
    for (const LoadedTensor& loaded : tensors) load(loaded);
  }
}

void TwinDecoder::load(const LoadedTensor& loaded) {
  const FileTensor& tensor = *loaded.tensor;
  if (loaded.packing) {
    has_packed_weights_ = true;
    Bytes source(tensor.bytes.begin(), tensor.bytes.end());
    run_on_twin(plans_.all()[*loaded.packing], {source, part(loaded.part)});
  } else {
    write(loaded.part.array, tensor.bytes, loaded.part.offset);
  }
}

std::span<std::byte> TwinDecoder::part(const Part& part) {
  if (part.offset % twin_device().storage_buffer_alignment != 0) {
    throw std::runtime_error("not every device can bind " + part.array + " from byte " +
                             std::to_string(part.offset) + " on");
  }
  if (plans_.weights().count(part.array) != 0 && part.bytes > plans_.max_binding()) {
    throw std::runtime_error(std::to_string(part.bytes) + " bytes of " + part.array +
                             " are more than the device can bind");
  }
  return std::span(arrays_.at(part.array)).subspan(part.offset, part.bytes);
}

void TwinDecoder::write(const std::string& array, std::span<const std::byte> bytes,
                        std::uint64_t offset) {
  std::ranges::copy(bytes, part({array, bytes.size(), offset}).begin());
}

std::uint32_t TwinDecoder::run(const std::vector<Step>& steps, std::uint32_t count) {
  std::vector<std::int32_t> positions(count);
  std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(position_));
  write("positions", std::as_bytes(std::span(positions)));
  position_ += count;
  write("length", std::as_bytes(std::span(&position_, 1)));
  for (const Step& step : steps) {
    std::vector<gen::HostArray> arrays;
    for (const Part& array : step.arrays) arrays.push_back(part(array));
    run_on_twin(plans_.all()[step.plan], std::move(arrays));
  }
  std::uint32_t token = 0;
  std::memcpy(&token, arrays_.at("next").data(), sizeof token);
  return token;
}

std::uint32_t TwinDecoder::read(std::span<const std::uint32_t> tokens) {
  const auto count = static_cast<std::uint32_t>(tokens.size());
  write(count == 1 ? "next" : "tokens", std::as_bytes(tokens));
  return run(count == 1 ? token_ : chunk_, count);
}

std::vector<float> TwinDecoder::logits() const {
  const Bytes& bytes = arrays_.at("logits");
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

bool TwinDecoder::has_matrix_units() const {
  return std::ranges::any_of(plans_.all(), [](const gen::KernelPlan& plan) {
    return std::ranges::any_of(plan.steps, [](const gen::KernelStep& step) {
      return gen::ir::interface_of(step.kernel).features.has(Feature::cooperative_matrix);
    });
  });
}

}  // namespace llama
