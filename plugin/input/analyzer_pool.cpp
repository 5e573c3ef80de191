#include "plugin/input/analyzer_pool.h"

#include <xapian.h>
#include <algorithm>
#include <iterator>

#include "analyzer/lemmas/dictionary_files.h"
#include "analyzer/text/language.h"
#include "analyzer/text/normal_form.h"
#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

/// The pool keeps analyzers of at most this many languages. Languages come from documents, so
/// without a limit documents would decide how much memory is used.
constexpr std::size_t kMostLanguages = 64;

/// Collects the terms that it is asked about, and drops them all.
class Collector : public Xapian::Stopper {
 public:
  bool operator()(const std::string& term) const override {
    terms.push_back(term);
    return true;
  }

  mutable std::vector<std::string> terms;
};

Xapian::Stem stemmer_of(std::string_view language) {
  try {
    return Xapian::Stem(find_language(language).stemmer);
  } catch (const Xapian::InvalidArgumentError&) {  // a stemmer that this Xapian lacks
    return Xapian::Stem();
  }
}

bool begins_with_letter(const std::string& word) {
  switch (Xapian::Unicode::get_category(*Xapian::Utf8Iterator(word))) {
    case Xapian::Unicode::UPPERCASE_LETTER:
    case Xapian::Unicode::LOWERCASE_LETTER:
    case Xapian::Unicode::TITLECASE_LETTER:
    case Xapian::Unicode::MODIFIER_LETTER:
    case Xapian::Unicode::OTHER_LETTER:
      return true;
    default:
      return false;
  }
}

/// True for the pair that begins with the character before it.
bool is_pair(const std::string& term, const std::string& before) {
  constexpr unsigned char kFirstByte = 0xE1;  // of Hangul, the first of these scripts
  return !before.empty() && static_cast<unsigned char>(term[0]) >= kFirstByte &&
         term.starts_with(before) && count_characters(before) == 1 && count_characters(term) == 2;
}

class TermGeneratorWords : public WordCutter {
 public:
  TermGeneratorWords(std::string_view language, bool ngrams, bool stems_all, TextFolding folding)
      : stemmer_(stemmer_of(language)), ngrams_(ngrams), stems_all_(stems_all), folding_(folding) {
    generator_.set_stopper(&collector_);
    generator_.set_stopper_strategy(Xapian::TermGenerator::STOP_ALL);
    if (ngrams) generator_.set_flags(Xapian::TermGenerator::FLAG_CJK_NGRAM);
  }

  void cut(std::string_view text, std::vector<Token>& tokens) override {
    // The generator hands each word to the stopper, which takes it: nothing is indexed.
    collector_.terms.clear();
    if (folding_ == TextFolding::kNone) {
      generator_.index_text(Xapian::Utf8Iterator(text.data(), text.size()));
    } else {
      generator_.index_text(folded_text(text, folding_));
    }

    // Where words overlap, as pairs of Chinese characters do, both have the position of the first.
    tokens.clear();
    std::uint32_t position = 0;
    std::string before;
    for (std::string& term : collector_.terms) {
      const bool overlaps = ngrams_ && is_pair(term, before);
      if (!overlaps) ++position;
      Token& token = tokens.emplace_back();
      token.term = term_of(term);
      token.position = position;
      if (!overlaps) before = term;
      token.word = std::move(term);
    }
  }

  std::string term_of(const std::string& word) override {
    if (stems_all_ || begins_with_letter(word)) return stemmer_(word);
    return "";
  }

 private:
  Xapian::TermGenerator generator_;
  Collector collector_;
  const Xapian::Stem stemmer_;
  const bool ngrams_;
  const bool stems_all_;
  const TextFolding folding_;
};

}  // namespace

AnalyzerPool::AnalyzerPool(const AnalyzerSettings& settings, const IndexSettings& index)
    : settings_(settings),
      term_generator_(index.term_generator),
      stemmed_words_(index.stemmed_words),
      folding_(folding_of(index.profile)) {
  // A wrong setting or a missing dictionary is to be an error here, not at the first document of
  // its language.
  lease("");
  if (detects()) detector_ = std::make_shared<const LanguageDetector>(settings_.languages);
  for (const auto* items : {&settings_.lemmas, &settings_.compounds})
    for (const std::string& item : *items) lease(parse_dictionary_item(item).language);
}

AnalyzerPool::Lease AnalyzerPool::lease_for(const Record& record) {
  if (!record.language.empty() || record.terms || !detects()) return lease(record.language);
  if (record.title.empty()) return lease_for_query(record.text);
  return lease_for_query(record.title + '\n' + record.text);
}

AnalyzerPool::Lease AnalyzerPool::lease_for_query(std::string_view text) {
  Detection found = detect(text);
  if (!found.is_certain()) return lease("");
  return lease({std::move(found.language), LanguageSource::kDetected});
}

Detection AnalyzerPool::detect(std::string_view text) {
  // The lock is held for the pointer alone: to look at a text takes longer.
  std::shared_ptr<const LanguageDetector> detector;
  {
    const std::lock_guard lock(mutex_);
    detector = detector_;
  }
  if (detector) return detector->detect(text);
  return Detection{};
}

void AnalyzerPool::expect_languages(const std::vector<std::string>& languages) {
  if (!detects() || languages.empty()) return;

  // Names in the index may be no languages, and the default is always possible.
  std::vector<std::string> expected;
  std::copy_if(languages.begin(), languages.end(), std::back_inserter(expected), is_language);
  if (settings_.language != "none") expected.push_back(settings_.language);
  auto detector = std::make_shared<const LanguageDetector>(expected);

  // Changed at once: other threads ask the old one or the new one.
  const std::lock_guard lock(mutex_);
  detector_ = std::move(detector);
}

AnalyzerPool::Lease AnalyzerPool::lease(const Kind& kind) {
  // Another language than the pool may keep gets an analyzer for this lease alone.
  const Pool<Analyzer>::Make make_one = [this, kind] {
    return make(kind);
  };
  std::unique_lock lock(mutex_);
  const bool is_full = pools_.size() >= kMostLanguages && !pools_.contains(kind);
  Pool<Analyzer>* const pool =
      is_full ? nullptr : &pools_.try_emplace(kind, make_one, true).first->second;
  lock.unlock();

  if (pool != nullptr) return pool->lease();
  std::unique_ptr<Analyzer> one = make_one();  // of no pool
  return {one.release(), {}};
}

std::unique_ptr<Analyzer> AnalyzerPool::make(const Kind& kind) const {
  const auto& [language, source] = kind;
  const bool is_usual = !is_language(language);
  const std::string& name = is_usual ? settings_.language : language;

  std::unique_ptr<WordCutter> cutter;
  if (term_generator_)
    cutter = term_generator_words(name, settings_.cjk == "bigrams", stemmed_words_, folding_);

  return std::make_unique<Analyzer>(settings_, name, is_usual ? LanguageSource::kGiven : source,
                                    std::move(cutter));
}

std::unique_ptr<WordCutter> term_generator_words(std::string_view language, bool ngrams,
                                                 bool stems_all, TextFolding folding) {
  return std::make_unique<TermGeneratorWords>(language, ngrams, stems_all, folding);
}

}  // namespace kindred
