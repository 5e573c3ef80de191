#include "index/search.h"

#include <string_view>
#include <utility>

#include "index/correction.h"

namespace search_server {
namespace {

/// How many more documents are counted with a table, in less time.
constexpr Xapian::doccount kTableGain = 20;

void set_order(Xapian::Enquire& enquire, const std::string& sort, const Schema& schema) {
  if (sort == "relevance") return;
  if (sort == "newest") {
    enquire.set_weighting_scheme(Xapian::BoolWeight());
    enquire.set_docid_order(Xapian::Enquire::DESCENDING);
    return;
  }
  const bool descending = sort.starts_with('-');
  const ValueField* field = schema.value(descending ? sort.substr(1) : sort);
  if (field == nullptr) {
    throw QueryMistake("sort: expected 'relevance', 'newest' or the name of a value, found '" +
                       sort + "'");
  }
  enquire.set_sort_by_value_then_relevance(field->slot, descending);
}

/// Counts facets, and matching documents on the way. Without ranks that takes less time than
/// counting on the way of the search.
void count_facets(const Xapian::Database& database, const Xapian::Query& query,
                  const SearchQuestion& question, const Schema& schema, const FacetTable* table,
                  SearchAnswer& answer) {
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  enquire.set_weighting_scheme(Xapian::BoolWeight());
  FacetSpy spy(schema, table);
  enquire.add_matchspy(&spy);
  const Xapian::MSet counted =
      enquire.get_mset(0, 0, question.facet_documents * (table != nullptr ? kTableGain : 1));
  answer.facets = spy.facets(question.facets);
  if (answer.exact) return;
  answer.estimate = counted.get_matches_estimated();
  answer.exact = counted.get_matches_lower_bound() == counted.get_matches_upper_bound();
}

}  // namespace

SearchAnswer search(const Xapian::Database& database, const SearchQuestion& question,
                    const Schema& schema, const QueryAnalysis& analysis, const FacetTable* facets) {
  SearchAnswer answer;
  ParsedQuery parsed = parse_query(database, question.q, question.partial, analysis);
  Xapian::Enquire enquire(database);
  enquire.set_query(filtered(parsed.query, question.filters, schema));
  set_order(enquire, question.sort, schema);
  const Xapian::MSet matches = enquire.get_mset(question.offset, question.limit);
  answer.estimate = matches.get_matches_estimated();
  answer.exact = matches.get_matches_lower_bound() == matches.get_matches_upper_bound();
  if (question.facets > 0) {
    count_facets(database, enquire.get_query(), question, schema, facets, answer);
  }
  const Xapian::Stem stemmer = index_stemmer(database, analysis);
  for (auto match = matches.begin(); match != matches.end(); ++match) {
    FoundDocument found;
    found.document = read_document(match.get_document(), schema);
    if (question.sort == "relevance") found.score = match.get_weight();
    found.snippet = make_snippet(matches, found.document.text, stemmer);
    answer.documents.push_back(std::move(found));
  }
  if (!parsed.unknown.empty()) {
    answer.correction = corrected(database, question.q, parsed.unknown);
  }
  return answer;
}

}  // namespace search_server
