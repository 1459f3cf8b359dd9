// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/staged_tile.hpp"

#include "vkmoye/gen/kernels/attention/parts/staging.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"

namespace vkmoye::gen {
namespace {

RowStaging staging_of(const Builder& builder, ScalarType type, const View& tile) {
  return *row_staging(size(tile.shape().mode(0)), size(tile.shape().mode(1)), builder.threads(),
                      widest_access(type));
}

}  // namespace

StagedTile::StagedTile(Builder& builder, const std::string& name, ScalarType type,
                       const Layout& shared)
    : shared_(builder.shared("shared_" + name, type, shared)),
      rows_{nullptr, width(), staging_of(builder, type, shared_).vector.count},
      by_{staging_of(builder, type, shared_).threads, builder.thread()},
      parts_(builder, name, rows_, type, shared_, by_, "next_") {}

void StagedTile::put_seen(VisibleKeys& visible, const Expr& tile_number) {
  visible.drop_beyond(parts_.read(), part(make_identity_view({width(), rows()})), tile_number,
                      vector());
  put();
}

}  // namespace vkmoye::gen
