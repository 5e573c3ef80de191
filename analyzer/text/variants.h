#pragma once

#include <memory>
#include <string>

#include "analyzer/text/language_rules.h"

namespace kindred {

/// Replaces what people write in several ways in one language by one of them: by
/// LanguageRules::umlauts, variants and transliterate. Use one per thread.
class Variants {
 public:
  /// The rules are borrowed.
  explicit Variants(const LanguageRules& rules);
  ~Variants();
  Variants(const Variants&) = delete;
  Variants& operator=(const Variants&) = delete;

  /// `word`: folded, in well-formed UTF-8.
  std::string apply(std::string word) const;

 private:
  struct Transform;
  const LanguageRules& rules_;
  std::unique_ptr<Transform> transform_;  // null: none
};

}  // namespace kindred
