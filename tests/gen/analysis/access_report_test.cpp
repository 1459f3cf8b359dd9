// SPDX-License-Identifier: MIT
#include "vkmoye/gen/analysis/access_report.hpp"

#include "support/expect.hpp"
#include "support/fragment_orders.hpp"
#include "vkmoye/gen/dsl/builder.hpp"
#include "vkmoye/gen/kernels/registry/registry.hpp"

namespace vkmoye::gen {
namespace {

using ir::Array;
using ir::Body;
using ir::Expr;
using ir::For;
using ir::If;
using ir::Kernel;
using ir::Load;
using ir::Store;
using testing::Pair;

const Expr thread = ir::builtin(ir::Builtin::thread, 64);
const Expr rows = ir::variable("rows"), cols = ir::variable("cols");

// 64 threads; src (cols, rows), first axis contiguous; a shared tile of 4096.
Kernel kernel_with(Body body, ScalarType type = ScalarType::f32) {
  Kernel kernel;
  kernel.name = "test";
  kernel.threads = 64;
  kernel.arguments = {"rows", "cols"};
  kernel.arrays = {
      {"src",
       type,
       Array::Space::buffer,
       Access::read,
       {{"col", "cols", 1}, {"row", "rows", cols}},
       ""},
      {"tile", type, Array::Space::shared, Access::read_write, {{"at", 4096, 1}}, "4096:1"},
  };
  kernel.body = std::move(body);
  return kernel;
}

// Reads src at (col, row) in all threads for which that is inside.
Body reading(const Expr& col, const Expr& row, std::uint32_t width = 1) {
  return ir::statements(If{logical_and(less(col, cols), less(row, rows)),
                           ir::statements(Load{"x", {"src", {col, row}, "reader", width}})});
}

AccessReport only(const KernelReport& report) {
  EXPECT_THAT(report.reasons, IsEmpty());
  EXPECT_THAT(report.accesses, SizeIs(1));
  return report.accesses.empty() ? AccessReport{} : report.accesses.front();
}

AccessReport read_at(const Expr& col, const Expr& row, const AccessModel& model = {}) {
  return only(analyse(kernel_with(reading(col, row)), model));
}

TEST(AccessReport, CountsTheSectorsOfTheWorstSubgroup) {
  EXPECT_EQ(verdict(read_at(thread, 0)), "coalesced");
  EXPECT_EQ(verdict(read_at(thread, 5)), "coalesced");
  EXPECT_EQ(verdict(read_at(0, thread)), "NOT coalesced: 32 sectors where 4 would do");
  EXPECT_EQ(verdict(read_at(2 * thread, 0)), "NOT coalesced: 8 sectors where 4 would do");
  EXPECT_EQ(verdict(read_at(7, 7)),  // all lanes read one element
            "as few sectors as possible, 4 bytes used of 1 sector");
  EXPECT_EQ(verdict(read_at(thread % 16, thread / 16)), "coalesced");  // two runs of 64 bytes
  EXPECT_EQ(verdict(read_at(thread + 1, 0)),
            "contiguous, but not aligned to sectors: 5 sectors where 4 would do");
  EXPECT_EQ(verdict(read_at(thread % 16 + 1, thread / 16)),
            "partly coalesced: 6 sectors where 4 would do");
  // The first subgroup reads a run, the second a column.
  const AccessReport mixed = read_at(thread % 32, (thread / 32) * (thread % 32));
  EXPECT_EQ(verdict(mixed), "NOT coalesced: 32 sectors where 4 would do");
  EXPECT_EQ(mixed.worst_subgroup, 1u);
  EXPECT_EQ(mixed.requests, 2u);
  EXPECT_DOUBLE_EQ(mixed.efficiency, 8.0 / 36);
}

TEST(AccessReport, TakesTheSizesAndTheSubgroupThatItIsGiven) {
  AccessModel model;
  model.sizes = {{"cols", 33}, {"rows", 7}};
  EXPECT_EQ(verdict(read_at(thread, 1, model)),  // row 1 begins at byte 132
            "contiguous, but not aligned to sectors: 5 sectors where 4 would do");
  model.sizes = {{"cols", 1}, {"rows", 7}};
  const AccessReport narrow = read_at(thread, 0, model);
  EXPECT_EQ(narrow.requests, 1u);  // only thread 0 comes by
  EXPECT_EQ(narrow.sectors->bytes, 4);
  model = {};
  model.banks.lanes = 64;
  EXPECT_EQ(verdict(read_at(0, thread, model)), "NOT coalesced: 64 sectors where 8 would do");
  model.sizes = {{"cols", 1}, {"rows", 0}};
  EXPECT_EQ(verdict(read_at(thread, 0, model)), "not reached at these sizes");
}

// The verifier refuses to read what nothing wrote, and to write without a value.
AccessReport write_at(const Expr& at) {
  Body body = reading(thread, 0);
  auto& guarded = std::get<If>(body.front().value).body;
  guarded.emplace_back(
      Store{{"tile", {at}, "writer"}, ir::variable("x", ir::element(ScalarType::f32))});
  const KernelReport report = analyse(kernel_with(body));
  EXPECT_THAT(report.reasons, IsEmpty());
  return report.accesses.back();
}

TEST(AccessReport, CountsBankConflicts) {
  EXPECT_EQ(verdict(write_at(thread)), "conflict-free");
  EXPECT_EQ(verdict(write_at(33 * thread)), "conflict-free");
  EXPECT_EQ(verdict(write_at(32 * thread)), "32-way bank conflict: 32 wavefronts where 1 would do");
  EXPECT_EQ(verdict(write_at(2 * thread)), "2-way bank conflict: 2 wavefronts where 1 would do");
  EXPECT_EQ(write_at(32 * thread).worst_step, 32);
}

TEST(AccessReport, NamesTheRoundOfALoopThatCostsMost) {
  const Expr v = ir::variable("v", ir::kIndex, 3);
  Body body = reading(thread, 0);
  auto& guarded = std::get<If>(body.front().value).body;
  const Store store{{"tile", {64 * 12 * v + (v + 1) * thread}, "writer"},
                    ir::variable("x", ir::element(ScalarType::f32))};
  guarded.emplace_back(For{"v", 3, ir::statements(store)});
  const KernelReport report = analyse(kernel_with(body));
  ASSERT_THAT(report.reasons, IsEmpty());
  const AccessReport& access = report.accesses.back();
  EXPECT_EQ(access.banks->degree, 2);  // strides 1, 2, 3
  EXPECT_THAT(access.worst_rounds, ElementsAre(Pair("v", 1)));
  EXPECT_EQ(access.requests, 6u);
  EXPECT_FALSE(report.in_part);
}

TEST(AccessReport, SaysWhereALoopIsFollowedInPartOnly) {
  Body body = reading(thread, ir::variable("k"));
  const KernelReport report = analyse(kernel_with(ir::statements(For{"k", rows, body})));
  ASSERT_THAT(report.reasons, IsEmpty());
  EXPECT_EQ(report.accesses[0].requests, 2 * kMaxFollowedRunTimeRounds);
  EXPECT_TRUE(report.in_part);
  const KernelReport known = analyse(kernel_with(ir::statements(For{"k", 1000, body})));
  EXPECT_EQ(known.accesses[0].requests, 2 * kMaxFollowedRounds);
  EXPECT_TRUE(known.in_part);
  AccessModel model;
  model.sizes = {{"rows", 5}};
  EXPECT_FALSE(analyse(kernel_with(ir::statements(For{"k", rows, body})), model).in_part);
}

// What a thread touches in rounds 0 and 1 of a loop.
std::string not_wider(const Expr& col, const Expr& row, ScalarType type = ScalarType::f32) {
  const KernelReport report =
      analyse(kernel_with(ir::statements(For{"v", 2, reading(col, row)}), type));
  return only(report).not_wider;
}

TEST(AccessReport, SaysWhyAnAccessIsNotWider) {
  const Expr v = ir::variable("v", ir::kIndex, 2);
  EXPECT_EQ(not_wider(thread, 8 * v),
            "consecutive values are 8 apart along row, of stride cols = 4096");
  EXPECT_EQ(not_wider(thread + 4 * v, 0), "consecutive values are 4 apart along col, of stride 1");
  EXPECT_EQ(not_wider(thread + v, v), "consecutive values are 4097 elements apart");
  EXPECT_EQ(not_wider(thread, 0), "consecutive values are the same element");
  EXPECT_EQ(not_wider(thread + v, 0),
            "consecutive values are neighbours, but thread 1 begins at src[1], no multiple of 2");
  EXPECT_EQ(not_wider(2 * thread + v, 0),
            "consecutive values are neighbours, but nothing says that cols is a multiple of 2");
  EXPECT_EQ(read_at(thread, 0).not_wider, "a thread has no further consecutive elements");

  Kernel even = kernel_with({});
  even.body =
      ir::statements(If{equal(cols % 4, 0), ir::statements(For{"v", 2, reading(2 * thread + v, 0)}),
                        ir::statements(For{"v", 2, reading(thread, v)})});
  const KernelReport report = analyse(even);
  ASSERT_THAT(report.accesses, SizeIs(2));
  EXPECT_EQ(report.accesses[0].path, "cols is a multiple of 4");
  EXPECT_EQ(report.accesses[0].not_wider,
            "could be 2 elements wide: consecutive values are aligned neighbours");
  EXPECT_EQ(report.accesses[1].path, "cols is no multiple of 4");
  EXPECT_EQ(report.accesses[1].not_wider, "the path for sizes that are not multiples");
  EXPECT_EQ(verdict(report.accesses[1]), "not reached at these sizes");
}

TEST(AccessReport, AnIndexFromDataHasNoCost) {
  Builder k("gather", 64);
  k.input("order", ScalarType::u32, {{"i", 64}});
  const Tensor from = k.input("from", ScalarType::f32, {{"i", 64}});
  const Tensor to = k.output("to", ScalarType::f32, {{"i", 64}});
  k.grid(0, 1, 1);
  const Expr at = to_index(k.load("at", {"order", {k.thread()}}));
  const View mine = parallelize(tile(to, {64}, {0}), Layout(64), k.thread());
  k.store(k.load("value_there", {"from", {minimum(at, 63)}}), mine);
  const KernelReport report = analyse(k.finish());
  ASSERT_THAT(report.accesses, SizeIs(3));
  EXPECT_EQ(verdict(report.accesses[0]), "coalesced");
  EXPECT_EQ(verdict(report.accesses[1]), "not known: its index depends on data");
  EXPECT_EQ(report.accesses[1].not_wider, "its index depends on data");
  EXPECT_EQ(grade(report.accesses[1]), std::nullopt);
}

TEST(AccessReport, NamesThePathsThatSizesChoose) {
  const auto either_way = [](const Expr& condition) {
    const Kernel kernel =
        kernel_with(ir::statements(If{condition, reading(thread, 0), reading(thread, 0)}));
    std::vector<std::string> paths;
    for (const AccessReport& access : analyse(kernel).accesses) paths.push_back(access.path);
    return paths;
  };
  EXPECT_THAT(either_way(logical_and(equal(cols % 4, 0), equal(rows % 4, 0))),
              ElementsAre("cols and rows are multiples of 4", "cols or rows is no multiple of 4"));
  EXPECT_THAT(either_way(less(cols, rows)), ElementsAre("cols < rows", "not (cols < rows)"));
  const Expr last = 64 * ir::builtin(ir::Builtin::group_x) + 63;
  EXPECT_THAT(either_way(logical_and(less(last, cols), equal(cols % 2, 0))),
              ElementsAre("64 * gl_WorkGroupID.x + 63 < cols, cols is a multiple of 2",
                          "not (64 * gl_WorkGroupID.x + 63 < cols, cols is a multiple of 2)"));
  EXPECT_THAT(either_way(less(thread, rows)), ElementsAre("")) << "not of sizes: one place";
  EXPECT_THAT(either_way(logical_and(not_equal(rows, 0), less(0, rows))),
              ElementsAre("rows > 0", "not (rows > 0)"))
      << "said once";
}

TEST(AccessReport, NamesTheGuardOfEachCoordinate) {
  EXPECT_THAT(read_at(thread, 3).bounds,
              ElementsAre("guard gl_LocalInvocationIndex < cols", "guard rows > 3"));
  EXPECT_THAT(write_at(thread).bounds, ElementsAre("every index was checked to be below 4096"));
}

TEST(AccessReport, FollowsNamesToWhatProvesAWholeTileInside) {
  const Expr first = 64 * ir::builtin(ir::Builtin::group_x);
  const Body body = ir::statements(
      ir::Let{"first", first},
      If{logical_and(less(first + 63, cols), less(0, rows)),
         ir::statements(Load{"x", {"src", {ir::variable("first") + thread, 0}, "reader"}})});
  const AccessReport access = only(analyse(kernel_with(body)));
  EXPECT_EQ(access.path, "64 * gl_WorkGroupID.x + 63 < cols, rows > 0");
  EXPECT_THAT(access.bounds,
              ElementsAre("guard 64 * gl_WorkGroupID.x + 63 < cols", "guard rows > 0"));
}

TEST(AccessReport, AnUnsoundKernelIsNotAnalysed) {
  const KernelReport report =
      analyse(kernel_with(ir::statements(Load{"x", {"src", {thread, 0}, "wild"}})));
  EXPECT_THAT(report.reasons, ElementsAre(HasSubstr("'wild'"), HasSubstr("'wild'")));
  EXPECT_THAT(report.accesses, IsEmpty());
}

// --- the ladders: every rung's lesson ---

// The accesses of a kernel that cost more than they must.
std::vector<std::string> problems(const char* name, ScalarType type = ScalarType::f32,
                                  const Options& options = {}) {
  std::vector<std::string> out;
  for (const AccessReport& access :
       analyse(find_kernel(name)->describe(request_of(type, options))).accesses) {
    if (grade(access).value_or(Grade::good) == Grade::good) continue;
    out.push_back((access.writes ? "store " : "load ") + access.array + ": " + verdict(access));
  }
  return out;
}

TEST(Explain, ConvictsTheRungsThatTheLaddersStartFrom) {
  const std::string column = "NOT coalesced: 32 sectors where 4 would do";
  EXPECT_THAT(problems("transpose/read_contiguous"), ElementsAre("store dst: " + column));
  EXPECT_THAT(problems("transpose/naive"), ElementsAre("store dst: " + column));
  EXPECT_THAT(problems("transpose/vec4"), ElementsAre("store dst: " + column));
  EXPECT_THAT(problems("transpose/write_contiguous"), ElementsAre("load src: " + column));
  EXPECT_THAT(problems("transpose/simple"),
              ElementsAre("load tile: 32-way bank conflict: 32 wavefronts where 1 would do"));
  EXPECT_THAT(problems("transpose/vec4_shared"),
              ElementsAre("load tile: 8-way bank conflict: 8 wavefronts where 1 would do"));
  EXPECT_THAT(problems("copy/tiled_split"),
              ElementsAre("load src: NOT coalesced: 16 sectors where 8 would do",
                          "store dst: NOT coalesced: 16 sectors where 8 would do"));
}

TEST(Explain, AcquitsTheRungsThatTheyEndWith) {
  for (const char* name : {"transpose/padded", "transpose/tiled", "copy/simple", "copy/padded",
                           "copy/tiled", "copy/tiled_vec", "copy/auto", "transpose/auto"}) {
    EXPECT_THAT(problems(name), IsEmpty()) << name;
    EXPECT_THAT(problems(name, ScalarType::f64), IsEmpty()) << name;
  }
}

// Two elements of 2 bytes share a word of a bank: odd columns of a tile padded by one meet.
TEST(Explain, ShowsThatHalvesNeedAPadOfTwo) {
  EXPECT_THAT(problems("transpose/padded", ScalarType::f16),
              ElementsAre("load tile: 2-way bank conflict: 2 wavefronts where 1 would do"));
  EXPECT_THAT(problems("transpose/padded", ScalarType::f16, {{"pad", "2"}}), IsEmpty());
}

TEST(Explain, FollowsEveryKernelToItsEnd) {
  for (const KernelEntry& entry : registry()) {
    for (const ScalarType type : entry.types) {
      const KernelReport report = analyse(test::described(entry, request_of(type)));
      EXPECT_THAT(report.reasons, IsEmpty()) << entry.name;
      EXPECT_FALSE(report.accesses.empty()) << entry.name;
      for (const AccessReport& access : report.accesses) {
        EXPECT_EQ(access.requests > 0, grade(access).has_value()) << entry.name;
        EXPECT_FALSE(access.not_wider.empty() || access.bounds.empty()) << entry.name;
        EXPECT_THAT(access.bounds, Each(Not(HasSubstr("NOTHING")))) << entry.name;
        EXPECT_THAT(access.path, Not(HasSubstr(", ,"))) << entry.name;
      }
    }
  }
}

}  // namespace
}  // namespace vkmoye::gen
