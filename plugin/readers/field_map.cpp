#include "plugin/readers/field_map.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "field_names.h"  // made of field_names.txt

namespace kindred {
namespace {

using nlohmann::json;

/// A key of a record, and what else it is often called.
struct FieldNames {
  std::string key;
  std::vector<std::string> others;
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (!word.empty()) words.emplace_back(word);
    text.remove_prefix(std::min(word.size() + 1, text.size()));
  }
  return words;
}

/// The lines of field_names.txt.
std::vector<FieldNames> read_field_names() {
  std::vector<FieldNames> names;
  for (std::string_view rest = kFieldNames; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::size_t colon = line.find(':');
    if (line.starts_with('#') || colon == line.npos) continue;
    names.push_back({std::string(line.substr(0, colon)), words_of(line.substr(colon + 1))});
  }
  return names;
}

/// Those that a map may give, and in the last place those that none does.
const std::vector<FieldNames>& field_names() {
  static const std::vector<FieldNames> kNames = read_field_names();
  return kNames;
}

bool is_mapped_key(std::string_view key) {
  const std::span mapped(field_names().begin(), field_names().size() - 1);
  return std::ranges::find(mapped, key, &FieldNames::key) != mapped.end();
}

/// Of what somebody handed in, for a message.
std::string begin_of(std::string_view text) { return shown(text.substr(0, 200)); }

/// What is wrong with an item of a map, whose first key is none of a record.
std::string unknown_key(const std::string& first, const std::string& second) {
  std::string all;
  std::vector<std::string> known;
  for (const FieldNames& field : field_names()) {
    if (!is_mapped_key(field.key)) continue;
    append_item(all, field.key);
    known.push_back(field.key);
  }

  std::string fault = "map: '" + begin_of(first + "=" + second) + "': expected one of " + all +
                      " before the sign of equality";
  const std::string likely = likely_of(first, known);
  std::string meant;
  if (!likely.empty()) meant = likely + "=" + second;
  if (is_mapped_key(second)) meant = second + "=" + first;
  if (!meant.empty()) fault += "; did you mean '" + begin_of(meant) + "'?";
  return fault;
}

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

bool is_list(const std::string& key) { return key == "labels" || key == "rejected_labels"; }

/// The items of a text between separators, without those that are empty.
json list_of(const std::string& text, const std::string& separator) {
  json items = json::array();
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = separator.empty() ? rest.npos : rest.find(separator);
    std::string item = trimmed(rest.substr(0, end));
    if (!item.empty()) items.push_back(std::move(item));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + separator.size());
  }
  return items;
}

std::string written(const json& record) {
  return record.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// What a key of the file is in a record; "" if another one gives that.
std::string mapped_key(const std::string& key, const FieldMap& map) {
  const auto found = map.keys.find(key);
  if (found != map.keys.end()) return found->second;
  const bool is_given = std::ranges::any_of(map.keys, [&](const auto& one) {
    return one.second == key;
  });
  return is_given ? std::string() : key;
}

/// How little a key looks like one of a record: 0 for its name in other letters, then the place
/// among its other names, then a slip of one of them; none if it looks like another word.
std::size_t unlikeness(const std::string& key, const FieldNames& field) {
  constexpr std::size_t kSlip = 100;
  constexpr std::size_t kFewestLetters = 4;  // one slip in fewer is another word

  const std::string word = lower_ascii(key);
  if (word == field.key) return 0;
  std::size_t best = std::string::npos;
  for (std::size_t i = 0; i < field.others.size(); ++i) {
    if (word == field.others[i]) best = std::min(best, i + 1);
    if (word.size() >= kFewestLetters && edit_distance(word, field.others[i]) == 1)
      best = std::min(best, kSlip + i);
  }
  if (word.size() >= kFewestLetters && edit_distance(word, field.key) == 1)
    best = std::min(best, kSlip);
  return best;
}

/// "body (12), tags (3)": the eight keys that most records have, and how many more.
std::string counted_keys(const std::map<std::string, std::uint64_t>& keys) {
  constexpr std::size_t kMost = 8;
  std::vector<std::pair<std::string, std::uint64_t>> sorted(keys.begin(), keys.end());
  std::ranges::stable_sort(sorted, std::greater(), &decltype(sorted)::value_type::second);

  std::string text;
  for (const auto& [key, count] : std::span(sorted).first(std::min(kMost, sorted.size())))
    append_item(text, begin_of(key) + " (" + std::to_string(count) + ")");
  if (sorted.size() > kMost) text += " and " + std::to_string(sorted.size() - kMost) + " more";
  return text;
}

}  // namespace

FieldMap read_field_map(const std::vector<std::string>& items, const std::string& separator) {
  FieldMap map{.keys = {}, .separator = separator};
  for (std::string_view rest : items) {
    while (!rest.empty()) {
      const std::string item(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(item.size() + 1, rest.size()));

      const std::size_t equals = item.find('=');
      const std::string ours = trimmed(item.substr(0, equals));
      const std::string theirs = equals == item.npos ? "" : trimmed(item.substr(equals + 1));
      if (theirs.empty())
        throw Error(
            Errc::kInvalidArgument,
            "map: expected a key of a record and one of the file, as in text=body, found '" +
                begin_of(item) + "'");
      if (!is_mapped_key(ours)) throw Error(Errc::kInvalidArgument, unknown_key(ours, theirs));

      const bool is_twice = std::ranges::any_of(map.keys, [&](const auto& one) {
        return one.second == ours;
      });
      if (is_twice || !map.keys.emplace(theirs, ours).second)
        throw Error(Errc::kInvalidArgument,
                    "map: '" + begin_of(item) + "': one of its keys is there twice");
    }
  }
  return map;
}

std::string mapped_record(std::string_view text, const FieldMap& map) {
  json object = json::parse(text, nullptr, false);
  if (!object.is_object()) return std::string(text);

  json record = json::object();
  for (auto item = object.begin(); item != object.end(); ++item) {
    const std::string key = mapped_key(item.key(), map);
    if (key.empty()) continue;

    const bool becomes_list = is_list(key) && item->is_string() &&
                              (!map.separator.empty() || map.keys.contains(item.key()));
    record[key] =
        becomes_list ? list_of(item->get<std::string>(), map.separator) : std::move(*item);
  }
  return written(record);
}

std::string row_record(const std::vector<std::string>& columns,
                       const std::vector<std::string>& fields, const FieldMap& map) {
  json record = json::object();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string key = columns[i].empty() ? "" : mapped_key(columns[i], map);
    const std::string& field = fields[i];
    if (key.empty() || field.empty()) continue;

    if (is_list(key)) {
      record[key] = list_of(field, map.separator);
    } else if (key == "auto_tag" && (field == "true" || field == "false")) {
      record[key] = field == "true";
    } else {
      record[key] = field;
    }
  }
  return written(record);
}

bool is_record_key(std::string_view key) {
  const std::vector<std::string>& others = field_names().back().others;
  return is_mapped_key(key) || std::ranges::find(others, key) != others.end();
}

std::string likely_map(const std::map<std::string, std::uint64_t>& keys,
                       const std::vector<std::string>& wanted) {
  std::string map;
  for (const std::string& want : wanted) {
    const auto field = std::ranges::find(field_names(), want, &FieldNames::key);
    std::size_t least = std::string::npos;
    std::string likely;
    for (const auto& [key, count] : keys) {
      const std::size_t found = unlikeness(key, *field);
      if (found >= least) continue;
      least = found;
      likely = key;
    }
    if (likely.empty()) continue;
    append_item(map, want, ",");
    map.append("=").append(likely);
  }
  return map;
}

std::string unread_keys_text(const std::map<std::string, std::uint64_t>& keys,
                             const std::vector<std::string>& wanted, const std::string& option) {
  std::string text;
  if (!keys.empty()) text += "; unread keys: " + counted_keys(keys);
  const std::string likely = likely_map(keys, wanted);
  if (!likely.empty()) text.append("; did you mean ").append(option).append(likely).append("?");
  return text;
}

}  // namespace kindred
