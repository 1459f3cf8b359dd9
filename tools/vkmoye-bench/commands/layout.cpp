// SPDX-License-Identifier: MIT
// layout EXPR: evaluates layout algebra and draws it; layout eval: the same for scripts.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>

#include "commands/open_device.hpp"
#include "commands/options.hpp"
#include "devices/fragments.hpp"
#include "io/parse.hpp"
#include "layout/eval.hpp"
#include "layout/expression.hpp"
#include "vkmoye/base/error.hpp"
#include "vkmoye/base/text.hpp"
#include "vkmoye/gen/kernels/common/config_fields.hpp"
#include "vkmoye/gen/kernels/common/weight_picture.hpp"
#include "vkmoye/gen/kernels/products/packing/packed_form.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye::bench {
namespace {

struct PictureFormat {
  std::string_view name;
  std::string (*draw)(const Table&);
};

constexpr PictureFormat kPictureFormats[] = {
    {"text", draw_text}, {"svg", draw_svg}, {"typst", draw_typst}, {"latex", draw_latex}};

void print_operations() {
  for (const LayoutOperation& row : layout_operations())
    std::cout << row.name << '(' << row.parameters << ")\n";
}

std::string draw(const Table& table, const std::string& format) {
  const auto* row = std::find_if(std::begin(kPictureFormats), std::end(kPictureFormats),
                                 [&](const PictureFormat& row) { return row.name == format; });
  return row->draw(table);  // the table of options has no other names
}

gen::ProbedMatrix read_fragment(const std::string& text, std::uint32_t lanes) {
  const auto parts = split(text, ':');
  const bool is_operand =
      parts.size() == 3 && (parts[0] == "a" || parts[0] == "b" || parts[0] == "c");
  const auto sizes = is_operand ? parse_sizes(parts[2]) : std::vector<Extents>{};
  if (sizes.size() != 1 || sizes[0].size() != 3) {
    throw ArgumentError(gen::not_read("--fragment", text, "OPERAND:TYPE:MxNxK, as a:f16:16x16x16"));
  }
  const auto extent = [&](std::size_t i) { return static_cast<std::uint32_t>(sizes[0][i]); };
  using Use = gen::ir::MatrixType::Use;
  const auto matrix = [&]() -> gen::ir::MatrixType {
    if (parts[0] == "a") return {Use::a, extent(0), extent(2)};
    if (parts[0] == "b") return {Use::b, extent(2), extent(1)};
    return {Use::accumulator, extent(0), extent(1)};
  };
  return {parse_type(parts[1]), matrix(), lanes};
}

struct DeviceFragment {
  gen::ProbedMatrix matrix;
  Layout order;  // (row, k) -> lane * elements of a lane + number
};

// Throws DeviceError with the operands that the device has if it does not have this one.
void require_operand(const DeviceCaps& caps, const gen::ProbedMatrix& matrix) {
  const std::string name = gen::to_string(matrix);
  std::vector<std::string> there;
  for (const gen::MatrixOperand& operand : gen::matrix_operands(caps)) {
    if (operand.probed && gen::to_string(*operand.probed) == name) return;
    there.push_back(operand.name + (operand.probed ? "" : " (" + operand.why_not + ")"));
  }
  throw_cannot_run("layout --fragment",
                   {fmt::format("{} has no operand {}; it has {}", caps.name, name,
                                there.empty() ? "no matrices" : join(there, ", "))});
}

// The fragment of a saved description, or of a device, where a probe runs unless its result is known.
DeviceFragment fragment_of_device(const CommandOptions& options) {
  const bool is_saved = is_description(options.device);
  const std::unique_ptr<Executor> executor = is_saved ? nullptr : open_executor(options.device);
  DeviceCaps caps = is_saved ? described_for(options.device) : executor->caps();
  const auto matrix = read_fragment(options.fragment, gen::lanes_of_matrices(caps));
  require_operand(caps, matrix);
  if (executor) {
    find_fragment_orders(*executor, {matrix}, "layout --fragment");
    caps = executor->caps();
  }
  const gen::OrderOrReason found = gen::fragment_layout(caps, matrix);
  if (!found.layout) throw_cannot_run("layout --fragment", {found.reason});
  return {matrix, *found.layout};
}

// The lane of each element, and its number in the lane, drawn at its place in (row, k).
Table picture_of(const DeviceFragment& fragment) {
  const std::int64_t lanes = fragment.matrix.lanes, held = fragment.order.size() / lanes;
  const Layout by_lane =
      composition(right_inverse(fragment.order), Layout({lanes, held}, {held, 1}));
  Table table = thread_value_table(by_lane, product_each(fragment.order.shape()));
  const char use = gen::letter_of(fragment.matrix.matrix.use);
  table.title = fmt::format("{} {}: T lane, V number",
                            use == 'a'   ? "A(m,k)"
                            : use == 'b' ? "B(n,k)"
                                         : "C(m,n)",
                            to_string(fragment.matrix.type));
  return table;
}

void show_weights(const CommandOptions& options) {
  const gen::WeightFormat& format = *gen::find_weight_format(options.weights);
  if (!options.draw.empty()) {
    std::cout << draw(gen::block_table(format), options.draw);
    return;
  }
  for (const gen::NamedField& field : gen::fields_of(format))
    std::cout << fmt::format("{:<8} {}\n", field.name, field.text);
}

int layout(const CommandOptions& options) {
  if (options.expression.empty() + options.fragment.empty() + options.weights.empty() != 2) {
    throw ArgumentError("layout: needs one of EXPR, --fragment and --weights");
  }
  if (options.fragment.empty() && !options.device.empty()) {
    throw ArgumentError("layout: --device needs --fragment; nothing else depends on a device");
  }
  const bool evaluates_lines = options.expression == "eval";
  if (options.jsonl && !evaluates_lines) {
    throw ArgumentError("layout: --jsonl needs the word eval: 'layout eval --jsonl'");
  }
  if (!options.draw.empty() && (evaluates_lines || options.expression == "operations")) {
    throw ArgumentError("layout: --draw needs an expression; '" + options.expression +
                        "' cannot be drawn");
  }
  if (!options.weights.empty()) {
    show_weights(options);
  } else if (!options.fragment.empty()) {
    const DeviceFragment fragment = fragment_of_device(options);
    std::cout << (options.draw.empty() ? to_string(fragment.order) + '\n'
                                       : draw(picture_of(fragment), options.draw));
  } else if (evaluates_lines) {
    evaluate_json_lines(std::cin, std::cout);
  } else if (options.expression == "operations") {
    print_operations();
  } else if (options.draw.empty()) {
    std::cout << to_text(evaluate_layout_expression(options.expression)) << '\n';
  } else {
    std::cout << draw(table_of(evaluate_layout_expression(options.expression)), options.draw);
  }
  return kOk;
}

}  // namespace

const Command kLayout = {
    CommandName::layout, "evaluate layout algebra",
    "(4,8):(8,1) is a layout, shape:stride; (4,8) is the compact layout of that\n"
    "shape; [4, 8:2] is a tiler with one entry per mode. 'layout operations' lists\n"
    "the operations. An access is a layout (thread, value) -> element of a tile:\n"
    "parallelize((32,32), (32,8)). The output is an expression, too:\n"
    "Swizzle<5,0,5> o 0 o (32,32):(1,32).\n\n"
    "Examples:\n  vkmoye-bench layout 'composition((4,8):(8,1), 4:2)'\n"
    "  vkmoye-bench layout 'make_tiled_copy((2,3):(3,1), (2,3))' --draw svg > c.svg\n"
    "  vkmoye-bench layout 'bank_map((32,32):(1,33), 32:32)' --draw svg > banks.svg\n"
    "  vkmoye-bench layout 'search_padding((32,32), parallelize((32,32), (32,8)),\n"
    "      parallelize((32,32):(32,1), (32,8)))'\n"
    "  vkmoye-bench layout --fragment a:f16:16x16x16 --draw svg > a.svg\n"
    "  vkmoye-bench layout --weights q4_K --draw svg > q4_K.svg\n"
    "  vkmoye-bench layout eval < requests.jsonl > answers.jsonl",
    layout};

}  // namespace vkmoye::bench
