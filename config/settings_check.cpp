#include "config/settings_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "config/profiles.h"
#include "config/shown.h"

namespace kindred {
namespace {

using Fault = SettingsFault;

constexpr std::int64_t kLastDevice = 255;
constexpr std::size_t kMostDevices = 64;

std::optional<Fault> check_prefix(const std::string& key, const std::string& prefix) {
  const auto is_capital = [](char c) {
    return c >= 'A' && c <= 'Z';
  };
  const bool upper = std::all_of(prefix.begin(), prefix.end(), is_capital);

  // Xapian's own prefixes have one letter; those of users begin with X, and may be longer.
  const bool form = prefix.size() == 1 || (prefix.size() > 1 && prefix[0] == 'X');

  if (upper && form && prefix.size() <= 32) return {};
  return Fault{key, "one capital letter, or X and up to 31 more (got '" + prefix + "')"};
}

/// "n b s l L".
std::string spaced(std::string_view letters) {
  std::string text;
  for (const char letter : letters) append_item(text, std::string{letter}, " ");
  return text;
}

std::optional<Fault> check_smart_letters(std::string_view smart) {
  // Each letter must be known, and the normalization must fit the frequency.
  const auto has = [](std::string_view letters, char c) {
    return letters.find(c) != std::string_view::npos;
  };

  const std::string got = " (got '" + std::string(smart) + "')";
  if (smart.size() != 3 || !has(kTfLetters, smart[0]) || !has(kIdfLetters, smart[1]) ||
      !has(kNormLetters, smart[2]))
    return Fault{"weighting.smart", "three SMART letters: one of " + spaced(kTfLetters) +
                                        ", one of " + spaced(kIdfLetters) + ", and one of " +
                                        spaced(kNormLetters) + got};

  if (go_together(smart[0], smart[2])) return {};
  return Fault{"weighting.smart", "the letter c after L, or l in place of L" + got};
}

std::optional<Fault> check_failure_policy(const IngestSettings& s) {
  const std::string& policy = s.on_failure;

  // A word that is known, and what it needs beside it.
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
  const auto is_wrong = [](std::int64_t number) {
    return number < 0 || number > kLastDevice;
  };

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
  // Each setting whose value is one of a few words.
  if (auto fault = check_profile(s.index)) return fault;

  const MirrorSettings& mirror = s.mirror;
  if (mirror.follow != "off" && mirror.follow != "poll")
    return Fault{"mirror.follow", "off or poll (got '" + mirror.follow + "')"};
  if (mirror.save != "auto" && mirror.save != "never" && mirror.save != "close" &&
      mirror.save != "follow")
    return Fault{"mirror.save", "auto, never, close or follow (got '" + mirror.save + "')"};

  if (auto fault = check_failure_policy(s.ingest)) return fault;
  if (s.backend.kind != "auto" && s.backend.kind != "cpu" && s.backend.kind != "cuda") {
    return Fault{"backend.kind", "auto, cpu or cuda (got '" + s.backend.kind + "')"};
  }

  if (auto fault = check_devices(s.backend)) return fault;
  if (std::find(kVoteNames.begin(), kVoteNames.end(), s.classify.vote) == kVoteNames.end()) {
    return Fault{"classify.vote", choices_text(kVoteNames) + " (got '" + s.classify.vote + "')"};
  }

  if (auto fault = check_smart_letters(s.weighting.smart)) return fault;
  if (s.analyzer.cjk != "words" && s.analyzer.cjk != "bigrams")
    return Fault{"analyzer.cjk", "words or bigrams (got '" + s.analyzer.cjk + "')"};
  if (s.analyzer.detect != "off" && s.analyzer.detect != "document")
    return Fault{"analyzer.detect", "off or document (got '" + s.analyzer.detect + "')"};

  // A filter that is named twice would run twice, which is never meant.
  static const std::set<std::string> filters = {"elision",        "possessive", "normalize",
                                                "length",         "numbers",    "stop_words",
                                                "stem_overrides", "lemma",      "stem"};
  std::set<std::string> seen;
  for (const std::string& filter : s.analyzer.filters) {
    if (!filters.contains(filter)) {
      return Fault{"analyzer.filters",
                   "known filters, not '" + filter + "'; did you mean '" +
                       nearest_of(filter, {filters.begin(), filters.end()}, 1)[0] + "'?"};
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
    // LANGUAGE, "=", and what follows; "hunspell:" without a name is none.
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

  // Lemmas that no filter looks up are a mistake: their owner believes that they are used.
  const bool used = std::find(s.filters.begin(), s.filters.end(), "lemma") != s.filters.end();
  if (used || s.lemmas.empty()) return {};
  return Fault{"analyzer.filters", "'lemma' among them, since there are analyzer.lemmas",
               "analyzer.lemmas"};
}

bool marks_documents(const std::string& term) {
  return term == kPendingTerm || term == kOptOutTerm || term == kTaggedTerm;
}

Fault mark_fault(const std::string& key, const std::string& term) {
  return {key, "a prefix other than " + term + ", which marks documents"};
}

/// Checks that ids, the tags of people, those of Kindred and topics have prefixes of their own, and
/// none of those of stems (Z), titles (S), languages (L) and the marks on documents.
std::optional<Fault> check_mark_prefixes(const Settings& s) {
  const LabelSettings& labels = s.labels;
  const std::array<std::pair<std::string, std::string>, 6> prefixes = {
      {{"index.id_prefix", s.index.id_prefix},
       {"labels.prefix", labels.prefix},
       {"labels.predicted_prefix", labels.predicted_prefix},
       {"labels.rejected_prefix", labels.rejected_prefix},
       {"topics.prefix", s.topics.prefix},
       {"topics.unit_prefix", s.topics.unit_prefix}}};

  // A prefix that two of them share would make terms of one kind read as terms of the other.
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    const auto& [key, prefix] = prefixes[i];
    if (auto fault = check_prefix(key, prefix)) return fault;
    if (prefix == "Z" || prefix == "S" || prefix == "L")
      return Fault{key, "a prefix other than Z (stems), S (titles) and L (languages)"};
    if (marks_documents(prefix)) return mark_fault(key, prefix);

    for (std::size_t other = 0; other < i; ++other) {
      if (prefixes[other].second == prefix)
        return Fault{key, "a prefix other than " + prefixes[other].first, prefixes[other].first};
    }
  }

  // Tags as features would answer the question that they are asked for.
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
  const auto is_lower = [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
  };
  const auto is_upper = [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '_';
  };

  // A colon at the end is part of Omega's longer prefixes: "XTAG:".
  const auto [name, prefix] = split_filter_field(field);
  const std::string_view letters =
      prefix.ends_with(':') ? prefix.substr(0, prefix.size() - 1) : prefix;

  return !name.empty() && !letters.empty() && letters.size() <= 32 && letters[0] != '_' &&
         std::all_of(name.begin(), name.end(), is_lower) &&
         std::all_of(letters.begin(), letters.end(), is_upper);
}

std::optional<Fault> check_filter_fields(const FilterSettings& s) {
  // A name in a query means one prefix, so no name may be in both lists.
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

  // A key with a meaning of its own is no part of the body, and one that is named twice would count
  // twice as often as it says.
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

/// A shell makes a folder of "~", settings do not.
std::optional<Fault> check_folders(const Settings& s) {
  // Both are paths that go to the system as they are.
  for (const auto& [key, folder] : {std::pair("index.directory", &s.index.directory),
                                    std::pair("mirror.directory", &s.mirror.directory)})
    if (folder->starts_with('~'))
      return Fault{key,
                   "the whole path of a folder, as ~ stands for none here (got '" + *folder + "')"};
  return {};
}

std::optional<Fault> check_prefixes(const Settings& s) {
  if (auto fault = check_mark_prefixes(s)) return fault;
  if (auto fault = check_filter_fields(s.filter)) return fault;

  // An empty prefix is that of words without one.
  for (const std::string& prefix : s.mirror.term_prefixes) {
    if (prefix.empty()) continue;
    if (marks_documents(prefix)) return mark_fault("mirror.term_prefixes", prefix);

    // Z before another prefix means the stems of that field, as in ZS.
    const std::string bare = prefix.size() > 1 && prefix[0] == 'Z' ? prefix.substr(1) : prefix;
    if (auto fault = check_prefix("mirror.term_prefixes", bare)) return fault;
  }
  return {};
}

std::optional<Fault> check_ranges(const Settings& s) {
  struct Range {
    const char* key;
    double value;
    double low;
    double high;
  };

  constexpr double kLarge = 4294967295.0;
  const auto number = [](std::int64_t v) {
    return static_cast<double>(v);
  };
  const std::array ranges = {
      Range{"analyzer.ngrams", number(s.analyzer.ngrams), 1, 2},
      Range{"index.title_slot", number(s.index.title_slot), -1, kLarge - 1},
      Range{"index.title_boost", number(s.index.title_boost), 1, 1000},
      Range{"index.batch", number(s.index.batch), 1, 1e9},
      Range{"index.sample_bytes", number(s.index.sample_bytes), 0, 1e9},
      Range{"write.wait", s.write.wait, 0, 1e6},
      Range{"ingest.commit_seconds", s.ingest.commit_seconds, 0, 1e6},
      Range{"ingest.near_duplicates", s.ingest.near_duplicates, 0, 1},
      Range{"labels.prediction_slot", number(s.labels.prediction_slot), 0, kLarge - 1},
      Range{"labels.max_per_document", number(s.labels.max_per_document), 1, 1e6},
      Range{"mirror.max_staleness_ms", number(s.mirror.max_staleness_ms), 10, 86'400'000},
      Range{"classify.neighbors", number(s.classify.neighbors), 1, 1e6},
      Range{"classify.min_confidence", s.classify.min_confidence, 0, 1},
      Range{"classify.limit", number(s.classify.limit), 0, 1e6},
      Range{"classify.min_similarity", s.classify.min_similarity, 0, 1},
      Range{"related.slot", number(s.related.slot), 0, kLarge - 1},
      Range{"backend.threads", number(s.backend.threads), 0, 1024},
      Range{"backend.memory_mb", number(s.backend.memory_mb), 0, 1e9},
      Range{"topics.min_df", number(s.topics.min_df), 1, kLarge},
      Range{"topics.memory_mb", number(s.topics.memory_mb), 0, kLarge},
      Range{"topics.slot", number(s.topics.slot), 0, kLarge - 1},
  };

  for (const Range& r : ranges) {
    // This way round, so that a value that is no number (nan) is refused, too.
    if (r.value >= r.low && r.value <= r.high) continue;
    return Fault{r.key, "a number from " + number_text(r.low) + " to " + number_text(r.high) +
                            " (got " + number_text(r.value) + ")"};
  }
  return {};
}

}  // namespace

std::optional<SettingsFault> find_fault(const Settings& s) {
  // From single words to what two settings say together: a message about a pair is of no use while
  // one of them is wrong.
  if (auto fault = check_words(s)) return fault;
  if (auto fault = check_lemmas(s.analyzer)) return fault;
  if (auto fault = check_prefixes(s)) return fault;
  if (auto fault = check_ranges(s)) return fault;
  if (auto fault = check_body_fields(s.index)) return fault;
  if (auto fault = check_folders(s)) return fault;

  // A slot holds one thing. Three settings name slots that are written.
  if (s.topics.slot == s.labels.prediction_slot)
    return Fault{"topics.slot", "a slot other than labels.prediction_slot",
                 "labels.prediction_slot"};

  if (s.index.title_slot != s.labels.prediction_slot && s.index.title_slot != s.topics.slot)
    return {};
  return Fault{"index.title_slot", "a slot other than labels.prediction_slot and topics.slot"};
}

}  // namespace kindred
