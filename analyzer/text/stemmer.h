#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace kindred {

/// A Snowball stemmer. Deterministic. It keeps a work buffer, so use one per thread.
class Stemmer {
 public:
  /// `algorithm`: as Language::stemmer. With "", or a name that this build of Snowball lacks, the
  /// stemmer changes nothing.
  explicit Stemmer(const std::string& algorithm);

  /// False if stem() changes nothing.
  bool active() const { return stemmer_ != nullptr; }

  /// The stem of a folded word in well-formed UTF-8, or the word itself if Snowball would leave
  /// nothing of it.
  std::string stem(std::string_view word);

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::unique_ptr<sb_stemmer, Delete> stemmer_;
};

/// The Snowball stemmers of this build, in byte order.
std::vector<std::string> stemmer_names();

}  // namespace kindred
