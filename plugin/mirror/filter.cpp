#include "plugin/mirror/filter.h"

#include <algorithm>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "plugin/mirror/query_parser.h"

namespace kindred {
namespace {

/// An enquiry of a query string, with the weighting BM25.
Xapian::Enquire enquire(const Xapian::Database& database, const Mirror& mirror,
                        const std::string& query, const Settings& settings, Analyzer& analyzer) {
  Xapian::Enquire enquire(database);
  enquire.set_query(parse_query(query, mirror.prefixes, settings, analyzer).query);
  enquire.set_weighting_scheme(Xapian::BM25Weight());
  enquire.set_docid_order(Xapian::Enquire::ASCENDING);
  return enquire;
}

Xapian::MSet matches_of(Xapian::Enquire& enquiry, const std::string& query, Xapian::doccount first,
                        Xapian::doccount count) {
  try {
    return enquiry.get_mset(first, count);
  } catch (const Xapian::WildcardError&) {
    throw Error(Errc::kInvalidArgument, "filter '" + std::string(utf8_prefix(query, 80)) +
                                            "': its wildcards stand for more than " +
                                            std::to_string(kMaxFilterTerms) +
                                            " terms, of which each may have an equal share");
  }
}

}  // namespace

DocumentSet matching_documents(const Xapian::Database& database, const Mirror& mirror,
                               const std::string& query, const Settings& settings,
                               Analyzer& analyzer) {
  Xapian::Enquire enquiry = enquire(database, mirror, query, settings, analyzer);
  enquiry.set_weighting_scheme(Xapian::BoolWeight());
  const Xapian::MSet matches = matches_of(enquiry, query, 0, database.get_doccount());
  DocumentSet documents(mirror.list);  // without those that were added after the snapshot
  for (auto it = matches.begin(); it != matches.end(); ++it) documents.insert(*it);
  return documents;
}

std::vector<Xapian::docid> best_matching(const Xapian::Database& database, const Mirror& mirror,
                                         const std::string& query, std::size_t limit,
                                         const Settings& settings, Analyzer& analyzer) {
  Xapian::Enquire enquiry = enquire(database, mirror, query, settings, analyzer);
  const auto count =
      static_cast<Xapian::doccount>(std::min<std::size_t>(limit, database.get_doccount()));
  std::vector<Xapian::docid> docids;
  Xapian::doccount got = count;
  // Documents that were added after the snapshot do not count, so the next ones are asked for.
  for (Xapian::doccount first = 0; got == count && docids.size() < count; first += got) {
    const Xapian::MSet matches = matches_of(enquiry, query, first, count);
    got = matches.size();
    for (auto it = matches.begin(); it != matches.end() && docids.size() < count; ++it) {
      if (mirror.has(*it)) docids.push_back(*it);
    }
  }
  return docids;
}

}  // namespace kindred
