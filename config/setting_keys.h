#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/settings.h"
#include "config/toml.h"

namespace kindred {

/// Calls visit(section, key, field) for every setting. This is the only list of keys.
template <typename S, typename Visit>
void visit_settings(S& s, Visit&& visit) {
  visit("analyzer", "language", s.analyzer.language);
  visit("analyzer", "fold_accents", s.analyzer.fold_accents);
  visit("analyzer", "filters", s.analyzer.filters);
  visit("analyzer", "stop_words", s.analyzer.stop_words);
  visit("analyzer", "stem_overrides", s.analyzer.stem_overrides);
  visit("analyzer", "lemmas", s.analyzer.lemmas);
  visit("analyzer", "compounds", s.analyzer.compounds);
  visit("analyzer", "cjk", s.analyzer.cjk);
  visit("analyzer", "detect", s.analyzer.detect);
  visit("analyzer", "languages", s.analyzer.languages);
  visit("analyzer", "ngrams", s.analyzer.ngrams);
  visit("analyzer", "units", s.analyzer.units);
  visit("index", "profile", s.index.profile);
  visit("index", "id_prefix", s.index.id_prefix);
  visit("index", "not_ids", s.index.not_ids);
  visit("index", "id_scheme", s.index.id_scheme);
  visit("index", "directory", s.index.directory);
  visit("index", "title_fields", s.index.title_fields);
  visit("index", "title_slot", s.index.title_slot);
  visit("index", "title_boost", s.index.title_boost);
  visit("index", "body_fields", s.index.body_fields);
  visit("index", "stemmed_words", s.index.stemmed_words);
  visit("index", "term_generator", s.index.term_generator);
  visit("index", "positions", s.index.positions);
  visit("index", "batch", s.index.batch);
  visit("index", "sample_bytes", s.index.sample_bytes);
  visit("index", "read_only", s.index.read_only);
  visit("write", "wait", s.write.wait);
  visit("ingest", "commit_seconds", s.ingest.commit_seconds);
  visit("ingest", "on_failure", s.ingest.on_failure);
  visit("ingest", "dead_letters", s.ingest.dead_letters);
  visit("ingest", "near_duplicates", s.ingest.near_duplicates);
  visit("labels", "prefix", s.labels.prefix);
  visit("labels", "system", s.labels.system);
  visit("labels", "predicted_prefix", s.labels.predicted_prefix);
  visit("labels", "rejected_prefix", s.labels.rejected_prefix);
  visit("labels", "prediction_slot", s.labels.prediction_slot);
  visit("mirror", "term_prefixes", s.mirror.term_prefixes);
  visit("mirror", "follow", s.mirror.follow);
  visit("mirror", "max_staleness_ms", s.mirror.max_staleness_ms);
  visit("mirror", "save", s.mirror.save);
  visit("mirror", "directory", s.mirror.directory);
  visit("weighting", "smart", s.weighting.smart);
  visit("classify", "k", s.classify.k);
  visit("classify", "threshold", s.classify.threshold);
  visit("classify", "max_labels", s.classify.max_labels);
  visit("classify", "never", s.classify.never);
  visit("classify", "vote", s.classify.vote);
  visit("classify", "min_similarity", s.classify.min_similarity);
  visit("classify", "prototypes", s.classify.prototypes);
  visit("classify", "use_tuning", s.classify.use_tuning);
  visit("classify", "auto_tune", s.classify.auto_tune);
  visit("filter", "fields", s.filter.fields);
  visit("filter", "text_fields", s.filter.text_fields);
  visit("related", "slot", s.related.slot);
  visit("backend", "kind", s.backend.kind);
  visit("backend", "threads", s.backend.threads);
  visit("backend", "devices", s.backend.devices);
  visit("backend", "memory_mb", s.backend.memory_mb);
  visit("topics", "min_df", s.topics.min_df);
  visit("topics", "memory_mb", s.topics.memory_mb);
  visit("topics", "on_ingest", s.topics.on_ingest);
  visit("topics", "prefix", s.topics.prefix);
  visit("topics", "unit_prefix", s.topics.unit_prefix);
  visit("topics", "slot", s.topics.slot);
}

/// "section.key" of every setting, in the order of visit_settings().
const std::vector<std::string>& known_keys();

/// Where the value of a setting is.
using SettingField = std::variant<std::string*, bool*, std::int64_t*, double*,
                                  std::vector<std::string>*, DeviceList*>;

/// "section.key" -> its value in `settings`.
std::map<std::string, SettingField> fields_of(Settings& settings);

/// Both are values of one key.
bool equal_values(const SettingField& a, const SettingField& b);

/// The value of backend.devices that stands for all.
inline constexpr std::string_view kAllDevices = "all";

/// The value of a key ("section.key") as TOML. Paths are made absolute.
std::string toml_value(std::string_view key, const SettingField& field);

/// What a value of this type is called in messages.
std::string_view expected_type(const SettingField& field);

/// Stores the node in the field; false if its type is not the field's.
bool assign_value(const toml::node& node, const SettingField& field);

}  // namespace kindred
