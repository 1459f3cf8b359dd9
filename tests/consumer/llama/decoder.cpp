// SPDX-License-Identifier: MIT
#include "decoder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>
#include <stdexcept>
#include <utility>
#include <vkmoye/contract/scalar_value.hpp>

#include "matrix_orders.hpp"

namespace llama {

using own::Array;
using own::Commands;

constexpr std::uint32_t kTokensBetweenChecks = 16;

Decoder::Decoder(const Model& model, const DecoderOptions& options)
    : options_(options), sizes_(model.sizes), gpu_(options.device) {
  if (options.has_timings && gpu_.caps().timestamp_period_ns == 0) {
    throw std::runtime_error(gpu_.caps().name + " has no timestamps");
  }
  if (gpu_.caps().kind != vkmoye::DeviceKind::cpu || options.packs_on_cpu) {
    gpu_.caps().fragment_orders = matrix_orders(gpu_.caps());
  }
  if (options.groups != 0) gpu_.caps().resident_groups = options.groups;
  Plans plans(gpu_.caps(), options.max_binding);
  const StepOptions of_chunk = {.count = options.chunk,
                                .places = options.places,
                                .cache = options.cache,
                                .activations = options.activations};
  StepOptions of_token = of_chunk;
  of_token.count = 1;
  of_token.tokens = "next";
  of_token.groups = options.groups;
  chunk_.steps = steps_of(model, of_chunk, plans);
  token_.steps = steps_of(model, of_token, plans);

  std::vector<vkmoye::CompiledPlan> compiled;
  for (const vkmoye::gen::KernelPlan& plan : plans.all()) {
    compiled.push_back(vkmoye::gen::compile(plan, gpu_.caps()));
  }
  std::vector<const vkmoye::KernelInterface*> kernels;
  for (const vkmoye::CompiledPlan& plan : compiled) {
    for (const vkmoye::KernelInterface* kernel : vkmoye::kernels_of(plan))
      kernels.push_back(kernel);
  }
  gpu_.open(kernels, options.groups);

  std::set<std::string> on_host = {"tokens", "positions", "length", "next", "logit"};
  if (options.reads_logits) on_host.insert("logits");
  for (const auto& [name, bytes] : state_of(sizes_, of_chunk)) {
    arrays_.emplace(name, Array(gpu_, bytes, on_host.count(name) != 0));
    if (const auto type = type_of(name, of_chunk)) types_.emplace(name, *type);
  }
  upload(plans, compiled);
  arrays_.at("frequencies").write(std::as_bytes(std::span(model.frequencies)));

  // Each step once, and once more to find numbers that are not finite.
  const auto recordings =
      static_cast<std::uint32_t>(2 * (chunk_.steps.size() + token_.steps.size()));
  for (const vkmoye::CompiledPlan& plan : compiled) {
    recorders_.emplace_back(gpu_.device(), plan,
                            vkmoye::PlanRecorderOptions{.recordings = recordings});
  }
  record(chunk_);
  record(token_);
}

void Decoder::upload(const Plans& plans, const std::vector<vkmoye::CompiledPlan>& compiled) {
  for (const auto& [name, tensors] : plans.weights()) {
    Array array(gpu_, (tensors.back().part.end() + 3) / 4 * 4, false);
    for (const LoadedTensor& loaded : tensors) {
      const FileTensor& tensor = *loaded.tensor;
      if (loaded.packing) {
        pack(loaded, compiled[*loaded.packing], array);
      } else {
        array.write(tensor.bytes, loaded.part.offset);
      }
    }
    arrays_.emplace(name, std::move(array));
  }
}

void Decoder::pack(const LoadedTensor& loaded, const vkmoye::CompiledPlan& plan, const Array& to) {
  has_packed_weights_ = true;
  Array source(gpu_, (loaded.tensor->bytes.size() + 3) / 4 * 4, false);
  source.write(loaded.tensor->bytes);
  vkmoye::PlanRecorder recorder(gpu_.device(), plan);
  Commands commands(gpu_);
  recorder.record(commands.handle(),
                  {source.view(0, source.bytes()), to.view(loaded.part.offset, loaded.part.bytes)});
  commands.end();
  commands.run();
}

void Decoder::record(Recording& recording) {
  const auto marks = static_cast<std::uint32_t>(recording.steps.size() + 1);
  recording.commands = std::make_unique<Commands>(gpu_, options_.has_timings ? marks : 0);
  recording.microseconds.resize(recording.steps.size());
  if (options_.has_timings) recording.commands->mark();
  for (const Step& step : recording.steps) {
    record(*recording.commands, step);
    if (options_.has_timings) recording.commands->mark();
  }
  recording.commands->end();
}

void Decoder::record(Commands& commands, const Step& step) {
  std::vector<vkmoye::BufferView> views;
  for (const Part& part : step.arrays) {
    const Array& array = arrays_.at(part.array);
    views.push_back(array.view(part.offset, std::min(part.bytes, array.bytes() - part.offset)));
  }
  recorders_[step.plan].record(commands.handle(), views, {.after = vkmoye::kComputePass});
}

void Decoder::run(Recording& recording, std::uint32_t count) {
  std::vector<std::int32_t> positions(count);
  std::iota(positions.begin(), positions.end(), static_cast<std::int32_t>(position_));
  arrays_.at("positions").write(std::as_bytes(std::span(positions)));
  position_ += count;
  arrays_.at("length").write(std::as_bytes(std::span(&position_, 1)));
  const std::uint32_t before = last();
  recording.commands->run();
  const bool is_first = recording.runs == 0;
  if (&recording == &token_ && (is_first || position_ % kTokensBetweenChecks == 0))
    require_arrivals();
  throw_if_not_finite(recording, before);
  ++recording.runs;
  if (!options_.has_timings) return;
  const std::vector<double> times = recording.commands->microseconds();
  for (std::size_t i = 0; i < times.size(); ++i) recording.microseconds[i] += times[i];
}

void Decoder::require_arrivals() {
  for (vkmoye::PlanRecorder& recorder : recorders_) recorder.require_arrivals();
}

void Decoder::throw_if_not_finite(const Recording& recording, std::uint32_t before) {
  float logit = 0;
  arrays_.at("logit").read(std::as_writable_bytes(std::span(&logit, 1)));
  if (std::isfinite(logit)) return;
  require_arrivals();
  arrays_.at("next").write(std::as_bytes(std::span(&before, 1)));  // a token reads it
  throw std::runtime_error("logits after " + std::to_string(position_) +
                           " tokens are infinite or NaN; first, " + first_not_finite(recording));
}

// Runs the steps again, one by one.
std::string Decoder::first_not_finite(const Recording& recording) {
  for (const Step& step : recording.steps) {
    Commands commands(gpu_);
    record(commands, step);
    commands.end();
    commands.run();
    for (const Part& part : step.arrays) {
      const auto type = types_.find(part.array);
      if (type == types_.end()) continue;
      const std::size_t size = size_of(type->second), count = part.bytes / size;
      const std::vector<std::byte> bytes =
          arrays_.at(part.array).download(part.offset, count * size);
      std::size_t wrong = 0;
      for (std::size_t at = 0; at < bytes.size(); at += size) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &bytes[at], size);
        wrong += std::isfinite(vkmoye::number_of(type->second, bits)) ? 0 : 1;
      }
      if (wrong == 0) continue;
      const std::string type_text(to_string(type->second));
      return std::to_string(wrong) + " of " + std::to_string(count) + " numbers in '" + part.array +
             "', " + type_text + ", after '" + step.label + "'" +
             (step.layer ? " of layer " + std::to_string(*step.layer) : "") +
             (type_text == "f16" ? "; --activations f32 --cache f32 has a wider range" : "");
    }
  }
  return "none: they are finite when the steps run again";
}

std::uint32_t Decoder::read(std::span<const std::uint32_t> tokens) {
  if (tokens.empty()) throw std::runtime_error("there are no tokens to read");
  if (tokens.size() > options_.places - position_) {
    throw std::runtime_error(std::to_string(position_ + tokens.size()) +
                             " tokens, but the caches have " + std::to_string(options_.places) +
                             " places");
  }
  for (const std::uint32_t token : tokens) {
    if (token >= sizes_.vocabulary) {
      throw std::runtime_error("token " + std::to_string(token) + " is outside the vocabulary of " +
                               std::to_string(sizes_.vocabulary));
    }
  }
  const std::span<const std::uint32_t> all = tokens;
  while (!tokens.empty()) {
    const bool is_chunk = all.size() >= options_.chunk;
    if (is_chunk && tokens.size() < options_.chunk) {  // the ones before are computed again
      position_ -= static_cast<std::uint32_t>(options_.chunk - tokens.size());
      tokens = all.last(options_.chunk);
    }
    const std::uint32_t count = is_chunk ? options_.chunk : 1;
    arrays_.at(is_chunk ? "tokens" : "next").write(std::as_bytes(tokens.first(count)));
    run(is_chunk ? chunk_ : token_, count);
    tokens = tokens.subspan(count);
  }
  return last();
}

std::uint32_t Decoder::next() {
  if (position_ >= options_.places) {
    throw std::runtime_error("the caches are full: they have " + std::to_string(options_.places) +
                             " places");
  }
  run(token_, 1);
  return last();
}

std::uint32_t Decoder::last() const {
  std::uint32_t token = 0;
  arrays_.at("next").read(std::as_writable_bytes(std::span(&token, 1)));
  return token;
}

std::vector<float> Decoder::logits() const {
  std::vector<float> out(sizes_.vocabulary);
  arrays_.at("logits").read(std::as_writable_bytes(std::span(out)));
  return out;
}

std::vector<KernelTime> Decoder::times_of(const Recording& recording) const {
  std::vector<KernelTime> out;
  for (std::size_t i = 0; i < recording.steps.size(); ++i) {
    const std::string& label = recording.steps[i].label;
    auto found = std::find_if(out.begin(), out.end(),
                              [&](const KernelTime& time) { return time.label == label; });
    if (found == out.end()) found = out.insert(out.end(), {label});
    ++found->kernels;
    found->microseconds += recording.microseconds[i] / static_cast<double>(recording.runs);
  }
  return out;
}

}  // namespace llama
