#include "vkmoye/gen/kernels/gemm_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/gemm_buffers.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

using Use = ir::MatrixType::Use;

std::int64_t bytes_of(ScalarType type) { return static_cast<std::int64_t>(size_of(type)); }

// Elements of the widest access.
std::int64_t widest(ScalarType type) { return kWidestCopy / bytes_of(type); }

// A or B on its way from its buffer to the matrix units.
struct Side {
  const char* name;
  View (GemmBuffers::*tile)(const Expr&) const;  // its tile of a number along k
  bool k_contiguous;
  std::int64_t rows;  // of a tile

  View shared = {};  // (rows, bK)
  View next = {};    // registers that the next tile waits in
  Matrices matrices = {};
};

class Product {
 public:
  Product(const GemmMatrixConfig& config, const GemmForm& form, const std::string& name)
      : config_(config),
        form_(form),
        k_(name, threads(config), to_index(config.subgroup)),
        buffers_(k_, form, {config.tile_m, config.tile_n, config.tile_k}),
        a_{"a", &GemmBuffers::a, form.a_k_contiguous, config.tile_m},
        b_{"b", &GemmBuffers::b, form.b_k_contiguous, config.tile_n} {}

  ir::Kernel describe() {
    auto items = gen::items(gemm_matrix_fields(), config_);
    items.insert(items.begin(), {"form", form_text(form_)});
    k_.describe(
        std::move(items),
        "matrix units; the next tiles are fetched into registers while these are multiplied");
    declare(a_);
    declare(b_);
    declare_matrices();

    k_.fill(sums_, ir::number(form_.accumulator, 0));
    const Conditions fits = all_of({k_.fits(source(a_, 0), vector(), Edges::zero),
                                    k_.fits(source(b_, 0), vector(), Edges::zero)});
    buffers_.where_there_are_products([&] {
      k_.branch(
          fits, [&] { sum_up(vector()); }, [&] { sum_up({1}); });
    });
    write();
    return k_.finish();
  }

 private:
  static std::int64_t threads(const GemmMatrixConfig& c) {
    return c.subgroups_m * c.subgroups_n * c.subgroup;
  }
  // What a thread moves at once.
  Vector vector() const { return {to_index(widest(form_.operand))}; }

  // --- what is declared ---

  void declare(Side& x) {
    const std::int64_t pad = config_.pad / bytes_of(form_.operand);
    const IntTuple strides =
        x.k_contiguous ? IntTuple{config_.tile_k + pad, 1} : IntTuple{1, x.rows + pad};
    x.shared = k_.shared(fmt::format("shared_{}", x.name), form_.operand,
                         Layout(IntTuple{x.rows, config_.tile_k}, strides));
    x.next = k_.make_fragment_like(fmt::format("next_{}", x.name), form_.operand, source(x, 0));
  }

  void declare_matrices() {
    const auto size = [](std::int64_t rows, std::int64_t columns, Use use) {
      return ir::MatrixType{use, to_index(rows), to_index(columns)};
    };
    const std::int64_t rows = subgroup_rows() / config_.atom_m;
    const std::int64_t columns = subgroup_columns() / config_.atom_n;
    a_.matrices = k_.matrices("matrices_a", form_.operand,
                              size(config_.atom_m, config_.atom_k, Use::a), rows, 1);
    b_.matrices = k_.matrices("matrices_b", form_.operand,
                              size(config_.atom_k, config_.atom_n, Use::b), 1, columns);
    sums_ = k_.matrices("sums", form_.accumulator,
                        size(config_.atom_m, config_.atom_n, Use::accumulator), rows, columns);
    // A row of matrices of each subgroup on its way to C.
    const std::int64_t pad = widest(form_.accumulator);
    out_ = k_.shared("shared_c", form_.accumulator,
                     Layout(IntTuple{config_.subgroups_m * config_.atom_m, config_.tile_n},
                            IntTuple{config_.tile_n + pad, 1}));
  }

  // --- views ---

  std::int64_t subgroup_rows() const { return config_.tile_m / config_.subgroups_m; }
  std::int64_t subgroup_columns() const { return config_.tile_n / config_.subgroups_n; }
  Expr subgroup_m() const { return k_.subgroup() % to_index(config_.subgroups_m); }
  Expr subgroup_n() const { return k_.subgroup() / to_index(config_.subgroups_m); }

  TiledCopy staging(const Side& x) const {
    const std::int64_t along = x.k_contiguous ? config_.tile_k : x.rows;
    const std::int64_t side_by_side = along / vector().count;
    return make_tiled_copy(make_layout({side_by_side, threads(config_) / side_by_side}),
                           make_layout({static_cast<std::int64_t>(vector().count), 1}));
  }
  View source(const Side& x, const Expr& k_tile) const {
    return partition((buffers_.*x.tile)(k_tile), staging(x), k_.thread());
  }
  View destination(const Side& x) const {
    return partition(x.k_contiguous ? transpose(x.shared) : x.shared, staging(x), k_.thread());
  }

  // --- sums += A * B over all tiles of k ---

  void load_next(const Expr& k_tile, const Vector& moved) {
    const auto load_both = [&](Edges edges) {
      for (const Side* x : {&a_, &b_}) {
        k_.copy(source(*x, k_tile), x->next,
                {.edges = edges, .vector = moved, .vectors_fit = true});
      }
    };
    buffers_.at_edges(k_tile, load_both);
  }
  void store_next() {
    for (const Side* x : {&a_, &b_}) k_.copy(x->next, destination(*x), {.vector = vector()});
  }
  void multiply() {
    k_.unrolled_loop("kk", to_index(config_.tile_k / config_.atom_k), [&](const Expr& kk) {
      k_.load(tile(a_.shared, {subgroup_rows(), config_.atom_k}, {subgroup_m(), kk}), a_.matrices);
      k_.load(transpose(tile(b_.shared, {subgroup_columns(), config_.atom_k}, {subgroup_n(), kk})),
              b_.matrices);
      k_.multiply(a_.matrices, b_.matrices, sums_);
    });
  }
  void sum_up(const Vector& moved) {
    load_next(0, moved);
    k_.loop("k_tile", buffers_.tiles(), [&](const Expr& k_tile) {
      k_.barrier();
      store_next();
      k_.barrier();
      load_next(k_tile + 1, moved);
      multiply();
    });
  }

  // A row of matrices after the other.
  void write() {
    const std::int64_t width = widest(form_.accumulator);
    const std::int64_t lanes = std::min(threads(config_), config_.tile_n / width);
    const TiledCopy copy =
        make_tiled_copy(make_layout({lanes, threads(config_) / lanes}), make_layout({width, 1}));
    const auto mine = [&](const View& view) { return partition(view, copy, k_.thread()); };
    const View tile_of_c = buffers_.c();
    const View row_of_tile = tile(tile_of_c, {config_.tile_n, config_.atom_m}, {0, 0});
    const View sum = k_.make_fragment_like("sum", form_.accumulator, mine(row_of_tile));
    const std::int64_t most = std::min<std::int64_t>({4, width, widest(form_.result)});
    const std::int64_t rows = subgroup_rows() / config_.atom_m;
    k_.unrolled_loop("row", to_index(rows), [&](const Expr& row) {
      k_.barrier();
      k_.store(sums_, row,
               tile(out_, {config_.atom_m, subgroup_columns()}, {subgroup_m(), subgroup_n()}));
      k_.barrier();
      k_.unrolled_loop("s", to_index(config_.subgroups_m), [&](const Expr& s) {
        const View from = tile(transpose(out_), {config_.tile_n, config_.atom_m}, {0, s});
        const View to =
            tile(tile_of_c, {config_.tile_n, config_.atom_m}, {0, row + Expr(to_index(rows)) * s});
        k_.copy(mine(from), sum, {.vector = {to_index(width)}});
        buffers_.write(sum, mine(to), {to_index(most)});
      });
    });
  }

  const GemmMatrixConfig& config_;
  const GemmForm& form_;
  Builder k_;
  GemmBuffers buffers_;
  Side a_, b_;
  Matrices sums_;
  View out_;
};

}  // namespace

const std::vector<ConfigField<GemmMatrixConfig>>& gemm_matrix_fields() {
  using Config = GemmMatrixConfig;
  static const std::vector<ConfigField<Config>> fields = {
      numbers_field<Config>("atom", "MxNxK: of one product of matrix units, as the device has it",
                            {&Config::atom_m, &Config::atom_n, &Config::atom_k}),
      numbers_field<Config>("subgroup-size", "lanes of a subgroup, as the device has them",
                            {&Config::subgroup}),
      numbers_field<Config>(
          "tile", "MxNxK: elements of C that one workgroup sums up, and of k that it stages",
          {&Config::tile_m, &Config::tile_n, &Config::tile_k}),
      numbers_field<Config>("subgroups", "MxN: subgroups of a workgroup over (m, n)",
                            {&Config::subgroups_m, &Config::subgroups_n}),
      numbers_field<Config>("pad", "bytes after each row of the shared tiles", {&Config::pad}),
  };
  return fields;
}

GemmMatrixConfig gemm_matrix_config(const GemmForm& form, const DeviceCaps& device) {
  GemmMatrixConfig config;
  // 32 lanes hold a matrix in as many registers as they have to spare.
  const bool has_32 = device.min_subgroup_size <= 32 && device.max_subgroup_size >= 32;
  config.subgroup = has_32 ? 32 : device.subgroup_size;
  for (const MatrixShape& shape : device.matrix_shapes) {
    const bool fits = shape.a == ir::component_name(form.operand) && shape.b == shape.a &&
                      shape.c == ir::component_name(form.accumulator) && shape.result == shape.c &&
                      shape.scope == "subgroup" && !shape.saturating;
    if (!fits) continue;
    config.atom_m = shape.m;
    config.atom_n = shape.n;
    config.atom_k = shape.k;
    break;
  }
  if (config.subgroup < 32) config.tile_m = config.tile_n = 64;
  return config;
}

std::vector<std::string> reasons_against(const GemmMatrixConfig& config, const GemmForm& form) {
  std::vector<std::string> reasons = reasons_against_epilogue(form);
  const auto require = [&](bool holds, std::string reason) {
    if (!holds) reasons.push_back(std::move(reason));
  };
  const auto power_of_two = [&](const char* what, std::int64_t value, std::int64_t most) {
    require_power_of_two(what, value, most, reasons);
  };
  power_of_two("atom m", config.atom_m, 256);
  power_of_two("atom n", config.atom_n, 256);
  power_of_two("atom k", config.atom_k, 256);
  power_of_two("subgroup", config.subgroup, 128);
  power_of_two("tile m", config.tile_m, 1024);
  power_of_two("tile n", config.tile_n, 1024);
  power_of_two("tile k", config.tile_k, 1024);
  power_of_two("subgroups m", config.subgroups_m, 32);
  power_of_two("subgroups n", config.subgroups_n, 32);
  require(config.pad >= 0 && config.pad <= 1024 && config.pad % 16 == 0,
          fmt::format("pad {} is no multiple of 16 bytes up to 1024", config.pad));
  require(form.operand == ScalarType::f16 || bytes_of(form.operand) == 1,
          fmt::format("operands of {}: matrix units take f16, i8 and u8", to_string(form.operand)));
  const bool sums = form.operand == ScalarType::f16
                        ? form.accumulator == ScalarType::f16 || form.accumulator == ScalarType::f32
                        : form.accumulator == ScalarType::i32;
  require(sums, fmt::format("accumulator of {} for operands of {}: there are f16 and f32 for f16, "
                            "i32 for i8",
                            to_string(form.accumulator), to_string(form.operand)));
  require(is_floating(form.result) == is_floating(form.accumulator),
          fmt::format("accumulator of {} and result of {}: integers and floating-point numbers do "
                      "not mix",
                      to_string(form.accumulator), to_string(form.result)));
  if (!reasons.empty()) return reasons;

  const std::int64_t threads = config.subgroups_m * config.subgroups_n * config.subgroup;
  require(threads <= 1024, fmt::format("{} threads, there are at most 1024", threads));
  const auto divides = [&](const char* what, std::int64_t part, std::int64_t whole) {
    require(whole % part == 0 && whole >= part,
            fmt::format("{} {} does not divide {}", what, part, whole));
  };
  divides("subgroups m times atom m", config.subgroups_m * config.atom_m, config.tile_m);
  divides("subgroups n times atom n", config.subgroups_n * config.atom_n, config.tile_n);
  divides("atom k", config.atom_k, config.tile_k);
  const std::int64_t vector = widest(form.operand);
  for (const bool is_a : {true, false}) {
    const std::int64_t rows = is_a ? config.tile_m : config.tile_n;
    const bool k_contiguous = is_a ? form.a_k_contiguous : form.b_k_contiguous;
    const std::int64_t along = k_contiguous ? config.tile_k : rows;
    const std::int64_t across = k_contiguous ? rows : config.tile_k;
    const char* whose = is_a ? "A" : "B";
    divides(fmt::format("staging {}: vectors of", whose).c_str(), vector, along);
    if (along % vector != 0) continue;
    const std::int64_t others = threads / (along / vector);
    require(others >= 1 && across % others == 0,
            fmt::format("staging {}: {} threads, {} side by side, do not divide {} rows", whose,
                        threads, along / vector, across));
  }
  const std::int64_t width = widest(form.accumulator);
  const std::int64_t lanes = std::min(threads, config.tile_n / width);
  require(
      lanes >= 1 && config.tile_n % (lanes * width) == 0 && config.atom_m % (threads / lanes) == 0,
      fmt::format("{} threads do not divide {} x {} sums on their way to C", threads, config.atom_m,
                  config.tile_n));
  return reasons;
}

ir::Kernel gemm_matrix(const GemmMatrixConfig& config, const GemmForm& form,
                       const std::string& name) {
  auto reasons = reasons_against(config, form);
  if (!reasons.empty()) throw KernelError(name, std::move(reasons));
  return Product(config, form, name).describe();
}

}  // namespace vkmoye::gen
