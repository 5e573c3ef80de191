#include "plugin/mirror/filter/filter.h"

#include <algorithm>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "plugin/input/query_analysis.h"
#include "plugin/mirror/filter/filter_syntax.h"

namespace kindred {
namespace {

[[noreturn]] void refuse(std::string_view filter, const std::string& fault) {
  throw Error(Errc::kInvalidArgument,
              "filter '" + std::string(utf8_prefix(filter, 80)) + "': " + fault);
}

Xapian::Query parse_filter(const Xapian::Database& database, const std::string& text,
                           const Settings& settings, bool stemmed, Analyzer& analyzer) {
  const FilterFields fields = filter_fields(settings);
  const std::size_t wildcards = check_filter(text, fields);
  const AnalyzerStopper stopper(analyzer);
  Xapian::QueryParser parser;
  parser.set_database(database);
  parser.set_default_op(Xapian::Query::OP_AND);
  parser.set_stopper(&stopper);
  if (stemmed || settings.index.stemmed_words) {
    parser.set_stemmer(Xapian::Stem(new AnalyzerStem(analyzer)));
    parser.set_stemming_strategy(stemmed ? Xapian::QueryParser::STEM_SOME
                                         : Xapian::QueryParser::STEM_ALL);
  }
  const std::size_t share = kMaxFilterTerms / std::max<std::size_t>(wildcards, 1);
  parser.set_max_expansion(static_cast<Xapian::termcount>(std::max<std::size_t>(share, 1)));
  for (const auto& [name, prefix] : fields.texts) parser.add_prefix(name, prefix);
  for (const auto& [name, prefix] : fields.values) parser.add_boolean_prefix(name, prefix);
  try {
    const Xapian::Query query = parser.parse_query(text, Xapian::QueryParser::FLAG_DEFAULT |
                                                             Xapian::QueryParser::FLAG_WILDCARD |
                                                             Xapian::QueryParser::FLAG_PURE_NOT);
    if (query.empty()) refuse(text, "expected a Xapian query, found no word or field in it");
    return query;
  } catch (const Xapian::QueryParserError& e) {
    refuse(text, "expected a Xapian query: " + e.get_msg());
  }
}

/// An enquiry of a query string, with the weighting BM25.
Xapian::Enquire enquire(const Xapian::Database& database, const Mirror& mirror,
                        const std::string& query, const Settings& settings, Analyzer& analyzer) {
  const bool stemmed =
      std::any_of(mirror.prefixes.begin(), mirror.prefixes.end(),
                  [](const std::string& prefix) { return prefix.starts_with('Z'); });
  Xapian::Enquire enquire(database);
  enquire.set_query(parse_filter(database, query, settings, stemmed, analyzer));
  enquire.set_weighting_scheme(Xapian::BM25Weight());
  enquire.set_docid_order(Xapian::Enquire::ASCENDING);
  return enquire;
}

Xapian::MSet matches_of(Xapian::Enquire& enquiry, const std::string& query, Xapian::doccount first,
                        Xapian::doccount count) {
  try {
    return enquiry.get_mset(first, count);
  } catch (const Xapian::WildcardError&) {
    refuse(query, "its wildcards stand for more than " + std::to_string(kMaxFilterTerms) +
                      " terms, of which each may have an equal share");
  }
}

}  // namespace

RowSet matching_rows(const Xapian::Database& database, const Mirror& mirror,
                     const std::string& query, const Settings& settings, Analyzer& analyzer) {
  Xapian::Enquire enquiry = enquire(database, mirror, query, settings, analyzer);
  enquiry.set_weighting_scheme(Xapian::BoolWeight());
  const Xapian::MSet matches = matches_of(enquiry, query, 0, database.get_doccount());
  RowSet rows(mirror.rows());
  for (auto it = matches.begin(); it != matches.end(); ++it) {
    // A document that was added after the snapshot has no row yet.
    if (const auto row = mirror.row_of(*it)) rows.set(*row);
  }
  return rows;
}

std::vector<std::uint32_t> best_matching_rows(const Xapian::Database& database,
                                              const Mirror& mirror, const std::string& query,
                                              std::size_t limit, const Settings& settings,
                                              Analyzer& analyzer) {
  Xapian::Enquire enquiry = enquire(database, mirror, query, settings, analyzer);
  const auto count =
      static_cast<Xapian::doccount>(std::min<std::size_t>(limit, database.get_doccount()));
  std::vector<std::uint32_t> rows;
  Xapian::doccount got = count;
  // Documents that were added after the snapshot have no row yet, so the next ones are asked for.
  for (Xapian::doccount first = 0; got == count && rows.size() < count; first += got) {
    const Xapian::MSet matches = matches_of(enquiry, query, first, count);
    got = matches.size();
    for (auto it = matches.begin(); it != matches.end() && rows.size() < count; ++it) {
      if (const auto row = mirror.row_of(*it)) rows.push_back(*row);
    }
  }
  return rows;
}

}  // namespace kindred
