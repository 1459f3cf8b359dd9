// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>

#include "vkmoye/gen/kernels/entries.hpp"
#include "vkmoye/gen/kernels/moves/copy_auto.hpp"
#include "vkmoye/gen/kernels/moves/ladder.hpp"
#include "vkmoye/gen/kernels/moves/relayout/relayout.hpp"
#include "vkmoye/gen/kernels/moves/transpose/auto.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"

namespace vkmoye::gen {
namespace {

using MoveRequest = TypedRequest<ElementsForm>;

constexpr const char* kMoYe = "MoYe.jl, matrix transpose tutorial";
constexpr const char* kTiled = "MoYe.jl, tiled copy";
constexpr const char* kHip = "AMD lab notes, matrix transpose in HIP";
constexpr const char* kFloat4 = "float4 transpose ladder in CUDA";

// A block of the last two kinds is accessed as a vector and one by one: its type needs vectors that allow both.
std::vector<ScalarType> types_of(TileBlock block) {
  std::vector<ScalarType> types = every_type();
  if (block != TileBlock::loaded && block != TileBlock::both) return types;
  std::erase_if(types,
                [](ScalarType type) { return !ir::is_width(type, 2) || ir::is_packed(type, 2); });
  return types;
}

std::vector<ConfigField<TileConfig>> fields_of(const TileRung& rung) {
  if (rung.block != TileBlock::none) return {};
  return rung.path == TilePath::shared ? tile_fields() : direct_tile_fields();
}

// The texts of an entry.
struct Text {
  const char *name, *summary, *source;
};

// A rung of a ladder; only those without blocks have options.
KernelEntry rung_entry(const Text& text, const TileRung& rung, const IntTuple& threads,
                       std::int64_t pad = 0) {
  return entry_of<TileConfig>(
      {.name = text.name,
       .operation = rung.move == TileMove::copy ? "copy" : "transpose",
       .summary = text.summary,
       .source = text.source,
       .types = types_of(rung.block),
       .fields = fields_of(rung),
       .defaults =
           [=](const MoveRequest& request) {
             TileConfig config;
             config.type = request.form.type;
             config.threads = Layout(threads);
             config.tile_cols *= columns_of(rung.block, config.type);
             // A layout given by the user has its own padding.
             config.pad = request.options.contains("shared") ? 0 : pad;
             return config;
           },
       .describe = [=, name = text.name](
                       const TileConfig& config,
                       const MoveRequest&) { return move_tile(config, rung, name); }});
}

// A rung of another ladder that is the same kernel.
KernelEntry another_name(KernelEntry entry) {
  entry.chooses = true;
  return entry;
}

enum class Converts : std::uint8_t { no, between_types };

// The best kernel of a family, for every type.
template <class Config>
KernelEntry best_entry(const char* name, const char* operation, const char* summary,
                       const std::vector<ConfigField<Config>>& fields,
                       Config (*defaults)(const MoveRequest&),
                       ir::Kernel (*describe)(const Config&, const MoveRequest&),
                       Converts converts = Converts::no) {
  return entry_of<Config>(
      {.name = name,
       .operation = operation,
       .summary = summary,
       .source = "this project",
       .types = every_type(),
       .fields = with_address_field(fields),
       .defaults =
           [defaults](const MoveRequest& request) {
             Config config = defaults(request);
             config.address = AddressChoice::automatic;
             return config;
           },
       .describe =
           [describe](const Config& config, const MoveRequest& request) {
             Config chosen = config;
             const ScalarType result = request.form.result.value_or(request.form.type);
             const ScalarType wider =
                 size_of(result) > size_of(request.form.type) ? result : request.form.type;
             chosen.address = chosen_addressing(config.address, request.form.elements, wider,
                                                request.device.max_storage_buffer_bytes);
             return describe(chosen, request);
           },
       .converts = converts == Converts::between_types});
}

CopyAutoConfig copy_auto_config(const MoveRequest& request) {
  CopyAutoConfig config;
  config.type = request.form.type;
  config.result = request.form.result;
  return config;
}

ir::Kernel copy_of_request(const CopyAutoConfig& config, const MoveRequest&) {
  return copy_auto(config, "copy/auto");
}

// The tile depends on how values are exchanged, and on the number of lanes that exchange them.
TransposeAutoConfig transpose_config(const MoveRequest& request) {
  const std::uint32_t limit = request.device.max_workgroup_invocations;
  const std::int64_t max_threads = limit == 0 ? 1024 : limit;
  TransposeAutoConfig requested;
  read_fields(transpose_auto_fields(), request.options, requested);
  if (requested.exchange == TileExchange::shared) {
    return transpose_auto_config(request.form.type, max_threads, shared_bytes_of(request.device));
  }
  const bool has_lanes = is_power_of_two(requested.subgroup_size, 128);
  return transpose_shuffle_config(
      request.form.type, has_lanes ? requested.subgroup_size : request.device.subgroup_size,
      max_threads);
}

// The kernel of relayout for an array of few rows or columns. On an H200, moves of 7 to 200 rows or columns of 1, 2 and
// 4 bytes reach 0.66 to 0.96 of a copy; in tiles, of which a large part is outside, 0.07 to 0.77.
ir::Kernel transpose_narrow(const TransposeAutoConfig& config, const MoveRequest& request) {
  const Permutation layouts = permuted(*request.form.shape, {1, 0});
  RelayoutConfig chosen;
  chosen.type = config.type;
  chosen.address = config.address;
  chosen.shared_bytes = shared_bytes_of(request.device);
  return relayout(layouts.src, layouts.dst, chosen, "transpose/auto");
}

ir::Kernel transpose_of_request(const TransposeAutoConfig& config, const MoveRequest& request) {
  const bool is_narrow =
      request.form.shape && request.options.empty() && is_narrow_transpose(*request.form.shape);
  return is_narrow ? transpose_narrow(config, request) : transpose_auto(config, "transpose/auto");
}

}  // namespace

std::vector<KernelEntry> move_entries() {
  using enum TileMove;
  using enum TilePath;
  const TileRung simple_reads = {
      transpose, along_src,
      "neighbouring threads read neighbours of src and write dst a column apart"};
  return {
      rung_entry({"copy/simple", "copies through a compact shared tile", kMoYe}, kCopyThroughShared,
                 {32, 8}),
      rung_entry({"copy/padded", "copies through a padded shared tile", kMoYe}, kCopyThroughShared,
                 {32, 8}, 1),
      rung_entry(
          {"copy/tiled", "copies tiles element by element", kTiled},
          {copy, along_src, "neighbouring threads move neighbouring elements", TileBlock::single},
          {32, 8}),
      rung_entry(
          {"copy/tiled_vec", "copies tiles in vectors of up to 16 bytes", kTiled},
          {copy, along_src, "neighbouring threads move neighbouring vectors", TileBlock::vector},
          {32, 8}),
      rung_entry({"copy/tiled_split",
                  "copies tiles in half vectors, which is not coalesced: an example", kTiled},
                 {copy, along_src,
                  "not coalesced: in each access, neighbouring threads move every second vector",
                  TileBlock::split_vector},
                 {32, 8}),
      best_entry("copy/auto", "copy",
                 "copies flat arrays with wide accesses: the fastest copy; converts between types",
                 copy_auto_fields(), copy_auto_config, copy_of_request, Converts::between_types),
      another_name(rung_entry(
          {"transpose/naive",
           "transposes one element in each thread without a shared tile: the first step of "
           "the float4 ladder, the same kernel as transpose/read_contiguous",
           kFloat4},
          simple_reads, {32, 32})),
      rung_entry(
          {"transpose/read_contiguous",
           "transposes without a shared tile: reads are contiguous, writes are a column apart",
           kHip},
          simple_reads, {32, 32}),
      rung_entry(
          {"transpose/write_contiguous",
           "transposes without a shared tile: writes are contiguous, reads are a row apart", kHip},
          {transpose, along_dst,
           "neighbouring threads write neighbours of dst and read src a row apart"},
          {32, 32}),
      rung_entry(
          {"transpose/tiled",
           "transposes through a padded shared tile, one element in each of 1024 threads", kHip},
          kTransposeThroughShared, {32, 32}, 1),
      rung_entry({"transpose/simple",
                  "transposes through a compact shared tile, with 32-way bank conflicts", kMoYe},
                 kTransposeThroughShared, {32, 8}),
      rung_entry({"transpose/padded",
                  "transposes through a shared tile padded to 33, without bank conflicts", kMoYe},
                 kTransposeThroughShared, {32, 8}, 1),
      rung_entry({"transpose/vec4",
                  "transposes with vector loads and scalar stores, without a shared tile", kFloat4},
                 {transpose, along_src,
                  "vector loads along src, scalar stores a column of dst apart", TileBlock::loaded},
                 {32, 32}),
      rung_entry(
          {"transpose/vec4_shared",
           "transposes through a compact shared tile in vectors; reading it has bank conflicts",
           kFloat4},
          {transpose, shared, "vectors on both sides; reads of a tile column share few banks",
           TileBlock::both},
          {32, 32}),
      rung_entry(
          {"transpose/vec4_padded",
           "transposes through a shared tile padded by one: vector loads, scalar stores", kFloat4},
          {transpose, shared, "padded rows keep the banks apart and dst contiguous by element",
           TileBlock::loaded},
          {32, 32}, 1),
      best_entry(
          "transpose/auto", "transpose",
          "transposes blocks in registers, with wide accesses on both sides: the fastest transpose",
          transpose_auto_fields(), transpose_config, transpose_of_request),
  };
}

}  // namespace vkmoye::gen
