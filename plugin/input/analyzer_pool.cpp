#include "plugin/input/analyzer_pool.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "analyzer/languages/language.h"
#include "analyzer/lemmas/dictionary_files.h"
#include "plugin/input/term_generator_words.h"

namespace kindred {
namespace {

/// The pool keeps analyzers of at most this many languages. Languages come from documents, so
/// without a limit documents would decide how much memory is used.
constexpr std::size_t kMostLanguages = 64;

}  // namespace

AnalyzerPool::AnalyzerPool(const AnalyzerSettings& settings, const IndexSettings& index)
    : settings_(settings),
      term_generator_(index.term_generator),
      stemmed_words_(index.stemmed_words),
      folding_(folding_of(index.profile)) {
  const Kind usual = {"", LanguageSource::kGiven};
  idle_[usual].push_back(make(usual));
  if (detects()) detector_ = std::make_shared<const LanguageDetector>(settings_.languages);
  for (const auto* items : {&settings_.lemmas, &settings_.compounds})
    for (const std::string& item : *items) {
      const Kind kind = {parse_dictionary_item(item).language, LanguageSource::kGiven};
      if (!idle_.contains(kind)) idle_[kind].push_back(make(kind));
    }
}

AnalyzerPool::Lease AnalyzerPool::lease_for(const Record& record) {
  if (!record.language.empty() || record.terms || !detects()) return lease(record.language);
  return lease_for_query(record.title.empty() ? record.text : record.title + '\n' + record.text);
}

AnalyzerPool::Lease AnalyzerPool::lease_for_query(std::string_view text) {
  Detection found = detect(text);
  if (found.language.empty() || found.confidence < settings_.detect_confidence) return lease("");
  return lease({std::move(found.language), LanguageSource::kDetected});
}

Detection AnalyzerPool::detect(std::string_view text) {
  std::shared_ptr<const LanguageDetector> detector;
  {
    const std::lock_guard lock(mutex_);
    detector = detector_;
  }
  return detector ? detector->detect(text) : Detection{};
}

void AnalyzerPool::expect_languages(const std::vector<std::string>& languages) {
  if (!detects() || languages.empty()) return;
  std::vector<std::string> expected;
  std::copy_if(languages.begin(), languages.end(), std::back_inserter(expected), is_language);
  if (settings_.language != "none") expected.push_back(settings_.language);
  auto detector = std::make_shared<const LanguageDetector>(expected);
  const std::lock_guard lock(mutex_);
  detector_ = std::move(detector);
}

AnalyzerPool::Lease AnalyzerPool::lease(Kind kind) {
  {
    const std::lock_guard lock(mutex_);
    const auto it = idle_.find(kind);
    if (it != idle_.end() && !it->second.empty()) {
      std::unique_ptr<Analyzer> analyzer = std::move(it->second.back());
      it->second.pop_back();
      return {*this, std::move(kind), std::move(analyzer)};
    }
  }
  std::unique_ptr<Analyzer> analyzer = make(kind);
  return {*this, std::move(kind), std::move(analyzer)};
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

void AnalyzerPool::give_back(const Kind& kind, std::unique_ptr<Analyzer> analyzer) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (idle_.contains(kind) || idle_.size() < kMostLanguages) {
      idle_[kind].push_back(std::move(analyzer));
    }
  } catch (const std::bad_alloc&) {  // the analyzer is not kept, which costs only time
  }
}

}  // namespace kindred
