#pragma once
// dst = transpose(src), any element of 1 to 16 bytes, through a shared tile of words.
//
//   load     a thread takes `load` bytes along each of P rows of src, P elements being one word of
//            4 bytes (1 of wider types), and turns them into words: P rows of one column
//   shared   words (columns, rows / P), each run of columns padded so that both sides meet every
//            bank once
//   store    a thread takes words of one column: `store` bytes along a row of dst
//
//   f16, 2 rows of 8:   a0 a1 a2 .. a7      words a0b0 a1b1 .. a7b7      8 elements of dst are
//                       b0 b1 b2 .. b7                                  the words a0b0 c0d0 e0f0 g0h0
//
// Neighbouring threads touch neighbouring memory on both sides. Tiles that hang over an edge, and
// sizes whose rows begin off the accesses, go element by element in the same shader.

#include <cstdint>
#include <string>

#include "vkmoye/gen/ir/kernel.hpp"
#include "vkmoye/gen/kernels/address.hpp"
#include "vkmoye/gen/kernels/config_fields.hpp"
#include "vkmoye/layout/layout.hpp"

namespace vkmoye::gen {

struct TransposeAutoConfig {
  ScalarType type = ScalarType::f32;
  std::int64_t tile_rows = 64, tile_cols = 64;  // elements of src
  std::int64_t threads = 256;                   // of a workgroup
  std::int64_t load = 16, store = 16;           // bytes of an access
  std::int64_t load_lanes = 8;                  // threads side by side along a row of src
  std::int64_t store_lanes = 8;                 // and of dst
  std::int64_t pad = 1;                         // words after each run of columns
  std::int64_t strip = 1;  // rows of tiles that workgroups walk down before they step aside
  Address address = Address::descriptor;

  /// Elements of a word of the shared tile.
  std::int64_t packed() const;
  /// The shared tile, (tile_cols, tile_rows).
  Layout shared_layout() const;
};

/// The config for elements of `type`.
TransposeAutoConfig transpose_auto_config(ScalarType type);

/// What of the config `--NAME` can replace.
const std::vector<ConfigField<TransposeAutoConfig>>& transpose_auto_fields();

/// Every reason why no kernel can be made of `config`; empty: fine.
std::vector<std::string> reasons_against(const TransposeAutoConfig& config);

/// As `transpose`. Throws KernelError with every reason.
ir::Kernel transpose_auto(const TransposeAutoConfig& config,
                          const std::string& name = "transpose/auto");

}  // namespace vkmoye::gen
