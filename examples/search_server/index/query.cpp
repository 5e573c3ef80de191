#include "index/query.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "analyzer/text/utf8.h"

namespace search_server {
namespace {

using Query = Xapian::Query;
using Queries = std::vector<Query>;

/// More ids that begin with what was typed say nothing.
constexpr std::size_t kMostNamed = 250;
/// Of the documents with the typed words in their title, those whose titles are read.
constexpr Xapian::doccount kMostTitles = 5;

template <typename Items>
Query any_of(const Items& items) {
  return Query(Query::OP_OR, items.begin(), items.end());
}

/// Documents with the value under the prefix, however the program that made the index spells it.
Query has(const std::string& prefix, const std::string& value) {
  std::set<std::string> any = {kindred::prefixed_term(prefix, value)};
  if (prefix.size() > 1) any.insert(kindred::colon_term(prefix, value));
  std::erase_if(any, [](const std::string& term) { return !kindred::fits_term(term); });
  return any_of(any);
}

/// The same in each of Unicode's normalization forms.
Query has_label(const std::string& prefix, const std::string& label) {
  Queries any;
  for (const std::string& spelling :
       std::set<std::string>{label, label_name(label), kindred::nfd(label_name(label))})
    any.push_back(has(prefix, spelling));
  return any_of(any);
}

Query has_value(const ValueField& field, const std::string& value) {
  if (!field.number) return Query(Query::OP_VALUE_RANGE, field.slot, value, value);
  const std::size_t dots = std::min(value.find(".."), value.size());
  const auto stored = [&](std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size())
      return Xapian::sortable_serialise(number);
    throw Problem(400, "bad-query",
                  "value." + field.name + ": expected a number or a range such as 1..5, found '" +
                      std::string(text) + "'");
  };
  const std::string low = value.substr(0, dots);
  const std::string high = dots == value.size() ? low : value.substr(dots + 2);
  if (low.empty()) return Query(Query::OP_VALUE_LE, field.slot, stored(high));
  if (high.empty()) return Query(Query::OP_VALUE_GE, field.slot, stored(low));
  return Query(Query::OP_VALUE_RANGE, field.slot, stored(low), stored(high));
}

std::string folded(std::string_view text) {
  return kindred::folded_text(kindred::trimmed_nfc(text), kindred::TextFolding::kZim);
}

/// Documents with these words in their title, one after the other. `open`: the last may go on.
Query in_title(const std::vector<std::string>& words, bool open) {
  std::vector<std::string> terms;
  for (const std::string& word : words) terms.push_back("S" + word);
  if (!open) return Query(Query::OP_PHRASE, terms.begin(), terms.end());
  const Query last(Query::OP_WILDCARD, terms.back(), kMostNamed,
                   Query::WILDCARD_LIMIT_MOST_FREQUENT);
  terms.pop_back();
  return Query(Query::OP_AND, Query(Query::OP_PHRASE, terms.begin(), terms.end()), last);
}

}  // namespace

Query filtered(const Query& query, const Filters& filters, const Schema& schema) {
  Queries all;
  const auto label = [&](Kind kind, const std::string& name) {
    return has_label(schema.prefixes[kind], name);
  };
  const auto add_any = [&](const std::vector<std::string>& values, auto&& make) {
    Queries any;
    for (const std::string& value : values) any.push_back(make(value));
    if (!any.empty()) all.push_back(any_of(any));
  };
  for (const std::string& name : filters.tags)
    all.push_back(Query(Query::OP_OR, label(kLabels, name), label(kPredicted, name)));
  for (const auto& [kind, names] : filters.labels)
    for (const std::string& name : names) all.push_back(label(kind, name));
  for (const auto& [kind, values] : filters.any)
    add_any(values, [&](const std::string& value) { return has(schema.prefixes[kind], value); });
  for (const auto& [name, values] : filters.values)
    add_any(values,
            [&](const std::string& value) { return has_value(*schema.value(name), value); });
  if (all.empty()) return query;
  return Query(Query::OP_FILTER, query, Query(Query::OP_AND, all.begin(), all.end()));
}

Query named(const Xapian::Database& database, const std::string& typed,
            const std::vector<std::string>& words, const Schema& schema) {
  const std::string& prefix = schema.prefixes[kIds];
  const std::string id = kindred::trimmed_nfc(typed), name = folded(typed);
  std::vector<std::string> exactly, begun;
  for (const std::string& one : std::set<std::string>{id, name}) {
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
      const std::string title = folded(read_title(match.get_document(), schema));
      if (!title.starts_with(name)) continue;
      found = true;
      const IndexedDocument document = read_document(match.get_document(), schema);
      (title == name ? exactly : begun).push_back(kindred::prefixed_term(prefix, document.id));
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
  return any_of(Queries{ranked(exactly, 1e6), ranked(next, 1e3), any_of(begun)});
}

}  // namespace search_server
