// SPDX-License-Identifier: MIT
// Numbers near the limits of 64 bits: every operation is right or throws.
#include "layout/property.hpp"
#include "vkmoye/layout/analysis.hpp"

namespace vkmoye {
namespace {

using random_layout::uniform;

// A sum or product beyond 64 bits is not a constant expression: these lines would not compile.
constexpr std::int64_t kHuge = std::int64_t{1} << 62;
static_assert(widest_access("4:1"_layout, "1:0"_layout, kHuge, kHuge, INT64_MAX) == 1);
static_assert(widest_access(make_layout(kHuge), "1:0"_layout, 1, kHuge, INT64_MAX) == kHuge);
static_assert(max_alignment(make_layout(kHuge)) == kHuge);
static_assert(!is_injective(make_layout({kHuge / 8, 2, 2}, {1, 1, kHuge - 2})));
static_assert(contiguous_run(make_layout({kHuge, 1}, {1, kHuge})) == kHuge);

PROPERTY(OverflowProperty, IsRefusedNeverWrapped, [] {
  const auto huge =
      rc::gen::map(rc::gen::pair(uniform(0, 62), uniform(-1, 2)), [](const std::pair<int, int>& p) {
        return std::max<std::int64_t>(1, (std::int64_t{1} << p.first) + p.second);
      });
  const auto layout = [&] {
    return unless_refused([&] {
      return Layout(IntTuple{*huge, *uniform<std::int64_t>(1, 5)}, IntTuple{*huge, *huge});
    });
  };
  const auto a = layout(), b = layout();
  RC_PRE(a.has_value() && b.has_value());
  const auto sound = [](const Layout& result) {  // size and cosize as 128-bit integers
    __int128 size = 1, last = 0;
    for (const Mode& mode : result.leaves()) {
      size *= mode.extent;
      last += static_cast<__int128>(mode.extent - 1) * mode.stride;
      RC_ASSERT(size <= INT64_MAX && last < INT64_MAX);
    }
    RC_ASSERT(result.size() == static_cast<std::int64_t>(size));
    RC_ASSERT(result.cosize() == static_cast<std::int64_t>(last) + 1);
  };
  const auto check = [&](auto f) {
    if (const auto result = unless_refused(f)) sound(*result);
  };
  check([&] { return coalesce(*a); });
  check([&] { return composition(*a, *b); });
  check([&] { return complement(*a, b->size()); });
  check([&] { return logical_divide(*a, *b); });
  check([&] { return zipped_divide(*a, {4, 2}); });
  check([&] { return logical_product(*a, *b); });
  check([&] { return blocked_product(*a, *b); });
  check([&] { return right_inverse(*a); });
  check([&] { return left_inverse(*a); });
  check([&] { return downcast(*a, b->size()); });
  check([&] { return upcast(*a, b->size()); });
  check([&] { return make_layout(*a, *b); });
  check([&] { return max_common_layout(*a, *b); });
  unless_refused([&] { return max_common_vector(*a, *b); });
  unless_refused([&] { return is_injective(*a); });
  unless_refused([&] { return (*a)(b->size()); });
})

}  // namespace
}  // namespace vkmoye
