// Pairs that are found by the terms they must share are those that a backend finds, to the bit.
#include "plugin/related/similar_documents.h"

#include "gpu/document_set.h"
#include "plugin/snapshot/current_snapshot.h"
#include "plugin/snapshot/mirrored_database.h"
#include "plugin/snapshot/snapshot.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;

namespace {

/// Documents of which some are others with a few words more, or without a few; few words are
/// common, most are rare. One is empty.
std::vector<Record> edited_collection(unsigned count) {
  std::independent_bits_engine<std::mt19937, 32, std::uint32_t> random(3);
  std::vector<Record> records;
  for (unsigned i = 0; i < count; ++i) {
    Record each = test::record("s" + std::to_string(i), "");
    each.terms.emplace();
    if (i > 5 && i % 3 == 0) each.terms = records[random() % i].terms;
    const unsigned more = i == 5 ? 0 : i % 3 == 0 ? random() % 4 : 10 + random() % 60;
    for (unsigned j = 0; j < more; ++j) {
      const unsigned word = 1 + 4000 / (1 + random() % 2000);
      const std::string term = "w" + std::to_string(word * 7 + random() % word);
      const auto is_same = [&](const TermCount& known) { return known.term == term; };
      if (std::none_of(each.terms->begin(), each.terms->end(), is_same))
        each.terms->push_back({term, 1 + random() % 5});
    }
    records.push_back(std::move(each));
  }
  return records;
}

std::shared_ptr<const Snapshot> snapshot_of(const std::string& path, const std::string& smart) {
  Settings settings = test::on_cpu();
  settings.weighting.smart = smart;
  MirroredDatabase database(path, nullptr, settings);
  return CurrentSnapshot(database, {}).get();
}

/// All neighbors of a document down to a threshold among `among`, by docids.
std::vector<Neighbor> by_backend(const Snapshot& snapshot, Xapian::docid docid, double threshold,
                                 const DocumentSet& among) {
  Queries query;
  snapshot.weigh_document(docid, snapshot.weighting(), query);
  std::vector<Neighbor> all =
      snapshot.backend().nearest(query, snapshot.mirror().documents(), &among);
  std::erase_if(all, [&](const Neighbor& neighbor) {
    return neighbor.number == kNoDocument || neighbor.similarity < threshold;
  });
  std::sort(all.begin(), all.end(),
            [](const Neighbor& a, const Neighbor& b) { return a.number < b.number; });
  return all;
}

}  // namespace

TEST_CASE("documents that share a term of their heads have all neighbors that a backend finds") {
  const test::TemporaryDirectory directory;
  test::write(directory / "db", edited_collection(300));
  const auto snapshot = snapshot_of(directory / "db", GENERATE("ltc", "lnc", "bpc"));
  DocumentSet among(snapshot->mirror().list);
  const bool all = GENERATE(true, false);
  for (const Xapian::docid docid : snapshot->mirror().list->numbers())
    if (all || docid % 3 != 2) among.insert(docid);
  const std::vector<Xapian::docid> docids = among.numbers();
  std::size_t pairs = 0;
  for (const double threshold : {0.05, 0.3, 0.6, 0.8, 0.95, 1.0}) {
    const SimilarDocuments similar(*snapshot, docids, threshold);
    for (std::size_t i = 0; i < docids.size(); ++i) {
      CAPTURE(threshold, docids[i]);
      const std::vector<Neighbor> found = similar.of(i);
      CHECK(found == by_backend(*snapshot, docids[i], threshold, among));
      CHECK(found.size() <= similar.most_compared(i));
      pairs += found.size();
    }
  }
  CHECK(pairs > 6 * docids.size());
}

TEST_CASE("similar documents are found by shared terms where that is less work than to ask") {
  const test::TemporaryDirectory directory;
  test::write(directory / "db", edited_collection(2000));
  const auto snapshot = snapshot_of(directory / "db", "ltc");
  const std::vector<Xapian::docid> docids = snapshot->mirror().list->numbers();
  CHECK(shared_terms_are_quicker(*snapshot, docids, 0.99));
  CHECK_FALSE(shared_terms_are_quicker(*snapshot, docids, 0.01));
}
