#include "plugin/input/query_analysis.h"

namespace kindred {

std::string AnalyzerStem::operator()(const std::string& word) {
  // The parser lowers case only; tokens() folds as the index was folded.
  const auto& tokens = analyzer_.tokens(word);
  return tokens.size() == 1 && !tokens[0].term.empty() ? tokens[0].term : word;
}

std::string AnalyzerStem::get_description() const {
  return "kindred(" + analyzer_.language() + ")";
}

bool AnalyzerStopper::operator()(const std::string& word) const {
  return analyzer_.is_stop_word(word);
}

std::string AnalyzerStopper::get_description() const {
  return "kindred stop words (" + analyzer_.language() + ")";
}

}  // namespace kindred
