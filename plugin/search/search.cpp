#include "plugin/search/search.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "plugin/input/document_data.h"
#include "plugin/query/label_style.h"
#include "plugin/query/pulse_source.h"
#include "plugin/query/query_parser.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/search/query.h"
#include "plugin/search/shown_documents.h"
#include "plugin/search/words.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/store/counted_documents.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

using Query = Xapian::Query;

/// Deeper pages are empty: ranks there say nothing, and take long.
constexpr std::size_t kDeepest = 10'000;
/// Facets are of at least so many documents, if they match.
constexpr std::size_t kCounted = 100'000;

std::vector<ValueField> fields_of(const api::SearchRequest& asked) {
  std::vector<ValueField> fields;
  for (const api::SearchValue& value : asked.values)
    fields.push_back({value.name, static_cast<Xapian::valueno>(value.slot), value.number});
  return fields;
}

std::vector<std::string> in_digits(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const std::int64_t number : numbers) texts.push_back(std::to_string(number));
  return texts;
}

/// One search of one revision.
class Search {
 public:
  Search(const SearchIndex& index, const Xapian::Database& database,
         const api::SearchRequest& asked, const Pulse& pulse, const Pulse& matcher_pulse)
      : index_(index),
        asked_(asked),
        pulse_(pulse),
        matcher_pulse_(matcher_pulse),
        database_(database),
        settings_(index.settings),
        fields_(fields_of(asked_)),
        shown_(index, database, fields_) {}

  /// Documents by their ids, with their texts.
  api::SearchAnswer documents() const {
    api::SearchAnswer answer;
    for (const std::string& id : *asked_.ids) {
      pulse_();
      answer.documents.push_back(shown_.whole(id));
    }
    return answer;
  }

  /// A page of what matches.
  api::SearchAnswer page() {
    const ParsedQuery parsed = parse(asked_.query);

    // Documents whose id or title was typed come before all others.
    Ranking ranking = {with_labeled(parsed.query), {}};
    if (asked_.sort == "relevance") {
      const auto words = typed_words(index_.analyzers, asked_.query);
      ranking.first = named(database_, asked_.query, words, settings_);
    }

    const auto offset = std::min(static_cast<std::size_t>(asked_.offset), kDeepest);
    std::size_t limit = 0;
    if (offset < kDeepest)
      limit =
          std::min<std::size_t>(static_cast<std::size_t>(asked_.limit), database_.get_doccount());

    if (asked_.fold > 0 && limit > 0) fold(ranking, offset + limit, asked_.fold);
    append(ranking, stemmer(index_.analyzers, database_, asked_.query), offset, limit);

    // Facets may know better how many match.
    api::SearchAnswer answer;
    answer.facets = count_facets(ranking.all());
    answer.total = {counts_.estimate, counts_.exact};
    answer.counted = counts_.counted;
    answer.documents = std::move(documents_);
    if (asked_.fold > 0) answer.folded = folded_.size();

    answer.correction.emplace();
    std::string better =
        corrected(database_, asked_.query, parsed.words, counts_.estimate, asked_.partial, pulse_);
    if (!better.empty() && finds_something(better)) answer.correction = std::move(better);
    return answer;
  }

 private:
  std::string prefix(FacetTable::Kind kind) const { return FacetTable::prefix_of(kind, settings_); }

  /// True if a query, with the filters of this search, matches a document.
  bool finds_something(const std::string& typed) const {
    Xapian::Enquire enquire(database_);
    enquire.set_query(with_pulse(filtered(with_labeled(parse(typed).query)), matcher_pulse_));
    return !enquire.get_mset(0, 1).empty();
  }

  ParsedQuery parsed(const std::string& typed, const QueryStyle& style) const {
    const auto analyzer = index_.analyzers.lease_for_query(typed);
    return parse_query(typed, index_.snapshot->mirror().prefixes, settings_, *analyzer, style);
  }

  /// A query that is still being written may have an open quote or bracket: then its words count.
  ParsedQuery parse(std::string typed) const {
    constexpr std::string_view kSigns[] = {"\"", "(", ")", ":", "\u201C", "\u201D", "\u201E"};

    // Not Query::MatchAll: copies of it share a count that only one thread at a time may change.
    const bool is_blank = typed.find_first_not_of(" \t\r\n") == std::string::npos;
    if (is_blank) return {Query(std::string()), {}};

    const Mirror& mirror = index_.snapshot->mirror();
    QueryStyle style{asked_.partial, 100, &database_, matcher_pulse_};
    set_labels(style, mirror, index_.snapshot->vocabulary().get());
    try {
      return parsed(typed, style);
    } catch (const Error& e) {
      if (!style.partial || e.code() != Errc::kInvalidArgument) throw;
      for (const std::string_view sign : kSigns) replace_all(typed, sign, " ");
      return parsed(typed, style);
    }
  }

  /// The same, or documents with a label that is called what was typed.
  Query with_labeled(const Query& query) const {
    const Vocabulary* const vocabulary = index_.snapshot->vocabulary().get();
    if (vocabulary == nullptr) return query;

    std::vector<Query> any = {query};
    for (const std::size_t term : vocabulary->named(asked_.query)) {
      const auto spellings = label_spellings(std::string(vocabulary->id(term)));
      for (const auto kind : {FacetTable::kLabels, FacetTable::kPredicted})
        any.push_back(has_one_of(prefix(kind), spellings));
    }
    return any_of(any);
  }

  /// Only the documents that have all labels, and one of each other kind, that are asked for.
  Query filtered(const Query& query) const {
    std::vector<Query> all;

    // Each label, in whatever form of Unicode the index has it.
    const auto labels = [&](const std::vector<std::string>& names,
                            const std::vector<FacetTable::Kind>& kinds) {
      for (const std::string& name : names) {
        std::vector<Query> any;
        for (const FacetTable::Kind kind : kinds)
          any.push_back(has_one_of(prefix(kind), label_spellings(name)));
        if (kinds.front() == FacetTable::kLabels)
          any.push_back(in_shards_with(name, index_.snapshot->mirror()));
        all.push_back(any_of(any));
      }
    };
    labels(asked_.tag, {FacetTable::kLabels, FacetTable::kPredicted});
    labels(asked_.label, {FacetTable::kLabels});
    labels(asked_.predicted, {FacetTable::kPredicted});

    // One of each other kind.
    const auto one_of = [&](const std::vector<std::string>& values, FacetTable::Kind kind) {
      std::vector<Query> any;
      for (const std::string& value : values) {
        std::vector<std::string> spellings = {value};
        if (kind == FacetTable::kLanguages) spellings = language_spellings(value);
        any.push_back(has_one_of(prefix(kind), spellings));
      }
      if (!any.empty()) all.push_back(any_of(any));
    };
    one_of(in_digits(asked_.topic), FacetTable::kTopics);
    one_of(in_digits(asked_.unit), FacetTable::kUnits);
    one_of(asked_.language, FacetTable::kLanguages);

    for (std::size_t i = 0; i < fields_.size(); ++i) {
      std::vector<Query> any;
      for (const std::string& value : asked_.values[i].any)
        any.push_back(has_value(fields_[i], value));
      if (!any.empty()) all.push_back(any_of(any));
    }

    const CountedDocuments counted(settings_.mirror);
    if (!counted.are_all()) all.push_back(counted.query());

    if (all.empty()) return query;
    return Query(Query::OP_FILTER, query, Query(Query::OP_AND, all.begin(), all.end()));
  }

  void set_order(Xapian::Enquire& enquire) const {
    const std::string& sort = asked_.sort;
    if (sort == "relevance") return;
    if (sort == "newest") {
      enquire.set_weighting_scheme(Xapian::BoolWeight());
      enquire.set_docid_order(Xapian::Enquire::DESCENDING);
      return;
    }

    const bool descending = sort.starts_with('-');
    std::string name = sort;
    if (descending) name.erase(0, 1);
    const auto field = std::ranges::find(fields_, name, &ValueField::name);
    if (field == fields_.end())
      throw Error(Errc::kInvalidArgument,
                  "sort: expected 'relevance', 'newest' or the name of a value, found '" +
                      shortened(name) + "'");
    enquire.set_sort_by_value_then_relevance(field->slot, descending);
  }

  /// What matches, in two parts: first the few documents, if any, that are what was typed by their
  /// ids or titles, ranked by what their words say, then all others.
  struct Ranking {
    Query query;
    Query first;

    Query all() const {
      if (first.empty()) return query;
      return Query(Query::OP_OR, query, first);
    }
  };

  /// Calls visit(matches, match) for the matches from `offset` on, at most `limit`. Also counts all
  /// that match.
  template <typename Visit>
  void for_each_match(const Ranking& ranking, std::size_t offset, std::size_t limit,
                      Visit&& visit) {
    counts_ = {};
    if (ranking.first.empty()) {
      visit_part(ranking.query, offset, limit, 0, visit);
      return;
    }

    const Query first(Query::OP_AND_MAYBE, ranking.first, ranking.query);
    const std::size_t taken = visit_part(first, offset, limit, kDeepest, visit);

    const Query rest(Query::OP_AND_NOT, ranking.query, ranking.first);
    visit_part(rest, offset - std::min(offset, counts_.estimate), limit - taken, 0, visit);
  }

  /// `counted`: if no more match, their number is exact. Returns how many were visited.
  template <typename Visit>
  std::size_t visit_part(const Query& query, std::size_t offset, std::size_t limit,
                         std::size_t counted, Visit&& visit) {
    Xapian::Enquire enquire(database_);
    enquire.set_query(with_pulse(filtered(query), matcher_pulse_));
    set_order(enquire);

    const auto number = [](std::size_t n) {
      return static_cast<Xapian::doccount>(n);
    };
    const Xapian::MSet matches = enquire.get_mset(number(offset), number(limit), number(counted));
    for (auto match = matches.begin(); match != matches.end(); ++match) {
      pulse_();
      visit(matches, match);
    }

    counts_.estimate += matches.get_matches_estimated();
    counts_.exact &= matches.get_matches_lower_bound() == matches.get_matches_upper_bound();
    return matches.size();
  }

  /// Finds which documents stand behind better ones, until `wanted` do not. What is found does not
  /// depend on `wanted`, so pages do not overlap.
  void fold(const Ranking& ranking, std::size_t wanted, double similarity) {
    std::vector<Xapian::docid> ranked;
    std::vector<FoldedRank> folds;
    std::size_t shown = 0;
    std::size_t looked_at = 0;

    // Twice as many each time, because it is not known how many will be folded.
    while (shown < wanted && looked_at == ranked.size() && looked_at < kDeepest) {
      looked_at = std::min(std::max(wanted, 2 * looked_at), kDeepest);
      ranked.clear();
      for_each_match(ranking, 0, looked_at, [&](const auto&, const auto& match) {
        ranked.push_back(*match);
      });

      folds = fold_ranking(*index_.snapshot, ranked, similarity, pulse_);
      shown = 0;
      for (std::size_t rank = 0; rank < folds.size(); ++rank)
        if (folds[rank].shown_by == rank) ++shown;
    }

    // What is behind the wanted ones is folded on a later page.
    shown = 0;
    for (std::size_t rank = 0; rank < folds.size(); ++rank) {
      const std::size_t shown_by = folds[rank].shown_by;
      if (shown_by == rank) {
        ++shown;
        if (shown > wanted) break;
        continue;
      }

      folded_.insert(ranked[rank]);
      stands_for_[ranked[shown_by]].push_back({ranked[rank], folds[rank].similarity});
    }
  }

  /// Appends documents to the answer, without those that are folded.
  void append(const Ranking& ranking, const Xapian::Stem& stems, std::size_t offset,
              std::size_t limit) {
    const Query all = ranking.all();
    const TermSet asked(all.get_terms_begin(), all.get_terms_end());

    // Where some are folded, the ranks of the others are counted from the first match on.
    std::size_t rank = 0;
    if (folded_.empty()) rank = offset;
    const std::size_t wanted = limit + offset - rank + folded_.size();
    const auto add = [&](const Xapian::MSet& matches, const Xapian::MSetIterator& match) {
      if (folded_.contains(*match)) return;
      const bool is_before = rank < offset;
      ++rank;
      if (is_before || documents_.size() == limit) return;
      documents_.push_back(matching_document(matches, match, stems, asked));
    };
    for_each_match(ranking, rank, wanted, add);
  }

  api::FoundDocument matching_document(const Xapian::MSet& matches,
                                       const Xapian::MSetIterator& match, const Xapian::Stem& stems,
                                       const TermSet& asked) const {
    const Xapian::Document document = with_data(match.get_document());
    api::FoundDocument found = shown_.in_short(document, *match);
    found.score = 0;
    if (asked_.sort == "relevance") found.score = match.get_weight();

    found.snippet.emplace();
    for (const auto& [text, hit] :
         make_snippet(matches, document_field(document.get_data(), "sample"), stems, asked))
      found.snippet->push_back({text, hit});
    if (asked_.fold == 0) return found;

    found.duplicates.emplace();
    const auto others = stands_for_.find(*match);
    if (others == stands_for_.end()) return found;
    for (const auto& [docid, similarity] : others->second) {
      const Xapian::Document other = with_data(database_.get_document(docid));
      found.duplicates->push_back(
          {shown_.id_of(other, docid), document_heading(other, settings_.index), similarity});
    }
    return found;
  }

  /// Also sets the counts.
  api::SearchAnswer::Facets count_facets(const Query& query) {
    const auto most = static_cast<std::size_t>(asked_.facets);
    api::SearchAnswer::Facets facets;
    if (asked_.units) facets.unit.emplace();
    for (const ValueField& field : fields_) facets.values.push_back({field.name, {}});
    if (most == 0 && !asked_.units) return facets;

    // The table counts more exactly than the matcher estimates.
    const auto table = index_.facets.get(index_.snapshot, database_, settings_, fields_, pulse_);
    FacetCounts counts =
        table->count(database_, with_pulse(filtered(query), matcher_pulse_), kCounted);
    if (counts_.exact) counts.estimate = counts_.estimate;
    counts.exact |= counts_.exact;
    counts_ = std::move(counts);

    const auto most_frequent = [&](std::size_t kind, std::size_t limit) {
      return table->most_frequent(counts_, kind, limit);
    };

    for (const Facet& facet : most_frequent(FacetTable::kLabels, most))
      facets.label.push_back({facet.value, facet.documents, facet.predicted});
    for (const Facet& facet : most_frequent(FacetTable::kTopics, most)) {
      const std::uint32_t number = number_of(facet.value);
      facets.topic.push_back({number, facet.documents, shown_.topic_name(number)});
    }
    for (const Facet& facet : most_frequent(FacetTable::kLanguages, most))
      facets.language.push_back({facet.value, facet.documents});
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      for (const Facet& facet : most_frequent(FacetTable::kIds + i, most)) {
        std::string value = facet.value;
        if (fields_[i].number) value = value_json(value, true);
        facets.values[i].second.push_back({std::move(value), facet.documents});
      }
    }

    if (!asked_.units) return facets;
    for (const Facet& facet : most_frequent(FacetTable::kUnits, SIZE_MAX))
      facets.unit->push_back({number_of(facet.value), facet.documents});
    return facets;
  }

  const SearchIndex& index_;
  const api::SearchRequest& asked_;
  const Pulse& pulse_;
  const Pulse& matcher_pulse_;  // may be none
  const Xapian::Database& database_;
  const Settings& settings_;
  const std::vector<ValueField> fields_;
  const ShownDocuments shown_;
  std::set<Xapian::docid> folded_;  ///< documents that better ones stand for
  std::map<Xapian::docid, std::vector<std::pair<Xapian::docid, float>>>
      stands_for_;  ///< with similarities
  std::vector<api::FoundDocument> documents_;
  FacetCounts counts_;
};

}  // namespace

api::SearchAnswer search(const SearchIndex& index, const Xapian::Database& database,
                         const api::SearchRequest& request, const Pulse& pulse,
                         const Pulse& matcher_pulse) {
  Search search(index, database, request, pulse, matcher_pulse);
  if (request.ids) return search.documents();
  return search.page();
}

}  // namespace kindred
