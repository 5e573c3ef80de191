#include "plugin/input/analyzer_pool.h"

#include <utility>

#include "analyzer/language.h"
#include "analyzer/lemma_source.h"

namespace kindred {
namespace {

/// The pool keeps analyzers of at most this many languages. Languages come from documents, so
/// without a limit documents would decide how much memory is used.
constexpr std::size_t kMostLanguages = 64;

}  // namespace

AnalyzerPool::AnalyzerPool(const AnalyzerSettings& settings) : settings_(settings) {
  idle_[""].push_back(std::make_unique<Analyzer>(settings_));
  for (const std::string& item : settings_.lemmas) {
    const std::string language = parse_lemma_item(item).language;
    if (!idle_.contains(language))
      idle_[language].push_back(std::make_unique<Analyzer>(settings_, language));
  }
}

AnalyzerPool::Lease AnalyzerPool::lease(const std::string& language) {
  {
    const std::lock_guard lock(mutex_);
    const auto it = idle_.find(language);
    if (it != idle_.end() && !it->second.empty()) {
      std::unique_ptr<Analyzer> analyzer = std::move(it->second.back());
      it->second.pop_back();
      return {*this, language, std::move(analyzer)};
    }
  }
  return {*this, language, make(language)};
}

std::unique_ptr<Analyzer> AnalyzerPool::make(const std::string& language) const {
  return std::make_unique<Analyzer>(settings_, is_language(language) ? language : "");
}

void AnalyzerPool::give_back(const std::string& language,
                             std::unique_ptr<Analyzer> analyzer) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (idle_.contains(language) || idle_.size() < kMostLanguages) {
      idle_[language].push_back(std::move(analyzer));
    }
  } catch (const std::bad_alloc&) {  // the analyzer is not kept, which costs only time
  }
}

}  // namespace kindred
