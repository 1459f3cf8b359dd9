// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/products/choice/expected_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/products/coopmat.hpp"
#include "vkmoye/gen/kernels/products/packed.hpp"
#include "vkmoye/gen/kernels/products/simt.hpp"
#include "vkmoye/gen/kernels/products/thin.hpp"
#include "vkmoye/gen/kernels/products/thin_coopmat.hpp"

namespace vkmoye::gen {
namespace {

// Times in microseconds, rates of a core in a microsecond; fitted, see the header.
constexpr double kLaunch = 3.8, kNextLaunch = 2.4, kAddingSlices = 3.4;
constexpr double kBytesOfMemory = 32e3;  // of each core: 4.2 TB/s of an H200
constexpr double kBytesOfCopy = 0.7;     // of that rate: packing, adding slices
constexpr double kBytesOfSlices = 1.2;   // the same for sums of slices, which a cache keeps
constexpr double kMatrixProducts = 2.44e6,
                 kVectorProducts = 2.1e5;  // multiply-adds of 2 and of 4 bytes
// Through shared memory.
constexpr double kStagedLatency = 0.25, kStagedBytes = 33e3, kStagedOverlap = 0.62,
                 kStagedUnaligned = 3.9, kElementsUnaligned = 1.5, kPackedUnaligned = 3;
constexpr double kStagedWait =
    0.75;  // of the time to stage a tile: a single workgroup waits for it
constexpr double kStagedElement = 2.3e-4;  // of C
constexpr double kStagedMemory = 0.7;      // of the rate of memory
// From memory to matrices: elements are put into them one by one.
constexpr double kDirectLatency = 0.57, kDirectBytes = 120e3, kDirectProducts = 1.27e6,
                 kDirectUnaligned = 4.8;
constexpr double kDirectElement = 6e-5, kDirectSlowdownOfBytes = 2.3;
constexpr double kPackedBytes = 107e3;  // of fragments
// A product without tiles: parts of the vector rate, and of memory; k of a workgroup in a round.
constexpr double kThinProducts = 0.25, kThinBytes = 0.85, kThinRound = 256, kThinRows = 8;

constexpr std::int64_t kThreadsOfCore = 256;
constexpr std::int64_t kCoresOfDiscrete = 64,
                       kCoresOfIntegrated = 8;  // where a device does not tell

double ceil_of(double a, double b) { return std::ceil(a / b); }
double number(std::int64_t value) { return static_cast<double>(value); }

double cores_of(const DeviceCaps& device) {
  if (device.resident_groups != 0) return number(device.resident_groups);
  return number(device.kind == DeviceKind::discrete ? kCoresOfDiscrete : kCoresOfIntegrated);
}

template <class Config>
Config with_options(Config config, const std::vector<ConfigField<Config>>& fields,
                    const Options& options) {
  throw_if_any("gemm/auto", read_fields(fields, options, config));
  return config;
}

// The sizes of a product, and what they say of its bytes.
struct Sizes {
  double m, n, k, batch, cores;
  double bytes_a, bytes_b, bytes_multiplied;  // of an element
  bool is_aligned;                            // rows, to accesses of 16 bytes

  double bytes_of_operands() const { return (m * bytes_a + n * bytes_b) * k * batch; }
  double all_bytes(double of_result) const {
    return bytes_of_operands() + m * n * batch * of_result;
  }
};

Sizes sizes_of(const GemmProduct& product, const DeviceCaps& device) {
  const std::vector<std::int64_t> shape =
      product.shape.value_or(std::vector<std::int64_t>(3, kUnknownExtent));
  const double a = number(static_cast<std::int64_t>(size_of(product.a_type))),
               b = number(static_cast<std::int64_t>(size_of(product.b_type)));
  const auto is_whole = [&](bool k_contiguous, std::int64_t other, double bytes) {
    return std::fmod(number(k_contiguous ? shape[2] : other) * bytes, 16) == 0;
  };
  return {number(shape[0]),
          number(shape[1]),
          number(shape[2]),
          number(product.batch),
          cores_of(device),
          a,
          b,
          number(static_cast<std::int64_t>(size_of(multiplied_type(product)))),
          is_whole(product.a_k_contiguous, shape[0], a) &&
              is_whole(product.b_k_contiguous, shape[1], b)};
}

// Workgroups that do the same: tiles of k one after another, then the end. Times are those of a core.
struct Work {
  double groups, threads;
  double tiles;                // of k
  double latency;              // of a tile of k
  double moving, multiplying;  // what a tile of k takes
  double overlap;              // the part of moving that multiplying waits for
  double end;                  // after the last tile
  const char* moving_is;       // "staging"
};

// A tile of k takes what bounds it, if `residents` workgroups share a core.
double of_tile(const Work& work, double residents) {
  const double busy = std::max(work.moving, work.multiplying + work.overlap * work.moving);
  return std::max(work.latency, residents * busy);
}

// `part`: of the rate of memory that such kernels reach.
ExpectedTime of_rounds(const Work& work, const Sizes& sizes, double of_result, double part = 1) {
  const double most = std::max(1.0, std::floor(number(kThreadsOfCore) / work.threads));
  const auto round = [&](double residents) {
    return work.tiles * of_tile(work, residents) + residents * work.end;
  };
  const double whole = std::floor(work.groups / (sizes.cores * most));
  const double rest = work.groups - whole * sizes.cores * most;
  double all = whole * round(most);
  if (rest > 0) all += round(ceil_of(rest, sizes.cores));
  const double memory = sizes.all_bytes(of_result) / (sizes.cores * kBytesOfMemory * part);
  const double residents = std::min(most, std::max(1.0, ceil_of(work.groups, sizes.cores)));
  const double tile = of_tile(work, residents);
  const char* limit = memory > all                     ? "memory"
                      : tile == work.latency           ? "latency"
                      : work.multiplying > work.moving ? "arithmetic"
                                                       : work.moving_is;
  return {kLaunch + std::max(all, memory),
          fmt::format(
              "{:.0f} workgroups on {:.0f} cores, tiles of k: {:.0f} of {:.2f} us, limited by {}",
              work.groups, sizes.cores, work.tiles, tile, limit)};
}

double of_slices(double slices, const Sizes& sizes) {
  if (slices <= 1) return 0;
  const double bytes = sizes.m * sizes.n * sizes.batch * 4 * (2 * slices + 1);
  return kAddingSlices + bytes / (sizes.cores * kBytesOfMemory * kBytesOfSlices);
}

// Tiles of A and B of `depth` elements of k, through shared memory.
Work staged(double tile_m, double tile_n, double depth, double threads, double rate, double slices,
            const Sizes& sizes, double unaligned) {
  const double moving =
      (tile_m + tile_n) * depth * sizes.bytes_multiplied * unaligned / kStagedBytes;
  return {.groups = ceil_of(sizes.m, tile_m) * ceil_of(sizes.n, tile_n) * sizes.batch * slices,
          .threads = threads,
          .tiles = ceil_of(ceil_of(sizes.k, depth), slices),
          .latency = kStagedLatency * unaligned + kStagedWait * moving,
          .moving = moving,
          .multiplying = tile_m * tile_n * depth / rate,
          .overlap = kStagedOverlap,
          .end = kStagedElement * tile_m * tile_n,
          .moving_is = "staging"};
}

ExpectedTime of_coopmat(const GemmChoice& choice, const GemmProduct& product,
                        const DeviceCaps& device, const Sizes& sizes, double of_result) {
  const auto config =
      with_options(gemm_coopmat_config(product, device), gemm_coopmat_fields(), choice.config);
  const double rate = kMatrixProducts * 2 / sizes.bytes_multiplied;
  const Work work = staged(number(config.tile_m), number(config.tile_n), number(config.tile_k),
                           number(config.threads()), rate, number(choice.slices), sizes,
                           sizes.is_aligned ? 1 : kStagedUnaligned);
  return of_rounds(work, sizes, of_result, kStagedMemory);
}

ExpectedTime of_simt(const GemmChoice& choice, const GemmProduct& product, const DeviceCaps& device,
                     const Sizes& sizes, double of_result) {
  const auto config =
      with_options(gemm_simt_config(product, device), gemm_simt_fields(), choice.config);
  const double rate = kVectorProducts * (sizes.bytes_multiplied == 8 ? 0.5 : 1);
  // Elements are stored one by one in any case; halves are also loaded so.
  const double unaligned = sizes.is_aligned || sizes.bytes_multiplied >= 4 ? 1 : kElementsUnaligned;
  const Work work =
      staged(number(config.tile_m), number(config.tile_n), number(config.tile_k),
             number(size(config.threads)), rate, number(choice.slices), sizes, unaligned);
  return of_rounds(work, sizes, of_result, kStagedMemory);
}

ExpectedTime of_thin_coopmat(const GemmChoice& choice, const GemmProduct& product,
                             const DeviceCaps& device, const Sizes& sizes, double of_result) {
  const auto config = with_options(gemm_thin_coopmat_config(product, device, choice.config),
                                   gemm_thin_coopmat_fields(), choice.config);
  const double tile_m = number(config.tile_m), tile_n = number(config.tile_n);
  const double subgroups = number(config.subgroups);
  // A lane reads 16 bytes of a row in each of its reads; those of two fragments along k are one access.
  const double depth = 2 * number(config.atom_k * config.reads);
  const double slower = sizes.bytes_multiplied == 1 ? kDirectSlowdownOfBytes : 1;
  const bool is_aligned = sizes.is_aligned && product.a_k_contiguous && product.b_k_contiguous;
  const double unaligned = is_aligned ? 1 : kDirectUnaligned;
  const double moving =
      (tile_m + tile_n) * depth * sizes.bytes_multiplied * unaligned / kDirectBytes;
  const Work work = {.groups = ceil_of(sizes.m, tile_m) * ceil_of(sizes.n, tile_n) * sizes.batch,
                     .threads = number(config.threads()),
                     .tiles = ceil_of(sizes.k, depth * subgroups),
                     .latency = slower * kDirectLatency * unaligned,
                     .moving = slower * subgroups * moving,
                     .multiplying = slower * subgroups * tile_m * tile_n * depth / kDirectProducts,
                     .overlap = 1,
                     .end = kDirectElement * tile_m * tile_n * subgroups,
                     .moving_is = "reading fragments"};
  return of_rounds(work, sizes, of_result);
}

ExpectedTime of_packed(const GemmChoice& choice, const GemmProduct& product,
                       const DeviceCaps& device, const Sizes& sizes, double of_result) {
  const auto config = with_options(gemm_packed_config(product, product.shape, device),
                                   gemm_packed_fields(), choice.config);
  const double of_k = number(config.subgroups_k), slices = number(choice.slices);
  const double subgroups = number(config.subgroups_m * config.subgroups_n) * of_k;
  const double depth = number(config.atom_k * config.steps);
  const Work work = {.groups = ceil_of(sizes.m, number(config.tile_m())) *
                               ceil_of(sizes.n, number(config.tile_n())) * sizes.batch * slices,
                     .threads = number(config.threads()),
                     .tiles = ceil_of(ceil_of(sizes.k, depth * of_k), slices),
                     .latency = kDirectLatency,
                     .moving = number(config.part_m + config.part_n) * depth *
                               sizes.bytes_multiplied * subgroups / kPackedBytes,
                     .multiplying = 0,
                     .overlap = 0,
                     .end = kStagedElement * number(config.tile_m() * config.tile_n()) * of_k,
                     .moving_is = "reading fragments"};
  ExpectedTime time = of_rounds(work, sizes, of_result);
  const double unaligned = sizes.is_aligned ? 1 : kPackedUnaligned;
  // What is packed has whole tiles.
  Sizes packed = sizes;
  packed.m = ceil_of(sizes.m, number(config.tile_m())) * number(config.tile_m());
  packed.n = ceil_of(sizes.n, number(config.tile_n())) * number(config.tile_n());
  const double bytes = sizes.bytes_of_operands() + packed.bytes_of_operands();
  time.microseconds +=
      2 * kNextLaunch + bytes * unaligned / (sizes.cores * kBytesOfMemory * kBytesOfCopy);
  time.how += ", after packing";
  return time;
}

ExpectedTime of_thin(const GemmChoice& choice, const Sizes& sizes, double of_result) {
  const double few = std::min(sizes.m, sizes.n);
  const double rate = kVectorProducts * (sizes.bytes_multiplied == 8 ? 0.5 : 1) * kThinProducts;
  const double memory = sizes.all_bytes(of_result) / (sizes.cores * kBytesOfMemory * kThinBytes);
  const double unaligned = sizes.is_aligned ? 1 : kDirectUnaligned;
  const double products =
      sizes.m * sizes.n * sizes.k * sizes.batch * unaligned / (sizes.cores * rate);
  const double rounds = ceil_of(sizes.k, kThinRound * number(choice.slices)) *
                        ceil_of(few, kThinRows) * kDirectLatency * unaligned;
  const double most = std::max({memory, products, rounds});
  return {kLaunch + most, fmt::format("limited by {}", most == memory     ? "memory"
                                                       : most == products ? "arithmetic"
                                                                          : "latency")};
}

}  // namespace

std::optional<ExpectedTime> expected_time(const GemmChoice& choice, const GemmProduct& product,
                                          const DeviceCaps& device) {
  const bool is_gpu = device.kind != DeviceKind::cpu && device.kind != DeviceKind::other;
  const bool is_modelled = is_gpu && product.weights == nullptr;
  if (!is_modelled) return std::nullopt;
  const Sizes sizes = sizes_of(product, device);
  const double of_result =
      choice.slices > 1 ? 4 : number(static_cast<std::int64_t>(size_of(product.result)));
  const std::string& name = choice.entry->name;
  std::optional<ExpectedTime> time;
  if (name == "gemm/coopmat") time = of_coopmat(choice, product, device, sizes, of_result);
  if (name == "gemm/simt") time = of_simt(choice, product, device, sizes, of_result);
  if (name == "gemm/thin_coopmat")
    time = of_thin_coopmat(choice, product, device, sizes, of_result);
  if (name == "gemm/packed") time = of_packed(choice, product, device, sizes, of_result);
  if (name == "gemm/thin") time = of_thin(choice, sizes, of_result);
  if (time) time->microseconds += of_slices(number(choice.slices), sizes);
  return time;
}

}  // namespace vkmoye::gen
