#include "analyzer/filter.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "analyzer/lemmas/compound_splitter.h"
#include "analyzer/lemmas/lemma_source.h"
#include "analyzer/text/language.h"
#include "analyzer/text/normalize.h"
#include "analyzer/text/stem.h"
#include "analyzer/text/utf8.h"
#include "analyzer/text/word_list.h"
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

class Elision : public Filter {
 public:
  Elision(std::string name, const Language& language)
      : Filter(std::move(name)), elided_(language.rules->elided) {}

  void apply(Draft& draft) override {
    draft.word.erase(0, elided_prefix(draft.word));
    draft.term.erase(0, elided_prefix(draft.term));
    draft.spelling.erase(0, elided_prefix(draft.spelling));
  }

 private:
  std::size_t elided_prefix(std::string_view text) const {
    const std::size_t apostrophe = text.find('\'');
    if (apostrophe == std::string_view::npos || apostrophe + 1 == text.size()) return 0;
    const std::string_view before = text.substr(0, apostrophe);
    const bool known = std::find(elided_.begin(), elided_.end(), before) != elided_.end();
    return known ? apostrophe + 1 : 0;
  }

  std::span<const std::string> elided_;
};

class Possessive : public Filter {
 public:
  Possessive(std::string name, const Language& language)
      : Filter(std::move(name)), rules_(*language.rules) {}

  void apply(Draft& draft) override {
    strip(draft.word);
    strip(draft.term);
    strip(draft.spelling);
  }

 private:
  void strip(std::string& text) const {
    for (const std::string& ending : rules_.possessive) {
      if (text.size() <= ending.size() || !text.ends_with(ending)) continue;
      text.resize(text.size() - ending.size());
      return;
    }
    if (!rules_.cut_at_apostrophe) return;
    const std::size_t apostrophe = text.find('\'');
    if (apostrophe != std::string::npos && apostrophe != 0) text.resize(apostrophe);
  }

  const LanguageRules& rules_;
};

class Normalize : public Filter {
 public:
  Normalize(std::string name, const Language& language)
      : Filter(std::move(name)), variants_(*language.rules) {}

  void apply(Draft& draft) override { draft.term = variants_.apply(std::move(draft.term)); }

 private:
  Variants variants_;
};

class Length : public Filter {
 public:
  using Filter::Filter;

  void apply(Draft& draft) override {
    if (draft.word.size() <= kMaxWordBytes) return;
    draft.word.clear();
    draft.term.clear();
  }
};

class Numbers : public Filter {
 public:
  using Filter::Filter;

  void apply(Draft& draft) override {
    if (is_number(draft.word)) draft.term.clear();
  }
};

class DropStopWords : public Filter {
 public:
  DropStopWords(std::string name, const WordSet& words, const Language& language)
      : Filter(std::move(name)), words_(words), variants_(*language.rules) {}

  void apply(Draft& draft) override {
    if (words_.contains(draft.word) || words_.contains(variants_.apply(draft.word)))
      draft.term.clear();
  }

 private:
  const WordSet& words_;
  Variants variants_;
};

class StemOverrides : public Filter {
 public:
  StemOverrides(std::string name, WordMap stems)
      : Filter(std::move(name)), stems_(std::move(stems)) {}

  void apply(Draft& draft) override {
    if (draft.has_stem || draft.term.empty()) return;
    const auto found = stems_.find(draft.word);
    if (found == stems_.end()) return;
    if (!found->second.empty()) draft.term = found->second;
    draft.has_stem = true;
  }

 private:
  WordMap stems_;
};

class Decompound : public Filter {
 public:
  Decompound(std::shared_ptr<const CompoundWords> words, const Language& language)
      : Filter("decompound"), splitter_(std::move(words), language) {}

  void apply(Draft& draft) override {
    if (!draft.has_stem) draft.parts = splitter_.split(draft.term);
  }

 private:
  CompoundSplitter splitter_;
};

class Lemma : public Filter {
 public:
  using Sources = std::vector<std::shared_ptr<const LemmaSource>>;

  /// `variants`: null if terms keep their spelling.
  Lemma(std::string name, Sources sources, const Normalizer& normalizer,
        std::unique_ptr<Variants> variants)
      : Filter(std::move(name)),
        sources_(std::move(sources)),
        normalizer_(normalizer),
        variants_(std::move(variants)) {}

  void apply(Draft& draft) override {
    if (draft.has_stem || draft.term.empty()) return;
    std::string lemma = lemma_of(draft.spelling, draft.word);
    if (lemma.empty() && draft.term != draft.word) lemma = lemma_of(draft.term, draft.term);
    if (lemma.empty()) return;
    draft.term = variants_ ? variants_->apply(std::move(lemma)) : std::move(lemma);
    draft.has_stem = true;
  }

 private:
  std::string lemma_of(const std::string& spelling, const std::string& word) const {
    for (const auto& source : sources_) {
      std::string lemma = best_lemma(source->lemmas_of(spelling, word), normalizer_);
      if (!lemma.empty()) return lemma;
    }
    return "";
  }

  Sources sources_;
  const Normalizer& normalizer_;
  std::unique_ptr<Variants> variants_;
};

class Stem : public Filter {
 public:
  Stem(std::string name, const Language& language)
      : Filter(std::move(name)), stemmer_(language.stemmer), rules_(*language.rules) {}

  void apply(Draft& draft) override {
    if (draft.has_stem || draft.term.empty()) return;
    draft.term =
        stemmer_.active() ? stemmer_.stem(draft.term) : without_affixes(draft.term, rules_);
  }

 private:
  Stemmer stemmer_;
  const LanguageRules& rules_;
};

WordMap stem_overrides(const std::string& path, const Normalizer& normalizer) {
  if (path.empty()) return {};
  return parse_stems(read_word_list(path, "stem overrides"), path, normalizer);
}

}  // namespace

FilterChain::FilterChain(const AnalyzerSettings& settings, const Language& language,
                         const Normalizer& normalizer) {
  const auto& names = settings.filters;
  const auto variants = [&] {
    const bool normalizes = std::find(names.begin(), names.end(), "normalize") != names.end();
    return normalizes ? std::make_unique<Variants>(*language.rules) : nullptr;
  };
  const auto make = [&](const std::string& name) -> std::unique_ptr<Filter> {
    if (name == "elision") return std::make_unique<Elision>(name, language);
    if (name == "possessive") return std::make_unique<Possessive>(name, language);
    if (name == "normalize") return std::make_unique<Normalize>(name, language);
    if (name == "length") return std::make_unique<Length>(name);
    if (name == "numbers") return std::make_unique<Numbers>(name);
    if (name == "stem") return std::make_unique<Stem>(name, language);
    if (name == "stem_overrides")
      return std::make_unique<StemOverrides>(name,
                                             stem_overrides(settings.stem_overrides, normalizer));
    if (name == "lemma") {
      auto sources = open_lemma_sources(settings, language, normalizer);
      needs_spelling_ = !sources.empty();
      return std::make_unique<Lemma>(name, std::move(sources), normalizer, variants());
    }
    if (name != "stop_words")
      throw Error(Errc::kInvalidArgument,
                  "analyzer.filters: expected known filters, not '" + name + "'");
    stop_words_ = kindred::stop_words(settings.stop_words, language, normalizer);
    return std::make_unique<DropStopWords>(name, stop_words_, language);
  };
  for (const std::string& name : names) filters_.push_back(make(name));
  if (auto words = open_compound_words(settings, language, normalizer, variants().get())) {
    const auto changes_forms = [](const auto& filter) {
      return filter->name() == "lemma" || filter->name() == "stem";
    };
    const auto place = std::find_if(filters_.begin(), filters_.end(), changes_forms);
    auto decompound = std::make_unique<Decompound>(std::move(words), language);
    decompound_ = decompound.get();
    filters_.insert(place, std::move(decompound));
  }
}

void FilterChain::apply(Draft& draft) {
  apply(draft, [](const Filter&, const Draft&) {});
}

std::vector<std::string> FilterChain::terms_of_parts(const Draft& draft) {
  std::vector<std::string> terms;
  for (const std::string& part : draft.parts) {
    Draft of_part;
    of_part.word = of_part.term = part;
    if (needs_spelling_) of_part.spelling = part;
    for (const auto& filter : filters_)
      if (!of_part.word.empty() && filter.get() != decompound_) filter->apply(of_part);
    if (!of_part.term.empty()) terms.push_back(std::move(of_part.term));
  }
  return terms;
}

}  // namespace kindred
