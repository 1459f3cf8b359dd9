// SPDX-License-Identifier: MIT
#pragma once
// How long a product is expected to take, from its tiles and what a device does in a microsecond.
//
//   gemm/coopmat --tile 128x128x64 --subgroups 2x2x2 --split-k 2     128x8192x8192 of f16 on an H200
//     workgroups     1 x 64 tiles of C, in 2 slices: 128, each on a multiprocessor of its own
//     a tile of k    32 KiB are staged at 33 bytes a nanosecond: 1.0 us, more than multiplying them (0.43) takes
//     in all         64 tiles of k, 64 us; the launch 4, the last tile 4, adding slices 7: 79 us; measured 78
//
//   time        launch + the larger of all bytes / the rate of memory, and the time of all rounds of workgroups
//               + adding slices, or packing, where there are any
//   a round     tiles of k * time of a tile + the end, which writes C
//   a tile      the larger of its latency, and, for each workgroup on a core, the larger of
//                 moving: bytes of the tiles of A and B / a rate; more if rows are not aligned
//                 multiplying: multiply-adds / a rate, + the part of moving that does not overlap with it
//
// A core (NVIDIA: multiprocessor, AMD: workgroup processor; DeviceCaps::resident_groups) runs workgroups of 256 threads
// in all at once. The constants were fitted to 551 times of configs at sizes on an H200: half of the expected times are
// within 9 % of the measured ones, nine of ten within 30 %. Among the configs that were measured for each of 51
// products, the fastest expected one took 1.00 times as long as the fastest in the median, 1.09 times in 95 % and 1.63
// times at most; entries of shipped_table.cpp are the exceptions.
//
// What a core does differs less between GPUs than their number of cores, which decides how C is cut; so the constants
// hold for each core of other GPUs, too. Memory is the exception: an RTX 4090 has a quarter of an H200's rate for each
// core, so slices and packing cost more there than is expected. A product with experts is one with as many rows.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vkmoye/gen/kernels/products/choice/choose_gemm.hpp"

namespace vkmoye::gen {

struct ExpectedTime {
  double microseconds = 0;
  /// "128 workgroups on 132 cores, tiles of k: 64 of 1.05 us, limited by staging"
  std::string how = {};
};

/// The time of `choice` for a product. nullopt for kernels and forms that are not modelled: weights in
/// blocks; and for devices that are no GPU.
std::optional<ExpectedTime> expected_time(const GemmChoice& choice, const GemmProduct& product,
                                          const DeviceCaps& device);

/// A choice, and what is expected of it.
struct ModelledChoice {
  GemmChoice choice;
  ExpectedTime time;
};

/// The configs that are worth comparing for a product on a device, the fastest expected one first; those that are not
/// modelled are left out. A kernel may still refuse the product.
std::vector<ModelledChoice> modelled_choices(const GemmProduct& product, const DeviceCaps& device);

}  // namespace vkmoye::gen
