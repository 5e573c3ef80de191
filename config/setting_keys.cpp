#include "config/setting_keys.h"

#include <filesystem>
#include <system_error>
#include <type_traits>
#include <utility>

#include "config/shown.h"

namespace kindred {

namespace {

using Entry = std::pair<std::string, SettingField>;

/// Every setting: its key, "section.key", and where its value is. This is the only list of keys.
std::vector<Entry> entries_of(Settings& s) {
  return {
      {"analyzer.language", &s.analyzer.language},
      {"analyzer.fold_accents", &s.analyzer.fold_accents},
      {"analyzer.filters", &s.analyzer.filters},
      {"analyzer.stop_words", &s.analyzer.stop_words},
      {"analyzer.stem_overrides", &s.analyzer.stem_overrides},
      {"analyzer.lemmas", &s.analyzer.lemmas},
      {"analyzer.compounds", &s.analyzer.compounds},
      {"analyzer.cjk", &s.analyzer.cjk},
      {"analyzer.detect", &s.analyzer.detect},
      {"analyzer.languages", &s.analyzer.languages},
      {"analyzer.ngrams", &s.analyzer.ngrams},
      {"analyzer.units", &s.analyzer.units},
      {"index.profile", &s.index.profile},
      {"index.id_prefix", &s.index.id_prefix},
      {"index.not_ids", &s.index.not_ids},
      {"index.id_scheme", &s.index.id_scheme},
      {"index.directory", &s.index.directory},
      {"index.title_fields", &s.index.title_fields},
      {"index.title_slot", &s.index.title_slot},
      {"index.title_boost", &s.index.title_boost},
      {"index.body_fields", &s.index.body_fields},
      {"index.stemmed_words", &s.index.stemmed_words},
      {"index.term_generator", &s.index.term_generator},
      {"index.positions", &s.index.positions},
      {"index.batch", &s.index.batch},
      {"index.sample_bytes", &s.index.sample_bytes},
      {"index.read_only", &s.index.read_only},
      {"write.wait", &s.write.wait},
      {"write.other_user", &s.write.other_user},
      {"ingest.commit_seconds", &s.ingest.commit_seconds},
      {"ingest.on_failure", &s.ingest.on_failure},
      {"ingest.dead_letters", &s.ingest.dead_letters},
      {"ingest.near_duplicates", &s.ingest.near_duplicates},
      {"labels.prefix", &s.labels.prefix},
      {"labels.system", &s.labels.system},
      {"labels.predicted_prefix", &s.labels.predicted_prefix},
      {"labels.rejected_prefix", &s.labels.rejected_prefix},
      {"labels.prediction_slot", &s.labels.prediction_slot},
      {"labels.max_per_document", &s.labels.max_per_document},
      {"mirror.term_prefixes", &s.mirror.term_prefixes},
      {"mirror.follow", &s.mirror.follow},
      {"mirror.max_staleness_ms", &s.mirror.max_staleness_ms},
      {"mirror.save", &s.mirror.save},
      {"mirror.directory", &s.mirror.directory},
      {"weighting.smart", &s.weighting.smart},
      {"classify.neighbors", &s.classify.neighbors},
      {"classify.min_confidence", &s.classify.min_confidence},
      {"classify.limit", &s.classify.limit},
      {"classify.never", &s.classify.never},
      {"classify.vote", &s.classify.vote},
      {"classify.min_similarity", &s.classify.min_similarity},
      {"classify.prototypes", &s.classify.prototypes},
      {"classify.use_tuning", &s.classify.use_tuning},
      {"classify.auto_tune", &s.classify.auto_tune},
      {"filter.fields", &s.filter.fields},
      {"filter.text_fields", &s.filter.text_fields},
      {"related.slot", &s.related.slot},
      {"backend.kind", &s.backend.kind},
      {"backend.threads", &s.backend.threads},
      {"backend.devices", &s.backend.devices},
      {"backend.memory_mb", &s.backend.memory_mb},
      {"topics.min_df", &s.topics.min_df},
      {"topics.memory_mb", &s.topics.memory_mb},
      {"topics.on_ingest", &s.topics.on_ingest},
      {"topics.prefix", &s.topics.prefix},
      {"topics.unit_prefix", &s.topics.unit_prefix},
      {"topics.slot", &s.topics.slot},
  };
}

/// A TOML string.
std::string toml_string(std::string_view text) {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  std::string quoted = "\"";

  // What a basic string of TOML must escape: control characters, quotes and backslashes.
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      quoted.append("\\u00").append({kHexDigits[byte >> 4], kHexDigits[byte & 15]});
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

bool is_word_list(std::string_view key) {
  return key == "analyzer.stem_overrides" || key == "analyzer.stop_words";
}

/// An item of a list: paths are made absolute.
std::string toml_item(std::string_view key, const std::string& item) {
  if (key != "analyzer.lemmas" && key != "analyzer.compounds") return toml_string(item);

  // "LANGUAGE=hunspell", "LANGUAGE=hunspell:NAME" or "LANGUAGE=PATH": a name is none of a file, and
  // stays.
  constexpr std::string_view kHunspell = "hunspell:";
  std::size_t path = item.find('=') + 1;
  const std::string_view where = std::string_view(item).substr(path);
  const bool has_name = where.starts_with(kHunspell);
  if (where == "hunspell" || (has_name && where.find('/') == std::string_view::npos))
    return toml_string(item);

  if (has_name) path += kHunspell.size();
  std::error_code ignored;
  return toml_string(item.substr(0, path) +
                     std::filesystem::absolute(item.substr(path), ignored).string());
}

std::string toml_of(std::string_view key, const std::string& value) {
  const bool is_name = value.empty() || value == "builtin" || value == "none";

  std::error_code ignored;
  if (is_name || !is_word_list(key)) return toml_string(value);
  return toml_string(std::filesystem::absolute(value, ignored).string());
}

std::string toml_of(std::string_view key, const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& item : list) append_item(text, toml_item(key, item));
  return "[" + text + "]";
}

std::string toml_of(std::string_view, const DeviceList& devices) {
  if (devices.all) return toml_string(kAllDevices);
  std::string text;
  for (const std::int64_t number : devices.numbers) append_item(text, std::to_string(number));
  return "[" + text + "]";
}

std::string toml_of(std::string_view, bool value) { return value ? "true" : "false"; }
std::string toml_of(std::string_view, std::int64_t value) { return std::to_string(value); }
std::string toml_of(std::string_view, double value) { return number_text(value); }

template <typename T>
bool assign(const toml::node& node, T& field) {
  // A whole number is a number, too; nothing else is taken for another type.
  const bool may_convert = std::is_same_v<T, double> && node.is_integer();
  const auto value = may_convert ? node.value<T>() : node.value_exact<T>();

  if (value) field = *value;
  return value.has_value();
}

template <typename T>
bool assign(const toml::node& node, std::vector<T>& field) {
  const toml::array* list = node.as_array();
  if (list == nullptr) return false;

  field.clear();
  for (const toml::node& item : *list)
    if (!assign(item, field.emplace_back())) return false;
  return true;
}

bool assign(const toml::node& node, DeviceList& devices) {
  devices.all = node.value_exact<std::string>() == kAllDevices;
  return devices.all || assign(node, devices.numbers);
}

}  // namespace

const std::vector<std::string>& known_keys() {
  // The keys are in the list of fields alone, so one of the defaults is made to read them.
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> list;
    Settings settings;
    for (const Entry& entry : entries_of(settings)) list.push_back(entry.first);
    return list;
  }();
  return keys;
}

std::map<std::string, SettingField> fields_of(Settings& settings) {
  const std::vector<Entry> entries = entries_of(settings);
  return {entries.begin(), entries.end()};
}

bool equal_values(const SettingField& a, const SettingField& b) {
  return std::visit(
      [&](auto* value) {
        return *value == *std::get<decltype(value)>(b);
      },
      a);
}

std::string toml_value(std::string_view key, const SettingField& field) {
  return std::visit(
      [&](const auto* value) {
        return toml_of(key, *value);
      },
      field);
}

std::string_view expected_type(const SettingField& field) {
  constexpr std::string_view kTypes[] = {
      "a string", "true or false",     "a whole number",
      "a number", "a list of strings", "a list of whole numbers, or \"all\""};
  return kTypes[field.index()];
}

bool assign_value(const toml::node& node, const SettingField& field) {
  return std::visit(
      [&](auto* value) {
        return assign(node, *value);
      },
      field);
}

}  // namespace kindred
