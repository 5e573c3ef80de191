#include "analyzer/text/stemmer.h"

#include <libstemmer.h>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

namespace kindred {

void Stemmer::Delete::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

Stemmer::Stemmer(const std::string& algorithm)
    : stemmer_(algorithm.empty() ? nullptr : sb_stemmer_new(algorithm.c_str(), "UTF_8")) {}

std::string Stemmer::stem(std::string_view word) {
  // Snowball counts bytes in an int, and a stem may be longer than its word.
  constexpr std::size_t kLongestStemmed = std::numeric_limits<int>::max() / 4;
  if (!active() || word.empty() || word.size() > kLongestStemmed) return std::string(word);

  const sb_symbol* stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));

  if (stem == nullptr) throw std::bad_alloc();
  const int length = sb_stemmer_length(stemmer_.get());
  if (length <= 0) return std::string(word);
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(length)};
}

std::vector<std::string> stemmer_names() {
  std::vector<std::string> names;
  for (const char** name = sb_stemmer_list(); *name != nullptr; ++name) {
    names.emplace_back(*name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace kindred
