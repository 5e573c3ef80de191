#include "plugin/search/facets.h"

#include <algorithm>
#include <functional>

#include "plugin/store/readers.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

class Spy : public Xapian::MatchSpy {
 public:
  explicit Spy(std::function<void(Xapian::docid)> visit) : visit_(std::move(visit)) {}
  void operator()(const Xapian::Document& document, double) override {
    visit_(document.get_docid());
  }

 private:
  const std::function<void(Xapian::docid)> visit_;
};

}  // namespace

std::string FacetTable::prefix_of(Kind kind, const Settings& settings) {
  const std::string* const prefixes[] = {&settings.labels.prefix, &settings.labels.predicted_prefix,
                                         &settings.topics.prefix, &settings.topics.unit_prefix};
  if (kind == kLanguages) return language_prefix(settings.labels);
  return kind == kIds ? settings.index.id_prefix : *prefixes[kind];
}

FacetTable::FacetTable(const Xapian::Database& database, const Settings& settings,
                       const std::vector<ValueField>& fields, const Pulse& pulse) {
  for (const Kind kind : {kLabels, kPredicted, kTopics, kUnits, kLanguages})
    add_terms(database, kind, settings, pulse);

  for (std::size_t i = 0; i < fields.size(); ++i) {
    for (ValueReader values(database, fields[i].slot); !values.at_end(); values.next()) {
      pulse();
      pairs_.push_back({values.docid(), slot_of(kIds + i, values.value())});
    }
  }

  // Sorted by document, in the order of fields, since the documents of an answer are looked up one
  // by one.
  std::ranges::stable_sort(pairs_, {}, &Pair::docid);
}

std::uint32_t FacetTable::slot_of(std::size_t kind, const std::string& text) {
  // Slots come in pairs: a label that people gave has the first one, the same label predicted the
  // second.
  const auto next = static_cast<std::uint32_t>(2 * slots_.size());
  const bool is_predicted = kind == kPredicted;
  const auto slot = slots_.try_emplace({is_predicted ? kLabels : kind, text}, next).first;
  return slot->second + (is_predicted ? 1 : 0);
}

void FacetTable::add_terms(const Xapian::Database& database, Kind kind, const Settings& settings,
                           const Pulse& pulse) {
  const std::string prefix = prefix_of(kind, settings);
  for (TermReader terms(database, prefix); !terms.at_end(); terms.next()) {
    pulse();
    const auto value = value_under(prefix, terms.term());
    if (!value) continue;
    const std::string text = kind <= kPredicted ? label_name(*value) : std::string(*value);
    if (kind == kLabels && is_system_label(settings.labels, text)) continue;

    const std::uint32_t slot = slot_of(kind, text);
    for (PostingReader list(database, terms.term()); !list.at_end(); list.next())
      pairs_.push_back({list.docid(), slot});
  }
}

/// `at`: where the pairs of the document before end. Docids mostly ascend, so the search for those
/// of this one begins there, in steps that double.
void FacetTable::count(Xapian::docid docid, std::size_t& at, FacetCounts& counts) const {
  ++counts.counted;

  // Documents that do not ascend begin anew.
  if (at > 0 && pairs_[at - 1].docid >= docid) at = 0;
  std::size_t step = 1;
  for (; at + step < pairs_.size() && pairs_[at + step].docid < docid; step *= 2) at += step;

  const auto begin = pairs_.begin() + static_cast<std::ptrdiff_t>(at);
  const auto end = pairs_.begin() + static_cast<std::ptrdiff_t>(std::min(at + step, pairs_.size()));
  auto pair = std::ranges::lower_bound(begin, end, docid, {}, &Pair::docid);

  for (; pair != pairs_.end() && pair->docid == docid; ++pair) ++counts.values[pair->slot];
  at = static_cast<std::size_t>(pair - pairs_.begin());
}

FacetCounts FacetTable::count(const Xapian::Database& database, const Xapian::Query& query,
                              std::size_t least) const {
  const auto most = static_cast<Xapian::doccount>(least);

  // Without ranks, which takes less time than counting while a search ranks.
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  enquire.set_weighting_scheme(Xapian::BoolWeight());

  FacetCounts counts;
  counts.values.resize(2 * slots_.size());
  std::size_t at = 0;
  Spy spy([&](Xapian::docid docid) {
    count(docid, at, counts);
  });
  Xapian::MSet matches;
  const auto count_listed = [&] {
    matches = enquire.get_mset(0, most, most);
    for (auto match = matches.begin(); match != matches.end(); ++match) count(*match, at, counts);
  };
  try {
    // Of several shards, a spy hears the docids that each gives to its own documents.
    if (database.size() > 1) {
      count_listed();
    } else {
      enquire.add_matchspy(&spy);
      matches = enquire.get_mset(0, 0, most);
    }
  } catch (const Xapian::UnimplementedError&) {
    // A remote shard sends its documents, which are counted here.
    enquire.clear_matchspies();
    count_listed();
  }

  counts.estimate = matches.get_matches_estimated();
  counts.exact = matches.get_matches_lower_bound() == matches.get_matches_upper_bound();
  return counts;
}

std::vector<Facet> FacetTable::most_frequent(const FacetCounts& counts, std::size_t kind,
                                             std::size_t most) const {
  std::vector<Facet> facets;
  if (counts.values.empty()) return facets;

  // A kind's names stand together in the map, and each has its two counts side by side.
  for (auto value = slots_.lower_bound({kind, ""});
       value != slots_.end() && value->first.first == kind; ++value) {
    const auto count = counts.values.begin() + value->second;
    if (count[0] + count[1] > 0) facets.push_back({value->first.second, count[0], count[1]});
  }

  std::ranges::stable_sort(facets, std::greater(), [](const Facet& facet) {
    return facet.documents + facet.predicted;
  });
  facets.resize(std::min(facets.size(), most));

  return facets;
}

std::shared_ptr<const FacetTable> FacetShelf::get(const std::shared_ptr<const Snapshot>& snapshot,
                                                  const Xapian::Database& database,
                                                  const Settings& settings,
                                                  const std::vector<ValueField>& fields,
                                                  const Pulse& pulse) {
  std::unique_lock build(build_mutex_, std::defer_lock);

  // A table that is there is good enough for a while, and while another thread makes a new one.
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      const bool may_wait = snapshot_.lock() == snapshot || Clock::now() < next_;
      const bool is_good = table_ && fields == fields_;
      if (is_good && (may_wait || (!build && !build.try_lock()))) return table_;
    }
    if (build) break;

    while (!build.try_lock_until(std::chrono::system_clock::now() + std::chrono::milliseconds(20)))
      pulse();  // and look again: another thread has made it
  }

  const auto begin = Clock::now();
  auto made = std::make_shared<const FacetTable>(database, settings, fields, pulse);

  const std::lock_guard lock(mutex_);
  table_ = std::move(made);
  fields_ = fields;
  snapshot_ = snapshot;

  // To make it took a while: it is used at least nine times as long, so that no more than a tenth
  // of the time goes into making it.
  next_ = Clock::now() + 9 * (Clock::now() - begin);
  return table_;
}

}  // namespace kindred
