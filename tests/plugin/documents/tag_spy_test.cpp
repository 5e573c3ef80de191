// Facets of tags and topics, against counting by hand.
#include "plugin/documents/tag_spy.h"

#include <nlohmann/json.hpp>

#include "plugin/related/knn_source.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::record;

namespace {

using Terms = std::vector<std::string>;

void add(Xapian::WritableDatabase& database, const Terms& terms) {
  Xapian::Document document;
  for (const std::string& term : terms) document.add_boolean_term(term);
  database.add_document(document);
}

/// Shows the spy every document that matches.
void look(const Xapian::Database& database, const Xapian::Query& query, TagSpy& spy) {
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  enquire.add_matchspy(&spy);
  enquire.get_mset(0, 1, database.get_doccount());
}

/// Two shards in memory.
Xapian::Database tagged_documents() {
  Xapian::WritableDatabase one("", Xapian::DB_BACKEND_INMEMORY);
  Xapian::WritableDatabase two("", Xapian::DB_BACKEND_INMEMORY);
  add(one, {"moon", "Kspace", "Kscience", "XTOPIC3", "XUNIT17"});
  add(one, {"moon", "XAUTOspace", "XAUTOcooking", "XTOPIC12"});
  add(one, {"Kspace"});
  add(two, {"moon", "Kspace", "XAUTO:Space", "XREJECTspace", "XTOPIC3"});
  add(two, {"moon", "XAUTOspace", "XAUTO:space", "XTOPICS", "Zmoon"});
  add(two, {});
  Xapian::Database both;
  both.add_database(one);
  both.add_database(two);
  return both;
}

template <typename Call>
bool is_refused(const Call& call) {
  try {
    call();
  } catch (const Xapian::SerialisationError& e) {
    return e.get_msg().size() > 20;
  }
  return false;
}

}  // namespace

TEST_CASE("the tags and topics of matching documents are counted") {
  const Xapian::Database database = tagged_documents();
  TagSpy spy;
  look(database, Xapian::Query("moon"), spy);
  CHECK(spy.total() == 4);
  CHECK(spy.labels() == NameCounts{{"science", 1}, {"space", 2}});
  CHECK(spy.predicted() == NameCounts{{"Space", 1}, {"cooking", 1}, {"space", 2}});
  CHECK(spy.topics() == NameCounts{{"12", 1}, {"3", 2}});
  look(database, Xapian::Query::MatchAll, spy);
  CHECK(spy.total() == 4 + 6);
  CHECK(spy.labels().at("space") == 2 + 3);
}

TEST_CASE("prefixes are those of the settings") {
  const Xapian::Database database = tagged_documents();
  Settings settings;
  settings.labels.prefix = "XAUTO";
  settings.labels.predicted_prefix = "XREJECT";
  settings.topics.prefix = "XUNIT";
  TagSpy spy(settings);
  look(database, Xapian::Query::MatchAll, spy);
  CHECK(spy.labels().at("space") == 2);
  CHECK(spy.predicted() == NameCounts{{"space", 1}});
  CHECK(spy.topics() == NameCounts{{"17", 1}});
}

TEST_CASE("values that are no labels are not counted") {
  const Xapian::Database database = tagged_documents();
  Settings settings;
  settings.labels.system = {"sci*", "other"};
  TagSpy spy(settings);
  look(database, Xapian::Query::MatchAll, spy);
  CHECK(spy.labels() == NameCounts{{"space", 3}});
  CHECK(spy.predicted().at("space") == 2);
  const std::unique_ptr<TagSpy> there(TagSpy().unserialise(spy.serialise(), Xapian::Registry()));
  look(database, Xapian::Query::MatchAll, *there);
  CHECK(there->labels() == spy.labels());
}

TEST_CASE_METHOD(test::TemporaryPath,
                 "the facets of similar documents are those of an index that Kindred tagged") {
  test::write(path, test::small_collection());
  Ingest ingest(path, {});
  ingest.add(record("new1", "A cat on a mat purrs and sleeps"));
  ingest.add(record("new2", "The income tax of the new budget"));
  ingest.commit();

  const Engine engine(path, {});
  REQUIRE(engine.status().tagged == 2);
  const Xapian::Database database(path);
  TagSpy all(engine.settings());
  look(database, Xapian::Query::MatchAll, all);
  CHECK(all.total() == 9);
  CHECK(all.labels() == NameCounts{{"animals", 3}, {"finance", 3}, {"pets", 2}});
  CHECK(all.predicted().at("finance") == 1);

  const RelatedRequest request = test::like({UniqueId{"tax1"}});
  KnnSource similar(engine.neighborhood(request));
  TagSpy spy(engine.settings());
  look(database, Xapian::Query(&similar), spy);
  NameCounts labels, predicted;
  for (const api::RelatedDocument& related : engine.related(request).results) {
    if (related.id == "tax2" || related.id == "bank1") ++labels["finance"];
    if (related.id == "new2") ++predicted["finance"];
  }
  CHECK(labels.at("finance") > 0);
  CHECK(spy.labels().at("finance") == labels.at("finance"));
  CHECK(spy.predicted() == predicted);
}

TEST_CASE("counts of several processes add up") {
  const Xapian::Database database = tagged_documents();
  Settings settings;
  settings.labels.prefix = "XAUTO";
  TagSpy here(settings);
  look(database, Xapian::Query("moon"), here);
  const Xapian::Registry registry;
  const std::unique_ptr<TagSpy> there(TagSpy().unserialise(here.serialise(), registry));
  const std::unique_ptr<TagSpy> copy(here.clone());
  CHECK(copy->total() == 0);
  CHECK(there->total() == 0);
  CHECK(there->name() == "kindred::TagSpy");
  look(database, Xapian::Query("moon"), *there);
  CHECK(there->labels() == here.labels());
  const NameCounts before = here.labels();
  here.merge_results(there->serialise_results());
  CHECK(here.total() == 2 * there->total());
  for (const auto& [name, count] : here.labels()) CHECK(count == 2 * before.at(name));
  CHECK(here.topics().at("3") == 4);
}

TEST_CASE("names of any bytes are counted and sent") {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  const std::string name("\xff\0\x01", 3);
  add(database, {"K" + name});
  TagSpy spy, sum;
  look(database, Xapian::Query::MatchAll, spy);
  sum.merge_results(spy.serialise_results());
  CHECK(sum.labels() == NameCounts{{name, 1}});
}

TEST_CASE("bytes that no spy wrote are refused, and change nothing") {
  const Xapian::Database database = tagged_documents();
  const Xapian::Registry registry;
  TagSpy spy;
  look(database, Xapian::Query("moon"), spy);
  const NameCounts before = spy.labels();
  const std::string kind = spy.serialise(), results = spy.serialise_results();
  for (std::size_t size = 0; size < kind.size(); ++size)
    REQUIRE(is_refused([&] { delete spy.unserialise(kind.substr(0, size), registry); }));
  for (std::size_t size = 0; size < results.size(); ++size)
    REQUIRE(is_refused([&] { spy.merge_results(results.substr(0, size)); }));
  for (const std::string json :
       {"[]", "{}", R"({"version":2,"total":1,"labels":{},"predicted":{},"topics":{}})",
        R"({"version":1,"total":-1,"labels":{},"predicted":{},"topics":{}})",
        R"({"version":1,"total":1,"labels":[1],"predicted":{},"topics":{}})",
        R"({"version":1,"total":1,"labels":{"a":1},"predicted":{},"topics":{"b":1.5}})"}) {
    std::string cbor;
    nlohmann::json::to_cbor(nlohmann::json::parse(json), cbor);
    INFO(json);
    CHECK(is_refused([&] { spy.merge_results(cbor); }));
  }
  CHECK(spy.labels() == before);
  CHECK(spy.total() == 4);
}
