// SPDX-License-Identifier: MIT
#pragma once
// The buffers of a matrix product, cut into tiles: what all kernels of the family share.
//
//   C(M,N) = epilogue(alpha * A(M,K) * B(N,K)^T + beta * C)
//
// Bindings: a, b, what the epilogue reads, c; see gemm.hpp for the arguments.
//
//   GemmBuffers buffers(k, form, {128, 128, 8});
//   buffers.a(k_tile)     (bK, bM) or (bM, bK): the contiguous axis first
//   buffers.c()           (bN, bM)
//   buffers.write(sums, mine, vector)     the sums of a thread to its part `mine` of c()
//
// With split_k, a workgroup along z has a slice of k: as many whole tiles as the others, the last ones
// maybe fewer or none. Tile numbers count within it; C has a matrix for each, see products/parts/result.hpp.

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/form/form.hpp"
#include "vkmoye/gen/kernels/products/parts/result.hpp"

namespace vkmoye::gen {

/// Neighbouring tiles of k.
struct KTiles {
  Expr first = 0, count = 0;
};

/// How the elements of the operands' tiles are moved: one by one, or in vectors along their contiguous
/// axes.
enum class Moved : bool { one_by_one, in_vectors };

class GemmBuffers {
 public:
  /// Declares buffers and arguments. `tile`: of M, N and K; a workgroup has one of M and N.
  /// `strip`: tiles of M that neighbouring workgroups walk down before they step aside, so that what
  /// they share is still in the cache; 1: they go along N first. A batch is not walked in strips.
  /// `operands`: declares A and B where they do not lie as the form says; a() and b() are not for those.
  /// `k` outlives it.
  GemmBuffers(Builder& k, const GemmForm& form, const std::array<std::int64_t, 3>& tile,
              std::int64_t strip = 1, const std::function<void()>& operands = {});

  View a(const Expr& k_tile) const { return of_operand(a_, k_tile); }
  View b(const Expr& k_tile) const { return of_operand(b_, k_tile); }
  View c() const;
  /// Which tile of M and of N is the workgroup's.
  const Expr& tile_m() const { return a_.block; }
  const Expr& tile_n() const { return b_.block; }

  /// Records `body` for workgroups that have elements of C: the last strip may be short.
  void where_there_are_elements(const std::function<void()>& body);

  const Expr& alpha() const { return result_.alpha(); }
  /// Which matrix of a batch is the workgroup's; nothing: there is no batch.
  const std::optional<Expr>& batch() const { return batch_; }

  /// Records `body` where there is something to sum up: BLAS does not read A and B where alpha is 0,
  /// so that a NaN there does not count; and without any k there is nothing to read.
  void where_there_are_products(const std::function<void()>& body);
  /// Records `load` for where all of `tiles` are inside, and for where one hangs over an edge: elements
  /// outside read as 0.
  void at_edges(const std::vector<View>& tiles, const std::function<void(Edges)>& load);
  /// Tiles of k, or of this workgroup's slice of it, where k is not 0.
  const Expr& tiles() const { return tiles_.count; }
  /// Of these the ones that do not hang over the end of k, where the first does not.
  Expr whole_tiles() const;
  /// The tiles of this workgroup's slice of k, where k has `all` tiles. Precondition: k is not 0.
  KTiles of_slice(const Expr& all);

  /// Sums to C: see GemmResult.
  void write(const View& sums, const View& c, const Vector& vector) {
    result_.write(sums, c, vector);
  }

 private:
  struct Operand {
    ScalarType type;
    bool k_contiguous;
    std::int64_t rows;
    Expr block;
    Tensor tensor = {};
  };
  GemmResult declare(const std::function<void()>& operands);
  Tensor declare(const Operand& operand, const char* name, const char* row, const char* leading,
                 const char* stride);
  View of_operand(const Operand& operand, const Expr& k_tile) const;

  Builder& k_;
  const GemmForm& form_;
  std::array<std::int64_t, 3> tile_;
  bool in_strips_;
  Operand a_, b_;
  GemmResult result_;
  std::optional<Expr> batch_;
  KTiles tiles_;  // of a slice of k
};

}  // namespace vkmoye::gen
