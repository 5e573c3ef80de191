#include "index/facets.h"

#include <algorithm>
#include <functional>

#include "plugin/store/terms.h"

namespace search_server {
namespace {

class Spy : public Xapian::MatchSpy {
 public:
  explicit Spy(std::function<void(Xapian::docid)> take) : take_(std::move(take)) {}
  void operator()(const Xapian::Document& document, double) override {
    take_(document.get_docid());
  }

 private:
  const std::function<void(Xapian::docid)> take_;
};

}  // namespace

FacetTable::FacetTable(const Xapian::Database& database, const Schema& schema)
    : begins_(std::size_t{database.get_lastdocid()} + 2) {
  for (std::size_t kind = 0; kind < kIds; ++kind) add_terms(database, kind, schema);
  for (std::size_t i = 0; i < schema.values.size(); ++i) {
    const auto end = database.valuestream_end(schema.values[i].slot);
    for (auto value = database.valuestream_begin(schema.values[i].slot); value != end; ++value)
      pairs_.push_back({value.get_docid(), place_of(kIds + i, *value)});
  }
  std::ranges::stable_sort(pairs_, {}, &Pair::docid);
  for (const Pair& pair : pairs_) ++begins_[std::size_t{pair.docid} + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
}

std::uint32_t FacetTable::place_of(std::size_t kind, const std::string& text) {
  const auto next = static_cast<std::uint32_t>(2 * places_.size());
  const bool is_predicted = kind == kPredicted;
  const std::size_t shown = is_predicted ? std::size_t{kLabels} : kind;
  return places_.try_emplace({shown, text}, next).first->second + (is_predicted ? 1 : 0);
}

void FacetTable::add_terms(const Xapian::Database& database, std::size_t kind,
                           const Schema& schema) {
  const std::string& prefix = schema.prefixes[kind];
  const auto end = database.allterms_end(prefix);
  for (auto term = database.allterms_begin(prefix); term != end; ++term) {
    const std::string name = *term;
    const auto value = kindred::value_under(prefix, name);
    if (!value) continue;
    const std::string text = kind <= kPredicted ? kindred::label_name(*value) : std::string(*value);
    if (kind == kLabels && kindred::is_system_label(schema.settings.labels, text)) continue;
    const std::uint32_t place = place_of(kind, text);
    const auto last = database.postlist_end(name);
    for (auto posting = database.postlist_begin(name); posting != last; ++posting)
      pairs_.push_back({*posting, place});
  }
}

void FacetTable::count(Xapian::docid docid, Counts& counts) const {
  ++counts.counted;
  if (std::size_t{docid} + 1 >= begins_.size()) return;
  for (std::size_t i = begins_[docid]; i < begins_[docid + 1]; ++i)
    ++counts.values[pairs_[i].place];
}

Counts FacetTable::count(const Xapian::Database& database, const Xapian::Query& query,
                         std::size_t least) const {
  const auto most = static_cast<Xapian::doccount>(least);
  // Without ranks, which takes less time than counting while a search ranks.
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  enquire.set_weighting_scheme(Xapian::BoolWeight());
  Counts counts;
  counts.values.resize(2 * places_.size());
  Spy spy([&](Xapian::docid docid) { count(docid, counts); });
  Xapian::MSet matches;
  try {
    enquire.add_matchspy(&spy);
    matches = enquire.get_mset(0, 0, most);
  } catch (const Xapian::UnimplementedError&) {
    // A remote shard sends its documents, which are counted here.
    enquire.clear_matchspies();
    matches = enquire.get_mset(0, most, most);
    for (auto match = matches.begin(); match != matches.end(); ++match) count(*match, counts);
  }
  counts.estimate = matches.get_matches_estimated();
  counts.exact = matches.get_matches_lower_bound() == matches.get_matches_upper_bound();
  return counts;
}

std::vector<Facet> FacetTable::most_frequent(const Counts& counts, std::size_t kind,
                                             std::size_t most) const {
  std::vector<Facet> facets;
  if (counts.values.empty()) return facets;
  for (auto value = places_.lower_bound({kind, ""});
       value != places_.end() && value->first.first == kind; ++value) {
    const auto count = counts.values.begin() + value->second;
    if (count[0] + count[1] > 0) facets.push_back({value->first.second, count[0], count[1]});
  }
  std::ranges::stable_sort(facets, std::greater(),
                           [](const Facet& facet) { return facet.documents + facet.predicted; });
  facets.resize(std::min(facets.size(), most));
  return facets;
}

}  // namespace search_server
