// A host in C++ whose own Xapian searches count similarity: it ingests four notes, and ranks those
// about the kitchen by words, and by how similar they are to one of the notes. Then it shows how
// many of them have which tag.
//
//   search DATABASE
//
// DATABASE is made if it does not exist. Exit status: 0, or 1 with a message on stderr.
#include <kindred/config/settings.h>
#include <kindred/documents/tag_spy.h>
#include <kindred/engine.h>
#include <kindred/related/knn_source.h>
#include <kindred/writing/ingest.h>
#include <xapian.h>
#include <cstdio>
#include <exception>
#include <string>

namespace {

void ingest_notes(const std::string& path) {
  static const char* const notes[] = {
      R"({"id": "bread", "title": "Bread", "labels": ["kitchen"],
          "text": "Knead the dough, let it rise, bake the bread in a hot oven."})",
      R"({"id": "tides", "title": "Tides", "labels": ["sea"],
          "text": "The moon pulls the tide; in a hot summer sailors read the harbor tables."})",
      R"({"id": "rolls", "title": "Rolls", "labels": ["kitchen"],
          "text": "Shape the dough into rolls and bake them until brown."})",
      R"({"id": "soup", "title": "Soup", "labels": ["kitchen"],
          "text": "Serve the soup hot, with a spoon of cream."})"};
  kindred::Ingest ingest(path, kindred::Settings{});
  for (const char* note : notes) ingest.add(kindred::parse_record(note));
  ingest.commit();
}

/// The documents about the kitchen that have one of the words, or are similar to the one with `id`.
/// Their tags are counted in `facets`.
Xapian::MSet search(const kindred::Engine& engine, const Xapian::Database& database,
                    const std::string& words, const std::string& id, kindred::TagSpy& facets) {
  kindred::RelatedRequest request;
  request.like.emplace_back(kindred::UniqueId{id});
  request.limit = 100;
  auto* const source = new kindred::KnnSource(engine.neighborhood(request));
  const Xapian::Query similar(source->release());  // the query owns it now

  const Xapian::Query text = engine.parse(words).query;
  const Xapian::Query scaled(Xapian::Query::OP_SCALE_WEIGHT, similar, 10);
  const Xapian::Query either(Xapian::Query::OP_OR, text, scaled);
  const Xapian::Query kitchen("Kkitchen");
  Xapian::Enquire enquire(database);
  enquire.set_query(Xapian::Query(Xapian::Query::OP_FILTER, either, kitchen));
  enquire.add_matchspy(&facets);
  return enquire.get_mset(0, 10, database.get_doccount());
}

void run(const std::string& path) {
  ingest_notes(path);
  const kindred::Engine engine(path, kindred::Settings{});
  const Xapian::Database database(path);
  kindred::TagSpy facets(engine.settings());
  const Xapian::MSet matches = search(engine, database, "hot", "bread", facets);
  for (auto match = matches.begin(); match != matches.end(); ++match)
    std::printf("%u %.3f\n", *match, match.get_weight());
  for (const auto& [label, documents] : facets.labels())
    std::printf("tag %s: %u documents\n", label.c_str(), documents);
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: search DATABASE\n");
    return 1;
  }
  try {
    run(argv[1]);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "search: %s\n", e.what());
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "search: %s\n", e.get_description().c_str());
  }
  return 1;
}
