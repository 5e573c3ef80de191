#include "plugin/search/words.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>

#include "analyzer/text/segment.h"
#include "analyzer/text/utf8.h"
#include "config/shown.h"
#include "gpu/pool.h"

namespace kindred {
namespace {

constexpr int kMostNear = 200'000;  ///< words that are compared with one that is unknown
/// A word of fewer than 1 in so many documents may be a slip, if another is so much more frequent.
constexpr Xapian::doccount kRareShare = 10'000, kMoreFrequent = 10;

/// More bytes of a text are not looked at for its snippet.
constexpr std::size_t kMostText = 4096;
constexpr std::size_t kSnippet = 240, kBefore = 60;  // bytes; before the first hit
constexpr char kMore[] = "\u2026";
// The text has no such characters any more when they mark the hits.
constexpr char kBegin = '\x01';
constexpr char kEnd = '\x02';

/// What Xapian's snippets write for characters of markup, which we want as they are.
constexpr std::pair<std::string_view, std::string_view> kEscapes[] = {
    {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&amp;", "&"}};

class Stems : public Xapian::StemImplementation {
 public:
  Stems(AnalyzerPool& analyzers, const std::string& text)
      : analyzer_(analyzers.lease_for_query(text)) {}
  std::string operator()(const std::string& word) override {
    // What a text says again is stemmed once. A word that is not ASCII is cut first, because it is
    // not folded as the index has it.
    const auto [known, is_new] = known_.try_emplace(word, word);
    std::string term;
    if (is_new && is_ascii(word)) {
      term = analyzer_->term_of(word);  // it is folded, and need not be cut
    } else if (is_new) {
      const auto& tokens = analyzer_->tokens(word);
      if (tokens.size() == 1) term = tokens[0].term;
    }

    if (!term.empty()) known->second = term;
    return known->second;
  }
  std::string get_description() const override { return "stems of the index"; }

 private:
  const AnalyzerPool::Lease analyzer_;
  std::unordered_map<std::string, std::string> known_;  ///< texts say most words again
};

/// Calls see(term) for words that begin with the same letter, kMostNear at most: an error in
/// the first letter is rare, and to look for it would take all words of the index.
template <typename See>
void each_of_first_letter(const Xapian::Database& database, const std::string& word,
                          const Pulse& pulse, See&& see) {
  const std::string first = word.substr(0, 1);
  int left = kMostNear;
  const auto end = database.allterms_end(first);
  for (auto term = database.allterms_begin(first); term != end && left > 0; ++term, --left) {
    pulse();
    see(term);
  }
}

/// The word of more than `least` documents that perhaps was meant: the nearest, of equally near
/// ones the most frequent.
std::string near_word(const Xapian::Database& database, const std::string& word,
                      Xapian::doccount least, const Pulse& pulse) {
  // Short words are near to too many others.
  if (word.size() < 4 || word.size() > 40) return "";
  std::string near;
  std::size_t distance = word.size() < 6 ? 1 : 2;
  Xapian::doccount most = least;

  each_of_first_letter(database, word, pulse, [&](const Xapian::TermIterator& term) {
    const std::string name = *term;

    // The length alone tells that most words are too far away.
    if (name.size() + distance < word.size() || name.size() > word.size() + distance) return;
    const std::size_t its = edit_distance(word, name);
    const Xapian::doccount documents = term.get_termfreq();
    if (its > distance || documents <= (its == distance ? most : least)) return;

    near = name;
    distance = its;
    most = documents;
  });
  return near;
}

/// True if one letter was changed, left out or added, or two neighbors changed places.
bool is_slip(std::string_view typed, std::string_view meant) {
  // Behind what is the same at first, all but the slip is the same, too.
  const auto same =
      static_cast<std::size_t>(std::ranges::mismatch(typed, meant).in1 - typed.begin());
  typed.remove_prefix(same);
  meant.remove_prefix(same);
  const auto behind = [](std::string_view text, std::size_t letters) {
    return text.substr(std::min(letters, text.size()));
  };
  if (typed.size() + 1 == meant.size()) return typed == behind(meant, 1);
  if (typed.size() == meant.size() + 1) return behind(typed, 1) == meant;
  if (typed.empty() || typed.size() != meant.size()) return false;
  if (behind(typed, 1) == behind(meant, 1)) return true;
  return typed[0] == meant[1] && typed[1] == meant[0] && behind(typed, 2) == behind(meant, 2);
}

/// The word that was perhaps meant, by the spelling data of the index or else by its words.
std::string meant_word(const Xapian::Database& database, const std::string& word,
                       Xapian::doccount least, const Pulse& pulse) {
  const std::string spelled = database.get_spelling_suggestion(word);
  return spelled.empty() ? near_word(database, word, least, pulse) : spelled;
}

/// The beginning of words that perhaps was meant by one that no word has: of those that are a slip
/// away, the one whose words most documents have.
std::string near_beginning(const Xapian::Database& database, const std::string& word,
                           const Pulse& pulse) {
  if (word.size() < 4 || word.size() > 40) return "";
  std::map<std::string, std::uint64_t> documents_of;

  each_of_first_letter(database, word, pulse, [&](const Xapian::TermIterator& term) {
    const std::string name = *term;
    for (const std::size_t size : {word.size() + 1, word.size(), word.size() - 1}) {
      if (size > name.size() || !is_slip(word, std::string_view(name).substr(0, size))) continue;
      documents_of[name.substr(0, size)] += term.get_termfreq();
      return;
    }
  });

  const auto most = std::ranges::max_element(documents_of, {}, [](const auto& each) {
    return each.second;
  });
  return most == documents_of.end() ? "" : most->first;
}

/// True for texts in scripts that put no spaces between words (Thai to Khmer, Chinese, Japanese),
/// and in some that do, such as Hangul.
bool may_lack_spaces(std::string_view text) {
  const auto lacks = [](unsigned char first, unsigned char second) {
    return (first == 0xE0 && second >= 0xB8) || (first == 0xE1 && second < 0xA0) ||
           (first >= 0xE3 && first <= 0xED);
  };
  return std::ranges::adjacent_find(text, lacks) != text.end();
}

/// The segmenters of snippets and corrections, which are costly to make.
Pool<Segmenter>& segmenters() {
  static Pool<Segmenter> pool(std::make_unique<Segmenter>);
  return pool;
}

/// Where a word, in small letters, stands in a text: the first byte of each span, and the one
/// behind it.
std::vector<std::pair<std::size_t, std::size_t>> places_of(const std::string& lower,
                                                           std::string_view text) {
  std::vector<std::pair<std::size_t, std::size_t>> spans;
  const Pool<Segmenter>::Lease segmenter = segmenters().lease();
  std::vector<std::string_view> words;
  for (segmenter->start(text); segmenter->next(words);)
    for (const std::string_view word : words)
      if (lower_ascii(word) == lower) spans.push_back(segmenter->place_of(word));

  return spans;
}

/// The part of a text with the most hits, which are marked; what a wildcard found is not. Words may
/// touch each other: Xapian's own snippets take such words for one, or (1.4.29) each ideograph for
/// a word.
std::string snippet_of_words(const std::string& text, const Xapian::Stem& stemmer,
                             const TermSet& asked) {
  std::string marked;
  std::vector<std::size_t> hits;  // where they begin
  const Pool<Segmenter>::Lease segmenter = segmenters().lease();
  std::vector<std::string_view> words;

  // The text is copied with its hits marked, and where they begin is kept.
  for (segmenter->start(text); segmenter->next(words);) {
    std::string_view rest = segmenter->stretch();

    for (const std::string_view word : words) {
      const auto gap = static_cast<std::size_t>(word.data() - rest.data());
      const std::string lower = lower_ascii(word);
      const bool is_hit =
          asked.contains(lower) || asked.contains(std::string("Z").append(stemmer(lower)));

      marked.append(rest.substr(0, gap));
      if (is_hit) {
        hits.push_back(marked.size());
        marked.append(1, kBegin).append(word).append(1, kEnd);
      } else {
        marked.append(word);
      }
      rest.remove_prefix(gap + word.size());
    }
    marked.append(rest);
  }

  // The hit from which on most others fit into a snippet. Both ends move forward only.
  std::size_t best = 0, most = 0;
  for (std::size_t i = 0, end = 0; i < hits.size(); ++i) {
    while (end < hits.size() && hits[end] + kBefore < hits[i] + kSnippet) ++end;
    if (end - i > most) best = hits[i];
    most = std::max(most, end - i);
  }

  // A few words before it are shown, too.
  const std::size_t begin = utf8_prefix(marked, std::max(best, kBefore) - kBefore).size();
  std::string snippet(utf8_prefix(std::string_view(marked).substr(begin), kSnippet));

  if (begin + snippet.size() < marked.size()) snippet.append(1, kEnd).append(kMore);
  return begin > 0 ? kMore + snippet : snippet;
}

}  // namespace

std::string corrected(const Xapian::Database& database, const std::string& typed,
                      const std::vector<QueryWord>& words, std::size_t found, bool partial,
                      const Pulse& pulse) {
  // If the query finds enough, only words that no document has can be slips.
  const Xapian::doccount few = database.get_doccount() / kRareShare, rare = found > few ? 0 : few;
  struct Better {
    std::size_t end = 0;
    std::string word;
  };
  std::map<std::size_t, Better> better_at;  // by the first byte of what it replaces

  for (const QueryWord& word : words) {
    pulse();
    Xapian::doccount documents = 0;
    for (const std::string& term : word.terms)
      documents = std::max(documents, database.get_termfreq(term));
    if (documents > rare) continue;

    // A word that is still being written may have two slips when it is nearly whole.
    const std::string lower = lower_ascii(word.word);
    const bool is_begun = partial && word.at + word.size == typed.size();
    if (is_begun && database.allterms_begin(lower) != database.allterms_end(lower)) continue;
    std::string better;
    if (is_begun) better = near_beginning(database, lower, pulse);
    if (better.empty()) better = meant_word(database, lower, kMoreFrequent * documents, pulse);
    if (better.empty()) continue;

    const std::string_view part = std::string_view(typed).substr(word.at, word.size);
    for (const auto& [begin, end] : places_of(lower, part))
      better_at[word.at + begin] = {word.at + end, better};
  }

  std::string result;
  std::size_t copied = 0;
  for (const auto& [begin, better] : better_at) {
    result.append(typed, copied, begin - copied).append(better.word);
    copied = better.end;
  }
  return better_at.empty() ? "" : result.append(typed, copied);
}

std::vector<std::string> typed_words(AnalyzerPool& analyzers, const std::string& typed) {
  std::vector<std::string> words;
  const auto analyzer = analyzers.lease_for_query(typed);
  for (const Token& token : analyzer->tokens(typed))
    if (!token.word.empty()) words.push_back(token.word);
  return words;
}

Xapian::Stem stemmer(AnalyzerPool& analyzers, const Xapian::Database& database,
                     const std::string& text) {
  const bool stemmed = database.allterms_begin("Z") != database.allterms_end("Z");
  return stemmed ? Xapian::Stem(new Stems(analyzers, text)) : Xapian::Stem();
}

std::vector<SnippetPart> make_snippet(const Xapian::MSet& matches, std::string_view text,
                                      const Xapian::Stem& stemmer, const TermSet& asked) {
  // Control characters would be taken for marks of hits.
  std::string plain(utf8_prefix(text, kMostText)), snippet;
  std::ranges::replace_if(
      plain,
      [](unsigned char c) {
        return c < ' ' || c == '\x7f';
      },
      ' ');
  plain.erase(plain.find_last_not_of(' ') + 1);

  // Xapian's snippets cut at spaces, and need them between words.
  if (may_lack_spaces(plain)) {
    snippet = snippet_of_words(plain, stemmer, asked);
  } else {
    snippet = matches.snippet(plain, kSnippet, stemmer, 0, std::string(1, kBegin),
                              std::string(1, kEnd), kMore);
    for (const auto& [from, to] : kEscapes) replace_all(snippet, from, to);
  }

  // The marks become parts: those without a hit and those with one take turns.
  std::vector<SnippetPart> parts;
  bool hit = false;

  for (std::size_t begin = 0; begin < snippet.size(); hit = !hit) {
    const std::size_t end = std::min(snippet.find(hit ? kEnd : kBegin, begin), snippet.size());
    std::string part = snippet.substr(begin, end - begin);
    std::erase(part, kEnd);  // of a hit that began before the snippet
    if (!part.empty()) parts.emplace_back(std::move(part), hit);
    begin = end + 1;
  }

  return parts;
}

}  // namespace kindred
