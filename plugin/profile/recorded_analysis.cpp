#include "plugin/profile/recorded_analysis.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <system_error>

#include "config/error.h"
#include "config/shown.h"

namespace kindred {
namespace {

using Json = nlohmann::json;
using Words = std::map<std::string, std::string>;

constexpr const char* kKey = "kindred.analysis";  // in the metadata of the database

/// The differences of the keys that both have, and of those that only `here` has, where `missing`
/// says what they were.
std::string differences(const Words& there, const Words& here, const Words& missing) {
  std::string text;
  for (const auto& [key, value] : here) {
    const auto recorded = there.find(key);
    const auto initial = missing.find(key);
    if (recorded == there.end() && initial == missing.end()) continue;
    const std::string& was = recorded != there.end() ? recorded->second : initial->second;
    if (was == value) continue;
    text += (text.empty() ? "" : "; ") + key + ": " + (was.empty() ? "none" : was) + " there, " +
            (value.empty() ? "none" : value) + " here";
  }
  return text;
}

}  // namespace

std::optional<AnalysisRecord> recorded_analysis(const Xapian::Database& database) {
  std::string text;
  try {
    text = database.get_metadata(kKey);
  } catch (const Xapian::UnimplementedError&) {  // a kind of database without metadata
  }
  if (text.empty()) return {};
  try {
    const Json json = Json::parse(text);
    AnalysisRecord record{json.at("rules").get<Words>(), json.at("versions").get<Words>()};
    for (auto& [key, value] : record.rules) value = plain_number(value);
    return record;
  } catch (const Json::exception&) {
    throw Error(Errc::kInvalidArgument,
                "the record of the analysis in the index's metadata (" + std::string(kKey) +
                    "): expected a JSON object with \"rules\" and \"versions\", found " + text +
                    "; 'kindred settings --remember' writes it anew");
  }
}

void record_analysis(Xapian::WritableDatabase& database, const AnalysisRecord& record) {
  database.set_metadata(kKey, Json{{"rules", record.rules}, {"versions", record.versions}}.dump());
}

void forget_analysis(Xapian::WritableDatabase& database) { database.set_metadata(kKey, ""); }

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

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// True for digits with whatever a locale puts between them, bytes of UTF-8 included.
bool is_number(std::string_view value) {
  constexpr std::string_view kOther = "-+e., '";
  return !value.empty() && is_digit(value.back()) && std::ranges::all_of(value, [&](char c) {
    return is_digit(c) || (c & 0x80) != 0 || kOther.find(c) != std::string_view::npos;
  });
}

}  // namespace

std::string plain_number(std::string_view value) {
  if (!is_number(value)) return std::string(value);
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
  double number = 0;
  const auto read = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  return read.ec == std::errc() ? number_text(number) : plain;
}

}  // namespace kindred
