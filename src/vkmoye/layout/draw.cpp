// SPDX-License-Identifier: MIT
#include "vkmoye/layout/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>

#include "vkmoye/base/text.hpp"
#include "vkmoye/layout/text.hpp"

namespace vkmoye {
namespace {

constexpr int kColours = 32;

/// Hues that differ most between neighbours: steps of the golden angle.
int hue(int colour) { return colour * 137 % 360; }

int colour_of(std::int64_t thread) { return static_cast<int>(thread % kColours); }

Table empty_table(std::string title, std::int64_t rows, std::int64_t columns) {
  if (rows > kMaxCells || columns > kMaxCells || rows * columns > kMaxCells)
    raise("draw", {rows, columns}, "more than {} cells", {kMaxCells});
  Table table{std::move(title), rows, columns, {}};
  table.cells.resize(static_cast<std::size_t>(rows * columns));
  return table;
}

/// Mode 0 down, the rest to the right.
template <class Value>
Table table_of(std::string title, const Layout& layout, Value value) {
  const bool flat = layout.is_leaf() || layout.rank() < 2;
  const std::int64_t rows = flat ? 1 : layout.mode(0).size();
  Table table = empty_table(std::move(title), rows, layout.size() / rows);
  for (std::int64_t column = 0; column < table.columns; ++column)
    for (std::int64_t row = 0; row < rows; ++row)
      table.at(row, column).text = std::to_string(value(row + column * rows));
  return table;
}

std::string name(const ComposedLayout& layout) {
  if (layout.swizzle == Swizzle() && layout.offset == 0) return to_string(layout.layout);
  return to_string(layout);
}

std::string name_of(const std::vector<std::string>& names, std::int64_t i) {
  return names.empty() ? std::to_string(i) : names[static_cast<std::size_t>(i)];
}

std::int64_t widest_name(const std::vector<std::string>& names, std::int64_t count) {
  std::size_t width = std::to_string(std::max<std::int64_t>(count - 1, 0)).size();
  for (const std::string& name : names) width = std::max(width, name.size());
  return static_cast<std::int64_t>(width);
}

/// Calls draw(column, cell) from left to right, without the cells that a wider one covers.
template <class Draw>
void each_cell(const Table& table, std::int64_t row, Draw draw) {
  for (std::int64_t column = 0; column < table.columns; column += table.at(row, column).columns)
    draw(column, table.at(row, column));
}

/// The width of a column in which each text fits into its cell. `width_of` takes a number of characters.
template <class Width>
std::int64_t column_width(const Table& table, Width width_of) {
  std::int64_t width = width_of(widest_name(table.column_names, table.columns));
  for (std::int64_t row = 0; row < table.rows; ++row)
    each_cell(table, row, [&](std::int64_t, const Cell& cell) {
      const std::int64_t of_text = width_of(static_cast<std::int64_t>(cell.text.size()));
      width = std::max(width, ceil_div(of_text, cell.columns));
    });
  return width;
}

std::string escape_xml(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string escape_typst(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '_' || c == '*' || c == '<' || c == '#' || c == '$' || c == '@') out += '\\';
    out += c;
  }
  return out;
}

std::string escape_latex(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '_' || c == '#' || c == '$' || c == '%' || c == '&') out += '\\';
    out += c == '<' || c == '>' ? fmt::format("${}$", c) : std::string(1, c);
  }
  return out;
}

std::array<bool, kColours> used_colours(const Table& table) {
  std::array<bool, kColours> used{};
  for (const Cell& cell : table.cells)
    if (cell.colour >= 0) used[static_cast<std::size_t>(cell.colour % kColours)] = true;
  return used;
}

/// HSL to three bytes, for the formats that have no hsl().
std::array<int, 3> rgb(int colour, double saturation, double lightness) {
  const double chroma = (1 - std::abs(2 * lightness - 1)) * saturation;
  std::array<int, 3> out{};
  for (int channel = 0; channel < 3; ++channel) {
    const double k = std::fmod((channel == 0   ? 0
                                : channel == 1 ? 8
                                               : 4) +
                                   hue(colour) / 30.0,
                               12.0);
    const double value = lightness - chroma / 2 * std::max(-1.0, std::min({k - 3.0, 9.0 - k, 1.0}));
    out[static_cast<std::size_t>(channel)] = static_cast<int>(value * 255 + 0.5);
  }
  return out;
}

}  // namespace

Table offset_table(const Layout& layout) {
  return table_of(to_string(layout), layout, [&](std::int64_t i) { return layout(i); });
}

Table offset_table(const ComposedLayout& layout) {
  return table_of(name(layout), layout.layout, [&](std::int64_t i) { return layout(i); });
}

Table offset_table(const OffsetLayout& layout) {
  return table_of(to_string(layout), layout.layout, [&](std::int64_t i) { return layout(i); });
}

Table thread_value_table(const Layout& layout_tv, const IntTuple& tiler) {
  if (layout_tv.is_leaf() || layout_tv.rank() != 2)
    raise("thread_value_table", {layout_tv}, "it is not (thread, value)");
  const bool flat = tiler.is_leaf() || tiler.rank() < 2;
  const std::int64_t rows = flat ? 1 : size(tiler.mode(0));
  Table table =
      empty_table(to_string(layout_tv) + " in " + to_string(tiler), rows, size(tiler) / rows);
  if (layout_tv.size() > kMaxCells)
    raise("thread_value_table", {layout_tv}, "more than {} values", {kMaxCells});
  if (layout_tv.cosize() > size(tiler))
    raise("thread_value_table", {layout_tv, tiler}, "index {} is outside the tile",
          {layout_tv.cosize() - 1});
  const Layout threads = layout_tv.mode(0), values = layout_tv.mode(1);
  for (std::int64_t value = 0; value < values.size(); ++value) {
    for (std::int64_t thread = 0; thread < threads.size(); ++thread) {
      const std::int64_t index = threads(thread) + values(value);
      Cell& cell = table.at(index % rows, index / rows);
      if (cell.text.size() < 24)
        cell.text += fmt::format("{}T{}V{}", cell.text.empty() ? "" : " ", thread, value);
      else if (!cell.text.ends_with(".."))
        cell.text += "..";
      cell.colour = colour_of(thread);
    }
  }
  return table;
}

Table bank_table(const ComposedLayout& storage, const TileAccess& access,
                 std::int64_t element_bytes, const BankModel& model) {
  const BankConflicts worst = bank_conflicts(storage, access, element_bytes, model);
  const bool by_value = !access.elements.is_leaf() && access.elements.rank() == 2;
  const Layout threads = by_value ? access.elements.mode(0) : access.elements;
  const Layout values = by_value ? access.elements.mode(1) : Layout();
  const std::int64_t bytes = access.width * element_bytes;
  const std::int64_t phase_lanes = ceil_div(model.lanes, worst.phases);

  // word -> lanes, per phase, of the first request that is as bad as the worst
  std::vector<std::map<std::int64_t, std::string>> phases;
  for (std::int64_t v = 0; v < values.size() && phases.empty(); ++v) {
    for (std::int64_t first = 0; first < threads.size() && phases.empty(); first += model.lanes) {
      std::vector<std::int64_t> addresses;
      for (std::int64_t t = first; t < std::min<std::int64_t>(threads.size(), first + model.lanes);
           ++t)
        addresses.push_back(storage(threads(t) + values(v)) * element_bytes);
      if (bank_conflicts(addresses, bytes, model).wavefronts < worst.wavefronts) continue;
      for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
        const std::size_t phase = lane / static_cast<std::size_t>(phase_lanes);
        if (phase >= phases.size()) phases.resize(phase + 1);
        for (std::int64_t word = addresses[lane] / model.bank_bytes;
             word * model.bank_bytes < addresses[lane] + bytes; ++word) {
          std::string& lanes = phases[phase][word];
          if (lanes.size() < 12)
            lanes += fmt::format("{}{}", lanes.empty() ? "" : ",", lane);
          else if (!lanes.ends_with(".."))
            lanes += "..";
        }
      }
    }
  }
  std::vector<std::vector<Cell>> columns(static_cast<std::size_t>(model.banks));
  std::size_t below = 0;
  for (std::size_t phase = 0; phase < phases.size(); ++phase) {
    for (auto& column : columns) column.resize(below);
    for (const auto& [word, lanes] : phases[phase])
      columns[static_cast<std::size_t>(word % model.banks)].push_back(
          {lanes, static_cast<int>(phase)});
    for (const auto& column : columns) below = std::max(below, column.size());
  }
  Table table = empty_table(
      fmt::format("{}: {}-way, {} phase{} of {} lanes, columns are banks", name(storage),
                  worst.degree, worst.phases, worst.phases == 1 ? "" : "s", phase_lanes),
      static_cast<std::int64_t>(below), model.banks);
  for (std::size_t bank = 0; bank < columns.size(); ++bank)
    for (std::size_t row = 0; row < columns[bank].size(); ++row)
      table.at(static_cast<std::int64_t>(row), static_cast<std::int64_t>(bank)) =
          columns[bank][row];
  return table;
}

std::string draw_text(const Table& table) {
  const std::int64_t width = column_width(table, [](std::int64_t size) { return size + 1; });
  const std::int64_t head = widest_name(table.row_names, table.rows) + 1;
  std::string out = table.title + "\n" + std::string(static_cast<std::size_t>(head), ' ');
  auto to = std::back_inserter(out);
  for (std::int64_t column = 0; column < table.columns; ++column)
    fmt::format_to(to, "{:>{}}", name_of(table.column_names, column), width);
  out += '\n';
  for (std::int64_t row = 0; row < table.rows; ++row) {
    if (table.keys > 0 && row == table.rows - table.keys) out += '\n';
    fmt::format_to(to, "{:>{}} ", name_of(table.row_names, row), head - 1);
    each_cell(table, row, [&](std::int64_t, const Cell& cell) {
      fmt::format_to(to, "{:>{}}", cell.text, width * cell.columns);
    });
    out += '\n';
  }
  return out;
}

std::string draw_svg(const Table& table) {
  // A character is 7.2 wide.
  const auto width_of = [](std::int64_t size) { return 12 + 7 * size + size / 16 * 4; };
  const std::int64_t width = std::max<std::int64_t>(28, column_width(table, width_of));
  constexpr std::int64_t kHeight = 24, kTop = 52, kGap = 12;
  const std::int64_t left =
      std::max<std::int64_t>(44, width_of(widest_name(table.row_names, table.rows)));
  const std::int64_t title = 16 + 8 * static_cast<std::int64_t>(table.title.size());
  const std::int64_t full_width = std::max(left + width * table.columns + 12, title);
  const std::int64_t full_height = kTop + kHeight * table.rows + (table.keys > 0 ? kGap : 0) + 12;
  std::string out;
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
                 "height=\"{1}\">\n<style>\n"
                 "text{{font:12px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;"
                 "fill:#1f2328}}\n"
                 ".title{{font-size:13px;text-anchor:start}}\n.head{{fill:#656d76}}\n"
                 ".page{{fill:#ffffff}}\n"
                 ".cell{{fill:#ffffff;stroke:#8c959f;stroke-width:1}}\n",
                 full_width, full_height);
  const auto used = used_colours(table);
  const auto palette = [&](int saturation, int lightness, const char* indent) {
    for (int colour = 0; colour < kColours; ++colour)
      if (used[static_cast<std::size_t>(colour)]) {
        const auto [r, g, b] = rgb(colour, saturation / 100.0, lightness / 100.0);
        fmt::format_to(to, "{}.c{}{{fill:#{:02x}{:02x}{:02x}}}\n", indent, colour, r, g, b);
      }
  };
  palette(75, 84, "");
  out +=
      "@media (prefers-color-scheme:dark){\n text{fill:#e6edf3}\n .head{fill:#8d96a0}\n"
      " .page{fill:#0d1117}\n .cell{fill:#161b22;stroke:#484f58}\n";
  palette(45, 28, " ");
  out += "}\n</style>\n";
  fmt::format_to(to, "<rect class=\"page\" width=\"{}\" height=\"{}\"/>\n", full_width,
                 full_height);
  fmt::format_to(to, "<text class=\"title\" x=\"12\" y=\"20\">{}</text>\n",
                 escape_xml(table.title));
  for (std::int64_t column = 0; column < table.columns; ++column)
    fmt::format_to(to, "<text class=\"head\" x=\"{}\" y=\"{}\">{}</text>\n",
                   left + width * column + width / 2, kTop - 8,
                   name_of(table.column_names, column));
  for (std::int64_t row = 0; row < table.rows; ++row) {
    const bool is_key = row >= table.rows - table.keys;
    const std::int64_t y = kTop + kHeight * row + (is_key ? kGap : 0);
    fmt::format_to(to, "<text class=\"head\" x=\"{}\" y=\"{}\">{}</text>\n", left / 2, y + 16,
                   name_of(table.row_names, row));
    each_cell(table, row, [&](std::int64_t column, const Cell& cell) {
      const std::int64_t x = left + width * column, wide = width * cell.columns;
      out += "<rect class=\"cell";
      if (cell.colour >= 0) fmt::format_to(to, " c{}", cell.colour % kColours);
      fmt::format_to(to, "\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>", x, y, wide, kHeight);
      if (!cell.text.empty())
        fmt::format_to(to, "<text x=\"{}\" y=\"{}\">{}</text>", x + wide / 2, y + 16,
                       escape_xml(cell.text));
      out += '\n';
    });
  }
  out += "</svg>\n";
  return out;
}

std::string draw_typst(const Table& table) {
  std::string out = fmt::format(
      "#set page(width: auto, height: auto, margin: 8pt)\n#set text(size: 8pt)\n{}\n\n"
      "#table(\n  columns: {},\n  align: center + horizon,\n  inset: 4pt,\n  [],",
      escape_typst(table.title), table.columns + 1);
  auto to = std::back_inserter(out);
  for (std::int64_t column = 0; column < table.columns; ++column)
    fmt::format_to(to, " [{}],", name_of(table.column_names, column));
  out += '\n';
  for (std::int64_t row = 0; row < table.rows; ++row) {
    fmt::format_to(to, "  [{}],", name_of(table.row_names, row));
    each_cell(table, row, [&](std::int64_t, const Cell& cell) {
      std::vector<std::string> how;
      if (cell.columns > 1) how.push_back(fmt::format("colspan: {}", cell.columns));
      if (cell.colour >= 0) {
        const auto [r, g, b] = rgb(cell.colour % kColours, 0.75, 0.84);
        how.push_back(fmt::format("fill: rgb({}, {}, {})", r, g, b));
      }
      out += how.empty() ? " " : fmt::format(" table.cell({})", join(how, ", "));
      fmt::format_to(to, "[{}],", escape_typst(cell.text));
    });
    out += '\n';
  }
  out += ")\n";
  return out;
}

std::string draw_latex(const Table& table) {
  std::string out =
      "\\documentclass[border=4pt]{standalone}\n\\usepackage[table]{xcolor}\n\\begin{document}\n";
  out += "\\begin{tabular}{r|" + std::string(static_cast<std::size_t>(table.columns), 'c') + "}\n";
  auto to = std::back_inserter(out);
  fmt::format_to(to, "\\multicolumn{{{}}}{{l}}{{{}}}\\\\[2pt]\n", table.columns + 1,
                 escape_latex(table.title));
  for (std::int64_t column = 0; column < table.columns; ++column)
    fmt::format_to(to, " & {}", name_of(table.column_names, column));
  out += " \\\\\n\\hline\n";
  for (std::int64_t row = 0; row < table.rows; ++row) {
    out += name_of(table.row_names, row);
    each_cell(table, row, [&](std::int64_t, const Cell& cell) {
      out += " & ";
      if (cell.columns > 1) fmt::format_to(to, "\\multicolumn{{{}}}{{c}}{{", cell.columns);
      if (cell.colour >= 0) {
        const auto [r, g, b] = rgb(cell.colour % kColours, 0.75, 0.84);
        fmt::format_to(to, "\\cellcolor[RGB]{{{},{},{}}}", r, g, b);
      }
      out += escape_latex(cell.text);
      if (cell.columns > 1) out += '}';
    });
    out += " \\\\\n";
  }
  out += "\\end{tabular}\n\\end{document}\n";
  return out;
}

}  // namespace vkmoye
