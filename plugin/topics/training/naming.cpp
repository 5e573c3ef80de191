#include "plugin/topics/training/naming.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "plugin/store/string_table.h"
#include "plugin/topics/sparse_codebook.h"

namespace kindred {
namespace {

constexpr std::size_t kTerms = 10, kNameTerms = 3, kTypical = 5;  // of a topic
constexpr std::size_t kUnitTerms = 5, kUnitTypical = 3;

bool has_letter(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z');
  });
}

/// Keeps the best `limit` of what is entered: higher score first, then lower key.
class Best {
 public:
  explicit Best(std::size_t limit) : limit_(limit) {}
  void enter(double score, std::uint32_t key) {
    best_.emplace(-score, key);
    if (best_.size() > limit_) best_.erase(std::prev(best_.end()));
  }
  const std::set<std::pair<double, std::uint32_t>>& list() const { return best_; }

 private:
  std::size_t limit_;
  std::set<std::pair<double, std::uint32_t>> best_;  // -score, key
};

class Description {
 public:
  Description(const SparseRows& rows, const std::vector<SomMatch>& matches,
              const std::vector<Xapian::docid>& docids, TopicMap& map)
      : rows_(rows), matches_(matches), docids_(docids), map_(map), df_(rows.columns) {
    for (std::uint64_t i = rows.row_begin[0]; i < rows.row_begin[rows.rows]; ++i)
      ++df_[rows.column[i]];
  }

  void describe(const SomLattice& lattice) {
    count(lattice);
    for (Topic& topic : map_.topics) {
      std::vector<std::uint32_t> members;
      for (std::uint32_t row = 0; row < rows_.rows; ++row)
        if (map_.units[matches_[row].unit].topic == topic.number) members.push_back(row);
      tell_terms(members, topic);
      tell_typical(members, topic);
    }
    describe_units();
  }

 private:
  void count(const SomLattice& lattice) {
    std::vector<std::set<std::uint32_t>> borders(map_.topics.size() + 1);
    for (std::uint32_t u = 0; u < map_.units.size(); ++u) {
      const std::uint32_t topic = map_.units[u].topic;
      map_.topics[topic - 1].documents += map_.units[u].documents;
      for (const std::uint32_t v : neighbors_of(lattice, u))
        if (map_.units[v].topic != topic) borders[topic].insert(map_.units[v].topic);
    }
    for (Topic& topic : map_.topics)
      topic.neighbors.assign(borders[topic.number].begin(), borders[topic.number].end());
  }

  void tell_terms(const std::vector<std::uint32_t>& members, Topic& topic) {
    std::vector<std::uint32_t> df(rows_.columns);
    for (const std::uint32_t row : members)
      for (std::uint64_t i = rows_.row_begin[row]; i < rows_.row_begin[row + 1]; ++i)
        ++df[rows_.column[i]];
    Best best(kTerms);
    for (std::uint32_t column = 0; column < df.size(); ++column) {
      if (df[column] == 0 || !has_letter(map_.words[column])) continue;
      const double p = df[column] / static_cast<double>(members.size());
      const double q = df_[column] / static_cast<double>(rows_.rows);
      if (p > q) best.enter(p * std::log(p / q), column);
    }
    for (const auto& [score, column] : best.list()) {
      topic.terms.push_back({std::string((*map_.terms)[column]), map_.words[column], -score});
      if (topic.terms.size() > kNameTerms) continue;
      topic.name += (topic.name.empty() ? "" : ", ") + map_.words[column];
    }
    if (topic.name.empty()) topic.name = "topic " + std::to_string(topic.number);
  }

  void tell_typical(const std::vector<std::uint32_t>& members, Topic& topic) {
    std::vector<double> mean(rows_.columns);
    for (const std::uint32_t row : members)
      each(row, [&](auto column, double w) { mean[column] += w; });
    double squared = 0;
    for (const double value : mean) squared += value * value;
    Best best(kTypical);
    for (const std::uint32_t row : members) {
      double dot = 0;
      each(row, [&](auto column, double w) { dot += w * mean[column]; });
      best.enter(squared > 0 ? dot / std::sqrt(squared) : 0, row);
    }
    for (const auto& [similarity, row] : best.list())
      topic.typical.push_back({docids_[row], {}, {}, std::clamp(-similarity, 0.0, 1.0)});
  }

  void describe_units() {
    std::vector<Best> terms(map_.units.size(), Best(kUnitTerms));
    for (std::uint32_t column = 0; column < map_.codebook->columns(); ++column) {
      if (!has_letter(map_.words[column])) continue;
      const auto units = map_.codebook->units_of(column);
      for (std::size_t i = 0; i < units.size(); ++i)
        terms[units[i]].enter(map_.codebook->weights_of(column)[i], column);
    }
    std::vector<Best> nearest(map_.units.size(), Best(kUnitTypical));
    for (std::uint32_t row = 0; row < rows_.rows; ++row)
      nearest[matches_[row].unit].enter(-matches_[row].distance, row);
    for (std::uint32_t u = 0; u < map_.units.size(); ++u) {
      TopicUnit& unit = map_.units[u];
      for (const auto& [weight, column] : terms[u].list()) unit.columns.push_back(column);
      for (const auto& [distance, row] : nearest[u].list()) {
        // Rows have length 1 over all terms: near as the crow flies is near by angle.
        unit.typical.push_back({docids_[row], {}, {}, std::max(0.0, 1 - distance * distance / 2)});
      }
    }
  }

  template <typename Visit>
  void each(std::uint32_t row, Visit&& visit) const {
    for (std::uint64_t i = rows_.row_begin[row]; i < rows_.row_begin[row + 1]; ++i)
      visit(rows_.column[i], static_cast<double>(rows_.weight[i]));
  }

  const SparseRows& rows_;
  const std::vector<SomMatch>& matches_;
  const std::vector<Xapian::docid>& docids_;
  TopicMap& map_;
  std::vector<std::uint32_t> df_;
};

}  // namespace

void describe_topics(const SomLattice& lattice, const SparseRows& rows,
                     const std::vector<SomMatch>& matches, const std::vector<Xapian::docid>& docids,
                     TopicMap& map) {
  Description(rows, matches, docids, map).describe(lattice);
}

}  // namespace kindred
