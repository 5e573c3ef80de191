// kindred geometry: how well the labels of an index are told apart.

#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "plugin/answers/curation.h"
#include "plugin/cli/commands/commands.h"
#include "plugin/cli/options.h"
#include "plugin/cli/output/json_output.h"
#include "plugin/cli/output/progress.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/reports/reports.h"
#include "plugin/evaluate/evaluation_json.h"

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

struct GeometryOptions {
  DatabaseOptions database;
  std::string html;
};

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

int measure_geometry(const GeometryOptions& options) {
  Progress progress("auto", "measured");
  const ClassGeometry geometry =
      open_engine(options.database).class_geometry([&](std::uint64_t measured, std::uint64_t all) {
        progress.report_share(measured, all);
        return true;
      });
  progress.finish();
  if (!options.html.empty())
    write_geometry_report(options.html, options.database.database, geometry);
  if (options.database.common.json) {
    print_json(class_geometry_json(geometry));
  } else {
    print_table(geometry);
  }
  return kGood;
}

}  // namespace

void add_geometry(CLI::App& program, Action& action) {
  CLI::App& command =
      *program.add_subcommand("geometry", "Show how well the labels of an index are told apart");
  auto options = std::make_shared<GeometryOptions>();
  add_database_options(command, options->database);
  options->database.needs_labels = true;
  command
      .add_option("--html", options->html,
                  "Also write a heat map and a dendrogram of the labels to this HTML file")
      ->type_name("FILE")
      ->check(not_empty("a file"));
  command.footer(kGeometryFooter + 1);
  command.callback(
      [options, &action] { action = [options] { return measure_geometry(*options); }; });
}

}  // namespace kindred::cli
