// SPDX-License-Identifier: MIT
#pragma once
// The buffers of a matrix product, split into tiles: common to all kernels of the family.
//
//   C(M,N) = epilogue(alpha * A(M,K) * B(N,K)^T + beta * C)
//
// Bindings: a, b, the inputs of the epilogue, c; see simt.hpp for the arguments.
//
//   GemmBuffers buffers(k, form, {128, 128, 8});
//   buffers.a(k_tile)     (bK, bM) or (bM, bK): the contiguous axis first
//   buffers.c()           (bN, bM)
//   buffers.b_words(k_tile, 144)          (144, bN): 16-bit words of B in blocks; argument words: those of a row
//   buffers.write(sums, mine, vector)     the sums of a thread to its part `mine` of c()
//
// With experts, a workgroup computes rows of one expert, see expert_rows.hpp: it reads the expert's matrix of B, and
// a() and c() begin at its first row. c() ends with the expert's rows; a() may reach into the next ones.
//
// With split_k, each workgroup along z sums a slice of k. All slices contain the same number of whole tiles,
// except that the last ones may contain fewer or none. Tile numbers count within the slice; C contains a matrix
// for each slice, see products/result/result.hpp.

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/products/arrays/expert_rows.hpp"
#include "vkmoye/gen/kernels/products/arrays/operand.hpp"
#include "vkmoye/gen/kernels/products/form/gemm_form.hpp"
#include "vkmoye/gen/kernels/products/result/result.hpp"

namespace vkmoye::gen {

/// Consecutive tiles of k.
struct KTiles {
  Expr first = 0, count = 0;
};

/// An operand in blocks of so many elements, in the order in which lanes read them; see packed_form.hpp and
/// packed_weights.hpp. Its buffer is (element, k_block, block of rows).
struct PackedBlocks {
  ScalarType type;
  std::int64_t elements;
};
/// The operands that are packed; the form describes the others.
struct PackedOperands {
  std::optional<PackedBlocks> a = {}, b = {};
};

/// A or B of a product, and the tile of a workgroup.
struct OperandArray : GemmOperand {
  Expr tile_number;  // along M or N
  bool is_packed;
  Tensor tensor = {};
  Expr step = 0;  // packed, of a batch: blocks from one matrix to the next
};

class GemmBuffers {
 public:
  /// Declares buffers and arguments. `tile`: the tile of M, N and K; a workgroup has one tile of C.
  /// `strip`: the number of tiles of M that consecutive workgroups cover before the next tile of N, so that
  /// the data they share is still in the cache; 1: they move along N first. A batch has no strips.
  /// a() and b() must not be called for operands that are packed, nor tiles() if A is packed. `builder` must outlive
  /// this object.
  GemmBuffers(Builder& builder, const GemmForm& form, const std::array<std::int64_t, 3>& tile,
              std::int64_t strip = 1, const PackedOperands& packed = {});

  /// Tile number `k_tile` of A or B, the contiguous axis first; of a B in blocks: `words` words of 16 bits of each row.
  View tile_of(ir::MatrixType::Use use, const Expr& k_tile, std::int64_t words = 0) const;
  View a(const Expr& k_tile) const { return tile_of(ir::MatrixType::Use::a, k_tile); }
  View b(const Expr& k_tile) const { return tile_of(ir::MatrixType::Use::b, k_tile); }
  View b_words(const Expr& k_tile, std::int64_t words) const {
    return tile_of(ir::MatrixType::Use::b, k_tile, words);
  }
  /// Block `k_block` along k of block of rows `block` of a packed A or B, as elements.
  View packed_block(ir::MatrixType::Use use, const Expr& k_block, const Expr& block) const;
  /// Block number `block` of rows in the matrix of the workgroup, counted over all matrices; past the last one, the
  /// last.
  Expr block_of_rows(ir::MatrixType::Use use, const Expr& block) const;
  /// The blocks along k of packed operands.
  Expr k_blocks() const { return b_.tensor.extent(1); }
  View c() const;
  /// The tile coordinates of the workgroup along M and N.
  const Expr& tile_m() const { return a_.tile_number; }
  const Expr& tile_n() const { return b_.tile_number; }

  const Expr& alpha() const { return result_.alpha(); }
  /// The matrix of a batch that the workgroup computes; nullopt without a batch.
  const std::optional<Expr>& batch() const { return batch_; }

  /// Records `move` twice: for the case that rows are aligned to vectors, which `fits` decides, and for the case that
  /// they are not.
  void by_alignment(const Conditions& fits, const std::function<void(Moved)>& move);
  /// The number of tiles of k, or of this workgroup's slice of it. Precondition: k is not 0.
  const Expr& tiles() const { return tiles_.count; }
  /// The number of the first of them among all tiles of k.
  const Expr& first_tile() const { return tiles_.first; }
  /// The number of these tiles that do not extend past the end of k. Precondition: the first does not.
  Expr whole_tiles() const;
  /// The tiles of this workgroup's slice of k, if k has `all` tiles. Precondition: k is not 0.
  KTiles of_slice(const Expr& all);

  /// What every product does with its sums.
  struct Steps {
    std::function<void()> clear, sum_up, write;
  };
  /// The verified kernel, with experts including the assumptions about their rows: what was recorded before; then the
  /// steps, for workgroups that compute elements of C, because the last strip may contain fewer tiles, and an expert
  /// fewer tiles than are numbered for it. Products are summed if neither alpha nor k is 0 and packed operands are not
  /// empty: as in BLAS, A and B are not read if alpha is 0, so that a NaN in them has no effect.
  ir::Kernel kernel(const Steps& steps);

  /// Writes sums to C; see GemmResult.
  void write(const View& sums, const View& c, const Vector& vector) {
    result_.write(sums, c, vector);
  }

 private:
  void if_has_elements(const std::function<void()>& body);
  void if_has_products(const std::function<void()>& body);
  const OperandArray& operand(ir::MatrixType::Use use) const {
    return use == ir::MatrixType::Use::a ? a_ : b_;
  }

  Builder& builder_;
  const GemmForm& form_;
  std::array<std::int64_t, 3> tile_;
  bool in_strips_;
  Expr m_, n_, k_;
  std::optional<Expr> words_;  // of a row of B in blocks
  OperandArray a_, b_;
  std::optional<Tensor> offsets_;  // the first row of each group
  GemmResult result_;
  std::optional<ExpertRows> expert_rows_;
  std::optional<Expr> batch_;
  KTiles tiles_;  // the tiles of this workgroup's slice of k
};

}  // namespace vkmoye::gen
