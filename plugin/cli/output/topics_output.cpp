#include "plugin/cli/output/topics_output.h"

namespace kindred::cli {

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
