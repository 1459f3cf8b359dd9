// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/staged_tile.hpp"

#include <algorithm>

#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {

std::optional<RowStaging> StagedTile::staging(const StoredRows& from, ScalarType type,
                                              std::int64_t width, std::int64_t rows,
                                              std::int64_t threads) {
  if (from.format == nullptr) return row_staging(width, rows, threads, widest_access(from.type));
  // Parts whose runs are accesses of the tile, to f16 of q8_0 one of 8 elements, of q4_0 two.
  const std::int64_t access = widest_access(type);
  std::int64_t part = min_part(*from.format);
  while (KeyRows{from.format, width, part}.run() < access && part < max_part(*from.format)) {
    part *= 2;
  }
  return row_staging(width, rows, threads, part, min_part(*from.format));
}

StagedTile::StagedTile(Builder& builder, const std::string& name, const StoredRows& from,
                       const View& shared, const RowStaging& staging, WeightNumbers* numbers)
    : builder_(builder),
      shared_(shared),
      rows_{from.format, width(), staging.vector},
      vector_(to_index(from.format == nullptr ? rows_.vector
                                              : std::min(rows_.run(), widest_access(type())))),
      by_{staging.threads, builder.thread()},
      parts_(builder, name, rows_, from.type,
             make_identity_view({row_elements(from.format, width()), rows()}), by_, numbers,
             "next_") {
  if (has_blocks()) {
    elements_ = builder.make_fragment_like("elements_of_" + name, ScalarType::f32, part(shared_));
  }
}

StagedTile::StagedTile(Builder& builder, const std::string& name, const StoredRows& from,
                       ScalarType type, const Layout& shared, WeightNumbers* numbers)
    : StagedTile(builder, name, from, builder.shared("shared_" + name, type, shared),
                 *staging(from, type, size(shared, 0), size(shared, 1), builder.threads()),
                 numbers) {}

StagedTile::StagedTile(Builder& builder, const std::string& name, const StagedTile& other)
    : StagedTile(builder, name, {other.type()}, other.shared_,
                 *row_staging(other.width(), other.rows(), builder.threads(), other.vector_),
                 nullptr) {}

void StagedTile::fetch_rows(const Expr& number, const std::function<View(const Expr&)>& row) {
  const std::int64_t of_row = size(by_.threads, 0), at_once = size(by_.threads, 1);
  const KeyThreads own = {make_layout({of_row, std::int64_t{1}}), by_.thread % to_index(of_row)};
  const Expr first = to_index(rows()) * number + by_.thread / to_index(of_row);
  builder_.unrolled_loop("key_round", to_index(rows() / at_once), [&](const Expr& round) {
    parts_.load(row(first + to_index(at_once) * round), own, round);
  });
}

const View& StagedTile::decoded() const {
  if (!has_blocks()) return parts_.read();
  parts_.decode(elements_);
  return elements_;
}

void StagedTile::put() { builder_.copy(decoded(), part(shared_), {.vector = {vector_}}); }

void StagedTile::put_seen(VisibleKeys& visible, const Expr& number) {
  const View& values = decoded();
  visible.drop_beyond(values, part(make_identity_view({width(), rows()})), number,
                      has_blocks() ? 1 : vector_);
  builder_.copy(values, part(shared_), {.vector = {vector_}});
}

}  // namespace vkmoye::gen
