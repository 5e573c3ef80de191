#include "plugin/filter.h"

#include <algorithm>

#include "config/error.h"
#include "plugin/query_analysis.h"

namespace kindred {
namespace {

Xapian::Query parse_filter(const Xapian::Database& database, const std::string& text,
                           const Settings& settings, bool stemmed, Analyzer& analyzer) {
  const AnalyzerStopper stopper(analyzer);
  Xapian::QueryParser parser;
  parser.set_database(database);
  parser.set_default_op(Xapian::Query::OP_AND);
  parser.set_stopper(&stopper);
  if (stemmed) {
    parser.set_stemmer(Xapian::Stem(new AnalyzerStem(analyzer)));
    parser.set_stemming_strategy(Xapian::QueryParser::STEM_SOME);
  }
  parser.add_prefix("title", "S");
  parser.add_boolean_prefix("label", settings.labels.prefix);
  parser.add_boolean_prefix("predicted", settings.labels.predicted_prefix);
  parser.add_boolean_prefix("rejected", settings.labels.rejected_prefix);
  parser.add_boolean_prefix("topic", settings.topics.prefix);
  parser.add_boolean_prefix("unit", settings.topics.unit_prefix);
  parser.add_boolean_prefix("id", settings.index.id_prefix);
  parser.add_boolean_prefix("lang", "L");
  try {
    return parser.parse_query(text, Xapian::QueryParser::FLAG_DEFAULT |
                                        Xapian::QueryParser::FLAG_WILDCARD |
                                        Xapian::QueryParser::FLAG_PURE_NOT);
  } catch (const Xapian::QueryParserError& e) {
    throw Error(Errc::kInvalidArgument,
                "filter '" + text + "': expected a Xapian query: " + e.get_msg());
  }
}

}  // namespace

std::vector<std::uint64_t> matching_rows(const Xapian::Database& database, const Mirror& mirror,
                                         const std::string& query, const Settings& settings,
                                         Analyzer& analyzer) {
  const bool stemmed =
      std::any_of(mirror.prefixes.begin(), mirror.prefixes.end(),
                  [](const std::string& prefix) { return prefix.starts_with('Z'); });
  Xapian::Enquire enquire(database);
  enquire.set_query(parse_filter(database, query, settings, stemmed, analyzer));
  enquire.set_weighting_scheme(Xapian::BoolWeight());
  enquire.set_docid_order(Xapian::Enquire::ASCENDING);
  const Xapian::MSet matches = enquire.get_mset(0, database.get_doccount());
  std::vector<std::uint64_t> rows((mirror.docids.size() + 63) / 64, 0);
  for (auto it = matches.begin(); it != matches.end(); ++it) {
    // A document that came after the snapshot has no row yet.
    if (const auto row = mirror.row_of(*it)) rows[*row / 64] |= std::uint64_t{1} << *row % 64;
  }
  return rows;
}

}  // namespace kindred
