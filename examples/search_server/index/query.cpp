#include "index/query.h"

#include <algorithm>
#include <set>

#include "analyzer/text/utf8.h"
#include "plugin/input/document_data.h"
#include "plugin/store/terms.h"

namespace search_server {
namespace {

using Query = Xapian::Query;

/// More ids that begin with what was typed say nothing.
constexpr std::size_t kMostNamed = 250;
/// Of the documents with the typed words in their title, those whose titles are read.
constexpr Xapian::doccount kMostTitles = 5;

template <typename Items>
Query any_of(const Items& items) {
  return Query(Query::OP_OR, items.begin(), items.end());
}

/// Documents with one of the values under the prefix, however the program that made the index
/// spells it.
Query has(const std::string& prefix, const std::vector<std::string>& values) {
  std::set<std::string> any;
  for (const std::string& value : values) {
    any.insert(kindred::prefixed_term(prefix, value));
    if (prefix.size() > 1) any.insert(kindred::colon_term(prefix, value));
  }
  std::erase_if(any, [](const std::string& term) { return !kindred::fits_term(term); });
  return any_of(any);
}

Query has_value(const ValueField& field, const std::string& value) {
  if (!field.number) return Query(Query::OP_VALUE_RANGE, field.slot, value, value);
  const std::size_t dots = std::min(value.find(".."), value.size());
  const std::string low = value.substr(0, dots);
  const std::string high = dots == value.size() ? low : value.substr(dots + 2);
  if (!low.empty() || !high.empty()) {
    Query range = Xapian::NumberRangeProcessor(field.slot)(low, high);
    if (range.get_type() != Query::OP_INVALID) return range;
  }
  throw Problem(
      400, "bad-query",
      "value." + field.name + ": expected a number or a range such as 1..5, found '" + value + "'");
}

/// Documents that have the value of a member of what is asked.
Query fits(const std::string& member, const std::string& value, const Schema& schema) {
  const auto label = [&](Kind kind) {
    return has(schema.prefixes[kind], kindred::label_spellings(value));
  };
  if (member == "label") return label(kLabels);
  if (member == "predicted") return label(kPredicted);
  if (member == "tag") return Query(Query::OP_OR, label(kLabels), label(kPredicted));
  if (member == "topic") return has(schema.prefixes[kTopics], {value});
  if (member == "unit") return has(schema.prefixes[kUnits], {value});
  if (member == "language") return has(schema.prefixes[kLanguages], {value});
  return has_value(schema.value(member.substr(6), "expected a value"), value);
}

std::string folded(std::string_view text) {
  return kindred::folded_text(kindred::trimmed_nfc(text), kindred::TextFolding::kZim);
}

/// Documents with these words in their title, one after the other. `open`: the last may go on.
Query in_title(const std::vector<std::string>& words, bool open) {
  std::vector<std::string> terms(words.size());
  std::ranges::transform(words, terms.begin(), [](const auto& word) { return "S" + word; });
  if (!open) return Query(Query::OP_PHRASE, terms.begin(), terms.end());
  const Query last(Query::OP_WILDCARD, terms.back(), kMostNamed,
                   Query::WILDCARD_LIMIT_MOST_FREQUENT);
  terms.pop_back();
  return Query(Query::OP_AND, Query(Query::OP_PHRASE, terms.begin(), terms.end()), last);
}

}  // namespace

Query filtered(const Query& query, const Json& asked, const Schema& schema) {
  std::vector<Query> all;
  for (const auto& [member, values] : asked.items()) {
    if (!values.is_array() || values.empty()) continue;
    std::vector<Query> each;
    for (const Json& value : values)
      each.push_back(
          fits(member, value.is_string() ? value.get<std::string>() : value.dump(), schema));
    const bool wants_all = member == "tag" || member == "label" || member == "predicted";
    all.push_back(Query(wants_all ? Query::OP_AND : Query::OP_OR, each.begin(), each.end()));
  }
  if (all.empty()) return query;
  return Query(Query::OP_FILTER, query, Query(Query::OP_AND, all.begin(), all.end()));
}

Query named(const Xapian::Database& database, const std::string& typed,
            const std::vector<std::string>& words, const Schema& schema) {
  const std::string& prefix = schema.prefixes[kIds];
  const std::string name = folded(typed);
  std::vector<std::string> exactly, begun;
  for (const std::string& one : std::set<std::string>{kindred::trimmed_nfc(typed), name}) {
    const std::string begin = kindred::prefixed_term(prefix, one);
    if (one.empty() || !kindred::fits_term(begin)) continue;
    const auto end = database.allterms_end(begin);
    std::vector<std::string> ids;
    for (auto term = database.allterms_begin(begin); term != end && ids.size() <= kMostNamed;
         ++term)
      (*term == begin ? exactly : ids).push_back(*term);
    if (ids.size() <= kMostNamed) begun.insert(begun.end(), ids.begin(), ids.end());
  }
  bool found = false;
  for (const bool open : {false, true}) {
    if (found || words.size() < (open ? 2 : 1)) break;
    Xapian::Enquire enquire(database);
    enquire.set_query(in_title(words, open));
    const Xapian::MSet titles = enquire.get_mset(0, kMostTitles);
    for (auto match = titles.begin(); match != titles.end(); ++match) {
      const Xapian::Document document = match.get_document();
      const std::string title = folded(kindred::document_title(document, schema.settings.index));
      if (!title.starts_with(name)) continue;
      found = true;
      const std::string id = kindred::prefixed_term(prefix, values_of(document, {prefix})[0]);
      (title == name ? exactly : begun).push_back(id);
    }
  }
  if (exactly.empty() && begun.empty()) return Query();
  std::vector<std::string> next;  // of those that begin so, the shortest
  if (!begun.empty()) next = {*std::ranges::min_element(begun, {}, &std::string::size)};
  const auto ranked = [](const std::vector<std::string>& terms, double weight) {
    const Query source((new Xapian::FixedWeightPostingSource(weight))->release());
    return Query(Query::OP_AND, any_of(terms), source);
  };
  // Words cannot outweigh these.
  return any_of(std::vector{ranked(exactly, 1e6), ranked(next, 1e3), any_of(begun)});
}

}  // namespace search_server
