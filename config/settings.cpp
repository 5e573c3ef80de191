#include "config/settings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iomanip>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <type_traits>
#include <variant>

#include "config/error.h"
#include "config/nearest_word.h"
#include "config/profiles.h"
#include "config/regular_file.h"
#include "config/smart_letters.h"
#include "config/toml.h"
#include "config/toml_text.h"
#include "config/vote_names.h"

namespace kindred {
namespace {

/// Calls visit(section, key, field) for every setting. This is the only list of keys.
template <typename S, typename Visit>
void visit_settings(S& s, Visit&& visit) {
  visit("analyzer", "language", s.analyzer.language);
  visit("analyzer", "fold_accents", s.analyzer.fold_accents);
  visit("analyzer", "filters", s.analyzer.filters);
  visit("analyzer", "min_word_length", s.analyzer.min_word_length);
  visit("analyzer", "max_word_length", s.analyzer.max_word_length);
  visit("analyzer", "max_word_bytes", s.analyzer.max_word_bytes);
  visit("analyzer", "numbers", s.analyzer.numbers);
  visit("analyzer", "stop_words", s.analyzer.stop_words);
  visit("analyzer", "protected_words", s.analyzer.protected_words);
  visit("analyzer", "stem_overrides", s.analyzer.stem_overrides);
  visit("analyzer", "lemmas", s.analyzer.lemmas);
  visit("analyzer", "compounds", s.analyzer.compounds);
  visit("analyzer", "dictionaries", s.analyzer.dictionaries);
  visit("analyzer", "cjk", s.analyzer.cjk);
  visit("analyzer", "detect", s.analyzer.detect);
  visit("analyzer", "detect_confidence", s.analyzer.detect_confidence);
  visit("analyzer", "languages", s.analyzer.languages);
  visit("analyzer", "ngrams", s.analyzer.ngrams);
  visit("analyzer", "units", s.analyzer.units);
  visit("analyzer", "whole_tokens", s.analyzer.whole_tokens);
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
  visit("index", "positions", s.index.positions);
  visit("index", "batch", s.index.batch);
  visit("index", "sample_bytes", s.index.sample_bytes);
  visit("index", "max_line_mb", s.index.max_line_mb);
  visit("index", "read_only", s.index.read_only);
  visit("ingest", "threads", s.ingest.threads);
  visit("ingest", "queue", s.ingest.queue);
  visit("ingest", "queue_mb", s.ingest.queue_mb);
  visit("ingest", "batch_mb", s.ingest.batch_mb);
  visit("ingest", "commit_seconds", s.ingest.commit_seconds);
  visit("ingest", "on_failure", s.ingest.on_failure);
  visit("ingest", "dead_letters", s.ingest.dead_letters);
  visit("ingest", "near_duplicates", s.ingest.near_duplicates);
  visit("labels", "prefix", s.labels.prefix);
  visit("labels", "system", s.labels.system);
  visit("labels", "predicted_prefix", s.labels.predicted_prefix);
  visit("labels", "rejected_prefix", s.labels.rejected_prefix);
  visit("labels", "pending_term", s.labels.pending_term);
  visit("labels", "opt_out_term", s.labels.opt_out_term);
  visit("labels", "tagged_term", s.labels.tagged_term);
  visit("labels", "prediction_slot", s.labels.prediction_slot);
  visit("labels", "learn_from_predicted", s.labels.learn_from_predicted);
  visit("mirror", "term_prefixes", s.mirror.term_prefixes);
  visit("mirror", "min_df", s.mirror.min_df);
  visit("mirror", "max_df", s.mirror.max_df);
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
  visit("classify", "similarity_power", s.classify.similarity_power);
  visit("classify", "min_similarity", s.classify.min_similarity);
  visit("classify", "abstain", s.classify.abstain);
  visit("classify", "rank_cut", s.classify.rank_cut);
  visit("classify", "prototypes", s.classify.prototypes);
  visit("classify", "use_tuning", s.classify.use_tuning);
  visit("classify", "auto_tune", s.classify.auto_tune);
  visit("filter", "fields", s.filter.fields);
  visit("filter", "text_fields", s.filter.text_fields);
  visit("related", "weights", s.related.weights);
  visit("related", "k", s.related.k);
  visit("related", "threshold", s.related.threshold);
  visit("related", "unlike_weight", s.related.unlike_weight);
  visit("related", "slot", s.related.slot);
  visit("backend", "kind", s.backend.kind);
  visit("backend", "threads", s.backend.threads);
  visit("backend", "device", s.backend.device);
  visit("backend", "devices", s.backend.devices);
  visit("backend", "layout", s.backend.layout);
  visit("backend", "memory_mb", s.backend.memory_mb);
  visit("backend", "coalesce_us", s.backend.coalesce_us);
  visit("topics", "rows", s.topics.rows);
  visit("topics", "columns", s.topics.columns);
  visit("topics", "epochs", s.topics.epochs);
  visit("topics", "lattice", s.topics.lattice);
  visit("topics", "seed", s.topics.seed);
  visit("topics", "count", s.topics.count);
  visit("topics", "min_df", s.topics.min_df);
  visit("topics", "partition", s.topics.partition);
  visit("topics", "memory_mb", s.topics.memory_mb);
  visit("topics", "on_ingest", s.topics.on_ingest);
  visit("topics", "prefix", s.topics.prefix);
  visit("topics", "unit_prefix", s.topics.unit_prefix);
  visit("topics", "slot", s.topics.slot);
}

const std::vector<std::string>& known_keys() {
  static const std::vector<std::string> keys = [] {
    std::vector<std::string> list;
    Settings settings;
    visit_settings(settings, [&](std::string_view section, std::string_view key, auto&) {
      list.push_back(std::string(section) + "." + std::string(key));
    });
    return list;
  }();
  return keys;
}

/// A TOML string.
std::string toml_string(std::string_view text) {
  std::ostringstream out;
  out << '"' << std::hex << std::setfill('0');
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out << '\\' << c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out << "\\u" << std::setw(4) << static_cast<unsigned>(byte);
    } else {
      out << c;
    }
  }
  return out.str() + '"';
}

constexpr std::string_view kAllDevices = "all";
constexpr std::int64_t kLastDevice = 255;
constexpr std::size_t kMostDevices = 64;

bool is_word_list(std::string_view key) {
  return key == "analyzer.protected_words" || key == "analyzer.stem_overrides" ||
         key == "analyzer.stop_words";
}

/// True for "hunspell" and "hunspell:NAME" (AnalyzerSettings::lemmas).
bool is_hunspell(std::string_view where) {
  return where == "hunspell" || where.starts_with("hunspell:");
}

/// The value of a key as TOML.
std::string toml_value(std::string_view key, const std::string& value) {
  const bool is_name = value.empty() || value == "builtin" || value == "none";
  std::error_code ignored;
  if (is_name || !is_word_list(key)) return toml_string(value);
  return toml_string(std::filesystem::absolute(value, ignored).string());
}

/// An item of a list: paths are made absolute.
std::string toml_item(std::string_view key, const std::string& item) {
  const bool by_language = key == "analyzer.lemmas" || key == "analyzer.compounds";
  const std::size_t path = by_language ? item.find('=') + 1 : 0;
  const bool is_dictionary = by_language && is_hunspell(std::string_view(item).substr(path));
  if (is_dictionary || (!by_language && key != "analyzer.dictionaries")) return toml_string(item);
  std::error_code ignored;
  return toml_string(item.substr(0, path) +
                     std::filesystem::absolute(item.substr(path), ignored).string());
}

std::string toml_value(std::string_view key, const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& item : list) text += (text.empty() ? "" : ", ") + toml_item(key, item);
  return "[" + text + "]";
}

std::string toml_value(std::string_view, const DeviceList& devices) {
  if (devices.all) return toml_string(kAllDevices);
  std::string text;
  for (const std::int64_t number : devices.numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

template <typename Number>
std::string toml_value(std::string_view, Number value) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  text << std::boolalpha << value;
  return text.str();
}

using Field = std::variant<std::string*, bool*, std::int64_t*, double*, std::vector<std::string>*,
                           DeviceList*>;

/// Key -> its value in `settings`.
std::map<std::string, Field> fields_of(Settings& settings) {
  std::map<std::string, Field> fields;
  visit_settings(settings, [&](std::string_view section, std::string_view key, auto& field) {
    fields[std::string(section) + "." + std::string(key)] = &field;
  });
  return fields;
}

/// Both are values of one key.
bool equal(const Field& a, const Field& b) {
  return std::visit([&](auto* value) { return *value == *std::get<decltype(value)>(b); }, a);
}

[[noreturn]] void fail(const std::string& file, const toml::source_region& where,
                       const std::string& what) {
  throw Error(Errc::kInvalidArgument, file + ":" + std::to_string(where.begin.line) + ": " + what);
}

std::string_view expected(const std::string&) { return "a string"; }
std::string_view expected(bool) { return "true or false"; }
std::string_view expected(std::int64_t) { return "a whole number"; }
std::string_view expected(double) { return "a number"; }
std::string_view expected(const std::vector<std::string>&) { return "a list of strings"; }
std::string_view expected(const DeviceList&) { return "a list of whole numbers, or \"all\""; }

bool assign_devices(const toml::node& node, DeviceList& devices) {
  devices = {};
  devices.all = node.value_exact<std::string>() == kAllDevices;
  const toml::array* const list = node.as_array();
  if (list == nullptr) return devices.all;
  for (const toml::node& item : *list) {
    const auto number = item.value_exact<std::int64_t>();
    if (!number) return false;
    devices.numbers.push_back(*number);
  }
  return true;
}

/// Stores the node in the field; false if its type is not the field's.
template <typename T>
bool assign(const toml::node& node, T& field) {
  if constexpr (std::is_same_v<T, DeviceList>) {
    return assign_devices(node, field);
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    const toml::array* list = node.as_array();
    if (list == nullptr) return false;
    field.clear();
    for (const toml::node& item : *list) {
      const auto text = item.value_exact<std::string>();
      if (!text) return false;
      field.push_back(*text);
    }
    return true;
  } else {
    auto value = node.value_exact<T>();
    if constexpr (std::is_same_v<T, double>) {
      if (!value && node.is_integer()) value = node.value<double>();
    }
    if (value) field = *value;
    return value.has_value();
  }
}

void require_known_keys(const toml::table& root, const std::string& name) {
  const auto& keys = known_keys();
  const auto unknown = [&](const toml::source_region& where, const std::string& key) {
    fail(name, where, "unknown key '" + key + "'; did you mean '" + nearest_of(key, keys) + "'?");
  };
  for (const auto& [section, node] : root) {
    const std::string section_name(section.str());
    const toml::table* table = node.as_table();
    if (table == nullptr) {
      unknown(section.source(), section_name);
    } else {
      for (const auto& entry : *table) {
        const std::string key = section_name + "." + std::string(entry.first.str());
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
          unknown(entry.first.source(), key);
        }
      }
      const bool known = std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
        return key.starts_with(section_name + ".");
      });
      if (!known) unknown(section.source(), section_name);
    }
  }
}

/// One thing wrong with the settings: the key, and what it should have been.
struct Fault {
  std::string key;
  std::string expectation;
  std::string other_key = {};  ///< of two that do not go together
};

std::optional<Fault> check_prefix(const std::string& key, const std::string& prefix) {
  const bool upper =
      std::all_of(prefix.begin(), prefix.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool form = prefix.size() == 1 || (prefix.size() > 1 && prefix[0] == 'X');
  if (upper && form && prefix.size() <= 32) return {};
  return Fault{key, "one capital letter, or X and up to 31 more (got '" + prefix + "')"};
}

/// "n b s l L".
std::string spaced(std::string_view letters) {
  std::string text;
  for (const char letter : letters) text += (text.empty() ? "" : " ") + std::string{letter};
  return text;
}

std::optional<Fault> check_smart_letters(std::string_view smart) {
  const auto has = [](std::string_view letters, char c) {
    return letters.find(c) != std::string_view::npos;
  };
  if (smart.size() == 3 && has(kTfLetters, smart[0]) && has(kIdfLetters, smart[1]) &&
      has(kNormLetters, smart[2]))
    return {};
  return Fault{"weighting.smart", "three SMART letters: one of " + spaced(kTfLetters) +
                                      ", one of " + spaced(kIdfLetters) + ", and " +
                                      spaced(kNormLetters) + " (got '" + std::string(smart) + "')"};
}

std::optional<Fault> check_failure_policy(const IngestSettings& s) {
  const std::string& policy = s.on_failure;
  if (policy != "index_untagged" && policy != "reject" && policy != "dead_letter") {
    return Fault{"ingest.on_failure",
                 "index_untagged, reject or dead_letter (got '" + policy + "')"};
  }
  if (policy != "dead_letter" || !s.dead_letters.empty()) return {};
  return Fault{"ingest.dead_letters", "a file, because ingest.on_failure is dead_letter",
               "ingest.on_failure"};
}

std::optional<Fault> check_profile(const IndexSettings& s) {
  if (s.profile == "auto" || s.profile == "none" || find_profile(s.profile) != nullptr) return {};
  return Fault{"index.profile", "auto, none, " + listed_profiles() + " (got '" + s.profile + "')"};
}

std::optional<Fault> check_devices(const BackendSettings& s) {
  if (s.layout != "auto" && s.layout != "replicated" && s.layout != "sharded")
    return Fault{"backend.layout", "auto, replicated or sharded (got '" + s.layout + "')"};
  const auto is_wrong = [](std::int64_t number) { return number < 0 || number > kLastDevice; };
  const std::vector<std::int64_t>& numbers = s.devices.numbers;
  const auto wrong = std::find_if(numbers.begin(), numbers.end(), is_wrong);
  if (wrong != numbers.end())
    return Fault{"backend.devices", "numbers from 0 to " + std::to_string(kLastDevice) + " (got " +
                                        std::to_string(*wrong) + ")"};
  if (numbers.size() <= kMostDevices) return {};
  return Fault{"backend.devices", "at most " + std::to_string(kMostDevices) + " devices (got " +
                                      std::to_string(numbers.size()) + ")"};
}

std::optional<Fault> check_words(const Settings& s) {
  if (auto fault = check_profile(s.index)) return fault;
  const MirrorSettings& mirror = s.mirror;
  if (mirror.follow != "off" && mirror.follow != "auto" && mirror.follow != "poll")
    return Fault{"mirror.follow", "off, auto or poll (got '" + mirror.follow + "')"};
  if (mirror.save != "never" && mirror.save != "close" && mirror.save != "follow")
    return Fault{"mirror.save", "never, close or follow (got '" + mirror.save + "')"};
  if (auto fault = check_failure_policy(s.ingest)) return fault;
  if (s.backend.kind != "auto" && s.backend.kind != "cpu" && s.backend.kind != "cuda") {
    return Fault{"backend.kind", "auto, cpu or cuda (got '" + s.backend.kind + "')"};
  }
  if (auto fault = check_devices(s.backend)) return fault;
  if (std::find(kVoteNames.begin(), kVoteNames.end(), s.classify.vote) == kVoteNames.end()) {
    return Fault{"classify.vote", listed_vote_names() + " (got '" + s.classify.vote + "')"};
  }
  if (std::find(kRelatedWeightNames.begin(), kRelatedWeightNames.end(), s.related.weights) ==
      kRelatedWeightNames.end())
    return Fault{"related.weights",
                 "auto, smart, idf, labels or both (got '" + s.related.weights + "')"};
  if (s.topics.lattice != "hexagonal" && s.topics.lattice != "rectangular") {
    return Fault{"topics.lattice", "hexagonal or rectangular (got '" + s.topics.lattice + "')"};
  }
  if (auto fault = check_smart_letters(s.weighting.smart)) return fault;
  if (s.analyzer.cjk != "words" && s.analyzer.cjk != "bigrams")
    return Fault{"analyzer.cjk", "words or bigrams (got '" + s.analyzer.cjk + "')"};
  if (s.analyzer.detect != "off" && s.analyzer.detect != "document" &&
      s.analyzer.detect != "paragraphs")
    return Fault{"analyzer.detect",
                 "off, document or paragraphs (got '" + s.analyzer.detect + "')"};
  static const std::set<std::string> filters = {
      "elision",    "possessive",      "normalize",      "length", "numbers",
      "stop_words", "protected_words", "stem_overrides", "lemma",  "stem"};
  std::set<std::string> seen;
  for (const std::string& filter : s.analyzer.filters) {
    if (!filters.contains(filter)) {
      return Fault{"analyzer.filters", "known filters, not '" + filter + "'; did you mean '" +
                                           nearest_of(filter, {filters.begin(), filters.end()}) +
                                           "'?"};
    }
    if (!seen.insert(filter).second) {
      return Fault{"analyzer.filters", "each filter at most once ('" + filter + "' is repeated)"};
    }
  }
  return {};
}

std::optional<Fault> check_dictionary_items(const std::string& key,
                                            const std::vector<std::string>& items) {
  for (const std::string& item : items) {
    const std::size_t equals = item.find('=');
    const bool has_both = equals != std::string::npos && equals > 0 && equals + 1 < item.size();
    if (!has_both || item.ends_with("=hunspell:"))
      return Fault{
          key, "LANGUAGE=hunspell, LANGUAGE=hunspell:NAME or LANGUAGE=FILE (got '" + item + "')"};
  }
  return {};
}

std::optional<Fault> check_lemmas(const AnalyzerSettings& s) {
  if (auto fault = check_dictionary_items("analyzer.lemmas", s.lemmas)) return fault;
  if (auto fault = check_dictionary_items("analyzer.compounds", s.compounds)) return fault;
  const bool used = std::find(s.filters.begin(), s.filters.end(), "lemma") != s.filters.end();
  if (used || s.lemmas.empty()) return {};
  return Fault{"analyzer.filters", "'lemma' among them, since there are analyzer.lemmas",
               "analyzer.lemmas"};
}

/// Checks that ids, the tags of people, those of Kindred, topics and the marks on documents have
/// prefixes of their own, and none of those of stems (Z), titles (S) and languages (L).
std::optional<Fault> check_mark_prefixes(const Settings& s) {
  const LabelSettings& labels = s.labels;
  const std::array<std::pair<std::string, std::string>, 9> prefixes = {
      {{"index.id_prefix", s.index.id_prefix},
       {"labels.prefix", labels.prefix},
       {"labels.predicted_prefix", labels.predicted_prefix},
       {"labels.rejected_prefix", labels.rejected_prefix},
       {"labels.pending_term", labels.pending_term},
       {"labels.opt_out_term", labels.opt_out_term},
       {"labels.tagged_term", labels.tagged_term},
       {"topics.prefix", s.topics.prefix},
       {"topics.unit_prefix", s.topics.unit_prefix}}};
  for (auto later = prefixes.begin(); later != prefixes.end(); ++later) {
    if (auto fault = check_prefix(later->first, later->second)) return fault;
    if (later->second == "Z" || later->second == "S" || later->second == "L") {
      return Fault{later->first, "a prefix other than Z (stems), S (titles) and L (languages)"};
    }
    for (auto earlier = prefixes.begin(); earlier != later; ++earlier) {
      if (earlier->second == later->second) {
        return Fault{later->first, "a prefix other than " + earlier->first, earlier->first};
      }
    }
  }
  for (const auto& [key, prefix] : prefixes) {
    const auto& features = s.mirror.term_prefixes;
    if (std::find(features.begin(), features.end(), prefix) == features.end()) continue;
    return Fault{"mirror.term_prefixes", "prefixes other than " + key + ", which is not a feature",
                 key};
  }
  return {};
}

/// "NAME=PREFIX".
bool is_filter_field(std::string_view field) {
  const auto is_lower = [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; };
  const auto is_upper = [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto [name, prefix] = split_filter_field(field);
  const std::string_view letters = prefix.substr(0, prefix.size() - prefix.ends_with(':'));
  return !name.empty() && !letters.empty() && letters.size() <= 32 && letters[0] != '_' &&
         std::all_of(name.begin(), name.end(), is_lower) &&
         std::all_of(letters.begin(), letters.end(), is_upper);
}

std::optional<Fault> check_filter_fields(const FilterSettings& s) {
  std::set<std::string_view> names;
  for (const std::string& field : s.fields) names.insert(split_filter_field(field).first);
  for (const std::string& field : s.text_fields) {
    if (names.contains(split_filter_field(field).first))
      return Fault{"filter.text_fields",
                   "names other than those of filter.fields (got '" + field + "')",
                   "filter.fields"};
  }
  for (const auto& [key, fields] :
       {std::pair("filter.fields", &s.fields), std::pair("filter.text_fields", &s.text_fields)}) {
    const auto wrong = std::find_if_not(fields->begin(), fields->end(), is_filter_field);
    if (wrong != fields->end())
      return Fault{key, "NAME=PREFIX, a name of small letters and a prefix of capitals (got '" +
                            *wrong + "')"};
  }
  return {};
}

/// Checks that each key is one of the user's own, and named once.
std::optional<Fault> check_body_fields(const IndexSettings& s) {
  static const std::set<std::string_view> other = {
      "id", "title", "text", "terms", "vector", "lang", "labels", "rejected_labels", "auto_tag"};
  std::set<std::string_view> seen;
  for (const std::string& item : s.body_fields) {
    const BodyField field = body_field(item);
    if (field.times == 0 || other.contains(field.key) || !seen.insert(field.key).second)
      return Fault{"index.body_fields",
                   "KEY=TIMES, a further key of records, each once, and 1 to 1000 times (got '" +
                       item + "')"};
  }
  return {};
}

std::optional<Fault> check_prefixes(const Settings& s) {
  if (auto fault = check_mark_prefixes(s)) return fault;
  if (auto fault = check_filter_fields(s.filter)) return fault;
  for (const std::string& prefix : s.mirror.term_prefixes) {
    if (prefix.empty()) continue;
    // Z before another prefix means the stems of that field, as in ZS.
    const std::string bare = prefix.size() > 1 && prefix[0] == 'Z' ? prefix.substr(1) : prefix;
    if (auto fault = check_prefix("mirror.term_prefixes", bare)) return fault;
  }
  return {};
}

std::optional<Fault> check_ranges(const Settings& s) {
  struct Range {
    const char* key;
    double value, low, high;
  };
  constexpr double kLarge = 4294967295.0;
  const auto number = [](std::int64_t v) { return static_cast<double>(v); };
  const std::array ranges = {
      Range{"analyzer.min_word_length", number(s.analyzer.min_word_length), 1, 245},
      Range{"analyzer.max_word_length", number(s.analyzer.max_word_length),
            number(s.analyzer.min_word_length), 245},
      Range{"analyzer.max_word_bytes", number(s.analyzer.max_word_bytes), 1, 200},
      Range{"analyzer.detect_confidence", s.analyzer.detect_confidence, 0, 1},
      Range{"analyzer.ngrams", number(s.analyzer.ngrams), 1, 2},
      Range{"index.title_slot", number(s.index.title_slot), -1, kLarge - 1},
      Range{"index.title_boost", number(s.index.title_boost), 1, 1000},
      Range{"index.batch", number(s.index.batch), 1, 1e9},
      Range{"index.sample_bytes", number(s.index.sample_bytes), 0, 1e9},
      Range{"index.max_line_mb", number(s.index.max_line_mb), 1, 1e6},
      Range{"ingest.threads", number(s.ingest.threads), 0, 1024},
      Range{"ingest.queue", number(s.ingest.queue), 1, 1e6},
      Range{"ingest.queue_mb", number(s.ingest.queue_mb), 1, 1e6},
      Range{"ingest.batch_mb", number(s.ingest.batch_mb), 0, 1e6},
      Range{"ingest.commit_seconds", s.ingest.commit_seconds, 0, 1e6},
      Range{"ingest.near_duplicates", s.ingest.near_duplicates, 0, 1},
      Range{"labels.prediction_slot", number(s.labels.prediction_slot), 0, kLarge - 1},
      Range{"mirror.min_df", number(s.mirror.min_df), 1, kLarge},
      Range{"mirror.max_df", number(s.mirror.max_df), 0, kLarge},
      Range{"mirror.max_staleness_ms", number(s.mirror.max_staleness_ms), 10, 86'400'000},
      Range{"classify.k", number(s.classify.k), 1, 1e6},
      Range{"classify.threshold", s.classify.threshold, 0, 1},
      Range{"classify.max_labels", number(s.classify.max_labels), 0, 1e6},
      Range{"classify.similarity_power", s.classify.similarity_power, 0, 100},
      Range{"classify.min_similarity", s.classify.min_similarity, 0, 1},
      Range{"classify.abstain", s.classify.abstain, 0, 1},
      Range{"classify.rank_cut", number(s.classify.rank_cut), 0, 1e6},
      Range{"related.k", number(s.related.k), 1, 1e6},
      Range{"related.threshold", s.related.threshold, 0, 1},
      Range{"related.slot", number(s.related.slot), 0, kLarge - 1},
      Range{"related.unlike_weight", s.related.unlike_weight, 0, 1000},
      Range{"backend.threads", number(s.backend.threads), 0, 1024},
      Range{"backend.device", number(s.backend.device), 0, number(kLastDevice)},
      Range{"backend.memory_mb", number(s.backend.memory_mb), 0, 1e9},
      Range{"backend.coalesce_us", number(s.backend.coalesce_us), 0, 100000},
      Range{"topics.rows", number(s.topics.rows), 0, 1000},
      Range{"topics.columns", number(s.topics.columns), 0, 1000},
      Range{"topics.epochs", number(s.topics.epochs), 1, 1e6},
      Range{"topics.seed", number(s.topics.seed), 0, 9e18},
      Range{"topics.count", number(s.topics.count), 0, 1e6},
      Range{"topics.min_df", number(s.topics.min_df), 1, kLarge},
      Range{"topics.partition", number(s.topics.partition), 1, kLarge},
      Range{"topics.memory_mb", number(s.topics.memory_mb), 0, kLarge},
      Range{"topics.slot", number(s.topics.slot), 0, kLarge - 1},
  };
  for (const Range& r : ranges) {
    if (r.value >= r.low && r.value <= r.high) continue;
    std::ostringstream text;
    text << "a number from " << r.low << " to " << r.high << " (got " << r.value << ")";
    return Fault{r.key, text.str()};
  }
  return {};
}

std::optional<Fault> find_fault(const Settings& s) {
  if (auto fault = check_words(s)) return fault;
  if (auto fault = check_lemmas(s.analyzer)) return fault;
  if (auto fault = check_prefixes(s)) return fault;
  if (auto fault = check_ranges(s)) return fault;
  if (auto fault = check_body_fields(s.index)) return fault;
  if (s.topics.slot == s.labels.prediction_slot)
    return Fault{"topics.slot", "a slot other than labels.prediction_slot",
                 "labels.prediction_slot"};
  if (s.index.title_slot != s.labels.prediction_slot && s.index.title_slot != s.topics.slot)
    return {};
  return Fault{"index.title_slot", "a slot other than labels.prediction_slot and topics.slot"};
}

}  // namespace

void check_settings(const Settings& settings) {
  if (const auto fault = find_fault(settings)) {
    throw Error(Errc::kInvalidArgument, fault->key + ": expected " + fault->expectation);
  }
}

Settings parse_settings(std::string_view text, const std::string& name) {
  check_toml_text(text, name);
  toml::table root;
  try {
    root = toml::parse(text, name);
  } catch (const toml::parse_error& e) {
    fail(name, e.source(), std::string(e.description()));
  }
  require_known_keys(root, name);
  Settings settings;
  visit_settings(settings, [&](std::string_view section, std::string_view key, auto& field) {
    const auto node = root[section][key];
    if (!node) return;
    const std::string whole_key = std::string(section) + "." + std::string(key);
    if (!assign(*node.node(), field))
      fail(name, node.node()->source(), whole_key + ": expected " + std::string(expected(field)));
    settings.given.push_back(whole_key);
  });
  if (const auto fault = find_fault(settings)) {
    const auto node_of = [&](const std::string& key) {
      const auto dot = std::min(key.find('.'), key.size() - 1);
      return root[key.substr(0, dot)][key.substr(dot + 1)];
    };
    auto node = node_of(fault->key);
    if (!node && !fault->other_key.empty()) node = node_of(fault->other_key);
    fail(name, node ? node.node()->source() : root.source(),
         fault->key + ": expected " + fault->expectation);
  }
  return settings;
}

namespace {

/// True if the value is in the list, where "a*" stands for all values that begin with "a".
bool is_listed(const std::vector<std::string>& list, std::string_view value) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view item) {
    return item.ends_with('*') ? value.starts_with(item.substr(0, item.size() - 1)) : value == item;
  });
}

}  // namespace

bool is_id(const IndexSettings& settings, std::string_view value) {
  return !is_listed(settings.not_ids, value);
}

bool is_system_label(const LabelSettings& settings, std::string_view value) {
  return is_listed(settings.system, value);
}

std::optional<DeviceList> parse_device_list(std::string_view text) {
  if (text == kAllDevices) return DeviceList{true, {}};
  DeviceList devices;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return {};
    devices.numbers.push_back(number);
    if (stop == end) return devices;
    if (*stop != ',') return {};
    at = stop + 1;
  }
}

std::pair<std::string_view, std::string_view> split_filter_field(std::string_view field) {
  const std::size_t equals = field.find('=');
  if (equals == std::string_view::npos) return {field, {}};
  return {field.substr(0, equals), field.substr(equals + 1)};
}

BodyField body_field(std::string_view item) {
  const auto [key, times] = split_filter_field(item);
  BodyField field{key, 0};
  const auto [end, error] = std::from_chars(times.data(), times.data() + times.size(), field.times);
  const bool good = error == std::errc() && end == times.data() + times.size() && !key.empty();
  if (!good || field.times < 1 || field.times > 1000) field.times = 0;
  return field;
}

std::vector<std::string> keys_set(const Settings& settings) {
  Settings copy = settings, defaults;
  const auto fields = fields_of(copy), initial = fields_of(defaults);
  std::vector<std::string> keys;
  for (const auto& [key, field] : fields) {
    const auto& given = settings.given;
    if (std::find(given.begin(), given.end(), key) != given.end() || !equal(field, initial.at(key)))
      keys.push_back(key);
  }
  return keys;
}

Settings overlaid(const Settings& over, const Settings& under) {
  Settings result = over, lower = under;
  const auto fields = fields_of(result), others = fields_of(lower);
  const std::vector<std::string> own = keys_set(over);
  for (const std::string& key : keys_set(under)) {
    if (std::binary_search(own.begin(), own.end(), key)) continue;
    std::visit([&](auto* value) { *value = *std::get<decltype(value)>(others.at(key)); },
               fields.at(key));
  }
  return result;
}

bool shapes_index(std::string_view key) {
  constexpr std::string_view kKeys[] = {
      "index.profile",       "index.id_prefix",      "index.not_ids",     "index.id_scheme",
      "index.title_fields",  "index.title_slot",     "index.title_boost", "index.body_fields",
      "index.stemmed_words", "mirror.term_prefixes", "topics.prefix",     "topics.unit_prefix",
      "topics.slot"};
  const bool is_label_key = key.starts_with("labels.") && key != "labels.learn_from_predicted";
  return key.starts_with("analyzer.") || key.starts_with("filter.") || is_label_key ||
         std::find(std::begin(kKeys), std::end(kKeys), key) != std::end(kKeys);
}

std::vector<std::string> keys_of_section(std::string_view section) {
  std::vector<std::string> keys;
  for (const std::string& key : known_keys())
    if (key.substr(0, key.find('.')) == section) keys.push_back(key);
  return keys;
}

std::string setting_text(const Settings& settings, const std::string& key) {
  Settings copy = settings;
  return std::visit([&](const auto* value) { return toml_value(key, *value); },
                    fields_of(copy).at(key));
}

std::string settings_toml(const Settings& settings, const std::vector<std::string>& keys) {
  std::string text, section;
  std::vector<std::string> sorted = keys;
  std::sort(sorted.begin(), sorted.end());
  for (const std::string& key : sorted) {
    const std::size_t dot = key.find('.');
    if (key.substr(0, dot) != section) {
      section = key.substr(0, dot);
      text += "[" + section + "]\n";
    }
    text += key.substr(dot + 1) + " = " + setting_text(settings, key) + "\n";
  }
  return text;
}

std::string settings_json(const Settings& settings) {
  const toml::table table = toml::parse(settings_toml(settings, known_keys()));
  std::ostringstream text;
  text << toml::json_formatter(table);
  return text.str();
}

std::string shaping_settings_toml(const Settings& settings) {
  const std::vector<std::string> set = keys_set(settings);
  std::vector<std::string> keys;
  for (const std::string& key : known_keys()) {
    const bool is_choice = key.starts_with("filter.") || key == "labels.system" ||
                           key == "index.not_ids" || key == "mirror.term_prefixes" ||
                           key == "index.profile" || key == "index.body_fields" ||
                           key == "index.id_scheme" || key.starts_with("index.title_");
    const bool is_set = std::binary_search(set.begin(), set.end(), key);
    if (shapes_index(key) && (is_set || !is_choice || key == "index.title_boost"))
      keys.push_back(key);
  }
  return settings_toml(settings, keys);
}

std::string settings_text(const Settings& settings) {
  std::ostringstream text;
  const auto print = [&](const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::string>>) {
      for (const std::string& item : value) text << std::quoted(item) << ' ';
    } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
      text << std::quoted(value);
    } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, DeviceList>) {
      text << toml_value({}, value);
    } else {
      text << value;
    }
  };
  text.precision(std::numeric_limits<double>::max_digits10);
  visit_settings(settings, [&](std::string_view section, std::string_view key, const auto& value) {
    if (section == "backend" || section == "ingest") return;
    text << section << '.' << key << " = ";
    print(value);
    text << '\n';
  });
  return text.str();
}

Settings load_settings(const std::string& path) {
  constexpr std::size_t kMaxBytes = 1 << 20;
  return parse_settings(read_regular_file(path, "the settings file", kMaxBytes).bytes, path);
}

}  // namespace kindred
