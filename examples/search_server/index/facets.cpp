#include "index/facets.h"

#include <algorithm>
#include <utility>

namespace search_server {

class FacetTable::Counter : public Xapian::MatchSpy {
 public:
  explicit Counter(const FacetTable& table) : table_(table), counts_(2 * table.values_.size()) {}

  void operator()(const Xapian::Document& document, double) override {
    count(document.get_docid());
  }
  void count(Xapian::docid docid) {
    ++counted_;
    if (std::size_t{docid} + 1 >= table_.begins_.size()) return;
    for (std::size_t i = table_.begins_[docid]; i < table_.begins_[docid + 1]; ++i)
      ++counts_[table_.pairs_[i].place];
  }
  void fill(Facets& facets) const {
    facets.counted = counted_;
    for (std::size_t i = 0; i < table_.values_.size(); ++i) {
      const auto& [kind, text] = table_.values_[i];
      if (counts_[2 * i] + counts_[2 * i + 1] == 0) continue;
      if (facets.by_kind.size() <= kind) facets.by_kind.resize(kind + 1);
      facets.by_kind[kind].push_back({text, counts_[2 * i], counts_[2 * i + 1]});
    }
  }

 private:
  const FacetTable& table_;
  std::vector<std::size_t> counts_;  ///< by the places of the table
  std::size_t counted_ = 0;
};

FacetTable::FacetTable(const Xapian::Database& database, const Schema& schema, std::string version)
    : version_(std::move(version)), begins_(std::size_t{database.get_lastdocid()} + 2) {
  for (std::size_t kind = 0; kind < kIds; ++kind) read_terms(database, kind, schema);
  for (std::size_t i = 0; i < schema.values.size(); ++i)
    read_slot(database, kIds + i, schema.values[i].slot);
  std::ranges::stable_sort(pairs_, {}, &Pair::docid);
  for (const Pair& pair : pairs_) ++begins_[std::size_t{pair.docid} + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
}

std::uint32_t FacetTable::place_of(std::size_t kind, const std::string& text) {
  const std::size_t shown = kind == kPredicted ? std::size_t{kLabels} : kind;
  const auto next = static_cast<std::uint32_t>(2 * values_.size());
  const auto [found, is_new] = places_.try_emplace({shown, text}, next);
  if (is_new) values_.push_back({shown, text});
  return found->second + (kind == kPredicted ? 1 : 0);
}

void FacetTable::read_terms(const Xapian::Database& database, std::size_t kind,
                            const Schema& schema) {
  const std::string& prefix = schema.prefixes[kind];
  const auto end = database.allterms_end(prefix);
  for (auto term = database.allterms_begin(prefix); term != end; ++term) {
    const std::string name = *term;
    const auto value = kindred::value_under(prefix, name);
    if (!value) continue;
    const std::string text = kind <= kPredicted ? label_name(*value) : std::string(*value);
    if (kind == kLabels && schema.is_system_label(text)) continue;
    const std::uint32_t place = place_of(kind, text);
    const auto last = database.postlist_end(name);
    for (auto posting = database.postlist_begin(name); posting != last; ++posting)
      pairs_.push_back({*posting, place});
  }
}

void FacetTable::read_slot(const Xapian::Database& database, std::size_t kind,
                           Xapian::valueno slot) {
  const auto end = database.valuestream_end(slot);
  for (auto value = database.valuestream_begin(slot); value != end; ++value)
    pairs_.push_back({value.get_docid(), place_of(kind, *value)});
}

Facets FacetTable::count(const Xapian::Database& database, const Xapian::Query& query,
                         std::size_t least) const {
  const auto most = static_cast<Xapian::doccount>(least);
  // Without ranks, which takes less time than counting while a search ranks.
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  enquire.set_weighting_scheme(Xapian::BoolWeight());
  Counter counter(*this);
  Xapian::MSet matches;
  try {
    enquire.add_matchspy(&counter);
    matches = enquire.get_mset(0, 0, most);
  } catch (const Xapian::UnimplementedError&) {
    // A remote shard sends its documents, which are counted here.
    enquire.clear_matchspies();
    matches = enquire.get_mset(0, most, most);
    for (auto match = matches.begin(); match != matches.end(); ++match) counter.count(*match);
  }
  Facets facets;
  counter.fill(facets);
  facets.estimate = matches.get_matches_estimated();
  facets.exact = matches.get_matches_lower_bound() == matches.get_matches_upper_bound();
  return facets;
}

}  // namespace search_server
