#include "plugin/input/record.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/json_extent.h"
#include "config/shown.h"
#include "gpu/csr.h"
#include "plugin/input/names.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxDepth = 100;    // of arrays and objects inside a record
constexpr double kCountsPerWeight = 100;  // of "vector"

[[noreturn]] void refuse(const std::string& what) { throw Error(Errc::kInvalidArgument, what); }

[[noreturn]] void refuse_type(const std::string& key, const std::string& expected,
                              const json& found) {
  refuse(key + ": expected " + expected + ", found " + std::string(found.type_name()));
}

/// JSON whose strings may have been escaped.
std::string dumped(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// A replacement for malformed UTF-8: as it is, and as four hexadecimal digits.
struct ReplacementCharacter {
  std::string_view character;
  std::string_view digits;
};

constexpr ReplacementCharacter kReplacement = {"\xEF\xBF\xBD", "fffd"};
constexpr ReplacementCharacter kOtherReplacement = {"?", "003f"};

/// The message of the parser, without its heading.
std::string reason_of(const json::exception& error) {
  // "[json.exception.parse_error.101] parse error at line 1, column 2: reason"
  std::string_view what = error.what();
  for (const char* end : {"] ", ": "}) {
    const auto at = what.find(end);
    if (at != what.npos) what.remove_prefix(at + 2);
  }
  return repair_utf8(what.substr(0, 160));
}

json parse_json(const std::string& text) {
  if (json_extent(text).depth > kMaxDepth)
    refuse("nested more than " + std::to_string(kMaxDepth) + " levels deep");
  try {
    return json::parse(text);
  } catch (const json::out_of_range& error) {
    refuse(reason_of(error));
  }
}

[[noreturn]] void refuse_json(const json::parse_error& error) {
  refuse("not JSON at byte " + std::to_string(error.byte) + ": " + reason_of(error));
}

/// The JSON object of a line; sets `damage` if something had to be replaced.
json parse_object(std::string_view line, const ReplacementCharacter& replacement,
                  std::uint64_t& damage) {
  const std::string text = repair_utf8(line, &damage, replacement.character);
  json object;
  try {
    object = parse_json(text);
  } catch (const json::parse_error& error) {
    // Half a surrogate pair makes the whole line no JSON, though only one string is damaged. It is
    // replaced as malformed bytes are.
    const std::string repaired = repair_surrogates(text, replacement.digits);
    if (repaired == text) refuse_json(error);
    ++damage;
    try {
      object = parse_json(repaired);
    } catch (const json::parse_error& other) {
      refuse_json(other);
    }
  }

  if (!object.is_object())
    refuse("expected a JSON object, found " + std::string(object.type_name()));
  return object;
}

std::string read_string(const std::string& key, json& value) {
  if (!value.is_string()) refuse_type(key, "a string", value);
  return std::move(value.get_ref<std::string&>());
}

std::string read_id(json& value) {
  if (value.is_number_integer()) return value.dump();
  if (value.is_string()) return read_string("id", value);
  refuse_type("id", "a string or a whole number", value);
}

std::vector<std::string> read_labels(const std::string& key, json& value) {
  if (!value.is_array()) refuse_type(key, "a list of strings", value);
  std::vector<std::string> labels;
  for (json& item : value) labels.push_back(read_string(key, item));
  return label_names(labels);
}

bool read_bool(const std::string& key, const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  refuse_type(key, "true or false", value);
}

TermBag read_terms(const json& value) {
  if (!value.is_object()) refuse_type("terms", "an object of counts", value);

  TermBag bag;
  for (const auto& [term, count] : value.items()) {  // in byte order, as std::map is
    if (!count.is_number_unsigned() || count < 1u || count > kMaxCount) {
      refuse("terms: '" + shortened(term) + "': expected a whole number from 1 to " +
             std::to_string(kMaxCount) + ", found " + dumped(count).substr(0, 40));
    }
    bag.push_back({term, count.get<std::uint32_t>()});
  }
  return bag;
}

/// Weights of terms as counts of hundredths.
TermBag read_vector(const json& value) {
  if (!value.is_object()) refuse_type("vector", "an object of weights", value);
  TermBag bag;
  for (const auto& [term, weight] : value.items()) {  // in byte order, as std::map is

    // Weights are kept as counts, which have hundredths of them.
    const double count = weight.is_number() ? weight.get<double>() * kCountsPerWeight : -1;
    if (!(count >= 0 && count < kMaxCount + 0.5)) {
      refuse("vector: '" + shortened(term) + "': expected a number from 0 to 655.35, found " +
             dumped(weight).substr(0, 40));
    }

    const auto rounded = static_cast<std::uint32_t>(std::lround(count));
    if (rounded > 0) bag.push_back({term, rounded});
  }
  return bag;
}

/// True for what says why a record is a dead letter. One that holds a line that was no record is
/// refused.
bool is_dead_letter(const std::string& key, const json& value) {
  if (key != "dead_letter" || !value.is_object() || !value.contains("reason")) return false;

  for (const char* content : {"raw", "base64"}) {
    if (!value.contains(content)) continue;
    refuse("dead_letter: this line was no record; mend what is in its '" + std::string(content) +
           "', and index that");
  }
  return true;
}

/// Takes the tags that `kindred export` writes. False for anything else.
bool read_predicted(const std::string& key, const json& value, Record& record) {
  // Exactly the form that export gives a tag; a key of this name may also be the user's own.
  const auto is_tag = [](const json& item) {
    return item.is_object() && item.size() == 2 && item.contains("label") &&
           item["label"].is_string() && item.contains("confidence") &&
           item["confidence"].is_number() && item["confidence"] >= 0 && item["confidence"] <= 1;
  };

  if (key != "predicted" || !value.is_array() || !std::all_of(value.begin(), value.end(), is_tag))
    return false;
  for (const json& item : value)
    record.predicted.push_back({label_name(item["label"].get<std::string>()), item["confidence"]});
  return true;
}

/// True for the place on a map, which is of another index.
bool is_topic(const std::string& key, const json& value) {
  return key == "topic" && value.is_object() && value.size() == 2 && value.contains("number") &&
         value.contains("name");
}

void read_key(const std::string& key, json& value, Record& record) {
  // A record of an export has keys that are of its index: they are known by their form.
  if (value.is_null() || is_topic(key, value) || read_predicted(key, value, record)) return;
  if (key == "id") {
    record.id = read_id(value);
  } else if (key == "title") {
    record.title = read_string(key, value);
  } else if (key == "text") {
    record.text = read_string(key, value);
  } else if (key == "terms" || key == "vector") {
    if (record.terms) refuse("vector: expected either terms or vector, found both");
    record.terms = key == "terms" ? read_terms(value) : read_vector(value);
  } else if (key == "labels") {
    record.labels = read_labels(key, value);
    record.replaces_labels = true;
  } else if (key == "rejected_labels") {
    record.rejected_labels = read_labels(key, value);
  } else if (key == "auto_tag") {
    record.auto_tag = read_bool(key, value);
  } else if (key == "lang") {
    record.language = read_string(key, value);
  } else {
    if (!value.is_string()) record.json_fields.insert(key);
    record.fields[key] = value.is_string() ? read_string(key, value) : dumped(value);
  }
}

[[noreturn]] void refuse_malformed(const std::string& key) {
  refuse(key + ": expected UTF-8, found malformed bytes or half a surrogate pair");
}

/// True if the strings of the record were escaped, and so may be bytes now.
bool unescape_marked(json& object) {
  try {
    return unescape_strings(object);
  } catch (const Error& e) {
    refuse(std::string(kEscapedStrings) + ": " + e.what());
  }
}

Record read_record(std::string_view line, const ReplacementCharacter& replacement,
                   std::uint64_t& damage) {
  json object = parse_object(line, replacement, damage);

  // It was added to the record as it was, so it has no escapes.
  const auto dead_letter = object.find("dead_letter");
  if (dead_letter != object.end() && is_dead_letter("dead_letter", *dead_letter))
    object.erase(dead_letter);

  // Only now: the escapes of a dead letter would be those of the text that it holds.
  const bool has_bytes = unescape_marked(object);

  Record record;
  for (auto item = object.begin(); item != object.end(); ++item) {
    read_key(item.key(), item.value(), record);
  }

  // Ids, labels and fields may be any bytes; texts are words, and words are UTF-8.
  if (has_bytes)
    for (std::string* text : {&record.title, &record.text, &record.language})
      *text = repair_utf8(*text);
  return record;
}

/// Counts each byte as a word. A word counts once for itself, once for its stem, and once for its
/// pair with the word before; in the title for two fields.
void check_length(const Record& record, const Settings& settings) {
  // The checks go with the sum, so that the message names the key that is too much.
  const auto check = [](const std::string& key, std::uint64_t length) {
    if (length <= kMaxDocumentLength) return;
    refuse(key + ": too much for one document: its words could count " + std::to_string(length) +
           " together, the limit is " + std::to_string(kMaxDocumentLength));
  };
  std::uint64_t joined = 0;  // further terms of each word
  if (settings.analyzer.ngrams > 1) ++joined;
  if (settings.analyzer.units) ++joined;
  const std::uint64_t title = 2 * (2 + joined) *
                              static_cast<std::uint64_t>(settings.index.title_boost) *
                              record.title.size();
  check("title", title);

  std::uint64_t length = title;
  if (record.terms) {
    for (const TermCount& entry : *record.terms) length += entry.count;
    check("terms", length);
  } else {
    length += (2 + joined) * record.text.size();
    check("text", length);
    for (const std::string& item : settings.index.body_fields) {
      const BodyField field = body_field(item);
      const auto found = record.fields.find(std::string(field.key));
      if (found == record.fields.end()) continue;
      length += (2 + joined) * static_cast<std::uint64_t>(field.times) * found->second.size();
      check(found->first, length);
    }
  }
}

void check_term(const std::string& key, std::string_view prefix, const std::string& value) {
  if (value.empty()) refuse(key + ": expected at least one character, found an empty string");
  const std::string term = prefixed_term(prefix, value);

  if (fits_term(term)) return;
  refuse(key + ": '" + std::string(utf8_prefix(value, 40)) + "...' takes more than the " +
         std::to_string(kMaxTermBytes) + " bytes of a term (" + std::to_string(term.size()) +
         " with the prefix " + std::string(prefix) + "; a zero byte counts twice)");
}

/// A label of one document may become a predicted tag of another, and be taken off there.
void check_labels(const std::string& key, const std::vector<std::string>& labels,
                  const LabelSettings& settings) {
  for (const std::string& prefix : label_prefixes(settings))
    for (const std::string& label : labels) check_term(key, prefix, label);
}

}  // namespace

std::vector<std::string> rejected_labels_of(const Record& record) {
  const std::set<std::string> given(record.labels.begin(), record.labels.end());

  // A label that is given and rejected in one record is given.
  std::set<std::string> rejected(record.rejected_labels.begin(), record.rejected_labels.end());
  std::erase_if(rejected, [&](const std::string& label) {
    return given.contains(label);
  });
  return {rejected.begin(), rejected.end()};
}

Record parse_record(std::string_view text) {
  std::uint64_t damage = 0;
  Record record = read_record(text, kReplacement, damage);
  if (damage == 0) return record;

  // A value is damaged if it changes with the replacement.
  const Record other = read_record(text, kOtherReplacement, damage);
  if (record.id != other.id) refuse_malformed("id");
  if (record.labels != other.labels) refuse_malformed("labels");
  if (record.rejected_labels != other.rejected_labels) refuse_malformed("rejected_labels");
  if (record.predicted != other.predicted) refuse_malformed("predicted");
  if (record.terms != other.terms) refuse_malformed("terms");

  return record;
}

bool has_text(const Record& record, const std::vector<std::string>& body_fields) {
  if (!record.text.empty() || record.terms) return true;
  return std::ranges::any_of(body_fields, [&](const std::string& item) {
    return record.fields.contains(std::string(body_field(item).key));
  });
}

bool has_words(const Record& record, const std::vector<std::string>& body_fields) {
  return !record.title.empty() || has_text(record, body_fields);
}

std::string separator_in(std::string_view label) {
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (label[i] == '|' || label[i] == ';') return {label[i]};
    if (label[i] != ',' || i == 0 || i + 1 == label.size()) continue;
    const std::string_view around = label.substr(i - 1, 3);
    if (around.find_first_of(" 0123456789") == around.npos) return ",";
  }
  return "";
}

void check_record(const Record& record, const Settings& settings) {
  // What the index could not hold is refused before any of it is written.
  if (record.id.empty()) refuse("id: a document needs one to be indexed");
  check_term("id", settings.index.id_prefix, record.id);

  check_label_count("labels", record.labels.size(), settings.labels);
  check_label_count("rejected_labels", record.rejected_labels.size(), settings.labels);
  check_label_count("predicted", record.predicted.size(), settings.labels);
  check_labels("labels", record.labels, settings.labels);
  check_labels("rejected_labels", record.rejected_labels, settings.labels);
  for (const Tag& tag : record.predicted) check_labels("predicted", {tag.label}, settings.labels);

  check_length(record, settings);

  if (!record.terms) return;
  for (const TermCount& entry : *record.terms) {
    check_term("terms", "Z", entry.term);
    if (entry.count >= 1 && entry.count <= kMaxCount) continue;
    refuse("terms: '" + shortened(entry.term) + "': expected a count from 1 to " +
           std::to_string(kMaxCount) + " (got " + std::to_string(entry.count) + ")");
  }
}

void check_label_count(const std::string& key, std::size_t found, const LabelSettings& settings) {
  if (found <= static_cast<std::size_t>(settings.max_per_document)) return;
  refuse(key + ": expected at most " + std::to_string(settings.max_per_document) +
         " for one document (labels.max_per_document), found " + std::to_string(found));
}

}  // namespace kindred
