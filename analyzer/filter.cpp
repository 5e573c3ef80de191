#include "analyzer/filter.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <span>
#include <utility>

#include "analyzer/lemmas/compound_splitter.h"
#include "analyzer/lemmas/lemma_source.h"
#include "analyzer/text/stemmer.h"
#include "analyzer/text/variants.h"
#include "config/error.h"

namespace kindred {
namespace {

/// True for a word without letters that has a digit or another number. `word`: well-formed UTF-8.
bool is_number(std::string_view word) {
  bool digits = false;
  for (std::size_t i = 0; i < word.size();) {
    UChar32 c = 0;
    U8_NEXT_UNSAFE(word.data(), i, c);
    if (u_isUAlphabetic(c)) return false;
    digits = digits || (U_GET_GC_MASK(c) & U_GC_N_MASK) != 0;
  }
  return digits;
}

using Apply = std::function<void(Draft&)>;

Apply elision(const Language& language) {
  const auto cut = [&rules = *language.rules](std::string& text) {
    const std::size_t apostrophe = text.find('\'');
    if (apostrophe == std::string::npos || apostrophe + 1 == text.size()) return;
    const std::string_view before = std::string_view(text).substr(0, apostrophe);

    // Only the words of the list are cut off: "aujourd'hui" is one word.
    if (std::ranges::find(rules.elided, before) != rules.elided.end())
      text.erase(0, apostrophe + 1);
  };
  return [cut](Draft& draft) {
    for (std::string* text : {&draft.word, &draft.term, &draft.spelling}) cut(*text);
  };
}

Apply possessive(const Language& language) {
  const auto cut = [&rules = *language.rules](std::string& text) {
    // The ending goes at most once, so that a name which ends with it keeps the rest.
    for (const std::string& ending : rules.possessive) {
      if (text.size() <= ending.size() || !text.ends_with(ending)) continue;
      text.resize(text.size() - ending.size());
      return;
    }

    // Turkish has its endings behind the apostrophe of a name, whichever they are.
    if (!rules.cut_at_apostrophe) return;
    const std::size_t apostrophe = text.find('\'');
    if (apostrophe != std::string::npos && apostrophe != 0) text.resize(apostrophe);
  };
  return [cut](Draft& draft) {
    for (std::string* text : {&draft.word, &draft.term, &draft.spelling}) cut(*text);
  };
}

void drop_long(Draft& draft) {
  if (draft.word.size() <= kMaxWordBytes) return;
  draft.word.clear();
  draft.term.clear();
}

void drop_numbers(Draft& draft) {
  if (is_number(draft.word)) draft.term.clear();
}

Apply normalize(std::shared_ptr<const Variants> variants) {
  return [variants = std::move(variants)](Draft& draft) {
    draft.term = variants->apply(std::move(draft.term));
  };
}

/// `words` is borrowed.
Apply drop_stop_words(const WordSet& words, std::shared_ptr<const Variants> variants) {
  return [&words, variants = std::move(variants)](Draft& draft) {
    if (words.contains(draft.word) || words.contains(variants->apply(draft.word)))
      draft.term.clear();
  };
}

Apply override_stems(const std::string& path, const Normalizer& normalizer) {
  // Read when the chain is made, so that a fault of the file is an error then and not at the first
  // text.
  WordMap stems;
  if (!path.empty()) stems = parse_stems(read_word_list(path, "stem overrides"), path, normalizer);

  return [stems = std::move(stems)](Draft& draft) {
    if (draft.has_stem || draft.term.empty()) return;
    const auto found = stems.find(draft.word);
    if (found == stems.end()) return;
    if (!found->second.empty()) draft.term = found->second;
    draft.has_stem = true;
  };
}

using LemmaSources = std::vector<std::shared_ptr<const LemmaSource>>;

/// `variants`: null if terms keep their spelling. `normalizer` is borrowed.
Apply lemma_step(LemmaSources sources, const Normalizer& normalizer,
                 std::shared_ptr<const Variants> variants) {
  const auto lemma_of = [sources = std::move(sources), &normalizer](const std::string& spelling,
                                                                    const std::string& word) {
    // The sources are asked in the order of the settings; the first that knows the word decides.
    for (const auto& source : sources) {
      std::string lemma = best_lemma(source->lemmas_of(spelling, word), normalizer);
      if (!lemma.empty()) return lemma;
    }
    return std::string();
  };

  return [lemma_of, variants = std::move(variants)](Draft& draft) {
    if (draft.has_stem || draft.term.empty()) return;

    // A dictionary may have the word as it is written or as it is normalized, but its answer is
    // written in its own way: the normalized lemma is the one that other texts have, too.
    std::string lemma = lemma_of(draft.spelling, draft.word);
    if (lemma.empty() && draft.term != draft.word) lemma = lemma_of(draft.term, draft.term);
    if (lemma.empty()) return;
    draft.term = variants ? variants->apply(std::move(lemma)) : std::move(lemma);
    draft.has_stem = true;
  };
}

Apply stem(const Language& language) {
  return [stemmer = std::make_shared<Stemmer>(language.stemmer),
          &rules = *language.rules](Draft& draft) {
    if (draft.has_stem || draft.term.empty()) return;
    draft.term = stemmer->active() ? stemmer->stem(draft.term) : without_affixes(draft.term, rules);
  };
}

constexpr std::string_view kDecompound = "decompound";

}  // namespace

FilterChain::FilterChain(const AnalyzerSettings& settings, const Language& language,
                         const Normalizer& normalizer) {
  // Lemmas and parts of compounds come from dictionaries with spellings of their own. If terms are
  // normalized, these have to be, too.
  const auto& names = settings.filters;
  const auto variants = std::make_shared<const Variants>(*language.rules);
  const bool normalizes = std::ranges::find(names, "normalize") != names.end();
  const auto of_terms = normalizes ? variants : nullptr;

  const auto make = [&](const std::string& name) -> Apply {
    if (name == "elision") return elision(language);
    if (name == "possessive") return possessive(language);
    if (name == "normalize") return normalize(variants);
    if (name == "length") return drop_long;
    if (name == "numbers") return drop_numbers;
    if (name == "stem") return stem(language);
    if (name == "stem_overrides") return override_stems(settings.stem_overrides, normalizer);
    if (name == "lemma") {
      LemmaSources sources = open_lemma_sources(settings, language, normalizer);
      needs_spelling_ = !sources.empty();
      return lemma_step(std::move(sources), normalizer, of_terms);
    }

    if (name != "stop_words")
      throw Error(Errc::kInvalidArgument,
                  "analyzer.filters: expected known filters, not '" + name + "'");
    stop_words_ = kindred::stop_words(settings.stop_words, language, normalizer);
    return drop_stop_words(stop_words_, variants);
  };

  // Made in their order, because a filter may keep what another one needs.
  for (const std::string& name : names) {
    Apply apply = make(name);
    filters_.push_back({name, std::move(apply)});
  }

  // Compounds are split just before words get their stem: after the filters that clean a word, and
  // before those that give it a form which no dictionary has.
  if (auto words = open_compound_words(settings, language, normalizer, of_terms.get())) {
    const auto before = std::ranges::find_if(filters_, [](const Filter& filter) {
      return filter.name == "lemma" || filter.name == "stem";
    });
    filters_.insert(before,
                    {std::string(kDecompound), [splitter = std::make_shared<CompoundSplitter>(
                                                    std::move(words), language)](Draft& draft) {
                       if (!draft.has_stem) draft.parts = splitter->split(draft.term);
                     }});
  }
}

void FilterChain::apply(Draft& draft) {
  apply(draft, [](const Filter&, const Draft&) {});
}

std::vector<std::string> FilterChain::terms_of_parts(const Draft& draft) {
  std::vector<std::string> terms;

  // A part goes the way of a word, except that it is not split again.
  for (const std::string& part : draft.parts) {
    Draft of_part;
    of_part.word = part;
    of_part.term = part;
    if (needs_spelling_) of_part.spelling = part;
    for (const auto& filter : filters_)
      if (!of_part.word.empty() && filter.name != kDecompound) filter.apply(of_part);
    if (!of_part.term.empty()) terms.push_back(std::move(of_part.term));
  }
  return terms;
}

}  // namespace kindred
