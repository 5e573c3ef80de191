#include "plugin/topics/naming.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/text/normalize.h"
#include "analyzer/text/word_list.h"
#include "config/shown.h"
#include "gpu/ratio.h"

namespace kindred {
namespace {

constexpr double kShareOfWords = 1.0 / 3;        // of a list
constexpr double kShareOfDocuments = 1.0 / 100;  // that have a word of a language that is spoken

}  // namespace

std::vector<bool> stop_columns(const std::vector<std::string>& words,
                               const std::vector<std::uint32_t>& df, std::uint64_t documents) {
  // Columns may be words of any language, in other spellings than the lists have: both are folded.
  const Normalizer normalizer(find_language("en"), true);
  std::unordered_map<std::string, std::vector<std::uint32_t>> columns;  // of each folded word
  for (std::uint32_t column = 0; column < words.size(); ++column)
    columns[normalizer.fold(words[column])].push_back(column);

  std::vector<bool> stopped(words.size());

  // A language counts as spoken if a third of its stop words are common in the index. Else its list
  // would stop words of others: "die" is a stop word of German, but not of English.
  const double least = kShareOfDocuments * static_cast<double>(documents);
  for (const BuiltinStopWords& builtin : builtin_stop_words()) {
    const WordSet list = parse_words(builtin.list, std::string(builtin.language), normalizer);
    std::vector<std::uint32_t> found;
    std::size_t common = 0;
    for (const std::string& word : list) {
      const auto known = columns.find(word);
      if (known == columns.end()) continue;
      found.insert(found.end(), known->second.begin(), known->second.end());
      const auto is_common = [&](std::uint32_t column) {
        return df[column] >= least;
      };
      if (std::any_of(known->second.begin(), known->second.end(), is_common)) ++common;
    }

    if (static_cast<double>(common) < kShareOfWords * static_cast<double>(list.size())) continue;
    for (const std::uint32_t column : found) stopped[column] = true;
  }
  return stopped;
}

namespace {

constexpr std::size_t kTerms = 10;       // of a topic
constexpr std::size_t kNameTerms = 3;    // of its name
constexpr std::size_t kTypical = 5;      // documents of a topic
constexpr std::size_t kUnitTerms = 5;    // of a unit
constexpr std::size_t kUnitTypical = 3;  // documents of a unit

bool has_letter(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z');
  });
}

/// Keeps the best `limit` entries: higher score first, then lower key.
class HighestScores {
 public:
  explicit HighestScores(std::size_t limit) : limit_(limit) {}
  void enter(double score, std::uint32_t key) {
    best_.emplace(-score, key);
    if (best_.size() > limit_) best_.erase(std::prev(best_.end()));
  }
  const std::set<std::pair<double, std::uint32_t>>& list() const { return best_; }

 private:
  std::size_t limit_;
  std::set<std::pair<double, std::uint32_t>> best_;  // -score, key
};

/// The number of given rows in which each column occurs.
std::vector<std::uint32_t> document_frequencies(const SomRows& matrix,
                                                const std::vector<std::uint32_t>& rows) {
  std::vector<std::uint32_t> df(matrix.columns);
  for (const std::uint32_t row : rows)
    matrix.each_entry(row, [&](auto column, float) {
      ++df[column];
    });
  return df;
}

/// The number of all rows in which each column occurs.
std::vector<std::uint32_t> document_frequencies(const SomRows& matrix) {
  std::vector<std::uint32_t> rows(matrix.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return document_frequencies(matrix, rows);
}

/// The rows of each topic, ascending.
std::vector<std::vector<std::uint32_t>> members_of_topics(const GroupedMap& map) {
  std::vector<std::vector<std::uint32_t>> members(map.topics());
  for (std::uint32_t row = 0; row < map.rows.rows; ++row)
    members[map.group[map.matches[row].unit]].push_back(row);
  return members;
}

/// Which columns may stand for what a topic or unit is about.
std::vector<bool> telling_columns(const GroupedMap& map, const std::vector<std::uint32_t>& df) {
  std::vector<bool> telling = stop_columns(map.words, df, map.rows.rows);
  telling.flip();
  for (std::size_t column = 0; column < telling.size(); ++column)
    telling[column] = telling[column] && has_letter(map.words[column]);
  return telling;
}

/// `df`: of the columns in all rows. `telling`: those that may be taken.
std::vector<TopicTerm> telling_terms(const GroupedMap& map,
                                     const std::vector<std::uint32_t>& members,
                                     const std::vector<std::uint32_t>& df,
                                     const std::vector<bool>& telling) {
  // The score of a term is its part of the Kullback-Leibler divergence between the topic and the
  // whole: p log(p / q), for terms that are more frequent inside.
  const std::vector<std::uint32_t> inside = document_frequencies(map.rows, members);
  HighestScores best(kTerms);

  for (std::uint32_t column = 0; column < inside.size(); ++column) {
    if (inside[column] == 0 || !telling[column]) continue;
    const double p = inside[column] / static_cast<double>(members.size());
    const double q = df[column] / static_cast<double>(map.rows.rows);
    if (p > q) best.enter(p * std::log(p / q), column);
  }

  std::vector<TopicTerm> terms;
  for (const auto& [score, column] : best.list())
    terms.push_back({std::string(map.terms[column]), map.words[column], -score});
  return terms;
}

std::string name_of(std::uint32_t topic, const std::vector<TopicTerm>& terms) {
  if (terms.empty()) return "topic " + std::to_string(topic + 1);
  std::string name;
  for (std::size_t i = 0; i < std::min(kNameTerms, terms.size()); ++i)
    append_item(name, terms[i].word);
  return name;
}

TopicDocument document_at(const GroupedMap& map, std::uint32_t row, double similarity) {
  return {map.docids[row], std::clamp(similarity, 0.0, 1.0)};
}

/// The members that are nearest to their mean by angle.
std::vector<TopicDocument> typical_documents(const GroupedMap& map,
                                             const std::vector<std::uint32_t>& members) {
  // Rows have length 1, so the dot product with the mean orders them by angle; the length of the
  // mean is the same for all.
  std::vector<double> mean(map.rows.columns);
  for (const std::uint32_t row : members)
    map.rows.each_entry(row, [&](auto column, double w) {
      mean[column] += w;
    });

  double squared = 0;
  for (const double value : mean) squared += value * value;

  HighestScores best(kTypical);
  for (const std::uint32_t row : members) {
    double dot = 0;
    map.rows.each_entry(row, [&](auto column, double w) {
      dot += w * mean[column];
    });
    best.enter(ratio_or_zero(dot, std::sqrt(squared)), row);
  }

  std::vector<TopicDocument> typical;
  for (const auto& [similarity, row] : best.list())
    typical.push_back(document_at(map, row, -similarity));
  return typical;
}

/// The numbers of the topics that each topic borders on, ascending.
std::vector<std::set<std::uint32_t>> borders_of(const GroupedMap& map) {
  std::vector<std::set<std::uint32_t>> borders(map.topics());
  for (std::uint32_t u = 0; u < map.group.size(); ++u)
    for (const std::uint32_t v : neighbors_of(map.lattice, u))
      if (map.group[v] != map.group[u]) borders[map.group[u]].insert(map.group[v] + 1);
  return borders;
}

/// The most frequent label of each unit's documents, of equals the first in byte order; "" if none
/// has a label.
std::vector<std::string> labels_of_units(const GroupedMap& map) {
  std::vector<std::map<std::string_view, std::uint32_t>> counts(map.group.size());
  for (std::uint32_t row = 0; row < map.matches.size(); ++row)
    for (const std::uint32_t label : map.mirror.labels_of(map.docids[row]))
      ++counts[map.matches[row].unit][map.mirror.labels.names[label]];

  // Names are keys in byte order, and max_element() takes the first of equals.
  std::vector<std::string> labels;
  for (const auto& of_unit : counts) {
    const auto count_of = [](const auto& label) {
      return label.second;
    };
    const auto most = std::ranges::max_element(of_unit, {}, count_of);
    labels.emplace_back();
    if (most != of_unit.end()) labels.back() = most->first;
  }
  return labels;
}

}  // namespace

std::uint32_t GroupedMap::topics() const {
  return 1 + *std::max_element(group.begin(), group.end());
}

std::vector<Topic> describe_topics(const GroupedMap& map) {
  // What is the same for all topics is found once.
  const auto members = members_of_topics(map);
  const auto borders = borders_of(map);
  const auto df = document_frequencies(map.rows);
  const std::vector<bool> telling = telling_columns(map, df);

  std::vector<Topic> topics;
  for (std::uint32_t i = 0; i < members.size(); ++i) {
    std::vector<TopicTerm> terms = telling_terms(map, members[i], df, telling);
    std::string name = name_of(i, terms);
    topics.push_back({i + 1,
                      std::move(name),
                      members[i].size(),
                      std::move(terms),
                      typical_documents(map, members[i]),
                      {borders[i].begin(), borders[i].end()}});
  }
  return topics;
}

std::vector<TopicUnit> describe_units(const GroupedMap& map, const std::vector<float>& heights) {
  // The words of a unit are its heaviest weights; its documents are the nearest that it is the unit
  // of.
  std::vector<HighestScores> terms(map.group.size(), HighestScores(kUnitTerms));
  const auto df = document_frequencies(map.rows);
  const std::vector<bool> telling = telling_columns(map, df);
  for (std::uint32_t column = 0; column < map.codebook.columns(); ++column) {
    if (!telling[column]) continue;
    map.codebook.each_weight(column, [&](auto u, float weight) {
      terms[u].enter(weight, column);
    });
  }

  std::vector<HighestScores> nearest(map.group.size(), HighestScores(kUnitTypical));
  for (std::uint32_t row = 0; row < map.rows.rows; ++row)
    nearest[map.matches[row].unit].enter(-map.matches[row].distance, row);

  const std::vector<std::string> labels = labels_of_units(map);

  std::vector<TopicUnit> units;
  for (std::uint32_t u = 0; u < map.group.size(); ++u) {
    TopicUnit& unit = units.emplace_back(TopicUnit{map.lattice.x(u),
                                                   map.lattice.y(u),
                                                   map.group[u] + 1,
                                                   map.hits[u],
                                                   heights[u],
                                                   labels[u],
                                                   {},
                                                   {}});
    for (const auto& [weight, column] : terms[u].list()) unit.columns.push_back(column);

    // Rows have length 1 over all terms, so those near by distance are near by angle.
    for (const auto& [distance, row] : nearest[u].list())
      unit.typical.push_back(document_at(map, row, 1 - distance * distance / 2));
  }
  return units;
}

}  // namespace kindred
