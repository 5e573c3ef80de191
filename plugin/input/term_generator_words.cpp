#include "plugin/input/term_generator_words.h"

#include <xapian.h>
#include <string>
#include <vector>

#include "analyzer/languages/language.h"
#include "analyzer/text/utf8.h"

namespace kindred {
namespace {

/// Collects the terms that it is asked about, and drops them all.
class Collector : public Xapian::Stopper {
 public:
  bool operator()(const std::string& term) const override {
    terms.push_back(term);
    return true;
  }

  mutable std::vector<std::string> terms;
};

Xapian::Stem stemmer_of(std::string_view language) {
  try {
    return Xapian::Stem(find_language(language).stemmer);
  } catch (const Xapian::InvalidArgumentError&) {  // a stemmer that this Xapian lacks
    return Xapian::Stem();
  }
}

bool begins_with_letter(const std::string& word) {
  switch (Xapian::Unicode::get_category(*Xapian::Utf8Iterator(word))) {
    case Xapian::Unicode::UPPERCASE_LETTER:
    case Xapian::Unicode::LOWERCASE_LETTER:
    case Xapian::Unicode::TITLECASE_LETTER:
    case Xapian::Unicode::MODIFIER_LETTER:
    case Xapian::Unicode::OTHER_LETTER:
      return true;
    default:
      return false;
  }
}

/// True for the pair that begins with the character before it.
bool is_pair(const std::string& term, const std::string& before) {
  constexpr unsigned char kFirstByte = 0xE1;  // of Hangul, the first of these scripts
  return !before.empty() && static_cast<unsigned char>(term[0]) >= kFirstByte &&
         term.starts_with(before) && count_characters(before) == 1 && count_characters(term) == 2;
}

class TermGeneratorWords : public WordCutter {
 public:
  TermGeneratorWords(std::string_view language, bool ngrams, bool stems_all, TextFolding folding)
      : stemmer_(stemmer_of(language)), ngrams_(ngrams), stems_all_(stems_all), folding_(folding) {
    generator_.set_stopper(&collector_);
    generator_.set_stopper_strategy(Xapian::TermGenerator::STOP_ALL);
    if (ngrams) generator_.set_flags(Xapian::TermGenerator::FLAG_CJK_NGRAM);
  }

  void cut(std::string_view text, std::vector<Token>& tokens) override {
    collector_.terms.clear();
    if (folding_ == TextFolding::kNone) {
      generator_.index_text(Xapian::Utf8Iterator(text.data(), text.size()));
    } else {
      generator_.index_text(folded_text(text, folding_));
    }
    tokens.clear();
    std::uint32_t position = 0;
    std::string before;
    for (std::string& term : collector_.terms) {
      const bool overlaps = ngrams_ && is_pair(term, before);
      if (!overlaps) ++position;
      Token& token = tokens.emplace_back();
      token.term = term_of(term);
      token.position = position;
      if (!overlaps) before = term;
      token.word = std::move(term);
    }
  }

  std::string term_of(const std::string& word) override {
    return stems_all_ || begins_with_letter(word) ? stemmer_(word) : "";
  }

 private:
  Xapian::TermGenerator generator_;
  Collector collector_;
  const Xapian::Stem stemmer_;
  const bool ngrams_, stems_all_;
  const TextFolding folding_;
};

}  // namespace

std::unique_ptr<WordCutter> term_generator_words(std::string_view language, bool ngrams,
                                                 bool stems_all, TextFolding folding) {
  return std::make_unique<TermGeneratorWords>(language, ngrams, stems_all, folding);
}

}  // namespace kindred
