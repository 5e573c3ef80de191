#include "index/search.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "analyzer/text/segment.h"
#include "analyzer/text/utf8.h"
#include "index/query.h"
#include "plugin/input/document_data.h"

namespace search_server {
namespace {

using Query = Xapian::Query;

/// Deeper pages are empty: ranks there say nothing, and take long.
constexpr std::size_t kDeepest = 10'000;
/// Facets are of at least so many documents, if they match.
constexpr std::size_t kCounted = 100'000;
/// More bytes of a text are not looked at for its snippet.
constexpr std::size_t kMostText = 4096;
constexpr std::size_t kSnippet = 240;
// The text has no such characters any more when they mark the hits.
constexpr char kBegin = '\x01';
constexpr char kEnd = '\x02';
constexpr char kBetween = '\x03';  // words that touch each other

/// What Xapian's snippets write for characters of markup, which we want as they are.
constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
    {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};

/// Xapian takes ideographs without a space between them for one word. The index has the words.
std::string with_words_apart(const std::string& text) {
  std::string apart;
  thread_local kindred::Segmenter segmenter;  // costly to make
  std::vector<std::string_view> words;
  for (segmenter.start(text); segmenter.next(words);) {
    std::string_view rest = segmenter.stretch();
    for (const std::string_view word : words) {
      const auto gap = static_cast<std::size_t>(word.data() - rest.data());
      apart.append(rest.substr(0, gap)).append(gap == 0 ? 1 : 0, kBetween).append(word);
      rest.remove_prefix(gap + word.size());
    }
    apart.append(rest);
  }
  return apart;
}

/// The part of a text that says most about why it matches; its beginning if no word of the query is
/// in it. Control characters become spaces. To ask how frequent all its words are would take long.
Json make_snippet(const Xapian::MSet& matches, std::string_view text, const Xapian::Stem& stemmer) {
  std::string plain(kindred::utf8_prefix(text, kMostText));
  std::ranges::replace_if(
      plain, [](unsigned char c) { return c < ' ' || c == '\x7f'; }, ' ');
  plain.erase(plain.find_last_not_of(' ') + 1);
  if (!kindred::is_ascii(plain)) plain = with_words_apart(plain);
  std::string snippet = matches.snippet(plain, kSnippet, stemmer, 0, std::string(1, kBegin),
                                        std::string(1, kEnd), "\u2026");
  std::erase(snippet, kBetween);
  for (const auto& [from, to] : kEscapes) kindred::replace_all(snippet, from, to);
  Json parts = Json::array();
  bool hit = false;
  for (std::size_t begin = 0; begin < snippet.size(); hit = !hit) {
    const std::size_t end = std::min(snippet.find(hit ? kEnd : kBegin, begin), snippet.size());
    if (end > begin) parts.push_back({{"text", snippet.substr(begin, end - begin)}, {"hit", hit}});
    begin = end + 1;
  }
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
  const ValueField& field =
      schema.value(descending ? sort.substr(1) : sort,
                   "sort: expected 'relevance', 'newest' or the name of a value");
  enquire.set_sort_by_value_then_relevance(field.slot, descending);
}

/// One search for a part of the documents.
struct Search {
  const Xapian::Database& database;
  const Json& asked;
  const Schema& schema;
  const Xapian::Stem stemmer;
  const std::string sort;

  /// Appends documents to the answer. `counted`: if no more match, their number is exact.
  void append(const Query& query, std::size_t offset, std::size_t limit, std::size_t counted,
              SearchAnswer& answer) const {
    Xapian::Enquire enquire(database);
    enquire.set_query(filtered(query, asked, schema));
    set_order(enquire, sort, schema);
    const auto number = [](std::size_t n) { return static_cast<Xapian::doccount>(n); };
    const Xapian::MSet matches = enquire.get_mset(number(offset), number(limit), number(counted));
    for (auto match = matches.begin(); match != matches.end(); ++match) {
      Xapian::Document document = match.get_document();
      const std::string data = document.get_data();
      document.set_data(data);  // or it is read and unpacked again for each member
      Json json = document_json(document, schema);
      json["score"] = sort == "relevance" ? match.get_weight() : 0;
      json["snippet"] = make_snippet(matches, kindred::document_field(data, "sample"), stemmer);
      json["duplicates"] = Json::array();
      answer.documents.push_back(std::move(json));
    }
    answer.counts.estimate += matches.get_matches_estimated();
    answer.counts.exact &= matches.get_matches_lower_bound() == matches.get_matches_upper_bound();
  }
};

}  // namespace

SearchAnswer search(const Xapian::Database& database, const Json& asked,
                    const SearchedIndex& index) {
  const std::string typed = asked["q"];
  const AnalyzedQuery analyzed = analyzed_query(*index.plugin, typed, asked["partial"]);
  const Schema& schema = index.schema;
  const Search part{database, asked, schema, stemmer(*index.analyzers, database, typed),
                    asked.value("sort", "relevance")};
  Query query = analyzed.query, first;
  const std::vector<std::string> names = typed_words(*index.analyzers, typed);
  if (part.sort == "relevance" && !names.empty()) first = named(database, typed, names, schema);
  const auto asked_offset = asked.value("offset", std::size_t{0});
  const std::size_t limit = asked_offset < kDeepest ? asked.value("limit", std::size_t{0}) : 0;
  const std::size_t offset = std::min(asked_offset, kDeepest);
  SearchAnswer answer;
  if (first.empty()) {
    part.append(query, offset, limit, 0, answer);
  } else {
    // Few documents, which are ranked by what their words say.
    part.append(Query(Query::OP_AND_MAYBE, first, query), offset, limit, kDeepest, answer);
    const std::size_t before = answer.counts.estimate, taken = answer.documents.size();
    part.append(Query(Query::OP_AND_NOT, query, first), offset - std::min(offset, before),
                limit - taken, 0, answer);
    query = Query(Query::OP_OR, query, first);
  }
  if (asked.value("facets", 1) > 0) {
    Counts counts = index.facets->count(database, filtered(query, asked, schema), kCounted);
    if (answer.counts.exact) counts.estimate = answer.counts.estimate;
    counts.exact |= answer.counts.exact;
    answer.counts = std::move(counts);
  }
  answer.correction = corrected(database, typed, analyzed.words, answer.counts.estimate);
  return answer;
}

}  // namespace search_server
