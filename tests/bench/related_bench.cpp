// Related documents of a Xapian database: Kindred's exact cosine beside Xapian's own route, an
// expand set of 40 terms and OP_ELITE_SET over it, which looks at the best terms only.
//
//   related_bench DATABASE [--queries N]
//
// Both answer for the same documents, spread over the database, in turn; k = 10; docids only.
#include <xapian.h>
#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <vector>

#include "plugin/mirror/reading/mirror_reader.h"
#include "plugin/snapshot/snapshot.h"
#include "tests/bench/options.h"
#include "tests/bench/timing.h"

namespace kindred::bench {
namespace {

constexpr std::size_t kResults = 10;
constexpr Xapian::termcount kExpandTerms = 40;
constexpr std::size_t kWarmUp = 32;  // queries

using Docids = std::set<Xapian::docid>;

Docids by_kindred(const Snapshot& snapshot, Xapian::docid docid) {
  Queries query;
  snapshot.weigh_document(docid, snapshot.weighting(), query);
  Docids found;
  for (const Neighbor& neighbor : snapshot.backend().nearest(query, kResults + 1)) {
    if (neighbor.number != docid && neighbor.number != kNoDocument) {
      found.insert(neighbor.number);
    }
  }
  return found;
}

Docids by_xapian(const Xapian::Database& database, Xapian::docid docid) {
  Xapian::Enquire enquire(database);
  Xapian::RSet relevant;
  relevant.add_document(docid);
  std::vector<std::string> terms;
  const Xapian::ESet expand = enquire.get_eset(kExpandTerms, relevant);
  for (auto it = expand.begin(); it != expand.end(); ++it) terms.push_back(*it);
  enquire.set_query(
      Xapian::Query(Xapian::Query::OP_ELITE_SET, terms.begin(), terms.end(), kExpandTerms));
  Docids found;
  const Xapian::MSet matches = enquire.get_mset(0, kResults + 1);
  for (auto it = matches.begin(); it != matches.end(); ++it) {
    if (*it != docid) found.insert(*it);
  }
  return found;
}

void run(const std::string& path, std::size_t queries) {
  const Xapian::Database database(path);
  Settings settings;
  settings.backend.threads = 1;
  const Snapshot snapshot(read_mirror(database, settings), settings);
  const std::vector<Xapian::docid> docids = snapshot.mirror().list->numbers();
  Queries first;  // so many that the backend has its tiles afterwards
  for (std::size_t i = 0; i < std::min(docids.size(), kWarmUp); ++i)
    snapshot.weigh_document(docids[i], snapshot.weighting(), first);
  snapshot.backend().nearest(first, kResults);
  std::vector<double> kindred, xapian;
  double shared = 0;
  for (std::size_t q = 0; q < queries; ++q) {
    const Xapian::docid docid = docids[q * docids.size() / queries];
    Docids exact, approximate;
    kindred.push_back(seconds_of([&] { exact = by_kindred(snapshot, docid); }));
    xapian.push_back(seconds_of([&] { approximate = by_xapian(database, docid); }));
    for (const Xapian::docid found : exact) shared += approximate.contains(found);
  }
  const double ratio = percentile(xapian, .5) / percentile(kindred, .5);
  const double overlap = shared / static_cast<double>(queries * kResults);
  std::printf("%zu documents, %zu queries, one thread\n", docids.size(), queries);
  std::printf("%-32s median %7.3f ms   p99 %7.3f ms\n", "kindred, exact",
              1e3 * percentile(kindred, .5), 1e3 * percentile(kindred, .99));
  std::printf("%-32s median %7.3f ms   p99 %7.3f ms\n", "Xapian, 40 terms, elite set",
              1e3 * percentile(xapian, .5), 1e3 * percentile(xapian, .99));
  std::printf("ratio %.1f; Xapian finds %.0f %% of the ten nearest\n", ratio, 100 * overlap);
}

}  // namespace

void run_bench(std::vector<std::string> arguments) {
  const auto named = first_arguments(arguments, 1, "related_bench DATABASE [--queries N]");
  std::size_t queries = 500;
  read_options(arguments, {{"--queries", into(queries)}});
  run(named[0], queries);
}

}  // namespace kindred::bench
