// The questions about the map of topics.
#include <utility>

#include "config/shown.h"
#include "plugin/ask/asking.h"
#include "plugin/learning.h"
#include "plugin/topics/topic_map.h"
#include "plugin/writing/stored_answers.h"

namespace kindred {
namespace {

api::TopicMap summary_of(const TopicMap& map) {
  api::TopicMap summary;
  summary.units = map.units.size();
  summary.documents = map.origin.documents;
  summary.epochs = map.origin.epochs;
  summary.quantization_error = map.quantization_error;
  summary.topographic_error = map.topographic_error;
  summary.map_revision = map.origin.revision;
  summary.training_seconds = map.origin.seconds;
  const TopicAgreement& agreement = map.agreement;
  if (agreement.documents > 0)
    summary.agreement = {agreement.documents, agreement.unit_purity,
                         agreement.unit_mutual_information, agreement.topic_purity,
                         agreement.topic_mutual_information};
  return summary;
}

api::DescribedTopic described(Asking& asking, const Topic& topic) {
  api::DescribedTopic made;
  made.number = topic.number;
  made.name = topic.name;
  made.documents = topic.documents;
  made.neighbors.assign(topic.neighbors.begin(), topic.neighbors.end());
  made.terms = topic.terms;
  for (TopicDocument& document : asking.reading().describe(topic.typical, asking.pulse))
    made.typical.push_back(
        {document.docid, std::move(document.id), std::move(document.title), document.similarity});
  return made;
}

}  // namespace

api::TopicsAnswer answer(Asking& asking, const api::TopicsRequest&) {
  auto answer = asking.answer<api::TopicsAnswer>();
  const auto map = asking.reading().topic_map();
  answer.map = summary_of(*map);
  for (const Topic& topic : map->topics) answer.topics.push_back(described(asking, topic));
  return answer;
}

api::TopicOfAnswer answer(Asking& asking, const api::TopicOfRequest& asked) {
  auto answer = asking.answer<api::TopicOfAnswer>();
  const auto map = asking.reading().topic_map();
  for (const Example& example : asked.examples) {
    asking.pulse();
    answer.places.push_back(topic_place(*map, asking.reading().topic_of(example, *map)));
  }
  return answer;
}

api::MapAnswer answer(Asking& asking, const api::MapRequest& asked) {
  auto answer = asking.answer<api::MapAnswer>();
  PlacedDocuments placed;
  if (asked.places) {
    MatchingRequest matching;
    matching.query = asked.query;
    matching.pulse = asking.pulse;
    placed =
        asking.reading().placed_documents(asking.reading().matching(matching).docids, asking.pulse);
  } else {
    placed.map = asking.reading().topic_map();
  }

  const TopicMap& map = *placed.map;
  answer.map = summary_of(map);
  answer.stamp = map.stamp;
  answer.rows = map.origin.rows;
  answer.columns = map.origin.columns;
  answer.lattice = map.origin.hexagonal ? "hexagonal" : "rectangular";
  answer.toroidal = map.origin.toroidal;
  for (const TopicUnit& unit : map.units)
    answer.units.push_back({unit.x, unit.y, unit.topic, unit.documents, unit.height, unit.label});
  if (!asked.places) return answer;

  answer.places.emplace();
  for (PlacedDocument& document : placed.documents) {
    asking.pulse();
    answer.places->push_back(
        {std::move(document.id), document.docid, document.place.unit, document.place.topic});
  }
  return answer;
}

api::TrainTopicsAnswer answer(Asking& asking, const api::TrainTopicsRequest& asked) {
  const auto on_epoch = [&](const SomEpoch& epoch) {
    const std::string doing = "epoch " + std::to_string(epoch.epoch) + " of " +
                              std::to_string(epoch.epochs) + ": sigma " + fixed(epoch.sigma, 2) +
                              ", quantization error " + fixed(epoch.quality.quantization_error, 4) +
                              ", " + std::to_string(epoch.moved) + " documents moved";
    return !asking.index.on_step || asking.index.on_step({doing, epoch.epoch, epoch.epochs});
  };
  const auto map = train_topics(asking.reading(), asked, on_epoch, asking.index.others);
  if (map == nullptr) {
    asking.is_answered_elsewhere = true;
    return {};
  }
  auto answer = asking.answer<api::TrainTopicsAnswer>();
  answer.map = summary_of(*map);
  answer.topics = map->topics.size();
  return answer;
}

api::AssignTopicsAnswer answer(Asking& asking, const api::AssignTopicsRequest& asked) {
  AssignRequest request;
  static_cast<api::AssignTopicsRequest&>(request) = asked;
  request.on_progress = asking.running();
  const AssignReport report = assign_topics(asking.engine(), request);
  return {report, report, report.map_revision};
}

}  // namespace kindred
