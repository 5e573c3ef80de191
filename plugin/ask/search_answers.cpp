// The question "search": ranked documents with snippets, facets, and a query put right.

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/shown.h"
#include "gpu/on_demand.h"
#include "plugin/ask/asking.h"
#include "plugin/documents/document_tags.h"
#include "plugin/input/document_data.h"
#include "plugin/mirror/pulse_source.h"
#include "plugin/search/facets.h"
#include "plugin/search/query.h"
#include "plugin/search/words.h"
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

std::vector<ValueField> fields_of(const Json& asked) {
  std::vector<ValueField> fields;
  for (const Json& field : asked["values"])
    fields.push_back({field["name"], field["slot"], field["number"]});
  return fields;
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
  Search(const Asking& asking, const Xapian::Database& database, const Pulse& pulse)
      : engine_(asking.engine()),
        asked_(asking.request),
        pulse_(pulse),
        asking_pulse_(asking.pulse),
        database_(database),
        settings_(engine_.settings()),
        fields_(fields_of(asked_)) {}

  /// Documents by their ids, with their texts.
  Json documents() const {
    Json found = Json::array();
    for (const std::string& id : read_names(asked_["ids"])) {
      asking_pulse_();
      try {
        found.push_back(whole_document(database_.get_document(find(id))));
      } catch (const Xapian::DocNotFoundError&) {
        throw Error(Errc::kNotFound, "no document has the id '" + shortened(id) + "'");
      }
    }
    return {{"documents", std::move(found)}};
  }

  Json answer() {
    const std::string& typed = asked_["query"].get_ref<const std::string&>();
    const ParsedQuery parsed = parse(typed);
    Query query = parsed.query, first;
    if (asked_["sort"] == "relevance")
      first = named(database_, typed, typed_words(engine_.analyzers(), typed), settings_);
    const Xapian::Stem stems = stemmer(engine_.analyzers(), database_, typed);
    const auto asked_offset = asked_["offset"].get<std::size_t>();
    const auto asked_limit = asked_["limit"].get<std::size_t>();
    const std::size_t limit =
        asked_offset < kDeepest ? std::min<std::size_t>(asked_limit, database_.get_doccount()) : 0;
    const std::size_t offset = std::min(asked_offset, kDeepest);
    if (first.empty()) {
      append(query, stems, offset, limit, 0);
    } else {
      // Few documents, which are ranked by what their words say.
      append(Query(Query::OP_AND_MAYBE, first, query), stems, offset, limit, kDeepest);
      const std::size_t before = counts_.estimate, taken = documents_.size();
      append(Query(Query::OP_AND_NOT, query, first), stems, offset - std::min(offset, before),
             limit - taken, 0);
      query = Query(Query::OP_OR, query, first);
    }
    Json facets = count_facets(query);
    const std::string better =
        corrected(database_, typed, parsed.words, counts_.estimate, asking_pulse_);
    return {{"total", {{"estimate", counts_.estimate}, {"exact", counts_.exact}}},
            {"documents", std::move(documents_)},
            {"facets", std::move(facets)},
            {"counted", counts_.counted},
            {"correction", better.empty() ? Json() : Json(better)}};
  }

 private:
  std::string prefix(FacetTable::Kind kind) const { return FacetTable::prefix_of(kind, settings_); }

  /// A query that is still being written may have an open quote or bracket: then its words count.
  ParsedQuery parse(std::string typed) const {
    constexpr const char* kSigns = "\"():";
    if (typed.find_first_not_of(" \t\r\n") == std::string::npos)
      // Not Query::MatchAll: copies of it share a count that only one thread at a time may change.
      return {Query(std::string()), {}};
    const QueryStyle style{asked_["partial"], 100, &database_, pulse_};
    try {
      return engine_.parse(typed, style);
    } catch (const Error& e) {
      if (!style.partial || e.code() != Errc::kInvalidArgument) throw;
      for (std::size_t at = 0; (at = typed.find_first_of(kSigns, at)) != typed.npos;)
        typed[at] = ' ';
      return engine_.parse(typed, style);
    }
  }

  /// Only the documents that have all labels, and one of each other kind, that are asked for.
  Query filtered(const Query& query) const {
    std::vector<Query> all;
    for (const auto& [key, kinds] :
         {std::pair{"tag", std::vector{FacetTable::kLabels, FacetTable::kPredicted}},
          {"label", {FacetTable::kLabels}},
          {"predicted", {FacetTable::kPredicted}},
          {"topic", {FacetTable::kTopics}},
          {"unit", {FacetTable::kUnits}},
          {"language", {FacetTable::kLanguages}}}) {
      const bool is_label = kinds.front() <= FacetTable::kPredicted;
      std::vector<Query> each;
      for (const Json& value : asked_[key]) {
        const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        std::vector<Query> any;
        for (const FacetTable::Kind kind : kinds)
          any.push_back(has_one_of(prefix(kind), is_label ? label_spellings(read_name(text))
                                                          : std::vector<std::string>{text}));
        each.push_back(any_of(any));
      }
      if (!each.empty())
        all.push_back(is_label ? Query(Query::OP_AND, each.begin(), each.end()) : any_of(each));
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      std::vector<Query> each;
      for (const Json& value : asked_["values"][i]["any"])
        each.push_back(has_value(fields_[i], value.get<std::string>()));
      if (!each.empty()) all.push_back(any_of(each));
    }
    if (all.empty()) return query;
    return Query(Query::OP_FILTER, query, Query(Query::OP_AND, all.begin(), all.end()));
  }

  void set_order(Xapian::Enquire& enquire) const {
    const auto sort = asked_["sort"].get<std::string>();
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

  /// Appends documents to the answer. `counted`: if no more match, their number is exact.
  void append(const Query& query, const Xapian::Stem& stems, std::size_t offset, std::size_t limit,
              std::size_t counted) {
    const TermSet asked(query.get_terms_begin(), query.get_terms_end());
    Xapian::Enquire enquire(database_);
    enquire.set_query(with_pulse(filtered(query), pulse_));
    set_order(enquire);
    const auto number = [](std::size_t n) { return static_cast<Xapian::doccount>(n); };
    const Xapian::MSet matches = enquire.get_mset(number(offset), number(limit), number(counted));
    for (auto match = matches.begin(); match != matches.end(); ++match) {
      asking_pulse_();
      const Xapian::Document document = with_data(match.get_document());
      Json json = document_json(document);
      json["score"] = asked_["sort"] == "relevance" ? match.get_weight() : 0;
      json["snippet"] = Json::array();
      for (const auto& [text, hit] :
           make_snippet(matches, document_field(document.get_data(), "sample"), stems, asked))
        json["snippet"].push_back({{"text", text}, {"hit", hit}});
      documents_.push_back(std::move(json));
    }
    counts_.estimate += matches.get_matches_estimated();
    counts_.exact &= matches.get_matches_lower_bound() == matches.get_matches_upper_bound();
  }

  /// Also sets the counts.
  Json count_facets(const Query& query) {
    const auto most = asked_["facets"].get<std::size_t>();
    const bool units = asked_["units"].get<bool>();
    const auto table =
        most > 0 || units ? engine_.facets(database_, fields_, asking_pulse_) : nullptr;
    if (table) {
      FacetCounts counts = table->count(database_, with_pulse(filtered(query), pulse_), kCounted);
      if (counts_.exact) counts.estimate = counts_.estimate;
      counts.exact |= counts_.exact;
      counts_ = std::move(counts);
    }
    const auto list = [&](std::size_t kind, std::size_t limit, const auto& value_of) {
      return list_of(table ? table->most_frequent(counts_, kind, limit) : std::vector<Facet>(),
                     [&](const Facet& facet) -> Json {
                       return {{"value", value_of(facet.value)}, {"count", facet.documents}};
                     });
    };
    const auto number = [](const std::string& text) { return Json(number_of(text)); };
    const auto plain = [](const std::string& text) { return Json(written_name(text)); };
    const auto decimal = [](const std::string& bytes) {
      return Json(Json(Xapian::sortable_unserialise(bytes)).dump());
    };
    Json json = {{"label", Json::array()},
                 {"topic", list(FacetTable::kTopics, most, number)},
                 {"language", list(FacetTable::kLanguages, most, plain)},
                 {"values", Json::object()}};
    if (units) json["unit"] = list(FacetTable::kUnits, SIZE_MAX, number);
    for (Json& topic : json["topic"]) topic["name"] = topic_name(topic["value"]);
    if (table)
      for (const Facet& facet : table->most_frequent(counts_, FacetTable::kLabels, most))
        json["label"].push_back({{"value", written_name(facet.value)},
                                 {"documents", facet.documents},
                                 {"predicted", facet.predicted}});
    for (std::size_t i = 0; i < fields_.size(); ++i)
      json["values"][fields_[i].name] = fields_[i].number
                                            ? list(FacetTable::kIds + i, most, decimal)
                                            : list(FacetTable::kIds + i, most, plain);
    return json;
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

  Json document_json(const Xapian::Document& document) const {
    const StoredTags tags = tags_of(document);
    const StoredDocument stored = stored_document(document, tags, settings_.index);
    Json json = {{"id", written_name(stored.id)},
                 {"docid", stored.docid},
                 {"title", document_heading(document, settings_.index)},
                 {"labels", names_json(stored.labels)},
                 {"predicted", tags_json(stored.predicted)},
                 {"topic", nullptr},
                 {"language", nullptr},
                 {"values", Json::object()}};
    const std::vector<std::string> terms =
        first_values(document, {prefix(FacetTable::kLanguages), prefix(FacetTable::kTopics)});
    const std::string &language = terms[0], &topic = terms[1];
    if (!language.empty()) json["language"] = language;
    const std::uint32_t number = number_of(topic);
    if (number > 0) json["topic"] = {{"number", number}, {"name", topic_name(number)}};
    for (const ValueField& field : fields_) {
      const std::string value = document.get_value(field.slot);
      if (value.empty()) continue;
      json["values"][field.name] =
          field.number ? Json(Xapian::sortable_unserialise(value)) : Json(value);
    }
    json["etag"] = '"' + checksum_text(stored.data + tags.prediction + json_line(json)) + '"';
    return json;
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
    if (!docids.empty()) return docids.front();
    if (const auto mirrored = engine_.docid_of(id)) return *mirrored;
    const Xapian::docid docid = number_of(id);
    if (docid > 0 && tags_of(database_.get_document(docid)).id == id) return docid;
    throw Xapian::DocNotFoundError(id);
  }

  Json whole_document(const Xapian::Document& document) const {
    const Xapian::Document kept = with_data(document);
    const std::string data = kept.get_data();
    Json json = document_json(kept);
    json["text"] = document_field(data, "sample");
    Json& fields = json["fields"] = Json::object();
    for (const auto& [name, value] : document_fields(data))
      if (!fields.contains(name)) fields[name] = value;
    for (const char* shown : {"id", "lang", "label", "sample"}) fields.erase(shown);
    for (const std::string& title : settings_.index.title_fields) fields.erase(title);
    return json;
  }

  const Engine& engine_;
  const Json& asked_;
  const Pulse& pulse_;         // of the matcher, which may have none
  const Pulse& asking_pulse_;  // of everything else
  const Xapian::Database& database_;
  const Settings& settings_;
  const std::vector<ValueField> fields_;
  Lazy<std::shared_ptr<const TopicMap>> map_;  ///< for topics that are named
  Json documents_ = Json::array();
  FacetCounts counts_;
};

/// Documents of the page that are nearly the same become one: the first of them.
void fold(const Engine& engine, double similarity, const Pulse& pulse, Json& documents) {
  DuplicateRequest request;
  request.pulse = pulse;
  request.threshold = similarity;
  for (const Json& document : documents) {
    const auto id = document["id"].get<std::string>();
    if (id.find('"') == id.npos) request.filter += "id:\"" + read_name(id) + "\" ";
  }
  if (request.filter.empty()) return;
  std::map<Xapian::docid, std::pair<std::size_t, double>> group_of;
  const std::vector<DuplicateGroup> groups = engine.duplicates(request).groups;
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const Duplicate& document : groups[i].documents)
      group_of[document.docid] = {i, shortest(groups[i].least)};
  Json kept = Json::array();
  std::map<std::size_t, std::size_t> first;  // by group: where it is in `kept`
  for (Json& document : documents) {
    document["duplicates"] = Json::array();
    const auto group = group_of.find(document["docid"].get<Xapian::docid>());
    if (group == group_of.end() || first.emplace(group->second.first, kept.size()).second) {
      kept.push_back(std::move(document));
      continue;
    }
    kept[first[group->second.first]]["duplicates"].push_back(
        {{"id", document["id"]},
         {"title", document["title"]},
         {"similarity", group->second.second}});
  }
  documents = std::move(kept);
}

}  // namespace

Json answer_search(Asking& asking) {
  Json answer;
  asking.engine().read_latest([&](const Xapian::Database& database) {
    asking.revision = revision_of(database);
    answer = where_sources_may(asking.pulse, [&](const Pulse& pulse) {
      Search search(asking, database, pulse);
      return asking.request.contains("ids") ? search.documents() : search.answer();
    });
  });
  const auto similarity = asking.request["fold"].get<double>();
  if (similarity > 0) fold(asking.engine(), similarity, asking.pulse, answer["documents"]);
  return answer;
}

}  // namespace kindred
