#include "workloads/move_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "baselines/baselines.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/relayout_rows.hpp"
#include "workloads/random.hpp"

namespace vkmoye::bench {
namespace {

constexpr std::uint64_t kChunkElements = std::uint64_t{1} << 21;
constexpr std::uint64_t kFullVerification = std::uint64_t{1} << 26;
constexpr std::uint64_t kSampledChunks = 24;  // beside the first and the last

// The first elements of the chunks to compare.
std::vector<std::uint64_t> chunks_to_check(std::uint64_t elements, Verify verify,
                                           std::uint64_t seed) {
  const std::uint64_t chunks = (elements + kChunkElements - 1) / kChunkElements;
  std::vector<std::uint64_t> out;
  if (verify == Verify::full || chunks <= kSampledChunks + 2) {
    for (std::uint64_t i = 0; i < chunks; ++i) out.push_back(i);
  } else {
    out = {0, chunks - 1};
    for (std::uint64_t i = 0; i < kSampledChunks; ++i) {
      out.push_back(random_bits(~seed, i) % chunks);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  for (std::uint64_t& chunk : out) chunk *= kChunkElements;
  return out;
}

class Move : public Workload {
 public:
  explicit Move(const Problem& problem)
      : problem_(problem),
        operation_(problem.entry->operation),
        type_(problem.request.type),
        shape_(problem.size) {
    if (operation_ == gen::Operation::transpose) std::swap(shape_[0], shape_[1]);
    if (operation_ == gen::Operation::relayout) {
      const gen::PermutedArray array = gen::permuted_array(problem.request);
      shape_ = array.shape;
      for (int i = 0; i < array.layouts.src.rank(); ++i) {
        const Layout axis = array.layouts.src.mode(i);
        strides_.push_back(axis.leaves()[0].stride);
      }
    }
  }

  std::string type_text() const override { return std::string(to_string(type_)); }
  std::vector<std::string> words() const override {
    return {"--size", to_string(problem_.size), "--type", type_text()};
  }

  std::vector<Array> arrays() const override {
    return {{"src", array_bytes(), 0}, {"dst", array_bytes(), std::nullopt}};
  }
  Arguments arguments() const override {
    if (operation_ == gen::Operation::relayout) return {};  // baked
    return {{"rows", problem_.size[0]}, {"cols", problem_.size[1]}};
  }

  double bytes() const override { return 2.0 * static_cast<double>(array_bytes()); }
  bool is_checked_in_full() const override { return elements() <= kFullVerification; }

  void fill(Buffers& buffers, std::uint64_t seed) const override {
    fill_random(buffers[0], size_of(type_), seed);
  }

  Verdict check(const Buffers& buffers, Verify verify, std::uint64_t seed) const override {
    Verdict verdict;
    const std::size_t width = size_of(type_);
    std::vector<std::byte> chunk(std::min(kChunkElements, elements()) * width);
    for (const std::uint64_t first : chunks_to_check(elements(), verify, seed)) {
      const std::uint64_t count = std::min(kChunkElements, elements() - first);
      const std::span part(chunk.data(), count * width);
      buffers[1].read(part, first * width);
      for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t source = source_of(first + i);
        std::byte expected[16];
        random_element({expected, width}, seed, source);
        if (std::memcmp(expected, part.data() + i * width, width) == 0) continue;
        if (verdict.mismatches++ == 0) {
          verdict.first =
              fmt::format("element {} of dst is not element {} of src", first + i, source);
        }
      }
    }
    return verdict;
  }

  Timing time_baseline(const std::string& name, const BaselineRun& run) const override {
    return time_move_baseline(name, run, problem_);
  }

  std::vector<std::int64_t> result_shape() const override { return shape_; }
  ScalarType result_type() const override { return type_; }

 private:
  std::uint64_t elements() const {
    std::uint64_t count = 1;
    for (const std::int64_t extent : shape_) count *= static_cast<std::uint64_t>(extent);
    return count;
  }
  // The place in src of what stands at `index` of dst.
  std::uint64_t source_of(std::uint64_t index) const {
    if (operation_ != gen::Operation::relayout) {
      return gen::source_index(operation_, index, static_cast<std::uint64_t>(problem_.size[0]),
                               static_cast<std::uint64_t>(problem_.size[1]));
    }
    std::uint64_t source = 0;
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(shape_[axis]);
      source += index % extent * static_cast<std::uint64_t>(strides_[axis]);
      index /= extent;
    }
    return source;
  }
  std::uint64_t array_bytes() const { return elements() * size_of(type_); }

  Problem problem_;
  gen::Operation operation_;
  ScalarType type_;
  std::vector<std::int64_t> shape_;    // of dst
  std::vector<std::int64_t> strides_;  // in src, along the axes of dst; of a relayout
};

}  // namespace

std::unique_ptr<Workload> make_move(const Problem& problem) {
  return std::make_unique<Move>(problem);
}

Problem move_of(const gen::KernelEntry& entry, const gen::Options& config, const std::string& type,
                const std::vector<GivenArray>& given) {
  if (given.size() != 1) {
    throw ArgumentError(fmt::format("{} takes one array, got {}", entry.name, given.size()));
  }
  const GivenArray& array = given.front();
  if (!type.empty() && parse_type(type) != array.type) {
    throw ArgumentError(
        fmt::format("{}: holds {}, --type says {}", array.name, to_string(array.type), type));
  }
  if (array.shape.size() != 2 && entry.operation != gen::Operation::relayout) {
    throw ArgumentError(fmt::format("{}: has {} dimension{}, {} takes 2", array.name,
                                    array.shape.size(), array.shape.size() == 1 ? "" : "s",
                                    entry.name));
  }
  Problem problem;
  problem.entry = &entry;
  problem.request.type = array.type;
  problem.request.options = config;
  problem.size = array.shape;
  if (entry.operation == gen::Operation::relayout) problem.request.shape = array.shape;
  return problem;
}

}  // namespace vkmoye::bench
