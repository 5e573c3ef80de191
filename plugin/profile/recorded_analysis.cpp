#include "plugin/profile/recorded_analysis.h"

#include <map>
#include <nlohmann/json.hpp>

#include "config/error.h"
#include "plugin/profile/plain_number.h"

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

}  // namespace kindred
