#include "index/query_analysis.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace search_server {
namespace {

class IndexStem : public Xapian::StemImplementation {
 public:
  explicit IndexStem(const QueryAnalysis& analysis) : analysis_(analysis) {}
  std::string operator()(const std::string& word) override { return analysis_.stem(word); }
  std::string get_description() const override { return "stems of the index"; }

 private:
  const QueryAnalysis& analysis_;
};

/// First and last character of the scripts that put no spaces between words.
constexpr std::array<std::pair<unsigned, unsigned>, 9> kUnspaced = {{{0x0E00, 0x0EFF},
                                                                     {0x1000, 0x109F},
                                                                     {0x1780, 0x17FF},
                                                                     {0x3005, 0x3007},
                                                                     {0x3040, 0x30FF},
                                                                     {0x31F0, 0x31FF},
                                                                     {0x3400, 0x9FFF},
                                                                     {0xF900, 0xFAFF},
                                                                     {0x20000, 0x3FFFF}}};

bool is_unspaced(unsigned character) {
  return std::any_of(kUnspaced.begin(), kUnspaced.end(), [&](const auto& range) {
    return range.first <= character && character <= range.second;
  });
}

bool ends_in_word(const std::string& text) {
  if (text.empty()) return false;
  const auto last = static_cast<unsigned char>(text.back());
  return last >= 0x80 || std::isalnum(last) != 0;
}

/// Appends the words with spaces between them, or the text itself if it has none. A sign before
/// them is for all.
void append_words(const std::string& text, const QueryAnalysis& analysis, std::string& to) {
  std::vector<std::string> words = analysis.words(text);
  if (words.empty()) words.push_back(text);
  if (ends_in_word(to)) to += ' ';
  const bool has_sign = words.size() > 1 && (to.ends_with('-') || to.ends_with('+'));
  if (has_sign) to += '(';
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) to += ' ';
    to += words[i];
  }
  if (has_sign) to += ')';
}

}  // namespace

QueryAnalysis analysis_by(const Xapian::Stem& stemmer) {
  return {[stemmer](const std::string& word) { return stemmer(word); },
          [](const std::string&) { return false; },
          [](const std::string& text) { return std::vector<std::string>{text}; }};
}

Xapian::Stem index_stemmer(const Xapian::Database& database, const QueryAnalysis& analysis) {
  const bool stemmed = database.allterms_begin("Z") != database.allterms_end("Z");
  return stemmed ? Xapian::Stem(new IndexStem(analysis)) : Xapian::Stem();
}

std::string with_spaces(const std::string& query, const QueryAnalysis& analysis) {
  std::string spaced;
  bool in_field = false;  // behind a colon, to the next space
  bool after_run = false;
  for (Xapian::Utf8Iterator at(query), end; at != end;) {
    const unsigned character = *at;
    if (character == ' ' || character == '\t' || character == '\n') in_field = false;
    if (character == ':') in_field = true;
    std::string run;
    while (at != end && is_unspaced(*at)) Xapian::Unicode::append_utf8(run, *at++);
    if (!run.empty() && !in_field) {
      append_words(run, analysis, spaced);
      after_run = true;
      continue;
    }
    if (run.empty()) Xapian::Unicode::append_utf8(run, *at++);
    if (after_run && Xapian::Unicode::is_wordchar(character)) spaced += ' ';
    after_run = false;
    spaced += run;
  }
  return spaced;
}

}  // namespace search_server
