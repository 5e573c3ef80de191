#include "plugin/search/search.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "gpu/lazy.h"
#include "plugin/documents/document_tags.h"
#include "plugin/input/document_data.h"
#include "plugin/query/pulse_source.h"
#include "plugin/related/duplicate_search.h"
#include "plugin/search/query.h"
#include "plugin/search/words.h"
#include "plugin/snapshot/example_query.h"
#include "plugin/snapshot/snapshot.h"
#include "plugin/store/database.h"
#include "plugin/store/terms.h"
#include "plugin/topics/map.h"

namespace kindred {
namespace {

using Query = Xapian::Query;

/// Deeper pages are empty: ranks there say nothing, and take long.
constexpr std::size_t kDeepest = 10'000;
/// Facets are of at least so many documents, if they match.
constexpr std::size_t kCounted = 100'000;

/// Of a topic or a unit; 0 if another program wrote no number.
std::uint32_t number_of(const std::string& text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

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

/// Null if there is none, or it is damaged: then topics have no names, and all else is found.
std::shared_ptr<const TopicMap> map_of(const SearchIndex& index) try {
  return index.topic_map();
} catch (const Error&) {
  return nullptr;
}

/// An entity tag: another one when what is kept of the document, its tags or what is shown of it
/// are. `kept`: its data, and what predicted its tags.
std::string entity_tag(const api::FoundDocument& found, std::string kept) {
  const auto add = [&](std::string_view part) {
    kept += std::to_string(part.size()).append(":").append(part);
  };
  add(found.title);
  for (const std::string& label : found.labels) add(label);
  for (const Tag& tag : found.predicted) {
    add(tag.label);
    add(std::to_string(tag.confidence));
  }
  add(found.language.value_or(""));
  if (found.topic) add(found.topic->name);
  for (const auto& [name, value] : found.values) {
    add(name);
    add(value.text);
  }
  return '"' + checksum_text(kept) + '"';
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
        fields_(fields_of(asked_)) {}

  /// Documents by their ids, with their texts.
  api::SearchAnswer documents() const {
    api::SearchAnswer answer;
    for (const std::string& id : *asked_.ids) {
      pulse_();
      try {
        answer.documents.push_back(whole_document(database_.get_document(find(id))));
      } catch (const Xapian::DocNotFoundError&) {
        throw Error(Errc::kNotFound, "no document has the id '" + shortened(id) + "'");
      }
    }
    return answer;
  }

  /// A page of what matches.
  api::SearchAnswer page() {
    const ParsedQuery parsed = parse(asked_.query);

    // Documents whose id or title was typed come before all others.
    Ranking ranking = {parsed.query, {}};
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
    std::string better = corrected(database_, asked_.query, parsed.words, counts_.estimate, pulse_);
    if (!better.empty()) answer.correction = std::move(better);
    return answer;
  }

 private:
  std::string prefix(FacetTable::Kind kind) const { return FacetTable::prefix_of(kind, settings_); }

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

    const QueryStyle style{asked_.partial, 100, &database_, matcher_pulse_};
    try {
      return parsed(typed, style);
    } catch (const Error& e) {
      if (!style.partial || e.code() != Errc::kInvalidArgument) throw;
      for (const std::string_view sign : kSigns) replace_all(typed, sign, " ");
      return parsed(typed, style);
    }
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
    api::FoundDocument found = found_document(document);
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
          {tags_of(other).id, document_heading(other, settings_.index), similarity});
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
      facets.topic.push_back({number, facet.documents, topic_name(number)});
    }
    for (const Facet& facet : most_frequent(FacetTable::kLanguages, most))
      facets.language.push_back({facet.value, facet.documents});
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      for (const Facet& facet : most_frequent(FacetTable::kIds + i, most)) {
        std::string value = facet.value;
        if (fields_[i].number) value = json_of(value, true);
        facets.values[i].second.push_back({std::move(value), facet.documents});
      }
    }

    if (!asked_.units) return facets;
    for (const Facet& facet : most_frequent(FacetTable::kUnits, SIZE_MAX))
      facets.unit->push_back({number_of(facet.value), facet.documents});
    return facets;
  }

  /// A value as JSON. A number is the shortest that is read back as the same.
  static std::string json_of(const std::string& value, bool is_number) {
    if (is_number) return nlohmann::json(Xapian::sortable_unserialise(value)).dump();
    return nlohmann::json(is_utf8(value) ? value : repair_utf8(value)).dump();
  }

  std::string topic_name(std::uint32_t number) const {
    const TopicMap* const map = map_.get([this] {
                                      return map_of(index_);
                                    })
                                    .get();
    const bool is_known = map != nullptr && number >= 1 && number <= map->topics.size();
    if (!is_known) return "";
    return map->topics[number - 1].name;
  }

  StoredTags tags_of(const Xapian::Document& document) const {
    try {
      return read_tags(document, settings_);
    } catch (const Xapian::DocNotFoundError&) {  // the index does not keep the terms of documents
      StoredTags tags;
      tags.id = std::to_string(document.get_docid());
      if (settings_.index.id_in_data) tags.id = id_in_data(document.get_data(), settings_.index);
      return tags;
    }
  }

  api::FoundDocument found_document(const Xapian::Document& document) const {
    const StoredTags tags = tags_of(document);
    const StoredDocument stored = stored_document(document, tags, settings_.index);

    api::FoundDocument found;
    found.id = stored.id;
    found.docid = stored.docid;
    found.title = document_heading(document, settings_.index);
    found.labels = stored.labels;
    found.predicted = stored.predicted;

    const std::vector<std::string> terms =
        first_values(document, {prefix(FacetTable::kLanguages), prefix(FacetTable::kTopics)});
    if (!terms[0].empty()) found.language = terms[0];
    const std::uint32_t number = number_of(terms[1]);
    if (number > 0) found.topic = {number, topic_name(number)};

    for (const ValueField& field : fields_) {
      const std::string value = document.get_value(field.slot);
      if (value.empty()) continue;
      found.values.push_back({field.name, {json_of(value, field.number)}});
    }

    found.etag = entity_tag(found, stored.data + tags.prediction);
    return found;
  }

  /// A copy that does not read and unpack its data again whenever they are asked for.
  static Xapian::Document with_data(Xapian::Document document) {
    document.set_data(document.get_data());
    return document;
  }

  /// The document of a unique id, or of a docid in digits if that one has no id.
  /// @throws Xapian::DocNotFoundError.
  Xapian::docid find(const std::string& id) const {
    const auto docids = documents_with_id(database_, id, settings_.index);
    if (docids.size() > 1) throw ambiguous_id(id, docids);
    if (!docids.empty()) return docids.front();

    // Some programs keep ids in the data, and some documents have none.
    if (const auto mirrored = find_document(*index_.snapshot, id, settings_.index))
      return *mirrored;
    const Xapian::docid docid = number_of(id);
    if (docid > 0 && tags_of(database_.get_document(docid)).id == id) return docid;
    throw Xapian::DocNotFoundError(id);
  }

  api::FoundDocument whole_document(const Xapian::Document& document) const {
    const Xapian::Document kept = with_data(document);
    const std::string data = kept.get_data();
    api::FoundDocument found = found_document(kept);

    // The whole text, where the index keeps the record.
    const auto own = kept_record(data, found.id);
    if (own) {
      found.text = own->record.text;
    } else {
      found.text = std::string(document_field(data, "sample"));
    }

    // Further keys, without those that are shown as something else.
    auto& fields = found.fields.emplace();
    const auto is_shown = [&](std::string_view name) {
      if (std::ranges::find(settings_.index.title_fields, name) !=
          settings_.index.title_fields.end())
        return true;
      const auto shown = {"id", "lang", "label", "sample"};
      return !own && std::ranges::find(shown, name) != shown.end();
    };
    const auto add = [&](std::string_view name, std::string_view value) {
      const bool is_new = std::ranges::find(fields, name, [](const auto& field) {
                            return field.first;
                          }) == fields.end();
      if (is_new && !is_shown(name)) fields.emplace_back(name, value);
    };

    if (own) {
      for (const auto& [name, value] : own->record.fields) add(name, value);
    } else {
      for (const auto& [name, value] : document_fields(data)) add(name, value);
    }
    return found;
  }

  const SearchIndex& index_;
  const api::SearchRequest& asked_;
  const Pulse& pulse_;
  const Pulse& matcher_pulse_;  // may be none
  const Xapian::Database& database_;
  const Settings& settings_;
  const std::vector<ValueField> fields_;
  Lazy<std::shared_ptr<const TopicMap>> map_;  ///< for topics that are named
  std::set<Xapian::docid> folded_;             ///< documents that better ones stand for
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
