#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kindred::cli {

// Parts of the HTML reports, which share report_style.css. Text is escaped here; what is called
// html goes in as it is.

/// The end of the head, and the beginning of the body: the title, and what the report is about.
std::string begin_report(const std::string& title, const std::string& subject);

/// A figure of a report that is worth a large print.
struct Tile {
  std::string name;
  std::string value;
};
std::string tiles(const std::vector<Tile>& tiles);

/// A text in one line, which ends in an ellipsis if it is too long; its tooltip has all of it.
std::string name_html(const std::string& text);

/// A column of a table. Heads stand at the side where the content does: text and bars begin at the
/// left, numbers end at the right. The first column is always text.
struct TableColumn {
  std::string head;
  bool starts_left = false;
};

/// The beginning of a table, up to its first row. The table scrolls in a box of its own, by
/// keyboard as well, and its heads stay in sight.
std::string begin_table(const std::string& caption, const std::vector<TableColumn>& columns);
/// The same with the heads of all columns but the first one turned by 90 degrees.
std::string begin_matrix(const std::string& caption, const std::vector<std::string>& columns);
extern const std::string_view kEndTable;

std::string row_html(const std::string& name, const std::string& cells);
std::string cell_html(std::uint64_t count);
std::string cell_html(double value);  ///< four decimals; "-" for NaN
std::string text_cell_html(const std::string& text);

/// A color of a drawing or a table, and in the same line the word that it stands for. `kind`: the
/// class of the color.
std::string key_html(const std::string& kind, const std::string& word);

/// A cell of a matrix. `shade`: how dark, in [0, 1]. `tip`: its tooltip. `classes`: further
/// classes, or "": "own" frames it, "wrong" shades it in the color of errors, "nil" makes its text
/// faint.
std::string shaded_cell_html(const std::string& text, double shade, const std::string& tip,
                             std::string_view classes);

/// A cell with a bar. `share`: of its width, in [0, 1].
std::string bar_cell_html(double share);

// Parts of the drawings in reports, in units of the drawing.

/// A length or a place, to a tenth.
std::string svg_number(double value);

/// A text at a place. `classes`: of report_style.css. `text` is escaped here.
std::string svg_text(double x, double y, const std::string& classes, const std::string& text);

/// About the width of a text in font sizes. `text`: as shown() gives it. ASCII has the widths of
/// Helvetica Bold, ideographs are squares, and other letters take 0.6.
double text_width(std::string_view text);

}  // namespace kindred::cli
