#include "plugin/store/remembered.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "config/error.h"
#include "config/settings.h"
#include "config/shown.h"
#include "plugin/store/database.h"
#include "plugin/store/kept_files.h"
#include "plugin/store/writable_database.h"

namespace kindred {
namespace {

using Json = nlohmann::json;
using Words = std::map<std::string, std::string>;

constexpr const char* kRemembered = "kindred.settings";  // in the metadata of the database
constexpr const char* kAnalysis = "kindred.analysis";    // likewise
constexpr const char* kFile = "settings";
constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// True for digits with whatever a locale puts between them, bytes of UTF-8 included.
bool is_number(std::string_view value) {
  constexpr std::string_view kOther = "-+e., '";
  return !value.empty() && is_digit(value.back()) && std::ranges::all_of(value, [&](char c) {
    return is_digit(c) || (c & 0x80) != 0 || kOther.find(c) != std::string_view::npos;
  });
}

/// A number as setting_text() writes it, from one of a host whose locale has a decimal comma
/// ("0,5") or groups digits ("1.000"), or with more digits than it needs. Other values stay as they
/// are. No setting that shapes an index is a fraction above 1, so "1,234" is a whole number.
std::string plain_number(std::string_view value) {
  if (!is_number(value)) return std::string(value);

  // A mark before the last three digits groups them, unless the number begins with 0. Any other
  // last mark is the decimal point.
  const std::size_t power = std::min(value.find('e'), value.size());
  const std::string_view digits = value.substr(0, power);
  const std::size_t last = digits.find_last_not_of("-0123456789");
  if (last == std::string_view::npos && power == value.size()) return std::string(value);

  const bool groups =
      !digits.starts_with('0') && power == value.size() && digits.size() - last == 4;

  std::string plain;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == last && !groups) plain += '.';
    if (digits[i] == '-' || is_digit(digits[i])) plain += digits[i];
  }
  plain.append(value.substr(power));

  // Written again by the rules of today, so that equal numbers are equal texts.
  double number = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  if (read.ec != std::errc()) return plain;
  return number_text(number);
}

/// Settings as settings_toml() writes them, with numbers as TOML has them, and without unknown
/// keys, which are of another version.
std::string readable_settings(std::string_view text) {
  std::string readable;
  std::string section;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));

    const std::size_t equals = line.find(" = ");
    if (line.starts_with('[')) section = line.substr(1, line.find(']') - 1);

    // The name of a section, or an empty line.
    if (equals == std::string_view::npos) {
      readable.append(line).append("\n");
      continue;
    }

    const std::string key = section + "." + std::string(line.substr(0, equals));
    if (std::ranges::find(known_keys(), key) == known_keys().end()) continue;

    const std::string_view value = line.substr(equals + 3);
    readable.append(line.substr(0, equals + 3)).append(plain_number(value)).append("\n");
  }
  return readable;
}

/// Those of the keys that shape an index.
std::vector<std::string> shaping(std::vector<std::string> keys) {
  std::erase_if(keys, [](const std::string& key) {
    return !shapes_index(key);
  });
  return keys;
}

/// The differences of the keys that both have, and of those that only `here` has, where `missing`
/// says what they were.
std::string differences(const Words& there, const Words& here, const Words& missing) {
  const auto or_none = [](const std::string& value) {
    if (value.empty()) return std::string("none");
    return value;
  };

  std::string text;
  for (const auto& [key, value] : here) {
    const auto recorded = there.find(key);
    const auto initial = missing.find(key);
    if (recorded == there.end() && initial == missing.end()) continue;

    // What was not recorded had its default when the index was made.
    const std::string& was = recorded != there.end() ? recorded->second : initial->second;
    if (was == value) continue;
    append_item(text, key + ": " + or_none(was) + " there, " + or_none(value) + " here", "; ");
  }
  return text;
}

}  // namespace

RememberedSettings remembered_settings(const Xapian::Database& database,
                                       const std::string& location) {
  const std::string text = metadata_of(database, kRemembered);
  if (!text.empty())
    return {"metadata",
            parse_settings(readable_settings(text), "the settings in the index's metadata")};

  // An index that another program made remembers in a file, if at all.
  if (location.empty()) return {};
  const std::string path = index_file_path(location, kFile);
  const GuardedFile found = index_file(path);
  if (!found.exists()) return {};

  const FileContent file = read_regular_file(found, "the settings of an index", kMaxBytes);
  return {path, parse_settings(readable_settings(file.bytes), path)};
}

void check_remembered(const Settings& settings, const RememberedSettings& remembered) {
  const auto keys = shaping(settings.given);
  const auto& known = remembered.settings.given;

  // A key contradicts the index only if both have a value for it.
  const auto differs = [&](const std::string& key) {
    return std::find(known.begin(), known.end(), key) != known.end() &&
           setting_text(settings, key) != setting_text(remembered.settings, key);
  };

  const auto key = std::find_if(keys.begin(), keys.end(), differs);
  if (key == keys.end()) return;
  throw Error(Errc::kInvalidArgument,
              *key + ": expected " + setting_text(remembered.settings, *key) +
                  ", as the index remembers (" + remembered.source + "), got " +
                  setting_text(settings, *key) +
                  "; 'kindred settings --remember' or --forget changes what it remembers");
}

bool remember_at_birth(Xapian::WritableDatabase& database, const Settings& settings) {
  const bool is_new = database.get_lastdocid() == 0 && settings.index.profile == "none";
  if (!is_new) return false;

  // What somebody has let it remember already is not written over.
  if (metadata_of(database, kRemembered).empty()) {
    database.set_metadata(kRemembered, shaping_settings_toml(settings));
    record_analysis(database, analysis_record(settings));
  }
  return true;
}

bool remember_given(const Settings& settings, const std::string& location) {
  if (location.empty() || !settings.remembered.empty()) return true;

  const std::vector<std::string> keys = shaping(settings.given);
  if (keys.empty()) return true;
  try {
    return !replace_index_file(index_file_path(location, kFile), settings_toml(settings, keys));
  } catch (const Error&) {  // it is not ours to write
    return false;
  }
}

std::string remember_settings(const std::string& path, const Settings& settings) {
  check_settings(settings);

  // What the index remembers stays, but for what the new settings say.
  const std::string location = file_location(path, settings.index.directory);
  const RememberedSettings now = remembered_settings(open_database(path), location);
  const Settings changed = overlaid(settings, now.settings);
  const std::string text = settings_toml(changed, shaping(keys_set(changed)));

  // Where it remembered so far decides where it does from now on.
  if (now.source == "metadata") {
    check_may_write(path, settings);
    Xapian::WritableDatabase database = open_writable_database(path, settings.write);
    database.set_metadata(kRemembered, text);
    record_analysis(database, analysis_record(changed));
    database.commit();
    return now.source;
  }

  check_owner_of_files(path, settings);
  std::string file = index_file_path(location, kFile);
  const std::error_code fault = replace_index_file(file, text);
  if (fault) throw Error(Errc::kDatabase, file + ": cannot be written: " + fault.message());
  return file;
}

Forgotten forget_settings(const std::string& path, const Settings& settings) {
  check_owner_of_files(path, settings);

  const std::string location = file_location(path, settings.index.directory);
  const std::string file = index_file_path(location, kFile);

  std::error_code fault;
  const bool removed = remove_index_file(file, fault);
  if (fault) throw Error(Errc::kDatabase, file + ": cannot be removed: " + fault.message());

  // The metadata are written only if there is something in them, since that takes the write lock.
  if (metadata_of(open_database(path), kRemembered).empty()) return {removed, false};

  check_owner(path, settings.write);
  Xapian::WritableDatabase database = open_writable_database(path, settings.write);
  const bool is_recorded = recorded_analysis(database).has_value();
  database.set_metadata(kRemembered, "");
  database.set_metadata(kAnalysis, "");
  database.commit();
  return {true, is_recorded};
}

std::optional<AnalysisRecord> recorded_analysis(const Xapian::Database& database) {
  const std::string text = metadata_of(database, kAnalysis);
  if (text.empty()) return {};

  // Anybody may write metadata.
  try {
    const Json json = Json::parse(text);
    AnalysisRecord record{json.at("rules").get<Words>(), json.at("versions").get<Words>()};
    // The host that wrote it may have had a decimal comma.
    for (auto& [key, value] : record.rules) value = plain_number(value);
    return record;
  } catch (const Json::exception&) {
    throw Error(Errc::kInvalidArgument,
                "the record of the analysis in the index's metadata (" + std::string(kAnalysis) +
                    "): expected a JSON object with \"rules\" and \"versions\", found " + text +
                    "; 'kindred settings --remember' writes it anew");
  }
}

void record_analysis(Xapian::WritableDatabase& database, const AnalysisRecord& record) {
  database.set_metadata(kAnalysis,
                        Json{{"rules", record.rules}, {"versions", record.versions}}.dump());
}

void check_analysis(const std::string& name, const AnalysisRecord& recorded,
                    const AnalysisRecord& here) {
  static const Words initial = analysis_record(Settings{}).rules;
  const std::string different = differences(recorded.rules, here.rules, initial);
  if (different.empty()) return;

  throw Error(Errc::kInvalidArgument,
              name + ": expected the analysis that the index was made with: " + different +
                  "; 'kindred settings --remember' lets it expect this one from now on");
}

std::string differing_versions(const AnalysisRecord& recorded, const AnalysisRecord& here) {
  const std::string different = differences(recorded.versions, here.versions, {});
  if (different.empty()) return "";
  return "the index was analyzed with other versions, so that some words may have other terms: " +
         different;
}

}  // namespace kindred
