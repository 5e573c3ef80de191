#include "analyzer/lemmas/lemma_list.h"

#include <algorithm>

namespace kindred {
namespace {

std::vector<std::string> split(std::string_view lemmas) {
  std::vector<std::string> result;
  while (!lemmas.empty()) {
    const std::size_t end = std::min(lemmas.find('\t'), lemmas.size());
    result.emplace_back(lemmas.substr(0, end));
    lemmas.remove_prefix(std::min(end + 1, lemmas.size()));
  }
  return result;
}

void add(WordMap& lemmas, const std::string& form, const std::string& lemma) {
  std::string& known = lemmas[form];
  const std::vector<std::string> others = split(known);
  if (std::find(others.begin(), others.end(), lemma) != others.end()) return;
  known += (known.empty() ? "" : "\t") + lemma;
}

}  // namespace

LemmaList::LemmaList(const std::string& path, const Normalizer& normalizer) {
  const auto add_pair = [&](const std::string& lemma, const std::string& form) {
    add(lemmas_, form, lemma);
    add(lemmas_, lemma, lemma);
  };
  for_each_pair(read_word_list(path, "lemmas"), path, "lemma TAB form", normalizer, add_pair);
}

std::vector<std::string> LemmaList::lemmas_of(std::string_view, std::string_view word) const {
  const auto found = lemmas_.find(word);
  return found == lemmas_.end() ? std::vector<std::string>{} : split(found->second);
}

}  // namespace kindred
