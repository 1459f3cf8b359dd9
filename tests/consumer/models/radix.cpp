// SPDX-License-Identifier: MIT
// A step of a radix sort: keys of u32, and a value beside each, in the order of one digit of 4 bits. Equal digits keep
// their order, so that the steps of all eight digits, from the lowest on, sort the keys. A step has three kernels:
//
//   count    counts[digit][block]: keys of the block, 256 keys, with that digit
//   place    starts[digit][block]: the sum of all counts before it, in this order
//   scatter  a key goes to starts[digit][block] + the number of equal digits before it in its block

#include "model.hpp"

namespace models {
namespace {

constexpr std::int64_t kBlock = 256, kDigits = 16;
const ScalarType kU32 = ScalarType::u32;

// ceil(n / 256) blocks: the first axis of counts and starts, whose second one is the digit.
Extent blocks() { return Extent::parts("n", kBlock); }

Expr digit_of(Builder& k, const Expr& key, const Expr& shift) {
  const Expr from_shift = to_index(shift_right(key, convert(shift % 32, kU32)));
  return k.let("digit", bit_and(from_shift, kDigits - 1));
}

// Of the threads of the workgroup: adds `own` of those before this one to `before`, and that of all to `all`.
void add_sums(Builder& k, const Expr& own, const View& before, const View& all) {
  const Expr in_lanes = k.subgroup_exclusive_scan("in_lanes", ir::Op::add, own);
  k.branch({equal(k.lane(), k.lanes() - 1)}, [&] {
    k.store(in_lanes + own, {"totals", {k.subgroup()}});
  });
  k.barrier();
  k.apply(
      before, [&](Expr sum) { return sum + in_lanes; }, before);
  k.loop("group", k.threads() / k.lanes(), [&](const Expr& group) {
    const Expr total = k.load("total", {"totals", {group}});
    const auto add = [&](Expr sum) { return sum + total; };
    k.apply(all, add, all);
    k.branch({less(group, k.subgroup())}, [&] { k.apply(before, add, before); });
  });
}

// Element t of part `part` of an array, for each thread t.
View own_of(Builder& k, const Tensor& of, const Expr& part) {
  return parallelize(tile(of, {kBlock}, {part}), make_layout({kBlock}), k.thread());
}

ir::Kernel count() {
  Builder k("radix_count", kBlock);
  const Tensor keys = k.input("keys", kU32, {{"i", "n"}});
  const Tensor counts = k.output("counts", kU32, {{"block", blocks()}, {"digit", kDigits}});
  const Expr shift = k.argument("shift", kU32);
  const Layout threads = make_layout({1, kDigits});
  const View bins = k.shared("bins", kU32, threads);
  const auto mine = [&](const View& of) {
    return parallelize(of, threads, k.thread() % kDigits);
  };
  k.grid(0, "n", kBlock);
  k.branch({less(k.thread(), kDigits)}, [&] { k.assign(mine(bins), 0); });
  k.barrier();
  const Expr i = kBlock * k.block_x() + k.thread();
  k.branch({less(i, keys.extent(0))}, [&] {
    const Expr digit = digit_of(k, k.load("key", {"keys", {i}}), shift);
    k.accumulate_atomically("before", {"bins", {digit}}, kSum, number(kU32, 1));
  });
  k.barrier();
  k.branch({less(k.thread(), kDigits)}, [&] {
    k.copy(mine(bins), mine(tile(counts, {1, kDigits}, {k.block_x(), 0})));
  });
  return k.finish();
}

// starts = the sum of all counts before; one workgroup
ir::Kernel place(std::uint32_t lanes) {
  Builder k("radix_place", kBlock, lanes);
  k.grid(0, 1, 1);
  const Tensor counts = k.input("counts", kU32, {{"i", "count"}});
  const Tensor starts = k.output("starts", kU32, {{"i", "count"}});
  k.shared("totals", kU32, make_layout({kBlock / lanes}));
  const View own = k.registers("own", kU32, make_layout({1}));
  const View start = k.registers("start", kU32, make_layout({1}));
  const View all = k.registers("end", kU32, make_layout({1}));
  k.assign(all, 0);
  k.loop("part", ceil_div(counts.extent(0), kBlock), [&](const Expr& part) {
    k.copy(own_of(k, counts, part), own, {.edges = Edges::zero});
    k.copy(all, start);
    add_sums(k, k.load("element", own), start, all);
    k.copy(start, own_of(k, starts, part));
    k.barrier();  // before the next part's totals
  });
  return k.finish();
}

ir::Kernel scatter(std::uint32_t lanes) {
  Builder k("radix_scatter", kBlock, lanes);
  const Tensor keys = k.input("keys", kU32, {{"i", "n"}});
  k.input("values", kU32, {{"i", "n"}});
  const Tensor starts = k.input("starts", kU32, {{"block", blocks()}, {"digit", kDigits}});
  const char* const why = "starts are the sums of the counts of these keys";
  for (const char* to : {"to_keys", "to_values"}) {
    k.assume_written(k.output(to, kU32, {{"i", "n"}}), why);
  }
  const Expr shift = k.argument("shift", kU32);
  // Counts of four digits in the bytes of a word: a subgroup has at most 128 lanes.
  const std::int64_t words = kDigits / 4;
  k.shared("counts", kU32, make_layout({words, kBlock / lanes}));
  const View key = k.registers("own_key", kU32, make_layout({1}));
  const View rank = k.registers("rank", kU32, Layout());
  k.copy(own_of(k, keys, k.block_x()), key, {.edges = Edges::zero});
  k.assign(rank, 0);
  const Expr i = k.let("i", kBlock * k.block_x() + k.thread());
  const Expr digit = digit_of(k, k.load("key", key), shift);
  const Expr byte = convert(8 * (digit % 4), kU32);
  const auto count_in = [&](const Expr& word) {
    return bit_and(shift_right(word, byte), number(kU32, 255));
  };
  for (std::int64_t word = 0; word < words; ++word) {
    const std::string name = std::to_string(word);
    const Expr has = logical_and(less(i, keys.extent(0)), equal(digit / 4, word));
    const Expr one = select(has, shift_left(number(kU32, 1), byte), number(kU32, 0));
    const Expr own = k.let("own" + name, one);
    const Expr before = k.subgroup_exclusive_scan("before" + name, ir::Op::add, own);
    k.branch({equal(k.lane(), lanes - 1)}, [&] {
      k.store(before + own, {"counts", {word + words * k.subgroup()}});
    });
    k.branch({equal(digit / 4, word)}, [&] { k.assign(rank, count_in(before)); });
  }
  k.barrier();
  k.loop("group", k.subgroup(), [&](const Expr& group) {
    const Expr word = k.load("of_group", {"counts", {digit / 4 + words * group}});
    k.apply(
        rank, [&](Expr r) { return r + count_in(word); }, rank);
  });
  k.branch({less(i, keys.extent(0))}, [&] {
    const Expr start = k.load("start", {"starts", {k.block_x(), digit}});
    const Expr at = k.let("at", to_index(start + k.load("own_rank", rank)));
    k.assume(less(at, keys.extent(0)), why);
    k.store(k.load("moved_key", key), {"to_keys", {at}});
    k.store(k.load("moved_value", {"values", {i}}), {"to_values", {at}});
  });
  return k.finish();
}

// --- the problem ---

// The arrays of a problem, in this order, then scratch.
enum : std::size_t {
  kKeys,
  kValues,
  kToKeys,
  kToValues,
  kCounts,
  kStarts,
  kOtherKeys,
  kOtherValues
};

// Adds the step for the digit from bit `shift` on.
void add_step(Steps& to, std::uint32_t lanes, std::int64_t shift,
              std::array<std::size_t, 4> of) {
  const Arguments own = {{"shift", shift}};
  to.steps.push_back({count(), {of[0], kCounts}, own});
  to.steps.push_back({place(lanes), {kCounts, kStarts}, own});
  to.steps.push_back({scatter(lanes), {of[0], of[1], kStarts, of[2], of[3]}, own});
}

Parts radix(const std::string& name, const std::string& summary, std::uint32_t bits) {
  const auto scratch = [](const Size& s) {
    const auto bytes = 4 * std::uint64_t(kDigits * parts_of(s[0], kBlock)),
               bytes_of_keys = 4 * std::uint64_t(s[0]);
    return std::vector<PlanArray>{{"counts", bytes},
                                  {"starts", bytes},
                                  {"other_keys", bytes_of_keys},
                                  {"other_values", bytes_of_keys}};
  };
  return {
      .name = name,
      .summary = summary,
      .size_form = "COUNT",
      .example = {100000},
      .type = kU32,
      .problem =
          [](const Size& s) {
            const std::int64_t count = kDigits * parts_of(s[0], kBlock);
            bench::Problem problem{
                {{"keys", s}, {"values", s}}, {"to_keys", s}, {{"n", s[0]}, {"count", count}}};
            // Random keys, many equal ones, and both extremes.
            problem.inputs[0].value = [](std::uint64_t, std::uint64_t bits) {
              const double few[] = {0, 4294967295.0, 7, 4096, 65537};
              return bits % 2 == 0 ? double(bits >> 32) : few[(bits >> 1) % 5];
            };
            problem.inputs[1].value = [](std::uint64_t i, std::uint64_t) { return double(i); };
            problem.more_outputs = {{"to_values", s}};
            return problem;
          },
      .references =
          [bits](const bench::Problem&, Inputs in, Results to) {
            std::vector<std::size_t> order(in[0].size());
            for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
            const auto part = [&](std::size_t i) {
              return std::uint64_t(in[0][i]) & ((std::uint64_t{1} << bits) - 1);
            };
            std::stable_sort(order.begin(), order.end(),
                             [&](auto a, auto b) { return part(a) < part(b); });
            for (std::size_t i = 0; i < order.size(); ++i) {
              to[0][i].value = in[0][order[i]];
              to[1][i].value = in[1][order[i]];
            }
          },
      .steps =
          [bits, scratch](const DeviceCaps& device, const Size& s) {
            Steps all = {scratch(s), {}};
            // The last step writes the result; the ones before alternate.
            for (std::uint32_t shift = 0; shift < bits; shift += 4) {
              const bool to_result = (bits - shift) / 4 % 2 == 1;
              const std::size_t from = shift == 0 ? kKeys : to_result ? kOtherKeys : kToKeys;
              const std::size_t to = to_result ? kToKeys : kOtherKeys;
              add_step(all, device.subgroup_size, shift, {from, from + 1, to, to + 1});
            }
            return all;
          },
  };
}

const Model kStep(radix("models/radix_step", "keys in the order of their lowest 4 bits", 4));
const Model kSort(radix("models/radix_sort", "keys sorted by eight steps of a radix sort", 32));

}  // namespace
}  // namespace models
