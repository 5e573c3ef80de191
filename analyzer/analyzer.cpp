#include "analyzer/analyzer.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>

#include "analyzer/filter.h"
#include "analyzer/language.h"
#include "analyzer/normalize.h"
#include "analyzer/segment.h"
#include "analyzer/utf8.h"
#include "analyzer/word_joiner.h"
#include "analyzer/word_pool.h"

namespace kindred {
namespace {

using Id = WordPool::Id;

constexpr std::size_t kPoolBytes = std::size_t{8} << 20;  // what the pool may keep between texts
constexpr std::size_t kKeptWords = std::size_t{1} << 16;  // room for words kept between texts
constexpr std::size_t kLongSurface = 256;                 // longer ones are analyzed every time

// The first bytes of a string as a number; the numbers sort as the bytes do.
std::uint64_t sort_key(std::string_view text) {
  std::uint64_t key = 0;
  for (std::size_t i = 0; i < 8; ++i)
    key = key << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
  return key;
}

}  // namespace

struct Analyzer::Impl {
  Impl(const AnalyzerSettings& settings, std::string_view name)
      : language(find_language(name.empty() ? std::string_view(settings.language) : name)),
        normalizer(language, settings.fold_accents),
        filters(settings, language, normalizer),
        joiner(settings, normalizer) {}

  Draft draft_of(std::string_view surface) const {
    Draft draft;
    draft.word = normalizer.fold(surface);
    draft.term = draft.word;
    return draft;
  }

  // The entry that says what `surface` becomes. Valid until the next call.
  const WordPool::Entry& resolve(std::string_view surface) {
    if (surface.size() > kLongSurface) {
      look_up(surface, uncached);
      return uncached;
    }
    const Id id = pool.intern(surface);
    if (pool[id].word == WordPool::kUnknown) {
      WordPool::Entry found = pool[id];
      look_up(surface, found);
      pool[id] = found;
    }
    return pool[id];
  }

  void look_up(std::string_view surface, WordPool::Entry& entry) {
    Draft draft = draft_of(surface);
    filters.apply(draft);
    entry.word = pool.intern(draft.word);
    entry.term = pool.intern(draft.term);
  }

  // Calls each(entry, joined) for every word of the text, with the terms that end with it.
  template <typename Each>
  void for_each_word(std::string_view text, Each&& each) {
    if (tokens.capacity() > kKeptWords) tokens = {};
    segmenter.start(text);
    joiner.start();
    while (segmenter.next(surfaces)) {
      for (std::size_t i = 0; i < surfaces.size(); ++i) {
        const WordPool::Entry& entry = resolve(surfaces[i]);
        each(entry, join(i, pool[entry.word].text(), pool[entry.term].text()));
      }
    }
  }

  // The terms of several words that end with word i of the stretch.
  const std::vector<std::string>& join(std::size_t i, std::string_view word,
                                       std::string_view term) {
    static const std::vector<std::string> kNone;
    return joiner.active() ? joiner.next(segmenter.stretch(), surfaces, i, word, term) : kNone;
  }

  void count(const std::vector<std::string>& joined) {
    for (const std::string& term : joined) {
      std::uint32_t& counter = joined_counts[term];
      if (counter != std::numeric_limits<std::uint32_t>::max()) ++counter;
    }
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
    order.clear();
    for (const Id id : counted) order.push_back({sort_key(pool[id].text()), id});
    std::sort(order.begin(), order.end(), [this](const SortKey& a, const SortKey& b) {
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
    joined_counts.clear();
    for_each_word(text, [&](const WordPool::Entry& entry, const auto& joined) {
      count(entry.*feature);
      if (feature == &WordPool::Entry::term) count(joined);
    });
    TermBag bag = sorted_counts();
    add_joined_counts(bag);
    forget_counts();
    limit_memory();
    return bag;
  }

  // Merges joined_counts into the bag. A term of several words may also be one of a word.
  void add_joined_counts(TermBag& bag) {
    if (joined_counts.empty()) return;
    TermBag all;
    auto word = bag.begin();
    for (const auto& [term, count] : joined_counts) {
      while (word != bag.end() && word->term < term) all.push_back(std::move(*word++));
      std::uint64_t sum = count;
      if (word != bag.end() && word->term == term) sum += word++->count;
      constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
      all.push_back({term, static_cast<std::uint32_t>(std::min(sum, kMost))});
    }
    all.insert(all.end(), std::move_iterator(word), std::move_iterator(bag.end()));
    bag = std::move(all);
    joined_counts.clear();
  }

  // Frees the memory that an unusually large text has taken. The tokens stay, since the caller may
  // still use them.
  void limit_memory() {
    if (pool.bytes() > kPoolBytes) {
      pool.clear();
      counted = {};
      order = {};
    }
    if (surfaces.capacity() > kKeptWords) surfaces = {};
  }

  struct SortKey {
    std::uint64_t prefix;
    Id id;
  };

  Language language;
  Normalizer normalizer;
  FilterChain filters;
  WordJoiner joiner;
  Segmenter segmenter;
  WordPool pool;
  WordPool::Entry uncached{"", 0, 0};
  std::vector<std::string_view> surfaces;
  std::vector<Id> counted;
  std::map<std::string, std::uint32_t> joined_counts;
  std::vector<SortKey> order;
  std::vector<Token> tokens;
  std::uint64_t malformed_words = 0;  // in term_of(), which does not segment
};

Analyzer::Analyzer(const AnalyzerSettings& settings, std::string_view language)
    : impl_(std::make_unique<Impl>(settings, language)) {}

Analyzer::~Analyzer() = default;

TermBag Analyzer::analyze(std::string_view text) {
  return impl_->bag_of(text, &WordPool::Entry::term);
}

TermBag Analyzer::words(std::string_view text) {
  return impl_->bag_of(text, &WordPool::Entry::word);
}

const std::vector<Token>& Analyzer::tokens(std::string_view text) {
  std::vector<Token>& tokens = impl_->tokens;
  std::size_t size = 0;
  impl_->for_each_word(text, [&](const WordPool::Entry& entry, const auto& joined) {
    if (size == tokens.size()) tokens.emplace_back();  // else reuse the strings that are there
    Token& token = tokens[size++];
    token.word = impl_->pool[entry.word].text();
    token.term = impl_->pool[entry.term].text();
    token.position = static_cast<std::uint32_t>(size);
    token.joined = joined;
  });
  tokens.resize(size);
  impl_->limit_memory();
  return tokens;
}

std::vector<TokenTrace> Analyzer::trace(std::string_view text) {
  std::vector<TokenTrace> traces;
  impl_->segmenter.start(text);
  impl_->joiner.start();
  while (impl_->segmenter.next(impl_->surfaces)) {
    for (std::size_t i = 0; i < impl_->surfaces.size(); ++i) {
      const std::string_view surface = impl_->surfaces[i];
      TokenTrace trace;
      trace.surface = surface;
      trace.position = static_cast<std::uint32_t>(traces.size() + 1);
      Draft draft = impl_->draft_of(surface);
      if (draft.word != surface) trace.steps.push_back({"fold", draft.word});
      Draft before = draft;
      impl_->filters.apply(draft, [&](const Filter& filter, const Draft& after) {
        if (after.term != before.term)
          trace.steps.push_back({filter.name(), after.term});
        else if (after.word != before.word)
          trace.steps.push_back({filter.name(), after.word});
        before = after;
      });
      trace.word = draft.word;
      trace.term = draft.term;
      trace.joined = impl_->join(i, trace.word, trace.term);
      traces.push_back(std::move(trace));
    }
  }
  return traces;
}

std::string Analyzer::term_of(std::string_view word) {
  Draft draft;
  draft.word = repair_utf8(word, impl_->malformed_words);
  draft.term = draft.word;
  impl_->filters.apply(draft);
  return draft.term;
}

bool Analyzer::is_stop_word(std::string_view word) const {
  return impl_->filters.stop_words().contains(word);
}

std::uint64_t Analyzer::malformed() const {
  return impl_->segmenter.malformed() + impl_->malformed_words;
}

const std::string& Analyzer::language() const { return impl_->language.code; }

}  // namespace kindred
