// SPDX-License-Identifier: MIT
#include "vkmoye/gen/dsl/codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/dsl/functions.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::gen {
namespace {

[[noreturn]] void refuse_codes(const Codes& codes, const std::string& why) {
  throw LayoutError(fmt::format("copy of {}: {}", codes.view.name, why));
}

Layout scaled(const Layout& layout, std::int64_t factor) {
  return Layout(layout.tree().map<Mode>([&](const Mode& mode) {
    return Mode{mode.extent, mode.stride * factor};
  }));
}

// Whether the first leaf of `view` is the words along axis 0, one after the other.
bool begins_with_words(const View& view) {
  for (const View::Axis& axis : view.axes) {
    const std::int64_t wanted = &axis == &view.axes.front() ? 1 : 0;
    if (axis.values.tree().leaf(0).stride != wanted) return false;
  }
  return true;
}

// `values` with `extent` values of stride `step` before each: joined with the first leaf, or as leaves of the first
// mode.
Layout with_codes(const Layout& values, std::int64_t extent, std::int64_t step, bool joins) {
  if (joins) {
    bool is_first = true;
    return Layout(values.tree().map<Mode>([&](const Mode& mode) {
      return std::exchange(is_first, false) ? Mode{mode.extent * extent, step} : mode;
    }));
  }
  if (values.is_leaf()) return make_layout(Layout(extent, step), values);
  std::vector<Layout> modes = {make_layout(Layout(extent, step), values.mode(0))};
  for (int i = 1; i < values.rank(); ++i) modes.push_back(values.mode(i));
  return make_layout(modes);
}

// Splits the fixed modes of axis 0 into words; the part that is not one is added to `rest`.
std::vector<View::FixedMode> fixed_words(const Codes& codes, std::int64_t& rest) {
  std::vector<View::FixedMode> out;
  for (const View::FixedMode& one : codes.view.axes.front().fixed) {
    if (ir::is_constant(one.index)) {
      rest += one.mode(static_cast<std::int64_t>(one.index->value));
      continue;
    }
    for (const Mode& leaf : one.mode.leaves()) {
      if (leaf.extent == 1 || leaf.stride % codes.per_word == 0) continue;
      refuse_codes(codes, fmt::format("it begins at multiples of {} codes, within a word of {}",
                                      leaf.stride, codes.per_word));
    }
    const Layout mode(one.mode.tree().map<Mode>([&](const Mode& leaf) {
      return Mode{leaf.extent, leaf.stride / codes.per_word};
    }));
    out.push_back({mode, one.index});
  }
  const std::int64_t words = rest / codes.per_word;
  rest %= codes.per_word;
  if (words > 0) out.push_back({Layout(words + 1, 1), to_index(words)});
  return out;
}

}  // namespace

View in_codes(const View& words, std::uint32_t per_word) {
  const bool joins = begins_with_words(words);
  View out = words;
  for (View::Axis& axis : out.axes) {
    const bool counts = &axis == &out.axes.front();
    if (counts) {
      for (View::FixedMode& one : axis.fixed) one.mode = scaled(one.mode, per_word);
      axis.values = scaled(axis.values, per_word);
    }
    axis.values = with_codes(axis.values, per_word, counts ? 1 : 0, joins);
  }
  return out;
}

CodePlaces places_of(const Codes& codes) {
  const View& view = codes.view;
  const std::int64_t per_word = codes.per_word;
  CodePlaces out;
  out.words = {view.array, {}, view.tilings, view.name + " in words", view.swizzle};
  std::int64_t rest = 0;
  std::vector<std::vector<Layout>> axes(view.axes.size());  // axes of the words
  std::vector<Layout> word, place;
  std::int64_t count = 1, last = 0;  // words of a thread, and the last place in one
  const std::vector<View::FixedMode> fixed = fixed_words(codes, rest);
  for (int i = 0; i < view.axes.front().values.tree().leaf_count(); ++i) {
    const Mode along = view.axes.front().values.tree().leaf(i);
    const bool within = along.extent > 1 && along.stride % per_word != 0;
    if (within && (per_word % along.stride != 0)) {
      refuse_codes(codes, fmt::format("values {} codes apart, in words of {}, are not at the same "
                                      "places of each word",
                                      along.stride, per_word));
    }
    const std::int64_t inside =
        within ? std::min(along.extent, per_word / along.stride) : std::int64_t{1};
    if (along.extent % inside != 0) {
      refuse_codes(codes, fmt::format("{} values {} codes apart end within a word of {}",
                                      along.extent, along.stride, per_word));
    }
    const std::int64_t words = along.extent / inside;
    last += (inside - 1) * along.stride;
    for (std::size_t axis = 0; axis < view.axes.size(); ++axis) {
      const std::int64_t step = view.axes[axis].values.tree().leaf(i).stride;
      if (axis > 0 && inside > 1 && step != 0) {
        refuse_codes(codes, "values in one word along one axis are apart along another");
      }
      axes[axis].emplace_back(words, axis > 0 ? step : within ? 1 : step / per_word);
    }
    word.push_back(make_layout(Layout(inside, 0), Layout(words, count)));
    place.push_back(make_layout(Layout(inside, along.stride), Layout(words, 0)));
    count *= words;
  }
  if (rest + last >= per_word) {
    refuse_codes(codes, fmt::format("values reach from place {} to {} of a word with {} codes",
                                    rest, rest + last, per_word));
  }
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    View::Axis of_words = view.axes[axis];
    if (axis == 0) of_words = {fixed, {}, {}};
    of_words.values = make_layout(axes[axis]);
    out.words.axes.push_back(std::move(of_words));
  }
  out.word = make_layout(word);
  out.place = make_layout(place);
  out.first = to_index(rest);
  return out;
}

// --- as members of the Builder ---

Codes Builder::codes_of(const View& words, std::uint32_t bits, bool is_signed) const {
  const ScalarType type = array(words).type;
  const bool is_words =
      type == ScalarType::u8 || type == ScalarType::u16 || type == ScalarType::u32;
  const auto word_bits = static_cast<std::uint32_t>(8 * size_of(type));
  if (!is_words || bits == 0 || bits >= word_bits || word_bits % bits != 0) {
    throw LayoutError(
        fmt::format("codes of {} bits in {}, of type {}: words are u8, u16 or u32, "
                    "and the bits of a code divide those of a word",
                    bits, words.name, to_string(type)));
  }
  const std::uint32_t per_word = word_bits / bits;
  Codes out{in_codes(words, per_word), bits, per_word, is_signed};
  out.view.name = fmt::format("{}({}, {} bits)", is_signed ? "signed_codes" : "unsigned_codes",
                              words.name, bits);
  return out;
}

Codes Builder::unsigned_codes(const View& words, std::uint32_t bits) const {
  return codes_of(words, bits, /*is_signed=*/false);
}

Codes Builder::signed_codes(const View& words, std::uint32_t bits) const {
  return codes_of(words, bits, /*is_signed=*/true);
}

void Builder::copy(const Codes& from, const View& to, const CopyOptions& options) {
  const auto sizes = [](const View& view) {
    return view.shape().is_leaf() ? IntTuple{view.shape().leaf(0)} : product_each(view.shape());
  };
  if (sizes(from.view) != sizes(to)) {
    refuse_codes(from, fmt::format("its shape {} is not that of {}, {}",
                                   to_string(from.view.shape()), to.name, to_string(to.shape())));
  }
  const CodePlaces places = places_of(from);
  View target = to, place{"", {{{}, places.place}}, {}, "places"};
  Layout word = places.word;
  std::vector<Layout*> layouts = {&word, &place.axes[0].values};
  for (View::Axis& axis : target.axes) layouts.push_back(&axis.values);
  if (!share_leaves(layouts)) {
    refuse_codes(from, fmt::format("its shape {} and that of {}, {}, have no common refinement",
                                   to_string(places.word.shape()), to.name, to_string(to.shape())));
  }
  View loaded = places.words;
  if (!array(from.view).is_registers()) {
    std::string name = to.array + "_packed";
    for (int number = 2; kernel_.find(name) != nullptr; ++number) {
      name = fmt::format("{}_packed{}", to.array, number);
    }
    loaded = make_fragment_like(name, array(from.view).type, places.words);
    copy(places.words, loaded, options);
  }

  View words = composition(loaded, word);
  words.name = loaded.array;
  place.axes[0].shift(places.first);
  with_title(fmt::format("{} <- codes of {} bits of {}", to.name, from.bits, loaded.array), [&] {
    apply(target, place,
          [&](const std::vector<Expr>& value, const std::vector<Expr>& at) {
            const Expr word = convert(value[0], ScalarType::u32);
            const Expr code = shift_right(word, convert(from.bits * at[0], ScalarType::u32));
            return from.is_signed ? signed_bit_field(code, 0, from.bits)
                                  : bit_field(code, 0, from.bits);
          },
          {words});
  });
}

}  // namespace vkmoye::gen
