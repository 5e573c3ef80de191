#pragma once

#include <xapian.h>
#include <string>

#include "analyzer/analyzer.h"
#include "config/api.h"

namespace kindred {

/// Makes a stock Xapian::QueryParser stem words as the index does:
///   parser.set_stemmer(Xapian::Stem(new AnalyzerStem(analyzer)));
/// A word that the filters drop is returned unstemmed. The analyzer is borrowed, and used by the
/// thread that parses.
class KINDRED_API AnalyzerStem : public Xapian::StemImplementation {
 public:
  explicit AnalyzerStem(Analyzer& analyzer) : analyzer_(analyzer) {}
  std::string operator()(const std::string& word) override;
  std::string get_description() const override;

 private:
  Analyzer& analyzer_;
};

/// Makes a stock Xapian::QueryParser drop the stop words of the index. The analyzer is borrowed.
class KINDRED_API AnalyzerStopper : public Xapian::Stopper {
 public:
  explicit AnalyzerStopper(const Analyzer& analyzer) : analyzer_(analyzer) {}
  bool operator()(const std::string& word) const override;
  std::string get_description() const override;

 private:
  const Analyzer& analyzer_;
};

}  // namespace kindred
