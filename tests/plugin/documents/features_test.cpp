// What a record becomes in the index, and as a question to an index: the same features.
#include "plugin/documents/features.h"
#include "plugin/documents/stem_words.h"

#include <xapian.h>

#include "tests/fixtures/catch.h"

using namespace kindred;

namespace {

Record sample_record() {
  Record record;
  record.id = "1";
  record.title = "Not good";
  record.text = "The film is not good at all: see libfoo-dev, 5 km";
  record.fields["abstract"] = "Two dogs bark";
  record.fields["note"] = "cats";
  return record;
}

std::map<std::string, std::uint32_t> counts(const TermBag& bag) {
  std::map<std::string, std::uint32_t> all;
  for (const TermCount& entry : bag) all[entry.term] = entry.count;
  return all;
}

}  // namespace

TEST_CASE("features in the index are those of a question, with joined words and body fields") {
  Settings settings;
  settings.analyzer.ngrams = 2;
  settings.index.body_fields = {"abstract=2"};
  Analyzer analyzer(settings.analyzer);
  TermBag features;
  const Xapian::Document document = make_document(sample_record(), settings, analyzer, features);
  CHECK(features == record_features(sample_record(), {"Z"}, settings.index, analyzer));
  const auto all = counts(features);
  CHECK(all.at("Zgood") == 3 + 1);
  CHECK(all.at("Znot good") == 3 + 1);
  CHECK(all.at("Zdog") == 2);
  CHECK(all.at("Ztwo dog") == 2);
  CHECK(!all.contains("Zcat"));
  CHECK(!all.contains("Zkm two"));  // fields have no neighbors in other fields
}

TEST_CASE("joined words are no words to search for") {
  Settings settings;
  settings.analyzer.ngrams = 2;
  Analyzer analyzer(settings.analyzer);
  TermBag features;
  const Xapian::Document document = make_document(sample_record(), settings, analyzer, features);
  auto it = document.termlist_begin();
  for (; it != document.termlist_end(); ++it)
    if ((*it).find(' ') != std::string::npos) CHECK((*it)[0] == 'Z');
  CHECK(record_features(sample_record(), {""}, settings.index, analyzer).size() ==
        record_features(sample_record(), {""}, IndexSettings(), analyzer).size());
}

TEST_CASE("a stem is shown as its most frequent word, on any kind of index") {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  Xapian::WritableDatabase shard("", Xapian::DB_BACKEND_INMEMORY);
  const auto add = [](Xapian::WritableDatabase& to, const std::vector<std::string>& terms) {
    Xapian::Document document;
    for (const std::string& term : terms) document.add_term(term);
    to.add_document(document);
  };
  add(database, {"happy", "image", "imaging", "Kimage", "Zimag", "Zhappi", "Len"});
  add(database, {"images", "häuser", "Lde"});
  add(shard, {"images", "Fimago", "Lnonsense"});
  AnalyzerPool analyzers(Settings().analyzer);
  const auto words = [&](const std::vector<std::string>& terms,
                         const std::vector<std::string>& prefixes) {
    StemWords known;
    return words_of_terms(database, terms, prefixes, analyzers, known);
  };
  using Words = std::vector<std::string>;
  CHECK(words({"Zhappi", "Zimag", "Zimag happi", "Zabsent", "ZSimag"}, {"Z", "ZS"}) ==
        Words{"happy", "image", "image happy", "absent", "image"});
  database.add_database(shard);  // now images are in two documents
  CHECK(words({"Zimag"}, {"Z"}) == Words{"images"});
  CHECK(words({"Zhaus"}, {"Z"}) == Words{"haus"});      // its words begin otherwise
  CHECK(words({"imaging"}, {""}) == Words{"imaging"});  // an index without stems
  CHECK(words({"Bimage", "Simage", "XWORD:Image"}, {"B", "S", "XWORD"}) ==
        Words{"image", "image", "Image"});
  CHECK(words({"ZXSUBJECTimag", "Zother"}, {"Z", "ZXSUBJECT"}) == Words{"images", "other"});
  CHECK(words({}, {"Z"}).empty());
}
