#include "config/settings_check.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "config/profiles.h"
#include "config/setting_keys.h"
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
  // Words that others have the list of: profiles, votes, letters and filters.
  if (auto fault = check_profile(s.index)) return fault;
  if (std::find(kVoteNames.begin(), kVoteNames.end(), s.classify.vote) == kVoteNames.end()) {
    return Fault{"classify.vote", choices_text(kVoteNames) + " (got '" + s.classify.vote + "')"};
  }

  if (auto fault = check_smart_letters(s.weighting.smart)) return fault;

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
    // Some programs have labels where others have languages.
    const bool is_language = prefix == "L" && key != "labels.prefix";
    if (prefix == "Z" || prefix == "S" || is_language)
      return Fault{key,
                   "a prefix other than Z (stems), S (titles) and, but for labels.prefix, L "
                   "(languages)"};
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

/// "value:SLOT".
bool is_slot(std::string_view text) {
  return slot_value(text) && text.find('=') == std::string_view::npos;
}

/// "NAME=PREFIX", or "NAME=value:SLOT" where slots are fit.
bool is_filter_field(std::string_view field, bool takes_slots) {
  const auto is_upper = [](char c) {
    return (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto is_letter = [&](char c) {
    return (c >= 'a' && c <= 'z') || is_upper(c);
  };

  // A colon at the end is part of Omega's longer prefixes: "XTAG:".
  const auto [name, prefix] = split_filter_field(field);
  const std::string_view letters =
      prefix.ends_with(':') ? prefix.substr(0, prefix.size() - 1) : prefix;

  if (name.empty() || !std::all_of(name.begin(), name.end(), is_letter)) return false;
  if (takes_slots && is_slot(prefix)) return true;
  return !letters.empty() && letters.size() <= 32 && letters[0] != '_' &&
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
    const bool takes_slots = fields == &s.fields;
    const auto wrong = std::ranges::find_if_not(*fields, [&](const std::string& field) {
      return is_filter_field(field, takes_slots);
    });
    if (wrong != fields->end())
      return Fault{key, std::string("NAME=PREFIX, a name of letters and a prefix of capitals") +
                            (takes_slots ? ", or NAME=value:SLOT" : "") + " (got '" + *wrong +
                            "')"};
  }

  return {};
}

/// Checks what says which documents count, and which are one find.
std::optional<Fault> check_documents(const Settings& s) {
  for (const std::string& item : s.mirror.documents) {
    const std::string_view named = std::string_view(item).substr(item.starts_with('-') ? 1 : 0);
    const bool is_value = named.starts_with("value:");
    if (named.empty() || (is_value && (!slot_value(named) || is_slot(named))))
      return Fault{"mirror.documents",
                   "a term or value:SLOT=TEXT, behind - what does not count (got '" + item + "')"};
  }

  const std::string& group = s.related.group;
  if (group.empty() || is_slot(group)) return {};
  return check_prefix("related.group", group);
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

/// The number of a row whose value is one.
std::optional<double> number_of(const SettingRow& row) {
  if (auto* const whole = std::get_if<std::int64_t*>(&row.field))
    return static_cast<double>(**whole);
  if (auto* const number = std::get_if<double*>(&row.field)) return **number;
  return {};
}

/// Checks what the table of settings says of each value: the range of a number, the choices of a
/// text.
std::optional<Fault> check_rows(const Settings& s) {
  Settings copy = s;
  for (const SettingRow& row : setting_rows(copy)) {
    // This way round, so that a value that is no number (nan) is refused, too.
    const std::optional<double> number = number_of(row);
    if (number && !(*number >= row.low && *number <= row.high))
      return Fault{std::string(row.key), "a number from " + number_text(row.low) + " to " +
                                             number_text(row.high) + " (got " +
                                             number_text(*number) + ")"};

    if (row.choices.empty()) continue;
    const std::string& text = *std::get<std::string*>(row.field);
    if (std::ranges::find(row.choices, text) == row.choices.end())
      return Fault{std::string(row.key), choices_text(row.choices) + " (got '" + text + "')"};
  }
  return {};
}

}  // namespace

std::optional<SettingsFault> find_fault(const Settings& s) {
  // From single values to what two settings say together: a message about a pair is of no use while
  // one of them is wrong.
  if (auto fault = check_rows(s)) return fault;
  if (auto fault = check_words(s)) return fault;
  if (auto fault = check_devices(s.backend)) return fault;
  if (auto fault = check_lemmas(s.analyzer)) return fault;
  if (auto fault = check_prefixes(s)) return fault;
  if (auto fault = check_documents(s)) return fault;
  if (auto fault = check_body_fields(s.index)) return fault;
  if (auto fault = check_folders(s)) return fault;

  if (s.ingest.on_failure == "dead_letter" && s.ingest.dead_letters.empty())
    return Fault{"ingest.dead_letters", "a file, because ingest.on_failure is dead_letter",
                 "ingest.on_failure"};

  // A slot holds one thing. Three settings name slots that are written.
  if (s.topics.slot == s.labels.prediction_slot)
    return Fault{"topics.slot", "a slot other than labels.prediction_slot",
                 "labels.prediction_slot"};

  if (s.index.title_slot != s.labels.prediction_slot && s.index.title_slot != s.topics.slot)
    return {};
  return Fault{"index.title_slot", "a slot other than labels.prediction_slot and topics.slot"};
}

}  // namespace kindred
