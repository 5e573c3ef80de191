#include "plugin/query/filter.h"

#include <algorithm>

#include "plugin/query/label_style.h"
#include "plugin/query/pulse_source.h"
#include "plugin/query/query_parser.h"

namespace kindred {
namespace {

/// An enquiry of a query string, with the weighting BM25.
Xapian::Enquire enquire(const Xapian::Database& database, const Mirror& mirror,
                        const Vocabulary* vocabulary, const std::string& query,
                        const Settings& settings, Analyzer& analyzer, const Pulse& pulse) {
  QueryStyle style;
  style.dictionary = &database;
  style.pulse = pulse;
  set_labels(style, mirror, vocabulary);
  Xapian::Enquire enquire(database);
  const ParsedQuery parsed = parse_query(query, mirror.prefixes, settings, analyzer, style);
  enquire.set_query(with_pulse(parsed.query, pulse));
  enquire.set_weighting_scheme(Xapian::BM25Weight());
  enquire.set_docid_order(Xapian::Enquire::ASCENDING);
  return enquire;
}

}  // namespace

DocumentSet matching_documents(const Xapian::Database& database, const Mirror& mirror,
                               const Vocabulary* vocabulary, const std::string& query,
                               const Settings& settings, Analyzer& analyzer, const Pulse& pulse) {
  const Xapian::MSet matches = where_sources_may(pulse, [&](const Pulse& own) {
    Xapian::Enquire enquiry = enquire(database, mirror, vocabulary, query, settings, analyzer, own);
    enquiry.set_weighting_scheme(Xapian::BoolWeight());
    return enquiry.get_mset(0, database.get_doccount());
  });
  DocumentSet documents(mirror.list);  // without those that were added after the snapshot
  for (auto it = matches.begin(); it != matches.end(); ++it) documents.insert(*it);
  return documents;
}

std::vector<Xapian::docid> best_matching(const Xapian::Database& database, const Mirror& mirror,
                                         const Vocabulary* vocabulary, const std::string& query,
                                         std::size_t limit, const Settings& settings,
                                         Analyzer& analyzer, const Pulse& pulse) {
  const auto count =
      static_cast<Xapian::doccount>(std::min<std::size_t>(limit, database.get_doccount()));
  return where_sources_may(pulse, [&](const Pulse& own) {
    Xapian::Enquire enquiry = enquire(database, mirror, vocabulary, query, settings, analyzer, own);
    std::vector<Xapian::docid> docids;
    Xapian::doccount got = count;
    // Documents that were added after the snapshot do not count, so the next ones are asked for.
    for (Xapian::doccount first = 0; got == count && docids.size() < count; first += got) {
      const Xapian::MSet matches = enquiry.get_mset(first, count);
      got = matches.size();
      for (auto it = matches.begin(); it != matches.end() && docids.size() < count; ++it) {
        if (mirror.has(*it)) docids.push_back(*it);
      }
    }
    return docids;
  });
}

}  // namespace kindred
