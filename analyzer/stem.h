#pragma once

#include <memory>
#include <string>
#include <string_view>

struct sb_stemmer;

namespace kindred {

/// A Snowball stemmer. Deterministic; keeps a work buffer, so one for each thread.
class Stemmer {
 public:
  /// `algorithm`: as Language::stemmer. "" and names that this build of Snowball lacks give a
  /// stemmer that changes nothing.
  explicit Stemmer(const std::string& algorithm);

  /// Whether stem() changes anything at all.
  bool active() const { return stemmer_ != nullptr; }

  /// The stem of a folded word in well-formed UTF-8; the word itself where Snowball would leave
  /// nothing of it.
  std::string stem(std::string_view word);

 private:
  struct Delete {
    void operator()(sb_stemmer* stemmer) const;
  };
  std::unique_ptr<sb_stemmer, Delete> stemmer_;
};

}  // namespace kindred
