// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/decode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/kernels/attention/decode_threads.hpp"
#include "vkmoye/gen/kernels/attention/parts/bias.hpp"
#include "vkmoye/gen/kernels/attention/parts/header.hpp"
#include "vkmoye/gen/kernels/attention/parts/key_rows.hpp"
#include "vkmoye/gen/kernels/attention/parts/running_softmax.hpp"
#include "vkmoye/gen/kernels/attention/parts/visible_keys.hpp"
#include "vkmoye/gen/kernels/common/slice_parts.hpp"
#include "vkmoye/gen/kernels/registry/entry_of.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

class DecodeAttention {
 public:
  DecodeAttention(const AttentionDecodeConfig& config, const AttentionForm& form, ScalarType type,
                  const std::string& name)
      : config_(config),
        form_(form),
        type_(type),
        by_(decode_threads(config, form, type)),
        builder_(name, config.threads, to_index(config.subgroup_size)),
        attention_(builder_, form, type, {config.rows, by_.tile(), by_.k.width, by_.v.width},
                   /*rows_of_head_groups=*/true),
        visible_(builder_, form, attention_),
        bias_(builder_, form, attention_),
        numbers_(builder_, form.key_format, form.value_format),
        threads_(make_layout({by_.threads_per_key, by_.keys})),
        thread_of_key_(builder_.thread() % to_index(by_.threads_per_key)),
        key_(builder_.thread() / to_index(by_.threads_per_key)),
        own_keys_{threads_, builder_.thread()},
        own_rows_{make_layout({by_.threads_per_key, kOne}), thread_of_key_} {}

  ir::Kernel describe() {
    attention_header(builder_, attention_decode_fields(), config_, form_, type_,
                     "keys are split among workgroups and threads, which combine at the end");
    declare();
    numbers_.fill_tables();
    if (numbers_.has_tables()) builder_.barrier();
    load_rows();
    softmax_.emplace(builder_, attention_.score_scale().of_softmax(), scores_,
                     ScoreModes{.columns = 2, .threads = threads_, .shared_by_row = 1});
    softmax_->start();
    builder_.assign(sums_of_thread_, 0);
    const Expr slices = maximum(slice_sums_.extent(3), 1);
    const SliceParts own_tiles = slice_parts(builder_, visible_.count(), slices, builder_.block_z(),
                                             {"tiles_of_slice", "tiles_before", "own_tiles"});
    builder_.loop(
        "key_tile", own_tiles.count,
        [&](const Expr& i) { add_tile(visible_.first() + own_tiles.first + i); },
        ir::Unroll::never);
    softmax_->merge(sums_);
    write_slice();
    return builder_.finish_or_assume_written(
        slice_sums_,
        "threads divide the elements of the rows of a workgroup among them, each once");
  }

 private:
  static constexpr ScalarType f32 = ScalarType::f32;
  static constexpr std::int64_t kOne = 1;

  void declare() {
    const Builder::AxisSpec row_axis = {"row", attention_.row_extent()},
                            head_axis = {"head", attention_.head_extent()},
                            slice_axis = {"slice", "slices"};
    slice_sums_ = builder_.output("slice_sums", f32,
                                  {{"e", form_.value_width}, row_axis, head_axis, slice_axis});
    slice_max_ = builder_.output("slice_max", f32, {row_axis, head_axis, slice_axis});
    slice_row_sums_ = builder_.output("slice_row_sums", f32, {row_axis, head_axis, slice_axis});

    from_q_ = part_of_rows(by_.k, attention_.q());
    q_elements_ = builder_.make_fragment_like("q_elements", f32, from_q_);
    const AttentionTile::KeyTile some_keys = attention_.some_keys();
    read_k_.emplace(builder_, "k", by_.k, key_type(type_, form_), attention_.k(some_keys),
                    own_keys_, numbers_.k());
    read_v_.emplace(builder_, "v", by_.v, value_type(type_, form_), attention_.v(some_keys),
                    own_keys_, numbers_.v());
    key_elements_ = builder_.make_fragment_like("key_elements", f32, part_at_places(by_.k));
    value_elements_ = builder_.make_fragment_like("value_elements", f32, part_at_places(by_.v));
    scores_ = builder_.make_fragment_like(
        "scores", f32, part_of_scores(make_identity_view({config_.rows, by_.tile()})));
    slice_output_ = part_of_rows(by_.v, of_workgroup(slice_sums_, by_.v.width));
    sums_of_thread_ = builder_.make_fragment_like("sums", f32, slice_output_);
    sums_ = repeat(sums_of_thread_, 2, 1);
  }

  // --- views ---

  // (width, rows) of the workgroup.
  View of_workgroup(const Tensor& of, std::int64_t width) const {
    return slice(tile(of, {width, config_.rows, 1, 1},
                      {0, attention_.row_tile(), attention_.head_block(), builder_.block_z()}),
                 {_, _, 0, 0});
  }
  // (rows) of the workgroup.
  View of_workgroup(const Tensor& of) const {
    return slice(tile(of, {config_.rows, 1, 1},
                      {attention_.row_tile(), attention_.head_block(), builder_.block_z()}),
                 {_, 0, 0});
  }
  // A thread's part of rows of q, or of the result: elements at the places of k, or of v.
  View part_of_rows(const KeyRows& of, const View& rows) const {
    return own_rows_.part(of.at_places(rows), of.vector);
  }
  // (element, key) of a thread's part of a tile of k, or of v.
  View part_at_places(const KeyRows& of) const {
    return own_keys_.part(of.at_places(make_identity_view({of.width, by_.tile()})), of.vector);
  }
  // A thread's part of a view (rows, keys): (1, 1, keys, rows).
  View part_of_scores(const View& view) const {
    const TiledCopy along_keys =
        make_tiled_copy(make_layout({kOne, by_.keys}), make_layout({kOne, kOne}));
    return repeat(permute(partition(view, along_keys, key_), {0, 2, 1}), 0, 1);
  }
  // `view` with a mode for each element of `tile` and each row: products over them are added where it has none.
  View over(const View& view, const View& tile) const {
    const IntTuple shape = tile.shape();
    return broadcast(view,
                     IntTuple{shape.mode(0), shape.mode(1), shape.mode(2), IntTuple(config_.rows)});
  }
  // The vectors in which elements of `type` are moved.
  static Vector access(const KeyRows& of, ScalarType type) {
    return {to_index(std::min(of.run(), widest_access(type)))};
  }

  static Expr multiply_and_add(const Expr& sum, const Expr& a, const Expr& b) {
    return multiply_add(a, b, sum);
  }

  // --- steps ---

  // q, and what is read once for each row.
  void load_rows() {
    const std::int64_t rows = config_.rows;
    for (std::int64_t i = 0; i < rows && !has_rows_of_groups(form_); ++i) {
      single_rows_.push_back(attention_.query_of_head(
          fmt::format("row{}", i), to_index(rows) * attention_.row_tile() + to_index(i)));
    }
    const CopyOptions from_buffer = {.edges = Edges::zero, .vector = access(by_.k, type_)};
    if (form_.orders.q == AttentionOrder::bhsd) {
      builder_.copy(from_q_, q_elements_, from_buffer);
    } else {
      for (std::int64_t i = 0; i < rows; ++i) {
        const View row = attention_.q(single_rows_[static_cast<std::size_t>(i)]);
        builder_.copy(slice(part_of_rows(by_.k, row), {_, _, 0}), slice(q_elements_, {_, _, i}),
                      from_buffer);
      }
    }
    for (std::size_t i = 0; i < single_rows_.size() && has_bias(form_); ++i) {
      const QueryOfHead& row = single_rows_[i];
      biased_rows_.push_back(bias_.rows(fmt::format("row{}", i), row.query, 1, row.head));
    }
  }

  void load_keys(const Expr& tile_number) {
    if (form_.page == 0) {
      read_k_->load(attention_.k(attention_.key_tile(tile_number)), own_keys_);
      read_v_->load(attention_.v(attention_.key_tile(tile_number)), own_keys_);
      return;
    }
    // Keys of different threads, and rounds, may be in different pages.
    builder_.unrolled_loop("key_round", to_index(by_.rounds), [&](const Expr& round) {
      const auto own_key = attention_.key_tile(
          to_index(by_.tile()) * tile_number + to_index(by_.keys) * round + key_, 1);
      read_k_->load(attention_.k(own_key), own_rows_, round);
      read_v_->load(attention_.v(own_key), own_rows_, round);
    });
  }

  void add_tile(const Expr& tile_number) {
    load_keys(tile_number);
    read_k_->decode(key_elements_);
    builder_.assign(scores_, 0);
    builder_.with_title("scores += key_elements * q_elements", [&] {
      const View all = over(scores_, key_elements_);
      builder_.apply(all, multiply_and_add, all, key_elements_, repeat(q_elements_, 2, 1));
    });
    builder_.reduce_across(scores_, kSum, threads_, 0);
    attention_.score_scale().cap(builder_, scores_);
    add_bias(tile_number);
    visible_.hide_unseen(
        scores_, [&](const View& view) { return part_of_scores(view); },
        visible_.rows_of_workgroup(), tile_number);
    softmax_->update_per_thread(scores_, sums_);
    read_v_->decode(value_elements_);
    visible_.drop_beyond(value_elements_, part_at_places(by_.v), tile_number);
    builder_.with_title("sums += value_elements * scores", [&] {
      const View all = over(sums_, value_elements_);
      builder_.apply(all, multiply_and_add, all, value_elements_, scores_);
    });
  }

  void add_bias(const Expr& tile_number) {
    for (std::size_t i = 0; i < biased_rows_.size(); ++i) {
      const auto part_of_row = [&](const View& view) {
        return slice(part_of_scores(view), {_, _, _, 0});
      };
      bias_.add(slice(scores_, {_, _, _, static_cast<std::int64_t>(i)}), part_of_row,
                biased_rows_[i], tile_number);
    }
  }

  void write_slice() {
    builder_.branch({equal(key_, 0)}, [&] {
      builder_.copy(sums_of_thread_, slice_output_, {.vector = access(by_.v, f32)});
    });
    builder_.branch({equal(builder_.thread(), 0)}, [&] {
      const Layout values(config_.rows, 1);
      builder_.copy(builder_.retile(softmax_->row_max(), values), of_workgroup(slice_max_));
      builder_.copy(builder_.retile(softmax_->row_sum(), values), of_workgroup(slice_row_sums_));
    });
  }

  const AttentionDecodeConfig& config_;
  const AttentionForm& form_;
  const ScalarType type_;
  const DecodeThreads by_;
  Builder builder_;
  AttentionTile attention_;
  VisibleKeys visible_;
  ScoreBias bias_;
  KeyNumbers numbers_;
  Layout threads_;  // (threads_per_key, keys)
  Expr thread_of_key_, key_;
  KeyThreads own_keys_, own_rows_;
  Tensor slice_sums_, slice_max_, slice_row_sums_;
  // A thread's parts: of q and of the sums (vector, accesses, rows), of a tile of keys or values (vector, accesses,
  // keys); scores (1, 1, keys, rows).
  View from_q_, q_elements_;
  std::optional<KeyParts> read_k_, read_v_;
  View key_elements_, value_elements_, scores_;
  View slice_output_, sums_of_thread_;
  View sums_;                             // (vector, accesses, 1, rows)
  std::vector<QueryOfHead> single_rows_;  // where the heads of rows matter
  std::vector<BiasRows> biased_rows_;     // with a bias, too
  std::optional<RunningSoftmax> softmax_;
};

}  // namespace

ir::Kernel attention_decode(const AttentionDecodeConfig& config, const AttentionForm& form,
                            ScalarType type, const std::string& name) {
  throw_if_any(name, reasons_against(config, form, type));
  return DecodeAttention(config, form, type, name).describe();
}

}  // namespace vkmoye::gen
