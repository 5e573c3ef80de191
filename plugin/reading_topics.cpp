#include "plugin/reading.h"

#include <utility>

#include "plugin/index_state.h"
#include "plugin/snapshot/document_lists.h"

namespace kindred {

std::shared_ptr<const TopicMap> Reading::topic_map() const {
  return index->topics.get(database().kept());
}

TopicPlacement Reading::topic_of(const Example& example, const TopicMap& map) const {
  return map.place(example_features(context(), example));
}

PlacedDocuments Reading::placed_documents(std::span<const Xapian::docid> docids,
                                          const Pulse& pulse) const {
  std::vector<Xapian::docid> known(docids.begin(), docids.end());
  std::erase_if(known, [&](Xapian::docid docid) {
    return !mirror().has(docid);
  });

  PlacedDocuments placed;
  static_cast<Origin&>(placed) = origin();
  placed.map = topic_map();
  placed.documents =
      place_documents(mirror(), *placed.map, known, snapshot->voting().threads(), pulse);
  return placed;
}

std::vector<TopicDocument> Reading::describe(std::vector<TopicDocument> documents,
                                             const Pulse& pulse) const {
  std::erase_if(documents, [&](const auto& each) {
    return !mirror().has(each.docid);
  });
  std::vector<Xapian::docid> docids;
  for (const TopicDocument& document : documents) docids.push_back(document.docid);
  std::vector<std::string> titles = read_titles(database(), docids, pulse);

  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = mirror().id_of(docids[i]);
    documents[i].title = std::move(titles[i]);
  }
  return documents;
}

}  // namespace kindred
