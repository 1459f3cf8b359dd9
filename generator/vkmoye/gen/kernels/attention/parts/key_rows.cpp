// SPDX-License-Identifier: MIT
#include "vkmoye/gen/kernels/attention/parts/key_rows.hpp"

#include <fmt/format.h>

#include <utility>

#include "vkmoye/gen/kernels/attention/form/attention_form.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/common/powers.hpp"
#include "vkmoye/layout/algebra.hpp"
#include "vkmoye/tensor/copy_atom.hpp"

namespace vkmoye::gen {
namespace {

// The sign bits in a word of `field`; 0 if it contains none.
std::uint32_t sign_bits(const FieldOfPart& of) {
  const WeightNumber& number = *of.named.number;
  const bool has_sign =
      number.kind == NumberKind::has_sign && of.field.to + of.field.bits == number.bits();
  std::uint32_t out = 0;
  for (std::int64_t i = 0; has_sign && i < size(of.at.bit); ++i) {
    out |= 1u << (of.at.first_bit + of.at.bit(i) + of.field.bits - 1);
  }
  return out;
}

Expr u32(std::uint32_t value) { return ir::number(ScalarType::u32, value); }

}  // namespace

Layout KeyRows::order() const {
  const BitField& codes = format->code.fields.front();
  const Layout word = in_words(codes, format->elements, kBitsOfWord)->word;
  std::int64_t words = vector;  // of a part
  for (const Mode& leaf : word.leaves()) words /= leaf.stride == 0 ? leaf.extent : 1;
  std::vector<Layout> places, parts;
  std::int64_t before = 1;  // elements
  for (const Mode& leaf : word.leaves()) {
    const std::int64_t inside =
        leaf.stride == 0 ? leaf.extent : std::clamp<std::int64_t>(words, 1, leaf.extent);
    if (leaf.stride != 0) words /= inside;
    if (inside > 1) places.emplace_back(inside, before);
    if (inside < leaf.extent) parts.emplace_back(leaf.extent / inside, before * inside);
    before *= leaf.extent;
  }
  const auto all = [](const std::vector<Layout>& modes) {
    return modes.empty() ? Layout() : coalesce(make_layout(std::span<const Layout>(modes)));
  };
  return make_layout(all(places), all(parts));
}

std::vector<FieldOfPart> KeyRows::fields() const {
  std::vector<FieldOfPart> fields;
  const Layout places = order();
  for (const NamedNumber& named : numbers_of(*format)) {
    for (const BitField& field : named.number->fields_in_words()) {
      FieldInWords at = *in_words(field, format->elements, kBitsOfWord);
      at.word = composition(at.word, places);
      at.bit = composition(at.bit, places);
      fields.push_back({named, field, at});
    }
  }
  return fields;
}

std::int64_t KeyRows::run() const {
  if (format == nullptr) return vector;
  const Layout places = order();
  const Mode first = places.leaves().front();
  return first.stride == 1 ? first.extent : 1;
}

std::int64_t KeyRows::registers(std::int64_t bytes) const {
  if (format == nullptr) return std::max<std::int64_t>(1, vector * bytes / 4);
  std::int64_t words = 0;
  for (const FieldOfPart& field : fields()) words += field.words();
  return words;
}

View KeyRows::at_places(const View& elements) const {
  if (run() == vector) return elements;
  const Layout places = order();
  const Layout blocks(width / format->elements, format->elements);
  return composition(elements,
                     make_layout(make_layout(places.mode(0), make_layout(places.mode(1), blocks)),
                                 Layout(size(elements.shape().mode(1)), width)));
}

KeyRows key_rows(const WeightFormat* format, ScalarType type, std::int64_t width,
                 std::int64_t threads) {
  if (format == nullptr) return {nullptr, width, power_dividing(width, widest_access(type))};
  return {format, width,
          std::clamp(power_dividing(width, next_power_of_two(width / threads + 1) / 2),
                     min_part(*format), max_part(*format))};
}

View KeyThreads::part(const View& view, std::int64_t vector) const {
  return partition(view, make_tiled_copy(threads, make_layout({vector, std::int64_t{1}})), thread);
}

// --- numbers ---

KeyNumbers::KeyNumbers(Builder& builder, const WeightFormat* of_k, const WeightFormat* of_v)
    : is_shared_(of_k == of_v) {
  if (of_k != nullptr) k_.emplace(builder, *of_k, is_shared_ ? "levels" : "levels_of_k");
  if (of_v != nullptr && !is_shared_) v_.emplace(builder, *of_v, "levels_of_v");
}

void KeyNumbers::fill_tables() {
  for (auto* numbers : {&k_, &v_}) {
    if (*numbers && (*numbers)->has_table()) (*numbers)->fill_table();
  }
}

bool KeyNumbers::has_tables() const {
  return (k_ && k_->has_table()) || (v_ && v_->has_table());
}

std::int64_t bytes_of_tables(const WeightFormat* of_k, const WeightFormat* of_v) {
  return (of_k != nullptr ? of_k->table_bytes() : 0) +
         (of_v != nullptr && of_v != of_k ? of_v->table_bytes() : 0);
}

// --- parts ---

KeyParts::KeyParts(Builder& builder, const std::string& name, const KeyRows& rows, ScalarType type,
                   const View& tile, const KeyThreads& by, WeightNumbers* numbers,
                   const std::string& prefix)
    : builder_(builder), rows_(rows), numbers_(numbers) {
  if (rows.format == nullptr) {
    read_ = {builder.make_fragment_like(prefix + name, type, by.part(tile, rows.vector),
                                        to_index(rows.vector))};
    return;
  }
  fields_ = rows.fields();
  first_bits_.name = "bits";
  for (const FieldOfPart& of : fields_) {
    std::string words = of.named.of == NumberOf::weight
                            ? prefix + name
                            : fmt::format("{}_of_{}", of.named.plural, name);
    if (of.field.to > 0) words += fmt::format("_from_bit{}", of.field.to);
    read_.push_back(builder.make_fragment_like(words, ScalarType::u16,
                                               by.part(this->words(tile, of), of.words())));
    first_bits_.axes.push_back(bits(tile, of, by).axes.front());
  }
}

// The words of each part in which a field has bits.
View KeyParts::words(const View& tile, const FieldOfPart& field) const {
  const WeightFormat& format = *rows_.format;
  const std::int64_t blocks = rows_.width / format.elements,
                     of_block = format.bytes * 8 / kBitsOfWord;
  const Layout parts = make_layout(field.at.word.mode(1), Layout(blocks, of_block));
  View out = composition(tile, make_layout(make_layout(Layout(field.words(), 1), parts),
                                           Layout(size(tile.shape().mode(1)), of_block * blocks)));
  out.axes[0].shift(field.at.first_word);
  return out;
}

// The first bit of a field for each element of a thread.
View KeyParts::bits(const View& tile, const FieldOfPart& field, const KeyThreads& by) const {
  const Layout blocks(rows_.width / rows_.format->elements, 0);
  const Layout keys(size(tile.shape().mode(1)), 0);
  View out;
  out.axes = {
      {{},
       make_layout(make_layout(field.at.bit.mode(0), make_layout(field.at.bit.mode(1), blocks)),
                   keys)}};
  out.axes[0].shift(field.at.first_bit);
  return by.part(out, rows_.vector);
}

void KeyParts::load(const View& tile, const KeyThreads& by, const std::optional<Expr>& round) {
  const auto load = [&](const View& from, const View& to, std::int64_t vector) {
    const View part = by.part(from, vector);
    builder_.copy(
        round ? slice(part, {_, _, 0}) : part, round ? select(to, 2, *round) : to,
        {.edges = Edges::zero, .vector = {rows_.format == nullptr ? to_index(vector) : 1}});
  };
  if (rows_.format == nullptr) return load(tile, read_.front(), rows_.vector);
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    load(words(tile, fields_[i]), read_[i], fields_[i].words());
  }
}

void KeyParts::decode(const View& elements) const {
  const WeightFormat* format = rows_.format;
  if (format == nullptr)
    return builder_.copy(read_.front(), elements, {.vector = {to_index(rows_.vector)}});
  View to = elements, bits = first_bits_;
  std::vector<View> words;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const std::int64_t count = fields_[i].words(), parts = size(read_[i].shape().mode(1)),
                       keys = size(read_[i].shape().mode(2));
    words.push_back(
        builder_.retile(read_[i], make_layout(fields_[i].at.word.mode(0), Layout(parts, count),
                                              Layout(keys, count * parts))));
  }
  std::vector<Layout*> layouts;
  for (View* view : {&to, &bits}) {
    for (View::Axis& axis : view->axes) layouts.push_back(&axis.values);
  }
  for (View& view : words) layouts.push_back(&view.axes.front().values);
  if (!share_leaves(layouts)) {
    throw LayoutError(fmt::format("rows of {}: {} and its codes have no common refinement",
                                  format->name, elements.name));
  }
  const auto decoded = [&](const std::vector<Expr>& word, const std::vector<Expr>& bit) {
    const auto place = [&](const NamedNumber& named) {
      CodePlace out;
      for (std::size_t i = 0; i < fields_.size(); ++i) {
        const FieldOfPart& of = fields_[i];
        if (of.named.name != named.name) continue;
        Expr from = convert(word[i], ScalarType::u32);
        if (const std::uint32_t signs = sign_bits(of); signs != 0) from = bit_xor(from, u32(signs));
        if (ir::constant_value(bit[i]) == 0) {
          out.push_back({from, 0, of.field.bits, of.field.to});
          continue;
        }
        // One shift for a word and one for an element: to where the code is a number, or a part of one.
        const std::uint32_t first = std::min<std::uint32_t>(
            of.field.to + (of.named.number->is_whole() ? kBitOfNumber : 0), kBitsOfWord);
        if (first > 0) from = shift_left(from, u32(first));
        out.push_back({shift_right(from, convert(bit[i], ScalarType::u32)), first, of.field.bits,
                       of.field.to});
      }
      return out;
    };
    const WeightScale scale =
        scale_of_parts(*format, ScalarType::f32, [&](const NamedNumber& named) {
          const CodePlace at = place(named);
          if (named.of == NumberOf::part) return number_of(*named.number, at);
          const Expr all = at.size() == 1 ? at.front().word : bits_of(at);
          return builder_.let(named.name + "_of_part",
                              number_in_word(all, named.number->type, /*half=*/0));
        });
    return numbers_->weight(place(numbers_of(*format).front()), scale, "level");
  };
  const std::string title = fmt::format("{} <- {}, from the codes in {}", elements.name,
                                        numbers_->formula(), read_.front().array);
  builder_.with_title(title, [&] { builder_.apply(to, bits, decoded, words); });
}

}  // namespace vkmoye::gen
