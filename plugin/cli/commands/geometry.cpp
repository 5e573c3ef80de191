// kindred geometry: how well the labels of an index are told apart.

#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include "plugin/answers.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/reports/reports.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kGeometryFooter = R"(
Examples:
  kindred geometry --db wiki.db
  kindred geometry --db wiki.db --weighting ntc --json
  kindred geometry --db wiki.db --html geometry.html
Distances are squared distances in cosine space, 2 - 2 cos: 0 between documents of equal weights, 2
between documents that share no word. 'inside' is the mean distance between the documents of a
label. If it is not below the distance to the nearest label, words cannot tell the two labels
apart.)";

std::string measure(double value) { return std::isnan(value) ? "-" : fixed(value, 4); }

void print_table(const ClassGeometry& geometry) {
  Table table({"label", "documents", "inside", "nearest label", "distance", "neighbor agrees"});
  for (std::size_t a = 0; a < geometry.labels.size(); ++a) {
    const std::size_t b = nearest_label(geometry, a);
    const auto& distances = geometry.mean_square_distance[a];
    const auto documents = static_cast<double>(geometry.documents[a]);
    const double agrees = static_cast<double>(geometry.nearest[a][a]) / documents;
    table.add_row({geometry.labels[a], std::to_string(geometry.documents[a]), measure(distances[a]),
                   b == a ? "-" : geometry.labels[b], b == a ? "-" : measure(distances[b]),
                   measure(agrees)});
  }
  table.print();
  std::cout << "\ninformativeness " << measure(geometry.informativeness)
            << ", the mean distance between labels (" << measure(geometry.inter)
            << ") over that inside (" << measure(geometry.intra) << ")\n";
}

ClassGeometry geometry_of(const Json& result) {
  ClassGeometry geometry;
  for (const Json& label : result["labels"]) geometry.labels.push_back(name_of(label));
  result["documents"].get_to(geometry.documents);
  for (const Json& row : result["mean_square_distance"]) {
    geometry.mean_square_distance.emplace_back();
    for (const Json& cell : row) geometry.mean_square_distance.back().push_back(number_of(cell));
  }
  result["nearest"].get_to(geometry.nearest);
  geometry.intra = number_of(result["intra"]);
  geometry.inter = number_of(result["inter"]);
  geometry.informativeness = number_of(result["informativeness"]);
  return geometry;
}

void print_geometry(const Json& result, const QuestionCommand& command) {
  const ClassGeometry geometry = geometry_of(result);
  if (!command.html.empty())
    write_geometry_report(command.html, command.database.database, geometry);
  if (!command.has_json()) print_table(geometry);
}

}  // namespace

void add_geometry(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command =
      add_question(program, action, "geometry", "geometry", "measured", print_geometry, options);
  options->database.needs_labels = true;
  add_html_option(command, options->html,
                  "Also write a heat map and a dendrogram of the labels to this HTML file");
  command.footer(kGeometryFooter + 1);
}

}  // namespace kindred::cli
