#include "plugin/cli/output/json_output.h"

#include <array>
#include <charconv>
#include <iostream>

#include "config/shown.h"

namespace kindred::cli {

double shortest(float value) {
  std::array<char, 64> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  double result = 0;
  std::from_chars(text.data(), written.ptr, result);
  return result;
}

std::string json_line(const Json& json) {
  return shown(json.dump(-1, ' ', false, Json::error_handler_t::replace), ShownAs::kJson);
}

Json bad_line_json(std::uint64_t line, const std::string& error) {
  return {{"line", line}, {"error", error}};
}

Json with_shards(Json json, const ShardRevisions& shards) {
  if (!shards) return json;
  for (const ShardRevision& shard : *shards)
    json["shards"].push_back({{"uuid", shard.uuid}, {"revision", shard.revision}});
  return json;
}

void print_json(const Json& json) { std::cout << json_line(json) << '\n'; }

Json summary_json(const TopicMap& map) {
  Json json = {{"units", map.units.size()},
               {"documents", map.origin.documents},
               {"epochs", map.origin.epochs},
               {"quantization_error", map.quantization_error},
               {"topographic_error", map.topographic_error},
               {"topics", map.topics.size()},
               {"seconds", map.origin.seconds}};
  if (map.agreement.documents > 0) {
    json["agreement"] = {{"documents", map.agreement.documents},
                         {"unit_purity", map.agreement.unit_purity},
                         {"unit_nmi", map.agreement.unit_mutual_information},
                         {"topic_purity", map.agreement.topic_purity},
                         {"topic_nmi", map.agreement.topic_mutual_information}};
  }
  return json;
}

}  // namespace kindred::cli
