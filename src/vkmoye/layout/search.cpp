// SPDX-License-Identifier: MIT
#include "vkmoye/layout/search.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/analysis.hpp"

namespace vkmoye {
namespace {

/// Every candidate looks at every access: more than this takes long.
constexpr std::int64_t kMaxSearched = std::int64_t{1} << 17;

void check(const char* operation, const Layout& tile, std::span<const TileAccess> accesses,
           std::int64_t element_bytes, const BankModel& model) {
  const std::string reason = why_no_storage(tile);
  if (!reason.empty()) raise(operation, {tile}, ("not a layout for storage: " + reason).c_str());
  std::int64_t searched = 0;
  for (const TileAccess& access : accesses) {
    check_access(access, tile.size(), element_bytes, model);
    searched += access.elements.size();
    if (searched > kMaxSearched)
      raise(operation, {tile}, "more than {} accesses to search", {kMaxSearched});
  }
}

/// Whether every access is legal in `storage` and has degree 1.
bool is_free(const ComposedLayout& storage, std::span<const TileAccess> accesses,
             std::int64_t element_bytes, const BankModel& model) {
  try {
    for (const TileAccess& access : accesses)
      if (!is_conflict_free(storage, access, element_bytes, model)) return false;
    return true;
  } catch (const LayoutError&) {  // a wide access would be torn or misaligned
    return false;
  }
}

/// What the worst requests of all accesses cost together. nullopt: a wide access would be torn or
/// misaligned.
std::optional<std::int64_t> cycles(const ComposedLayout& storage,
                                   std::span<const TileAccess> accesses, std::int64_t element_bytes,
                                   const BankModel& model) {
  try {
    std::int64_t sum = 0;
    for (const TileAccess& access : accesses)
      sum += bank_conflicts(storage, access, element_bytes, model).wavefronts;
    return sum;
  } catch (const LayoutError&) {
    return std::nullopt;
  }
}

/// One row of banks, in elements, after the checks that both searches of a padding make.
std::int64_t padding_limit(const char* operation, const Layout& tile,
                           std::span<const TileAccess> accesses, std::int64_t element_bytes,
                           const BankModel& model) {
  check(operation, tile, accesses, element_bytes, model);
  if (tile.is_leaf() || tile.rank() != 2 || tile.tree().leaf_count() != 2)
    raise(operation, {tile}, "it is not a matrix (rows, columns)");
  if (element_bytes < 1) raise(operation, {tile, element_bytes}, "bytes are at least 1");
  return ceil_div(static_cast<std::int64_t>(model.banks) * model.bank_bytes, element_bytes);
}

/// The tile with the stride of the outer of its two modes enlarged.
Layout padded(const Layout& tile, std::int64_t padding) {
  const int outer = tile.mode(0).tree().leaf(0).stride > tile.mode(1).tree().leaf(0).stride ? 0 : 1;
  int mode = 0;
  return Layout(tile.tree().map<Mode>([&](const Mode& leaf) {
    return Mode{leaf.extent, checked_add(leaf.stride, mode++ == outer ? padding : 0)};
  }));
}

}  // namespace

std::optional<StorageSearch> search_padding(const Layout& tile,
                                            std::span<const TileAccess> accesses,
                                            std::int64_t element_bytes, const BankModel& model) {
  const std::int64_t max_padding =
      padding_limit("search_padding", tile, accesses, element_bytes, model);
  for (std::int64_t padding = 0; padding <= max_padding; ++padding) {
    const ComposedLayout candidate{{}, 0, padded(tile, padding)};
    if (is_free(candidate, accesses, element_bytes, model))
      return StorageSearch{candidate, padding};
  }
  return std::nullopt;
}

StorageSearch cheapest_padding(const Layout& tile, std::span<const TileAccess> accesses,
                               std::int64_t element_bytes, const BankModel& model) {
  const std::int64_t max_padding =
      padding_limit("cheapest_padding", tile, accesses, element_bytes, model);
  std::optional<StorageSearch> best;
  std::int64_t min_cost = 0;
  for (std::int64_t padding = 0; padding <= max_padding; ++padding) {
    const ComposedLayout candidate{{}, 0, padded(tile, padding)};
    const auto cost = cycles(candidate, accesses, element_bytes, model);
    if (!cost || (best && *cost >= min_cost)) continue;
    best = StorageSearch{candidate, padding};
    min_cost = *cost;
  }
  if (!best) raise("cheapest_padding", {tile}, "every padding tears an access or misaligns it");
  return *best;
}

std::optional<StorageSearch> search_swizzle(const Layout& tile,
                                            std::span<const TileAccess> accesses,
                                            std::int64_t element_bytes, const BankModel& model) {
  check("search_swizzle", tile, accesses, element_bytes, model);
  constexpr int kMaxBits = 6, kMaxBase = 8, kMaxShift = 10;
  for (int bits = 0; bits <= kMaxBits; ++bits) {
    for (int base = 0; base <= (bits == 0 ? 0 : kMaxBase); ++base) {
      for (int shift = bits; shift <= (bits == 0 ? 0 : kMaxShift); ++shift) {
        const ComposedLayout candidate{Swizzle(bits, base, shift), 0, tile};
        if (candidate.cosize() > tile.cosize()) continue;
        if (is_free(candidate, accesses, element_bytes, model)) return StorageSearch{candidate, 0};
      }
    }
  }
  return std::nullopt;
}

std::optional<StorageSearch> search_storage(const Layout& tile,
                                            std::span<const TileAccess> accesses,
                                            std::int64_t element_bytes, const BankModel& model) {
  const auto padding = search_padding(tile, accesses, element_bytes, model);
  if (padding && padding->padding == 0) return padding;
  const auto swizzle = search_swizzle(tile, accesses, element_bytes, model);
  if (!swizzle) return padding;
  if (padding && padding->storage.cosize() <= swizzle->storage.cosize()) return padding;
  return swizzle;
}

}  // namespace vkmoye
