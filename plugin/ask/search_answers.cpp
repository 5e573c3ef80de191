// The question "search": ranked documents with snippets, facets, and a query put right.

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "analyzer/text/utf8.h"
#include "config/shown.h"
#include "gpu/lazy.h"
#include "plugin/ask/asking.h"
#include "plugin/documents/document_tags.h"
#include "plugin/input/document_data.h"
#include "plugin/query/pulse_source.h"
#include "plugin/search/facets.h"
#include "plugin/search/query.h"
#include "plugin/search/words.h"
#include "plugin/store/database.h"
#include "plugin/store/terms.h"
#include "plugin/topics/map.h"
#include "questions_json.h"

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
std::shared_ptr<const TopicMap> topic_map_of(const Engine& engine) try {
  return engine.topic_map();
} catch (const Error&) {
  return nullptr;
}

/// One search of one revision.
class Search {
 public:
  Search(Asking& asking, const api::SearchRequest& asked, const Xapian::Database& database,
         const Pulse& pulse)
      : engine_(asking.reading()),
        asked_(asked),
        pulse_(pulse),
        asking_pulse_(asking.pulse),
        database_(database),
        settings_(engine_.settings()),
        fields_(fields_of(asked_)) {}

  /// Documents by their ids, with their texts.
  api::SearchAnswer documents() const {
    api::SearchAnswer answer;
    for (const std::string& id : *asked_.ids) {
      asking_pulse_();
      try {
        answer.documents.push_back(whole_document(database_.get_document(find(id))));
      } catch (const Xapian::DocNotFoundError&) {
        throw Error(Errc::kNotFound, "no document has the id '" + shortened(id) + "'");
      }
    }
    return answer;
  }

  api::SearchAnswer answer() {
    const ParsedQuery parsed = parse(asked_.query);
    Query first;
    if (asked_.sort == "relevance")
      first =
          named(database_, asked_.query, typed_words(engine_.analyzers(), asked_.query), settings_);
    const auto offset = std::min(static_cast<std::size_t>(asked_.offset), kDeepest);
    const std::size_t limit = offset < kDeepest
                                  ? std::min<std::size_t>(static_cast<std::size_t>(asked_.limit),
                                                          database_.get_doccount())
                                  : 0;

    const Ranking ranking = {parsed.query, first};
    if (asked_.fold > 0 && limit > 0) fold(ranking, offset + limit, asked_.fold);
    append(ranking, stemmer(engine_.analyzers(), database_, asked_.query), offset, limit);
    api::SearchAnswer answer;
    answer.facets = count_facets(ranking.all());
    answer.total = {counts_.estimate, counts_.exact};
    answer.documents = std::move(documents_);
    answer.counted = counts_.counted;
    answer.correction.emplace();
    std::string better =
        corrected(database_, asked_.query, parsed.words, counts_.estimate, asking_pulse_);
    if (!better.empty()) answer.correction = std::move(better);
    if (asked_.fold > 0) answer.folded = folded_.size();
    return answer;
  }

 private:
  std::string prefix(FacetTable::Kind kind) const { return FacetTable::prefix_of(kind, settings_); }

  /// A query that is still being written may have an open quote or bracket: then its words count.
  ParsedQuery parse(std::string typed) const {
    constexpr std::string_view kSigns[] = {"\"", "(", ")", ":", "\u201C", "\u201D", "\u201E"};
    if (typed.find_first_not_of(" \t\r\n") == std::string::npos)
      // Not Query::MatchAll: copies of it share a count that only one thread at a time may change.
      return {Query(std::string()), {}};
    const QueryStyle style{asked_.partial, 100, &database_, pulse_};
    try {
      return engine_.parse(typed, style);
    } catch (const Error& e) {
      if (!style.partial || e.code() != Errc::kInvalidArgument) throw;
      for (const std::string_view sign : kSigns) replace_all(typed, sign, " ");
      return engine_.parse(typed, style);
    }
  }

  /// Only the documents that have all labels, and one of each other kind, that are asked for.
  Query filtered(const Query& query) const {
    std::vector<Query> all;
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

    const auto one_of = [&](const std::vector<std::string>& values, FacetTable::Kind kind) {
      std::vector<Query> any;
      for (const std::string& value : values) {
        const bool is_language = kind == FacetTable::kLanguages;
        any.push_back(has_one_of(prefix(kind), is_language ? language_spellings(value)
                                                           : std::vector<std::string>{value}));
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
    const std::string name = sort.substr(descending ? 1 : 0);
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
    Query query, first;

    Query all() const { return first.empty() ? query : Query(Query::OP_OR, query, first); }
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
    enquire.set_query(with_pulse(filtered(query), pulse_));
    set_order(enquire);
    const auto number = [](std::size_t n) { return static_cast<Xapian::doccount>(n); };
    const Xapian::MSet matches = enquire.get_mset(number(offset), number(limit), number(counted));
    for (auto match = matches.begin(); match != matches.end(); ++match) {
      asking_pulse_();
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
    std::size_t shown = 0, looked_at = 0;
    while (shown < wanted && looked_at == ranked.size() && looked_at < kDeepest) {
      looked_at = std::min(std::max(wanted, 2 * looked_at), kDeepest);
      ranked.clear();
      for_each_match(ranking, 0, looked_at,
                     [&](const auto&, const auto& match) { ranked.push_back(*match); });
      folds = engine_.fold(ranked, similarity, asking_pulse_);
      shown = 0;
      for (std::size_t rank = 0; rank < folds.size(); ++rank)
        shown += folds[rank].shown_by == rank ? 1 : 0;
    }

    shown = 0;
    for (std::size_t rank = 0; rank < folds.size(); ++rank) {
      const std::size_t shown_by = folds[rank].shown_by;
      if (shown_by == rank && ++shown > wanted) break;
      if (shown_by == rank) continue;
      folded_.insert(ranked[rank]);
      stands_for_[ranked[shown_by]].push_back({ranked[rank], folds[rank].similarity});
    }
  }

  /// Appends documents to the answer, without those that are folded.
  void append(const Ranking& ranking, const Xapian::Stem& stems, std::size_t offset,
              std::size_t limit) {
    const Query all = ranking.all();
    const TermSet asked(all.get_terms_begin(), all.get_terms_end());
    // The ranks of those that are not folded begin at 0, too.
    const bool folds = !folded_.empty();
    std::size_t rank = folds ? 0 : offset;
    for_each_match(ranking, rank, limit + offset - rank + folded_.size(),
                   [&](const Xapian::MSet& matches, const Xapian::MSetIterator& match) {
                     if (folded_.contains(*match) || rank++ < offset || documents_.size() == limit)
                       return;
                     documents_.push_back(matching_document(matches, match, stems, asked));
                   });
  }

  api::FoundDocument matching_document(const Xapian::MSet& matches,
                                       const Xapian::MSetIterator& match, const Xapian::Stem& stems,
                                       const TermSet& asked) const {
    const Xapian::Document document = with_data(match.get_document());
    api::FoundDocument found = found_document(document);
    found.score = asked_.sort == "relevance" ? match.get_weight() : 0;
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

    const auto table = engine_.facets(database_, fields_, asking_pulse_);
    FacetCounts counts = table->count(database_, with_pulse(filtered(query), pulse_), kCounted);
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
        const bool is_number = fields_[i].number;
        facets.values[i].second.push_back(
            {is_number ? decimal(facet.value) : facet.value, facet.documents});
      }
    }
    if (!asked_.units) return facets;
    for (const Facet& facet : most_frequent(FacetTable::kUnits, SIZE_MAX))
      facets.unit->push_back({number_of(facet.value), facet.documents});
    return facets;
  }

  /// A value of numbers in digits.
  static std::string decimal(const std::string& bytes) {
    return Json(Xapian::sortable_unserialise(bytes)).dump();
  }

  std::string topic_name(std::uint32_t number) const {
    const TopicMap* const map = map_.get([this] { return topic_map_of(engine_); }).get();
    const bool is_known = map != nullptr && number >= 1 && number <= map->topics.size();
    return is_known ? map->topics[number - 1].name : "";
  }

  StoredTags tags_of(const Xapian::Document& document) const {
    try {
      return read_tags(document, settings_);
    } catch (const Xapian::DocNotFoundError&) {  // the index does not keep the terms of documents
      StoredTags tags;
      tags.id = settings_.index.id_in_data ? id_in_data(document.get_data(), settings_.index)
                                           : std::to_string(document.get_docid());
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
    const std::string &language = terms[0], &topic = terms[1];
    if (!language.empty()) found.language = language;
    const std::uint32_t number = number_of(topic);
    if (number > 0) found.topic = {number, topic_name(number)};
    for (const ValueField& field : fields_) {
      const std::string value = document.get_value(field.slot);
      if (value.empty()) continue;
      const Json json = field.number ? Json(Xapian::sortable_unserialise(value)) : text_json(value);
      found.values.push_back({field.name, {json.dump()}});
    }

    // What it says as a line, but for the tag itself.
    Json line = object_json(found, {});
    line.erase("etag");
    found.etag = '"' + checksum_text(stored.data + tags.prediction + json_line(line)) + '"';
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
    if (const auto mirrored = engine_.docid_of(id)) return *mirrored;
    const Xapian::docid docid = number_of(id);
    if (docid > 0 && tags_of(database_.get_document(docid)).id == id) return docid;
    throw Xapian::DocNotFoundError(id);
  }

  api::FoundDocument whole_document(const Xapian::Document& document) const {
    const Xapian::Document kept = with_data(document);
    const std::string data = kept.get_data();
    api::FoundDocument found = found_document(kept);
    const auto own = kept_record(data, found.id);
    found.text = own ? own->record.text : std::string(document_field(data, "sample"));
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

  const Engine& engine_;
  const api::SearchRequest& asked_;
  const Pulse& pulse_;         // of the matcher, which may have none
  const Pulse& asking_pulse_;  // of everything else
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

api::SearchAnswer answer(Asking& asking, const api::SearchRequest& asked) {
  api::SearchAnswer answer;
  asking.reading().read_latest([&](const Xapian::Database& database) {
    answer = where_sources_may(asking.pulse, [&](const Pulse& pulse) {
      Search search(asking, asked, database, pulse);
      return asked.ids ? search.documents() : search.answer();
    });
    static_cast<Origin&>(answer) = {revision_of(database)};
  });
  return answer;
}

}  // namespace kindred
