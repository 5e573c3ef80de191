#include "plugin/search/query.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "analyzer/text/normal_form.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "plugin/input/document_data.h"
#include "plugin/query/parsed_query.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

using Query = Xapian::Query;
using Terms = std::vector<std::string>;

/// More ids that begin with what was typed say nothing.
constexpr std::size_t kMostNamed = 250;
/// Of the documents with the typed words in their title, those whose titles are read.
constexpr Xapian::doccount kMostTitles = 5;

std::string folded(std::string_view text) {
  return folded_text(trimmed_nfc(text), TextFolding::kZim);
}

/// Documents with these words in their title, one after the other. `open`: the last may go on.
Query in_title(const Terms& words, bool open) {
  // Titles are indexed under S. While somebody types, the last word may only have begun.
  Terms terms(words.size());
  std::ranges::transform(words, terms.begin(), [](const auto& word) {
    return "S" + word;
  });
  if (!open) return Query(Query::OP_PHRASE, terms.begin(), terms.end());
  const Query last(Query::OP_WILDCARD, terms.back(), kMostNamed,
                   Query::WILDCARD_LIMIT_MOST_FREQUENT);
  terms.pop_back();
  return Query(Query::OP_AND, Query(Query::OP_PHRASE, terms.begin(), terms.end()), last);
}

/// The first value that a term of the document has under a prefix; "" if there is none.
std::string first_value(const Xapian::Document& document, const std::string& prefix) try {
  const auto end = document.termlist_end();
  auto term = document.termlist_begin();
  std::string value;
  for (term.skip_to(prefix); term != end && value.empty(); ++term) {
    const std::string name = *term;
    if (!name.starts_with(prefix)) break;
    value = value_under(prefix, name).value_or("");
  }
  return value;
} catch (const Xapian::DocNotFoundError&) {  // the index does not keep the terms of documents
  return "";
}

/// Terms of the ids of documents that are called as somebody typed.
struct Named {
  Terms exactly;
  Terms begun;  ///< of names that begin so
};

/// Ids that are what was typed, or begin with it. They may be written as they were typed, or
/// folded.
void add_ids(const Xapian::Database& database, const std::string& typed, const std::string& ids,
             Named& found) {
  for (const std::string& one : std::set<std::string>{trimmed_nfc(typed), folded(typed)}) {
    const std::string begin = prefixed_term(ids, one);
    if (one.empty() || !fits_term(begin)) continue;

    const auto end = database.allterms_end(begin);
    Terms longer;
    for (auto term = database.allterms_begin(begin); term != end && longer.size() <= kMostNamed;
         ++term) {
      if (*term == begin)
        found.exactly.push_back(*term);
      else
        longer.push_back(*term);
    }

    // What more than these begin with is no name.
    if (longer.size() <= kMostNamed)
      found.begun.insert(found.begun.end(), longer.begin(), longer.end());
  }
}

/// Titles that are what was typed, or begin with it. `words`: of it; `open`: the last one may go
/// on.
/// @return whether there are any
bool add_titles(const Xapian::Database& database, const std::string& typed, const Terms& words,
                bool open, const IndexSettings& settings, Named& found) {
  const std::string name = folded(typed);
  Xapian::Enquire enquire(database);
  enquire.set_query(in_title(words, open));

  bool is_any = false;
  const Xapian::MSet titles = enquire.get_mset(0, kMostTitles);
  for (auto match = titles.begin(); match != titles.end(); ++match) {
    const Xapian::Document document = match.get_document();
    const std::string title = folded(document_title(document, settings));
    if (!title.starts_with(name)) continue;

    is_any = true;
    const std::string& ids = settings.id_prefix;
    const std::string id = prefixed_term(ids, first_value(document, ids));
    if (title == name)
      found.exactly.push_back(id);
    else
      found.begun.push_back(id);
  }
  return is_any;
}

}  // namespace

Query has_one_of(const std::string& prefix, const Terms& values) {
  // Terms of longer prefixes may have a colon behind them, which other programs write.
  std::set<std::string> any;
  for (const std::string& value : values) {
    any.insert(prefixed_term(prefix, value));
    if (prefix.size() > 1) any.insert(colon_term(prefix, value));
  }

  std::erase_if(any, [](const std::string& term) {
    return !fits_term(term);
  });
  return any_of(any);
}

Query has_value(const ValueField& field, const std::string& value) {
  if (!field.number) return Query(Query::OP_VALUE_RANGE, field.slot, value, value);

  // "1..5", or a number alone, which is both ends of its range.
  const std::size_t dots = std::min(value.find(".."), value.size());
  const std::string low = value.substr(0, dots);
  const std::string high = dots == value.size() ? low : value.substr(dots + 2);

  if (!low.empty() || !high.empty()) {
    Query range = Xapian::NumberRangeProcessor(field.slot)(low, high);
    if (range.get_type() != Query::OP_INVALID) return range;
  }

  throw Error(Errc::kInvalidArgument, "value." + field.name +
                                          ": expected a number or a range such as 1..5, found '" +
                                          shortened(value) + "'");
}

Query named(const Xapian::Database& database, const std::string& typed, const Terms& words,
            const Settings& settings) {
  const bool are_terms = settings.index.ids == "terms";
  if (words.empty() || words.size() > kMaxPhraseWords || !are_terms) return Query();

  Named found;
  add_ids(database, typed, settings.index.id_prefix, found);

  // Titles that are what was typed; if there is none, those that begin with it. In some indexes the
  // titles, not the ids, are the names that people know.
  const bool has_title = add_titles(database, typed, words, false, settings.index, found);
  if (!has_title && words.size() > 1)
    add_titles(database, typed, words, true, settings.index, found);

  const auto& [exactly, begun] = found;
  if (exactly.empty() && begun.empty()) return Query();

  Terms next;  // of those that begin so, the shortest
  if (!begun.empty()) next = {*std::ranges::min_element(begun, {}, &std::string::size)};

  const auto ranked = [](const Terms& terms, double weight) {
    const Query source((new Xapian::FixedWeightPostingSource(weight))->release());
    return Query(Query::OP_AND, any_of(terms), source);
  };

  // Words cannot outweigh these.
  return any_of(std::vector{ranked(exactly, 1e6), ranked(next, 1e3), any_of(begun)});
}

}  // namespace kindred
