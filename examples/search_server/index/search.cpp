#include "index/search.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analyzer/text/utf8.h"

namespace search_server {
namespace {

using Query = Xapian::Query;

/// Deeper pages are empty: ranks there say nothing, and take long.
constexpr std::uint32_t kDeepest = 10'000;
/// More bytes of a text are not looked at for its snippet.
constexpr std::size_t kMostText = 4096;
constexpr std::size_t kSnippet = 240;
// The text has no such characters any more when they mark the hits.
constexpr char kBegin = '\x01';
constexpr char kEnd = '\x02';

/// What Xapian's snippets write for characters of markup, which we want as they are.
constexpr std::pair<std::string_view, char> kEscapes[] = {
    {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}};

std::string plain(std::string_view text) {
  std::string plain(kindred::utf8_prefix(text, kMostText));
  std::ranges::replace_if(
      plain, [](unsigned char c) { return c < ' ' || c == '\x7f'; }, ' ');
  plain.erase(plain.find_last_not_of(' ') + 1);
  return plain;
}

/// The part of a text that says most about why it matches; its beginning if no word of the query is
/// in it. Control characters become spaces.
std::vector<SnippetPart> make_snippet(const Xapian::MSet& matches, const std::string& text,
                                      const Xapian::Stem& stemmer) {
  const std::string snippet =
      matches.snippet(plain(text), kSnippet, stemmer, Xapian::MSet::SNIPPET_BACKGROUND_MODEL,
                      std::string(1, kBegin), std::string(1, kEnd), "\u2026");
  std::vector<SnippetPart> parts(1);
  for (std::string_view rest = snippet; !rest.empty();) {
    if (rest[0] == kBegin || rest[0] == kEnd) {
      if (parts.back().text.empty()) parts.pop_back();
      parts.push_back({"", rest[0] == kBegin});
      rest.remove_prefix(1);
      continue;
    }
    const auto escape = std::ranges::find_if(
        kEscapes, [&](const auto& each) { return rest.starts_with(each.first); });
    const bool escaped = escape != std::end(kEscapes);
    parts.back().text += escaped ? escape->second : rest[0];
    rest.remove_prefix(escaped ? escape->first.size() : 1);
  }
  if (parts.back().text.empty()) parts.pop_back();
  return parts;
}

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
    throw Problem(
        400, "bad-query",
        "sort: expected 'relevance', 'newest' or the name of a value, found '" + sort + "'");
  }
  enquire.set_sort_by_value_then_relevance(field->slot, descending);
}

/// One search for a part of the documents.
class Search {
 public:
  Search(const Xapian::Database& database, const SearchQuestion& question, const Schema& schema,
         const Xapian::Stem& stemmer)
      : database_(database), question_(question), schema_(schema), stemmer_(stemmer) {}

  /// Appends documents to the answer. `counted`: if no more match, their number is exact.
  void append(const Query& query, std::size_t offset, std::size_t limit, std::size_t counted,
              SearchAnswer& answer) const {
    Xapian::Enquire enquire(database_);
    enquire.set_query(filtered(query, question_.filters, schema_));
    set_order(enquire, question_.sort, schema_);
    const auto number = [](std::size_t n) { return static_cast<Xapian::doccount>(n); };
    const Xapian::MSet matches = enquire.get_mset(number(offset), number(limit), number(counted));
    for (auto match = matches.begin(); match != matches.end(); ++match) {
      FoundDocument found;
      found.read = read_document(match.get_document(), schema_);
      if (question_.sort == "relevance") found.score = match.get_weight();
      found.snippet = make_snippet(matches, found.read.text, stemmer_);
      answer.documents.push_back(std::move(found));
    }
    answer.facets.estimate += matches.get_matches_estimated();
    answer.facets.exact &= matches.get_matches_lower_bound() == matches.get_matches_upper_bound();
  }

 private:
  const Xapian::Database& database_;
  const SearchQuestion& question_;
  const Schema& schema_;
  const Xapian::Stem& stemmer_;
};

}  // namespace

SearchAnswer search(const Xapian::Database& database, const SearchQuestion& question,
                    const Schema& schema, Words& words, const FacetTable& facets) {
  const AnalyzedQuery analyzed = words.analyzed(question.q, question.partial);
  const Xapian::Stem stemmer = words.stemmer(database, analyzed.language);
  const Search part(database, question, schema, stemmer);
  Query query = analyzed.query, first;
  if (question.sort == "relevance" && !analyzed.typed.empty())
    first = named(database, question.q, analyzed.typed, schema);
  const std::uint32_t limit = question.offset < kDeepest ? question.limit : 0;
  const std::uint32_t offset = std::min(question.offset, kDeepest);
  SearchAnswer answer;
  if (first.empty()) {
    part.append(query, offset, limit, 0, answer);
  } else {
    // Few documents, which are ranked by what their words say.
    part.append(Query(Query::OP_AND_MAYBE, first, query), offset, limit, kDeepest, answer);
    const std::size_t before = answer.facets.estimate, taken = answer.documents.size();
    part.append(Query(Query::OP_AND_NOT, query, first),
                offset - std::min<std::size_t>(offset, before), limit - taken, 0, answer);
    query = Query(Query::OP_OR, query, first);
  }
  if (question.counted > 0) {
    Facets counted =
        facets.count(database, filtered(query, question.filters, schema), question.counted);
    if (answer.facets.exact) counted.estimate = answer.facets.estimate;
    counted.exact |= answer.facets.exact;
    answer.facets = std::move(counted);
  }
  answer.correction = corrected(database, question.q, analyzed.words);
  return answer;
}

}  // namespace search_server
