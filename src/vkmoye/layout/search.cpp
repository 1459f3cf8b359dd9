#include "vkmoye/layout/search.hpp"

#include "vkmoye/base/error.hpp"
#include "vkmoye/layout/analysis.hpp"

namespace vkmoye {
namespace {

/// Every candidate looks at every access: more than this takes long.
constexpr std::int64_t kMostSearched = std::int64_t{1} << 17;

void check(const char* operation, const Layout& tile, std::span<const TileAccess> accesses,
           std::int64_t element_bytes, const BankModel& model) {
  const std::string reason = why_no_storage(tile);
  if (!reason.empty()) raise(operation, {tile}, ("no layout for storage: " + reason).c_str());
  std::int64_t searched = 0;
  for (const TileAccess& access : accesses) {
    check_access(access, tile.size(), element_bytes, model);
    searched += access.elements.size();
    if (searched > kMostSearched)
      raise(operation, {tile}, "more than {} accesses to search", {kMostSearched});
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
  check("search_padding", tile, accesses, element_bytes, model);
  if (tile.is_leaf() || tile.rank() != 2 || tile.tree().leaf_count() != 2)
    raise("search_padding", {tile}, "it is not a matrix (rows, columns)");
  if (element_bytes < 1) raise("search_padding", {tile, element_bytes}, "bytes are at least 1");
  const std::int64_t most =
      ceil_div(static_cast<std::int64_t>(model.banks) * model.bank_bytes, element_bytes);
  for (std::int64_t padding = 0; padding <= most; ++padding) {
    const ComposedLayout candidate{{}, 0, padded(tile, padding)};
    if (is_free(candidate, accesses, element_bytes, model))
      return StorageSearch{candidate, padding};
  }
  return std::nullopt;
}

std::optional<StorageSearch> search_swizzle(const Layout& tile,
                                            std::span<const TileAccess> accesses,
                                            std::int64_t element_bytes, const BankModel& model) {
  check("search_swizzle", tile, accesses, element_bytes, model);
  constexpr int kMostBits = 6, kMostBase = 8, kMostShift = 10;
  for (int bits = 0; bits <= kMostBits; ++bits) {
    for (int base = 0; base <= (bits == 0 ? 0 : kMostBase); ++base) {
      for (int shift = bits; shift <= (bits == 0 ? 0 : kMostShift); ++shift) {
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
