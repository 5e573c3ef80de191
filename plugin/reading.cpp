#include "plugin/reading.h"

#include "plugin/documents/analyzed_text.h"
#include "plugin/documents/stem_words.h"
#include "plugin/index_state.h"
#include "plugin/query/label_style.h"
#include "plugin/query/pulse_source.h"
#include "plugin/query/query_parser.h"
#include "plugin/related/document_groups.h"
#include "plugin/search/search.h"
#include "plugin/store/database.h"

namespace kindred {

Reading::Reading(const Engine& engine)
    : index(engine.impl_->index),
      snapshot(engine.impl_->pinned ? engine.impl_->pinned : index->current_snapshot.get()) {}

MirroredDatabase& Reading::database() const { return index->database; }

Reading::Filtered Reading::allowed(const std::string& filter, const Pulse& pulse) const {
  return filter.empty() ? nullptr : database().matching(*snapshot, filter, pulse);
}

std::vector<std::string> Reading::words(const std::vector<std::string>& terms,
                                        const Pulse& pulse) const {
  const auto read = [&](const Xapian::Database& opened) {
    return words_of_terms(opened, terms, mirror().prefixes, database().analyzers(),
                          snapshot->words(), pulse);
  };
  return database().read("cannot read its words", read, pulse);
}

api::SearchAnswer Reading::search(const api::SearchRequest& request, const Pulse& pulse) const {
  const SearchIndex searched{snapshot, settings(), database().analyzers(), index->facets, [this] {
                               return topic_map();
                             }};

  api::SearchAnswer answer;
  database().read_latest("cannot search", [&](const Xapian::Database& opened) {
    answer = where_sources_may(pulse, [&](const Pulse& matcher_pulse) {
      return kindred::search(searched, opened, request, pulse, matcher_pulse);
    });
    static_cast<Origin&>(answer) = {revision_of(opened)};
  });
  return answer;
}

ParsedQuery Reading::parse(const std::string& query, const QueryStyle& style) const {
  const auto analyzer = database().analyzers().lease_for_query(query);
  QueryStyle named = style;
  if (!named.label_of) set_labels(named, mirror(), snapshot->vocabulary().get());
  return parse_query(query, mirror().prefixes, settings(), *analyzer, named);
}

api::AnalyzeAnswer Reading::analyze(const std::string& text, const std::string& language) const {
  api::AnalyzeAnswer answer =
      analyze_text(text, language, mirror().prefixes, database().analyzers());
  static_cast<Origin&>(answer) = origin();
  return answer;
}

std::string Reading::id_of(Xapian::docid docid) const {
  std::string id;
  if (mirror().has(docid)) id = mirror().id_of(docid);
  if (id.empty()) return std::to_string(docid);
  return id;
}

std::vector<std::string> Reading::labels() const {
  const LabelTable& labels = mirror().labels;
  std::vector<std::string> names;
  for (const std::uint32_t label : labels.order) names.emplace_back(labels.names[label]);
  return names;
}

std::string Reading::label_name(const std::string& label,
                                std::vector<std::string> languages) const {
  const Vocabulary* const vocabulary = snapshot->vocabulary().get();
  const auto term = vocabulary == nullptr ? std::nullopt : vocabulary->find(label);
  if (!term) return "";

  const std::vector<std::string>& usual = settings().vocabulary.languages;
  languages.insert(languages.end(), usual.begin(), usual.end());
  return std::string(vocabulary->name(*term, languages));
}

api::LabelsAnswer Reading::label_counts(const Pulse& pulse) const {
  return *database().label_counts(pulse);
}

std::unique_ptr<DocumentGroups> Reading::groups_of(const std::optional<std::string>& asked,
                                                   const DocumentSet* among) const {
  const std::string group = asked_group(asked, settings().related.group);
  if (group.empty()) return nullptr;
  return std::make_unique<DocumentGroups>(database(), *snapshot, group, among);
}

}  // namespace kindred
