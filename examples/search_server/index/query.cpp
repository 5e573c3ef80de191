#include "index/query.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "index/terms.h"

namespace search_server {
namespace {

bool is_term(const std::string& term) { return term.size() <= 245; }

/// Documents with the value under the prefix, however the program that made the index spells it.
Xapian::Query has(const std::string& prefix, const std::string& value) {
  const std::string usual = term_of(prefix, value);
  const std::string other = colon_term_of(prefix, value);
  if (!is_term(other)) return is_term(usual) ? Xapian::Query(usual) : Xapian::Query::MatchNothing;
  if (usual == other || prefix.size() == 1) return Xapian::Query(usual);
  return Xapian::Query(Xapian::Query::OP_OR, Xapian::Query(usual), Xapian::Query(other));
}

Xapian::Query any_of(const std::vector<Xapian::Query>& queries) {
  return Xapian::Query(Xapian::Query::OP_OR, queries.begin(), queries.end());
}

Xapian::Query has_label(const std::string& prefix, const std::string& label) {
  std::vector<Xapian::Query> any;
  for (const std::string& spelling : label_spellings(label)) any.push_back(has(prefix, spelling));
  return any_of(any);
}

double number_of(std::string_view text, const std::string& name) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw QueryMistake("value." + name + ": expected a number or a range such as 1..5, found '" +
                     std::string(text) + "'");
}

Xapian::Query number_query(const ValueField& field, const std::string& value) {
  const auto stored = [&](std::string_view text) {
    return Xapian::sortable_serialise(number_of(text, field.name));
  };
  const std::string_view text = value;
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    return Xapian::Query(Xapian::Query::OP_VALUE_RANGE, field.slot, stored(text), stored(text));
  }
  const std::string_view low = text.substr(0, dots);
  const std::string_view high = text.substr(dots + 2);
  if (low.empty()) return Xapian::Query(Xapian::Query::OP_VALUE_LE, field.slot, stored(high));
  if (high.empty()) return Xapian::Query(Xapian::Query::OP_VALUE_GE, field.slot, stored(low));
  return Xapian::Query(Xapian::Query::OP_VALUE_RANGE, field.slot, stored(low), stored(high));
}

Xapian::Query value_query(const ValueField& field, const std::string& value) {
  if (field.number) return number_query(field, value);
  return Xapian::Query(Xapian::Query::OP_VALUE_RANGE, field.slot, value, value);
}

bool is_known(const Xapian::Database& database, const AnalyzedQuery::Word& word) {
  return std::any_of(word.terms.begin(), word.terms.end(),
                     [&](const std::string& term) { return database.term_exists(term); });
}

}  // namespace

ParsedQuery parse_query(const Xapian::Database& database, const std::string& typed, bool partial,
                        const QueryAnalysis& analysis) {
  ParsedQuery parsed;
  if (typed.find_first_not_of(" \t\r\n") == std::string::npos) {
    // Not Query::MatchAll: copies of it share a count that only one thread at a time may change.
    parsed.query = Xapian::Query(std::string());
    return parsed;
  }
  const AnalyzedQuery analyzed = analysis.parse(typed, partial);
  parsed.query = analyzed.query;
  for (const AnalyzedQuery::Word& word : analyzed.words)
    if (!is_known(database, word)) parsed.unknown.push_back(word.word);
  return parsed;
}

Xapian::Query filtered(const Xapian::Query& query, const Filters& filters, const Schema& schema) {
  std::vector<Xapian::Query> all;
  for (const std::string& label : filters.labels)
    all.push_back(has_label(schema.label_prefix, label));
  for (const std::string& label : filters.predicted)
    all.push_back(has_label(schema.predicted_prefix, label));
  const auto add_any = [&](const std::string& prefix, const auto& values, auto&& text) {
    std::vector<Xapian::Query> any;
    for (const auto& value : values) any.push_back(has(prefix, text(value)));
    if (!any.empty()) all.push_back(any_of(any));
  };
  const auto digits = [](std::int64_t number) { return std::to_string(number); };
  add_any(schema.topic_prefix, filters.topics, digits);
  add_any(schema.unit_prefix, filters.units, digits);
  add_any("L", filters.languages, [](const std::string& language) { return language; });
  for (const auto& [name, values] : filters.values) {
    std::vector<Xapian::Query> any;
    for (const std::string& value : values) any.push_back(value_query(*schema.value(name), value));
    if (!any.empty()) all.push_back(any_of(any));
  }
  if (all.empty()) return query;
  const Xapian::Query filter(Xapian::Query::OP_AND, all.begin(), all.end());
  return Xapian::Query(Xapian::Query::OP_FILTER, query, filter);
}

}  // namespace search_server
