#include "plugin/cli/pages/reports/reports.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <vector>

#include "plugin/cli/output/output_file.h"
#include "plugin/cli/output/table.h"
#include "plugin/cli/pages/reports/figures.h"
#include "plugin/cli/pages/reports/report_parts.h"
#include "plugin/evaluate/linkage.h"
#include "report_page.h"

namespace kindred::cli {
namespace {

constexpr std::size_t kComparedLabels = 60;  // nobody can read a larger matrix
constexpr std::size_t kListedPairs = 30;

std::string distance_text(double value) { return std::isnan(value) ? "-" : fixed(value, 3); }

/// The numbers of the labels with the most documents, ascending.
std::vector<std::size_t> most_frequent(const ClassGeometry& geometry) {
  std::vector<std::size_t> order(geometry.labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return geometry.documents[a] > geometry.documents[b];
  });
  order.resize(std::min(kComparedLabels, order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

/// Two labels, and how much farther apart their documents are than two of the same label.
struct LabelPair {
  std::size_t a, b;
  double gap;
};

/// The pairs of these labels with the smallest gaps.
std::vector<LabelPair> closest_pairs(const ClassGeometry& geometry,
                                     const std::vector<std::size_t>& labels) {
  const auto& distances = geometry.mean_square_distance;
  std::vector<LabelPair> pairs;
  for (const std::size_t a : labels) {
    for (const std::size_t b : labels) {
      const double gap = distances[a][b] - (distances[a][a] + distances[b][b]) / 2;
      if (a < b && !std::isnan(gap)) pairs.push_back({a, b, gap});
    }
  }
  std::sort(pairs.begin(), pairs.end(), [](const LabelPair& x, const LabelPair& y) {
    return std::tie(x.gap, x.a, x.b) < std::tie(y.gap, y.a, y.b);
  });
  pairs.resize(std::min(kListedPairs, pairs.size()));
  return pairs;
}

std::string pairs_html(const ClassGeometry& geometry) {
  const std::vector<LabelPair> pairs = closest_pairs(geometry, most_frequent(geometry));
  if (pairs.empty()) return "";
  const auto& distances = geometry.mean_square_distance;
  std::string html =
      "<h2>Hardest to tell apart</h2>\n"
      "<p>The gap is how much farther apart documents of two labels are than documents of the same "
      "label, on average. The smaller it is, the less words tell the two apart.</p>\n" +
      begin_table("Pairs of labels, the smallest gap first", {{"Label"},
                                                              {"Other label", true},
                                                              {"Gap"},
                                                              {"Distance"},
                                                              {"Inside"},
                                                              {"Inside the other"}});
  for (const auto& [a, b, gap] : pairs) {
    html +=
        row_html(geometry.labels[a], text_cell_html(geometry.labels[b]) + cell_html(gap) +
                                         cell_html(distances[a][b]) + cell_html(distances[a][a]) +
                                         cell_html(distances[b][b]));
  }
  return html.append(kEndTable);
}

/// How near a distance is among those between labels: 1 for the smallest, 0 for the largest.
class Nearness {
 public:
  Nearness(const ClassGeometry& geometry, const std::vector<std::size_t>& labels)
      : geometry_(geometry) {
    for (const std::size_t a : labels) {
      for (const std::size_t b : labels) {
        const double distance = geometry.mean_square_distance[a][b];
        if (a == b || std::isnan(distance)) continue;
        least_ = std::min(least_, distance);
        most_ = std::max(most_, distance);
      }
    }
  }

  double of(std::size_t a, std::size_t b) const {
    const double distance = geometry_.mean_square_distance[a][b];
    if (std::isnan(distance) || most_ <= least_) return 0;
    return std::clamp((most_ - distance) / (most_ - least_), 0.0, 1.0);
  }

 private:
  const ClassGeometry& geometry_;
  double least_ = 2, most_ = 0;
};

std::vector<std::string> matrix_columns(const std::string& corner, const ClassGeometry& geometry,
                                        const std::vector<std::size_t>& labels) {
  std::vector<std::string> columns = {corner};
  for (const std::size_t label : labels) columns.push_back(geometry.labels[label]);
  return columns;
}

std::string distances_html(const ClassGeometry& geometry, const std::vector<std::size_t>& labels) {
  const Nearness nearness(geometry, labels);
  std::string html =
      "<h2>Distances</h2>\n" +
      begin_matrix(
          "Mean squared distances, 0 to 2; the stronger the color, the nearer. Framed: "
          "inside a label",
          matrix_columns("Label", geometry, labels));
  for (const std::size_t a : labels) {
    std::string cells;
    for (const std::size_t b : labels) {
      const std::string text = distance_text(geometry.mean_square_distance[a][b]);
      cells += shaded_cell_html(text, nearness.of(a, b),
                                geometry.labels[a] + ", " + geometry.labels[b] + ": " + text,
                                a == b ? "own" : "wrong");
    }
    html += row_html(geometry.labels[a], cells);
  }
  return html.append(kEndTable);
}

std::string neighbors_matrix_html(const ClassGeometry& geometry,
                                  const std::vector<std::size_t>& labels) {
  std::string html =
      "<h2>Nearest neighbors</h2>\n" +
      begin_matrix(
          "Of the documents of a label (rows), how many percent have a nearest neighbor "
          "with which label (columns)",
          matrix_columns("Label", geometry, labels));
  for (const std::size_t a : labels) {
    const auto all = static_cast<double>(std::max<std::uint64_t>(1, geometry.documents[a]));
    std::string cells;
    for (const std::size_t b : labels) {
      const std::uint64_t count = geometry.nearest[a][b];
      const double share = static_cast<double>(count) / all;
      cells += shaded_cell_html(fixed(100 * share, 0), std::sqrt(share),
                                geometry.labels[a] + " -> " + geometry.labels[b] + ": " +
                                    std::to_string(count) + " of " +
                                    std::to_string(geometry.documents[a]),
                                a == b       ? "own"
                                : count == 0 ? "nil"
                                             : "wrong");
    }
    html += row_html(geometry.labels[a], cells);
  }
  return html.append(kEndTable);
}

std::string drawings_html(const ClassGeometry& geometry) {
  std::vector<std::size_t> labels = most_frequent(geometry);
  if (labels.size() < 2) return "";
  std::vector<std::string> names;
  std::vector<std::vector<double>> distances;
  for (const std::size_t a : labels) {
    names.push_back(geometry.labels[a]);
    distances.emplace_back();
    for (const std::size_t b : labels)
      distances.back().push_back(geometry.mean_square_distance[a][b]);
  }
  const std::vector<ClusterMerge> merges = average_linkage(std::move(distances));
  const std::vector<std::size_t> order = leaf_order(merges, labels.size());
  std::string html =
      "<h2>Families of labels</h2>\n<p>By average linkage: the farther left two "
      "branches join, the nearer they are.</p>\n";
  if (labels.size() < geometry.labels.size()) {
    html += "<p>The pairs above, this tree and the matrices below have the " +
            std::to_string(labels.size()) + " most frequent of " +
            std::to_string(geometry.labels.size()) + " labels.</p>\n";
  }
  html += dendrogram(names, merges, order, "mean squared distance");
  std::vector<std::size_t> sorted;
  for (const std::size_t item : order) sorted.push_back(labels[item]);
  return html + distances_html(geometry, sorted) + neighbors_matrix_html(geometry, sorted);
}

std::string all_labels_html(const ClassGeometry& geometry) {
  std::string html = "<h2>Labels</h2>\n" + begin_table("All labels", {{"Label"},
                                                                      {"Documents"},
                                                                      {"Inside"},
                                                                      {"Nearest label", true},
                                                                      {"Distance"},
                                                                      {"Neighbor agrees"}});
  for (std::size_t a = 0; a < geometry.labels.size(); ++a) {
    const std::size_t b = nearest_label(geometry, a);
    const auto& distances = geometry.mean_square_distance[a];
    html +=
        row_html(geometry.labels[a], cell_html(geometry.documents[a]) + cell_html(distances[a]) +
                                         text_cell_html(b == a ? "-" : geometry.labels[b]) +
                                         cell_html(b == a ? std::nan("") : distances[b]) +
                                         cell_html(static_cast<double>(geometry.nearest[a][a]) /
                                                   static_cast<double>(geometry.documents[a])));
  }
  return html.append(kEndTable);
}

std::string measure_text(double value) { return std::isnan(value) ? "-" : fixed(value, 4); }

}  // namespace

std::size_t nearest_label(const ClassGeometry& geometry, std::size_t label) {
  std::size_t best = label;
  for (std::size_t b = 0; b < geometry.labels.size(); ++b) {
    const double distance = geometry.mean_square_distance[label][b];
    if (b == label || std::isnan(distance)) continue;
    if (best == label || distance < geometry.mean_square_distance[label][best]) best = b;
  }
  return best;
}

void write_geometry_report(const std::string& path, const std::string& subject,
                           const ClassGeometry& geometry) {
  std::string html(report_page::kHead);
  html += begin_report("Kindred geometry", subject);
  html += tiles({{"Labels", std::to_string(geometry.labels.size())},
                 {"Mean distance inside", measure_text(geometry.intra)},
                 {"Mean distance between", measure_text(geometry.inter)},
                 {"Informativeness", measure_text(geometry.informativeness)}});
  html +=
      "<p class=\"soft\">Distances are squared distances in cosine space, "
      "2&nbsp;-&nbsp;2&nbsp;cos: 0 between "
      "documents of equal weights, 2 between documents that share no word. Informativeness is "
      "the mean distance between labels over that inside them.</p>\n";
  html += pairs_html(geometry);
  html += drawings_html(geometry);
  html += all_labels_html(geometry);
  write_output_file(path, html.append(report_page::kTail));
}

}  // namespace kindred::cli
