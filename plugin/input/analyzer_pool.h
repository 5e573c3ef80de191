#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "analyzer/analyzer.h"
#include "config/settings.h"

namespace kindred {

/// Lends analyzers, which are costly to make and serve one thread each. Any number of threads may
/// use the pool; its lock is held for a look-up only.
class AnalyzerPool {
 public:
  /// @throws Error as Analyzer: bad word lists, and dictionaries that are not there, are found
  /// here, not at the first lease.
  explicit AnalyzerPool(const AnalyzerSettings& settings);
  AnalyzerPool(const AnalyzerPool&) = delete;
  AnalyzerPool& operator=(const AnalyzerPool&) = delete;

  /// Returns the analyzer to the pool in its destructor.
  class Lease {
   public:
    Lease(AnalyzerPool& pool, std::string language, std::unique_ptr<Analyzer> analyzer)
        : pool_(pool), language_(std::move(language)), analyzer_(std::move(analyzer)) {}
    ~Lease() { pool_.give_back(language_, std::move(analyzer_)); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Analyzer& operator*() const { return *analyzer_; }
    Analyzer* operator->() const { return analyzer_.get(); }

   private:
    AnalyzerPool& pool_;
    std::string language_;
    std::unique_ptr<Analyzer> analyzer_;
  };

  /// An analyzer for the language, or for the default one if `language` is "" or unknown.
  Lease lease(const std::string& language);

 private:
  void give_back(const std::string& language, std::unique_ptr<Analyzer> analyzer) noexcept;
  std::unique_ptr<Analyzer> make(const std::string& language) const;

  AnalyzerSettings settings_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<Analyzer>>> idle_;
};

}  // namespace kindred
