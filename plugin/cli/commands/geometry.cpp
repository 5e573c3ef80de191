// kindred geometry: how well the labels of an index are told apart.

#include <cmath>
#include <iostream>
#include <memory>
#include <string>

#include "plugin/cli/commands/commands.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/output/terminal.h"
#include "plugin/cli/question.h"

namespace kindred::cli {
namespace {

constexpr const char* kGeometryFooter = R"(
Examples:
  kindred geometry --db wiki.db
  kindred geometry --db wiki.db --set weighting.smart=ntc --json
  kindred geometry --db wiki.db --html geometry.html
Distances are squared distances in cosine space, 2 - 2 cos: 0 between documents of equal weights, 2
between documents that share no word. 'inside' is the mean distance between the documents of a
label. If it is not below the distance to the nearest label, words cannot tell the two labels
apart.)";

std::string measure(const Json& value) {
  if (std::isnan(number_of(value))) return "-";
  return fixed(value, 4);
}

/// The number of the other label at the smallest mean distance, or of the label itself if there is
/// no other.
std::size_t nearest_label(const Json& distances, std::size_t label) {
  std::size_t best = label;
  for (std::size_t b = 0; b < distances.size(); ++b)
    if (b != label && !distances[b].is_null() && (best == label || distances[b] < distances[best]))
      best = b;
  return best;
}

void print_geometry(const Json& geometry, const QuestionCommand&) {
  const Json& labels = geometry["labels"];
  const Json& documents = geometry["documents"];
  const auto called = [&](const Json& label) {
    return labels_text(Json::array({label}), geometry);
  };
  Table table({"label", "documents", "inside", "nearest label", "distance", "neighbor agrees"});
  for (std::size_t a = 0; a < labels.size(); ++a) {
    const Json& distances = geometry["mean_square_distance"][a];
    const std::size_t b = nearest_label(distances, a);

    // The share of a label's documents whose nearest neighbor has the label, too.
    const double agrees = number_of(geometry["nearest"][a][a]) / number_of(documents[a]);
    std::string nearest = "-";
    std::string apart = "-";
    if (b != a) {
      nearest = called(labels[b]);
      apart = measure(distances[b]);
    }
    table.add_row({called(labels[a]), text_of(documents[a]), measure(distances[a]), nearest, apart,
                   measure(agrees)});
  }

  table.print();
  std::cout << '\n'
            << fitted("informativeness " + measure(geometry["informativeness"]) +
                      ", the mean distance between labels (" + measure(geometry["inter"]) +
                      ") over that inside (" + measure(geometry["intra"]) + ")\n");
}

}  // namespace

void add_geometry(CLI::App& program, Action& action) {
  auto options = std::make_shared<QuestionCommand>();
  CLI::App& command =
      add_question(program, action, "geometry", "geometry", "measured", print_geometry, options);
  options->database.needs_labels = true;
  add_file_option(command, "--html", options->html,
                  "Also write a heat map and a dendrogram of the labels to this HTML file");
  command.footer(kGeometryFooter + 1);
}

}  // namespace kindred::cli
