// A program outside the tree that uses the whole C++ face: every installed header, an ingest, both
// questions, and an Error that the library throws to it.
#include <kindred/answers.h>
#include <kindred/ask/ask.h>
#include <kindred/config/error.h>
#include <kindred/config/settings.h>
#include <kindred/documents/tag_spy.h>
#include <kindred/engine.h>
#include <kindred/input/record.h>
#include <kindred/kindred.h>
#include <kindred/related/knn_source.h>
#include <kindred/writing/ingest.h>
#include <iostream>

int main(int, char* argv[]) {
  const kindred::Settings settings =
      kindred::parse_settings("[classify]\nneighbors = 3\n", "settings");
  kindred::Ingest ingest(argv[1], settings);
  ingest.add(kindred::parse_record(R"({"id": 1, "text": "bake the bread", "labels": ["food"]})"));
  ingest.add(kindred::parse_record(R"({"id": 2, "text": "bread and butter", "labels": ["food"]})"));
  ingest.add(kindred::parse_record(R"({"id": 3, "text": "harbor and tide", "labels": ["sea"]})"));
  ingest.commit();

  const kindred::Engine engine(argv[1], settings);
  kindred::RelatedRequest request;
  request.like.push_back(kindred::UniqueId{"1"});
  if (engine.related(request).results.at(0).id != "2") return 1;
  kindred::KnnSource source(engine.neighborhood(request));
  Xapian::Enquire enquire{Xapian::Database(argv[1])};
  enquire.set_query(Xapian::Query(&source));
  kindred::TagSpy spy(settings);
  enquire.add_matchspy(&spy);
  if (enquire.get_mset(0, 3).size() != 1 || spy.labels().at("food") != 1) return 1;
  enquire.set_query(engine.parse("Baking -butter").query);
  if (enquire.get_mset(0, 3).size() != 1) return 1;
  kindred::Record record;
  record.text = "a slice of bread";
  if (engine.classify(record).tags.at(0).label != "food") return 1;
  try {
    engine.classify(kindred::UniqueId{"nobody"});
  } catch (const kindred::Error& e) {
    std::cout << kindred_plugin()->version << ", as expected: " << e.what() << '\n';
    return e.code() == kindred::Errc::kNotFound ? 0 : 1;
  }
  return 1;
}
