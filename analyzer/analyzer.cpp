#include "analyzer/analyzer.h"

#include <algorithm>
#include <bitset>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "analyzer/filter.h"
#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"
#include "analyzer/text/parted_words.h"
#include "analyzer/text/segment.h"
#include "analyzer/text/utf8.h"
#include "analyzer/text/word_pool.h"
#include "analyzer/word_joiner.h"
#include "config/shown.h"

namespace kindred {
namespace {

using Id = WordPool::Id;

constexpr std::size_t kPoolBytes = std::size_t{8} << 20;  // what the pool may keep between texts
constexpr std::size_t kKeptWords = std::size_t{1} << 16;  // room for words kept between texts
constexpr std::size_t kKeptText = std::size_t{1} << 20;   // room for a text with words mended

// The first bytes of a string as a number; the numbers sort as the bytes do.
std::uint64_t sort_key(std::string_view text) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    key <<= 8;
    if (i < text.size()) key |= static_cast<unsigned char>(text[i]);
  }
  return key;
}

std::string with_plus(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) append_item(text, part, "+");
  return text;
}

}  // namespace

struct Analyzer::Impl {
  Impl(const AnalyzerSettings& settings, std::string_view name)
      : language(find_language(name.empty() ? std::string_view(settings.language) : name)),
        normalizer(language, settings.fold_accents),
        bigrams(settings.cjk == "bigrams"),
        filters(settings, language, normalizer),
        joiner(settings) {}

  Draft draft_of(std::string_view surface) const {
    Draft draft;
    draft.word = normalizer.fold(surface);
    draft.term = draft.word;
    if (filters.needs_spelling()) draft.spelling = normalizer.lower(surface);
    return draft;
  }

  // The entry that says what `surface` becomes. Valid until the next call.
  const WordPool::Entry& resolve(std::string_view surface) {
    const Id id = pool.intern(surface);
    if (pool[id].word != WordPool::kUnknown) return pool[id];

    // The word is new. Folding and filters are the dear part, and are done once for each word.
    Draft draft = draft_of(surface);
    filters.apply(draft);

    const Id word = pool.intern(draft.word);
    const Id term = pool.intern(draft.term);
    std::vector<Id> parts;
    for (const std::string& part : filters.terms_of_parts(draft))
      parts.push_back(pool.intern(part));

    // Only now, because each intern() may move the entries.
    WordPool::Entry& entry = pool[id];
    if (!parts.empty()) {
      entry.parts = static_cast<std::uint32_t>(part_lists.size());
      part_lists.push_back(std::move(parts));
    }
    entry.word = word;
    entry.term = term;
    return entry;
  }

  bool next_surfaces() {
    if (!segmenter.next(surfaces)) return false;
    if (bigrams) to_cjk_bigrams(surfaces, room);
    return true;
  }

  // What is between word i of the stretch and the one before; nothing if they overlap, as bigrams.
  std::string_view gap_before(std::size_t i) const {
    const char* end = segmenter.stretch().data();
    if (i > 0) end = surfaces[i - 1].data() + surfaces[i - 1].size();
    const char* const begin = surfaces[i].data();
    return {end, begin < end ? 0 : static_cast<std::size_t>(begin - end)};
  }

  // True if a dictionary that is loaded has the word.
  bool is_known(std::string_view surface) {
    if (!filters.needs_spelling()) return false;
    Draft draft = draft_of(surface);
    filters.apply(draft);
    return draft.has_stem;
  }

  // Those of the words, folded, that stand in the text as a whole.
  template <typename Joined>
  std::unordered_set<std::string> standing_in(std::string_view text,
                                              const std::vector<PartedWord>& parted,
                                              const Joined& joined) const {
    // A text of a book has few parted words and many others. So the words that are wanted are
    // collected first, and a run of letters whose length none of them has is not even folded.
    std::unordered_set<std::string> wanted;
    std::unordered_set<std::string> standing;
    std::bitset<kLongestPart> lengths;
    for (const PartedWord& each : parted) {
      const std::string word = normalizer.fold(joined(each));
      if (word.size() < lengths.size()) lengths.set(word.size());
      wanted.insert(word);
    }

    for (const std::string_view run : letter_runs(text, lengths)) {
      std::string word = normalizer.fold(run);
      if (wanted.contains(word)) standing.insert(std::move(word));
    }
    return standing;
  }

  // The text without the hyphens and line ends that part a word, where that word stands elsewhere
  // in the text or in a dictionary. Valid until the next call.
  std::string_view mended(std::string_view text) {
    cuts.clear();
    const std::vector<PartedWord> parted = parted_words(text);
    if (parted.empty()) return text;

    const auto joined = [&](const PartedWord& each) {
      return std::string(text.substr(each.begin, each.hyphen - each.begin))
          .append(text.substr(each.rest, each.end - each.rest));
    };
    const std::unordered_set<std::string> standing = standing_in(text, parted, joined);

    whole.clear();

    // A hyphen at the end of a line may also belong to the word, as in "well-known". So a word is
    // joined only if the text or a dictionary has it in one piece.
    std::size_t copied = 0;
    std::size_t left_out = 0;
    for (const PartedWord& each : parted) {
      const std::string word = joined(each);
      if (!standing.contains(normalizer.fold(word)) && !is_known(word)) continue;
      whole.append(text, copied, each.hyphen - copied);
      left_out += each.rest - each.hyphen;
      cuts.push_back({whole.size(), left_out});
      copied = each.rest;
    }
    if (cuts.empty()) return text;
    return whole.append(text, copied);
  }

  // Where a word lies in the text, of which mended() has left out something.
  std::pair<std::size_t, std::size_t> place_of(std::string_view surface) {
    const auto [begin, end] = segmenter.place_of(surface);
    const auto left_out_before = [&](std::size_t place) {
      const auto next = std::ranges::lower_bound(cuts, place, {}, &Cut::at);
      return next == cuts.begin() ? 0 : std::prev(next)->left_out;
    };
    return {begin + left_out_before(begin + 1), end + left_out_before(end)};
  }

  // Calls each(entry, joined) for every word of the text, with the terms that end with it.
  template <typename Each>
  void for_each_word(std::string_view text, Each&& each) {
    segmenter.start(mended(text));
    joiner.start();
    while (next_surfaces()) {
      for (std::size_t i = 0; i < surfaces.size(); ++i) {
        const WordPool::Entry& entry = resolve(surfaces[i]);
        each(entry, joiner.next(gap_before(i), pool[entry.word].text(), pool[entry.term].text()));
      }
    }
  }

  // Of word i of the stretch.
  TokenTrace trace_of(std::size_t i, std::size_t position) {
    const std::string_view surface = surfaces[i];
    TokenTrace trace;
    trace.surface = surface;
    trace.position = static_cast<std::uint32_t>(position);
    std::tie(trace.begin, trace.end) = place_of(surface);

    // The steps are those of resolve(), one by one: only what a step changes is told.
    Draft draft = draft_of(surface);
    if (draft.word != surface) trace.steps.push_back({"fold", draft.word});

    Draft before = draft;
    filters.apply(draft, [&](const Filter& filter, const Draft& after) {
      if (after.parts != before.parts)
        trace.steps.push_back({filter.name, with_plus(after.parts)});
      else if (after.term != before.term)
        trace.steps.push_back({filter.name, after.term});
      else if (after.word != before.word)
        trace.steps.push_back({filter.name, after.word});
      before = after;
    });

    trace.word = draft.word;
    trace.term = draft.term;
    trace.parts = filters.terms_of_parts(draft);
    trace.joined = joiner.next(gap_before(i), trace.word, trace.term);
    return trace;
  }

  void count(Id id) {
    if (id == WordPool::kEmpty) return;
    std::uint32_t& counter = pool[id].count;
    if (counter == 0) counted.push_back(id);
    if (counter != std::numeric_limits<std::uint32_t>::max()) ++counter;
  }

  void forget_counts() {
    for (const Id id : counted) pool[id].count = 0;
    counted.clear();
  }

  // The counted terms, in byte order.
  TermBag sorted_counts() {
    // Most pairs of terms differ in their first eight bytes, which a comparison of numbers tells
    // without a look at the text.
    order.clear();
    for (const Id id : counted) order.push_back({sort_key(pool[id].text()), id});
    std::ranges::sort(order, [this](const SortKey& a, const SortKey& b) {
      if (a.prefix != b.prefix) return a.prefix < b.prefix;
      return pool[a.id].text() < pool[b.id].text();
    });

    TermBag bag;
    bag.reserve(order.size());
    for (const SortKey& key : order) {
      const WordPool::Entry& entry = pool[key.id];
      bag.push_back({std::string(entry.text()), entry.count});
    }
    return bag;
  }

  TermBag bag_of(std::string_view text, Id WordPool::Entry::*feature) {
    forget_counts();  // left by a call that threw
    for_each_word(text, [&](const WordPool::Entry& entry, const auto& joined) {
      count(entry.*feature);

      // Parts and joined words are terms, but no words.
      if (feature != &WordPool::Entry::term) return;
      for (const Id part : part_lists[entry.parts]) count(part);
      for (const std::string& term : joined) count(pool.intern(term));  // `entry` ends here
    });
    TermBag bag = sorted_counts();

    forget_counts();
    limit_memory();
    return bag;
  }

  // Frees the memory that an unusually large text has taken. The tokens stay, since the caller may
  // still use them.
  void limit_memory() {
    if (pool.bytes() > kPoolBytes) {
      pool.clear();
      part_lists.resize(1);
      counted = {};
      order = {};
    }
    if (whole.capacity() > kKeptText) whole = {};
    if (surfaces.capacity() > kKeptWords) surfaces = {};
    if (room.capacity() > kKeptWords) room = {};
  }

  struct SortKey {
    std::uint64_t prefix;
    Id id;
  };

  // A place in `whole`, and how many bytes of the text were left out up to there.
  struct Cut {
    std::size_t at;
    std::size_t left_out;
  };

  Language language;
  Normalizer normalizer;
  bool bigrams;
  FilterChain filters;
  WordJoiner joiner;
  Segmenter segmenter;
  WordPool pool;
  std::vector<std::vector<Id>> part_lists =
      std::vector<std::vector<Id>>(1);  // WordPool::Entry::parts; the first is empty
  std::vector<std::string_view> surfaces;
  std::vector<std::string_view> room;  // for bigrams
  std::string whole;                   // of mended()
  std::vector<Cut> cuts;
  std::vector<Id> counted;
  std::vector<SortKey> order;
  std::vector<Token> tokens;
  std::uint64_t malformed_words = 0;  // in term_of(), which does not segment
};

Analyzer::Analyzer(const AnalyzerSettings& settings, std::string_view language,
                   LanguageSource source, std::unique_ptr<WordCutter> cutter)
    : source_(source),
      impl_(std::make_unique<Impl>(settings, language)),
      cutter_(std::move(cutter)) {}

Analyzer::~Analyzer() = default;

TermBag Analyzer::counted(std::string_view text, std::string Token::*feature) {
  // A cutter makes tokens that are not in the pool. The map gives the order of bytes that the
  // pool's way has, too.
  std::map<std::string, std::uint32_t> counts;
  for (const Token& token : tokens(text))
    if (!(token.*feature).empty()) ++counts[token.*feature];

  TermBag bag;
  bag.reserve(counts.size());
  for (const auto& [term, count] : counts) bag.push_back({term, count});
  return bag;
}

TermBag Analyzer::analyze(std::string_view text) {
  if (cutter_) return counted(text, &Token::term);
  return impl_->bag_of(text, &WordPool::Entry::term);
}

TermBag Analyzer::words(std::string_view text) {
  if (cutter_) return counted(text, &Token::word);
  return impl_->bag_of(text, &WordPool::Entry::word);
}

const std::vector<Token>& Analyzer::tokens(std::string_view text) {
  std::vector<Token>& tokens = impl_->tokens;

  // The tokens of a large text are given back at the next call, since the caller uses them until
  // then.
  if (tokens.capacity() > kKeptWords) tokens = {};
  if (cutter_) {
    cutter_->cut(text, tokens);
    return tokens;
  }

  std::size_t size = 0;
  impl_->for_each_word(text, [&](const WordPool::Entry& entry, const auto& joined) {
    if (size == tokens.size()) tokens.emplace_back();  // else reuse the strings that are there
    Token& token = tokens[size++];
    token.word = impl_->pool[entry.word].text();
    token.term = impl_->pool[entry.term].text();
    token.position = static_cast<std::uint32_t>(size);
    token.joined = joined;

    token.parts.clear();
    for (const Id id : impl_->part_lists[entry.parts])
      token.parts.emplace_back(impl_->pool[id].text());
  });

  // Only here, because the entries above stand in what this frees.
  impl_->limit_memory();
  tokens.resize(size);
  return tokens;
}

std::vector<TokenTrace> Analyzer::trace(std::string_view text) {
  std::vector<TokenTrace> traces;
  impl_->segmenter.start(impl_->mended(text));
  impl_->joiner.start();
  while (impl_->next_surfaces())
    for (std::size_t i = 0; i < impl_->surfaces.size(); ++i)
      traces.push_back(impl_->trace_of(i, traces.size() + 1));
  return traces;
}

std::string Analyzer::term_of(std::string_view word) {
  if (cutter_) return cutter_->term_of(std::string(word));

  // A word of a query is not segmented, so it is mended here as the segmenter would, and counted.
  Draft draft;
  draft.word = repair_utf8(word, &impl_->malformed_words);
  draft.term = draft.word;
  if (impl_->filters.needs_spelling()) draft.spelling = draft.word;

  impl_->filters.apply(draft);
  return draft.term;
}

bool Analyzer::is_stop_word(std::string_view word) const {
  return !cutter_ && impl_->filters.stop_words().contains(word);
}

std::uint64_t Analyzer::malformed() const {
  return impl_->segmenter.malformed() + impl_->malformed_words;
}

const std::string& Analyzer::language() const { return impl_->language.code; }

}  // namespace kindred
