// SPDX-License-Identifier: MIT
// The accesses of moves by themselves: the same, and nothing besides them.

#include "vkmoye/gen/passes/access_pattern.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "support/expect.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/gen/analysis/access_report.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/glsl/print.hpp"
#include "vkmoye/gen/ir/traversal.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"
#include "vkmoye/gen/passes/fixed_sizes.hpp"
#include "vkmoye/gen/twin/run_on_host.hpp"
#include "vkmoye/gen/verify/verify.hpp"

namespace vkmoye::gen {
namespace {

struct Size {
  std::uint32_t rows, cols;
};

// Whole tiles, tiles that hang over, rows that begin off the accesses, thin arrays both ways.
constexpr Size kSizes[] = {{256, 512}, {37, 300}, {3, 700}, {700, 5}};

template <class Check>
void for_each_move(const Check& check) {
  for (const KernelEntry& entry : registry()) {
    const bool is_relayout = entry.operation == "relayout";
    if (!is_relayout && entry.operation != "transpose" && entry.operation != "copy") continue;
    for (const ScalarType type : {ScalarType::i8, ScalarType::f16, ScalarType::bf16,
                                  ScalarType::f64, ScalarType::c64, ScalarType::c128}) {
      const auto& types = entry.types;
      if (std::find(types.begin(), types.end(), type) == types.end()) continue;
      std::vector<std::optional<std::vector<std::int64_t>>> shapes = {std::nullopt};
      if (is_relayout) shapes = {{{64, 32, 128}}, {{5, 33, 127}}, {{300, 3}}};
      for (const auto& shape : shapes) {
        KernelRequest request = request_of(type);
        request.elements().shape = shape;
        SCOPED_TRACE(entry.name + " " + std::string(to_string(type)));
        check(entry.describe(request));
      }
    }
  }
}

AccessModel model_of(const ir::Kernel& kernel, Size size) {
  AccessModel model;
  for (const PushConstant& argument : kernel.arguments) {
    if (argument.name == "rows") model.sizes["rows"] = size.rows;
    if (argument.name == "cols") model.sizes["cols"] = size.cols;
  }
  return model;
}

// Requests to buffers by array, direction and width, and the sectors of the worst.
auto requests_of(const ir::Kernel& kernel, Size size) {
  std::map<std::tuple<std::string, bool, std::uint32_t>, std::pair<std::uint64_t, std::int64_t>>
      out;
  for (const AccessReport& access : analyse(kernel, model_of(kernel, size)).accesses) {
    if (access.space != ir::Array::Space::buffer || access.requests == 0) continue;
    auto& [requests, sectors] = out[{access.array, access.writes, access.width}];
    requests += access.requests;
    sectors = std::max(sectors, static_cast<std::int64_t>(access.sectors->found));
  }
  return out;
}

TEST(AccessPattern, IsSoundAndMakesTheSameRequestsToMemory) {
  for_each_move([](const ir::Kernel& kernel) {
    const ir::Kernel pattern = access_pattern(kernel);
    EXPECT_THAT(verify(pattern), IsEmpty()) << glsl::print(pattern);
    EXPECT_EQ(pattern.shared_bytes(), 0u);
    EXPECT_THAT(glsl::print(pattern), Not(HasSubstr("barrier")));
    for (const Size size : kSizes) {
      EXPECT_EQ(requests_of(pattern, size), requests_of(kernel, size))
          << size.rows << 'x' << size.cols << glsl::print(pattern);
    }
  });
}

// Of whole tiles each thread stores what it loaded: every element arrives once, elsewhere than it
// should.
TEST(AccessPattern, StoresEveryElementOnceAndTurnsNothing) {
  const std::uint32_t rows = 128, cols = 256;
  for (const char* name : {"transpose/auto", "transpose/padded", "transpose/vec4_padded"}) {
    const ir::Kernel kernel = find_kernel(name)->describe(request_of(ScalarType::u32));
    std::vector<std::uint32_t> src(rows * cols), turned(src.size()), own(src.size());
    std::iota(src.begin(), src.end(), 0u);
    const Arguments sizes = {{"rows", rows}, {"cols", cols}};
    EXPECT_THAT(run_on_host(kernel, {src, turned}, sizes).reasons, IsEmpty());
    EXPECT_THAT(run_on_host(access_pattern(kernel), {src, own}, sizes).reasons, IsEmpty());
    EXPECT_NE(own, turned) << name;
    std::sort(own.begin(), own.end());
    EXPECT_EQ(own, src) << name;
  }
}

// Vectors of both sides are as wide: each is stored as it came.
TEST(AccessPattern, PutsNothingTogetherWhereBothSidesAreAsWide) {
  const ir::Kernel kernel = find_kernel("transpose/auto")->describe(request_of(ScalarType::f16));
  const ir::Kernel pattern = access_pattern(bake(kernel, {{"rows", 4096}, {"cols", 4096}}));
  EXPECT_THAT(glsl::print(pattern),
              AllOf(HasSubstr("= src_x8["), HasSubstr("] = own_by_8[0];"), Not(HasSubstr("pack"))));
}

// a(0, i) and a(1, i) become b(i): both loads stay.
TEST(AccessPattern, KeepsLoadsThatNoStoreHasRoomFor) {
  const auto of_type = [](ScalarType type) {
    Builder k("fold", 64);
    const Tensor a = k.input("a", type, {{"i", "n"}, {"row", 2}});
    const Tensor b = k.output("b", type, {{"i", "n"}, {"row", 1}});
    const auto mine = [&](const Tensor& t, std::uint32_t row) {
      return parallelize(tile(t, {64, 1}, {k.block_x(), row}), make_layout({64, 1}), k.thread());
    };
    k.apply(
        mine(b, 0), [](const Expr& x, const Expr&) { return x; }, mine(a, 0), mine(a, 1));
    return k.finish();
  };
  for (const ScalarType type :
       {ScalarType::f32, ScalarType::u32, ScalarType::i8, ScalarType::bf16}) {
    const ir::Kernel pattern = access_pattern(of_type(type));
    EXPECT_THAT(verify(pattern), IsEmpty()) << glsl::print(pattern);
    int loads = 0, stores = 0;
    ir::for_each(pattern.body, [&](const ir::Stmt& statement) {
      const auto* load = std::get_if<ir::Load>(&statement.value);
      const auto* store = std::get_if<ir::Store>(&statement.value);
      loads += load != nullptr && load->from.array == "a";
      stores += store != nullptr && store->to.array == "b";
    });
    EXPECT_EQ(loads, 2) << glsl::print(pattern);
    EXPECT_EQ(stores, 1);
  }
  EXPECT_REFUSED(access_pattern(of_type(ScalarType::c64)), KernelError,
                 "loads more than it stores, and the rest cannot be combined because "
                 "there is no arithmetic on c64");
}

TEST(AccessPattern, RefusesWhatIsNoMove) {
  EXPECT_REFUSED(access_pattern(find_kernel("gemm/simt")->describe(request_of(ScalarType::f32))),
                 KernelError, "access pattern: the kernel moves more than one array");
  Builder k("fill", 64);
  const Tensor b = k.output("b", ScalarType::f32, {{"i", "n"}});
  k.assign(parallelize(tile(b, {64}, {k.block_x()}), make_layout({64}), k.thread()), 1);
  const ir::Kernel fill = k.finish();
  EXPECT_REFUSED(access_pattern(fill), KernelError,
                 "does not move one array into another of the same type");
}

}  // namespace
}  // namespace vkmoye::gen
