#include "analyzer/filter.h"

#include <unicode/utf8.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "analyzer/number.h"
#include "analyzer/stem.h"
#include "analyzer/stop_words.h"
#include "config/error.h"

namespace kindred {
namespace {

constexpr std::string_view kNames[] = {"elision",    "possessive",      "length",         "numbers",
                                       "stop_words", "protected_words", "stem_overrides", "stem"};

// Words that lose their vowel before another vowel. Words such as "aujourd'hui" stay whole.
constexpr std::string_view kFrench[] = {"l", "d", "qu",    "n",      "s",      "j",     "c",
                                        "m", "t", "jusqu", "lorsqu", "puisqu", "quoiqu"};
constexpr std::string_view kItalian[] = {"l",    "d",     "un",    "c",   "s",    "m",    "t",
                                         "v",    "n",     "gl",    "all", "dall", "dell", "nell",
                                         "sull", "coll",  "pell",  "agl", "dagl", "degl", "negl",
                                         "sugl", "quell", "quest", "com", "dov"};
constexpr std::string_view kCatalan[] = {"l", "d", "m", "n", "s", "t"};

std::span<const std::string_view> elided_words(const Language& language) {
  if (language.code == "fr") return kFrench;
  if (language.code == "it") return kItalian;
  if (language.code == "ca") return kCatalan;
  return {};
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !U8_IS_TRAIL(c); }));
}

class Elision : public Filter {
 public:
  Elision(std::string name, const Language& language)
      : Filter(std::move(name)), elided_(elided_words(language)) {}

  void apply(Draft& draft) override {
    draft.word.erase(0, elided_prefix(draft.word));
    draft.term.erase(0, elided_prefix(draft.term));
  }

 private:
  std::size_t elided_prefix(std::string_view text) const {
    const std::size_t apostrophe = text.find('\'');
    if (apostrophe == std::string_view::npos || apostrophe + 1 == text.size()) return 0;
    const std::string_view before = text.substr(0, apostrophe);
    const bool known = std::find(elided_.begin(), elided_.end(), before) != elided_.end();
    return known ? apostrophe + 1 : 0;
  }

  std::span<const std::string_view> elided_;
};

class Possessive : public Filter {
 public:
  Possessive(std::string name, const Language& language)
      : Filter(std::move(name)), english_(language.code == "en") {}

  void apply(Draft& draft) override {
    strip(draft.word);
    strip(draft.term);
  }

 private:
  void strip(std::string& text) const {
    if (english_ && text.size() > 2 && text.ends_with("'s")) text.resize(text.size() - 2);
  }

  bool english_;
};

class Length : public Filter {
 public:
  Length(std::string name, const AnalyzerSettings& settings)
      : Filter(std::move(name)),
        least_(static_cast<std::size_t>(std::max<std::int64_t>(settings.min_word_length, 0))),
        most_(static_cast<std::size_t>(std::max<std::int64_t>(settings.max_word_length, 0))),
        bytes_(static_cast<std::size_t>(std::max<std::int64_t>(settings.max_word_bytes, 0))) {}

  void apply(Draft& draft) override {
    const std::size_t characters = count_characters(draft.word);
    if (characters >= least_ && characters <= most_ && draft.word.size() <= bytes_) return;
    draft.word.clear();
    draft.term.clear();
  }

 private:
  std::size_t least_, most_, bytes_;
};

class Numbers : public Filter {
 public:
  Numbers(std::string name, bool keep) : Filter(std::move(name)), keep_(keep) {}

  void apply(Draft& draft) override {
    if (!keep_ && is_number(draft.word)) draft.term.clear();
  }

 private:
  bool keep_;
};

class DropStopWords : public Filter {
 public:
  DropStopWords(std::string name, const WordSet& words) : Filter(std::move(name)), words_(words) {}

  void apply(Draft& draft) override {
    if (words_.contains(draft.word)) draft.term.clear();
  }

 private:
  const WordSet& words_;
};

class ProtectedWords : public Filter {
 public:
  ProtectedWords(std::string name, WordSet words)
      : Filter(std::move(name)), words_(std::move(words)) {}

  void apply(Draft& draft) override {
    draft.has_stem = draft.has_stem || words_.contains(draft.word);
  }

 private:
  WordSet words_;
};

class StemOverrides : public Filter {
 public:
  StemOverrides(std::string name, WordMap stems)
      : Filter(std::move(name)), stems_(std::move(stems)) {}

  void apply(Draft& draft) override {
    if (draft.has_stem || draft.term.empty()) return;
    const auto found = stems_.find(draft.word);
    if (found == stems_.end()) return;
    draft.term = found->second;
    draft.has_stem = true;
  }

 private:
  WordMap stems_;
};

class Stem : public Filter {
 public:
  Stem(std::string name, const Language& language)
      : Filter(std::move(name)), stemmer_(language.stemmer) {}

  void apply(Draft& draft) override {
    if (!draft.has_stem && !draft.term.empty()) draft.term = stemmer_.stem(draft.term);
  }

 private:
  Stemmer stemmer_;
};

WordSet protected_words(const std::string& path, const Normalizer& normalizer) {
  if (path.empty()) return {};
  return parse_words(read_word_list(path, "protected words"), path, normalizer);
}

WordMap stem_overrides(const std::string& path, const Normalizer& normalizer) {
  if (path.empty()) return {};
  return parse_stems(read_word_list(path, "stem overrides"), path, normalizer);
}

[[noreturn]] void fail_unknown(const std::string& name) {
  std::string known;
  for (const std::string_view k : kNames) known += (known.empty() ? "" : ", ") + std::string(k);
  throw Error(Errc::kInvalidArgument,
              "analyzer.filters: unknown filter \"" + name + "\"; expected one of " + known);
}

}  // namespace

FilterChain::FilterChain(const AnalyzerSettings& settings, const Language& language,
                         const Normalizer& normalizer) {
  const auto make = [&](const std::string& name) -> std::unique_ptr<Filter> {
    if (name == "elision") return std::make_unique<Elision>(name, language);
    if (name == "possessive") return std::make_unique<Possessive>(name, language);
    if (name == "length") return std::make_unique<Length>(name, settings);
    if (name == "numbers") return std::make_unique<Numbers>(name, settings.numbers);
    if (name == "stem") return std::make_unique<Stem>(name, language);
    if (name == "protected_words")
      return std::make_unique<ProtectedWords>(
          name, protected_words(settings.protected_words, normalizer));
    if (name == "stem_overrides")
      return std::make_unique<StemOverrides>(name,
                                             stem_overrides(settings.stem_overrides, normalizer));
    if (name != "stop_words") fail_unknown(name);
    stop_words_ = kindred::stop_words(settings.stop_words, language, normalizer);
    return std::make_unique<DropStopWords>(name, stop_words_);
  };
  for (const std::string& name : settings.filters) {
    const auto same = [&](const auto& filter) { return filter->name() == name; };
    if (std::any_of(filters_.begin(), filters_.end(), same))
      throw Error(Errc::kInvalidArgument,
                  "analyzer.filters: \"" + name + "\" is named twice; expected each filter once");
    filters_.push_back(make(name));
  }
}

void FilterChain::apply(Draft& draft) {
  apply(draft, [](const Filter&, const Draft&) {});
}

}  // namespace kindred
