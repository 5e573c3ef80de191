#include "analyzer/stem.h"

#include <libstemmer.h>

#include <limits>
#include <new>

namespace kindred {

void Stemmer::Delete::operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }

Stemmer::Stemmer(const std::string& algorithm)
    : stemmer_(algorithm.empty() ? nullptr : sb_stemmer_new(algorithm.c_str(), "UTF_8")) {}

std::string Stemmer::stem(std::string_view word) {
  constexpr std::size_t kLongest = std::numeric_limits<int>::max() / 4;
  if (!active() || word.empty() || word.size() > kLongest) return std::string(word);
  const sb_symbol* stem =
      sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()),
                      static_cast<int>(word.size()));
  if (stem == nullptr) throw std::bad_alloc();
  const int length = sb_stemmer_length(stemmer_.get());
  if (length <= 0) return std::string(word);
  return {reinterpret_cast<const char*>(stem), static_cast<std::size_t>(length)};
}

}  // namespace kindred
