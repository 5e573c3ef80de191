#include "plugin/vocabulary/checked_terms.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "config/shown.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

std::string single_spaced(std::string_view text) {
  std::string spaced;
  for (const char c : trimmed_nfc(text)) {
    const bool is_space = c == ' ' || (c >= '\t' && c <= '\r');
    if (!is_space) spaced += c;
    if (is_space && !spaced.ends_with(' ')) spaced += ' ';
  }
  return spaced;
}

std::string in_quotes(const std::string& text) { return "'" + shortened(text) + "'"; }

/// What is wrong with a text of so many bytes at most; "" if nothing is.
std::string fault_of_text(const char* what, const std::string& text, std::size_t most) {
  if (text.size() > most)
    return std::string(what) + " " + in_quotes(text) + " has " + std::to_string(text.size()) +
           " bytes, expected at most " + std::to_string(most);
  if (!is_utf8(text)) return std::string(what) + " " + in_quotes(text) + " is not UTF-8";
  return "";
}

std::string fault_of_language(const std::string& language) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  if (language.size() <= kMostLanguageBytes &&
      language.find_first_not_of(kLetters) == language.npos)
    return "";
  return "expected a language such as en or pt-BR, found " + in_quotes(language);
}

/// Checks terms one by one, and then how they hang together.
class TermCheck {
 public:
  TermCheck(std::vector<api::VocabularyTerm> terms, const LabelSettings& settings)
      : settings_(settings) {
    if (terms.size() > kMostVocabularyTerms)
      throw Error(Errc::kInvalidArgument, "a vocabulary has " + std::to_string(terms.size()) +
                                              " terms, expected at most " +
                                              std::to_string(kMostVocabularyTerms));
    for (std::size_t i = 0; i < terms.size(); ++i) take(terms[i], i);
  }

  CheckedTerms result() {
    for (std::size_t i = 0; i < checked_.terms.size(); ++i) {
      keep_known(i, "broader term", checked_.terms[i].broader);
      keep_known(i, "term to use instead", checked_.terms[i].use_instead);
    }
    for (std::size_t i = 0; i < checked_.terms.size(); ++i) open_circles(i);
    std::ranges::stable_sort(checked_.mistakes, {}, &api::VocabularyMistake::term);
    return std::move(checked_);
  }

 private:
  enum class Visit : std::uint8_t { kNot, kBelow, kDone };

  void report(std::size_t given, const std::string& id, std::string fault) {
    checked_.mistakes.push_back({given, id, std::move(fault)});
  }

  void take(api::VocabularyTerm& term, std::size_t given) {
    term.id = label_name(term.id);
    for (auto* texts : {&term.names, &term.synonyms}) {
      for (api::LanguageText& each : *texts) each.text = single_spaced(each.text);
      std::erase_if(*texts, [](const api::LanguageText& each) {
        return each.text.empty();
      });
    }
    for (auto* ids : {&term.broader, &term.use_instead}) *ids = label_names(*ids);

    const std::string fault = fault_of(term);
    if (!fault.empty()) return report(given, term.id, fault);
    const auto [place, is_new] = places_.try_emplace(term.id, checked_.terms.size());
    if (!is_new)
      return report(
          given, term.id,
          "the id is there twice, first in term " + std::to_string(given_[place->second] + 1));

    checked_.terms.push_back(std::move(term));
    given_.push_back(given);
  }

  std::string fault_of(const api::VocabularyTerm& term) const {
    if (term.id.empty()) return "has no id";
    if (!is_utf8(term.id)) return "the id is not UTF-8";
    if (!fits_terms(term.id, settings_))
      return "the id is too long for a label: it has " + std::to_string(term.id.size()) + " bytes";
    if (term.names.empty() && !term.deprecated) return "has no name";

    const std::size_t texts =
        term.names.size() + term.synonyms.size() + term.broader.size() + term.use_instead.size();
    if (texts > kMostTermTexts)
      return "has " + std::to_string(texts) +
             " names, synonyms and other terms, expected at most " + std::to_string(kMostTermTexts);

    std::string fault;
    for (const auto* named : {&term.names, &term.synonyms}) {
      for (const api::LanguageText& each : *named) {
        if (fault.empty()) fault = fault_of_text("the name", each.text, kMostNameBytes);
        if (fault.empty()) fault = fault_of_language(each.language.value_or(""));
      }
    }
    if (fault.empty()) fault = fault_of_text("the note", term.note.value_or(""), kMostNoteBytes);
    return fault;
  }

  void keep_known(std::size_t term, const char* what, std::vector<std::string>& ids) {
    const std::string& own = checked_.terms[term].id;
    std::erase_if(ids, [&](const std::string& id) {
      if (id != own && places_.contains(id)) return false;
      report(given_[term], own,
             std::string("the ") + what + " " + in_quotes(id) +
                 (id == own ? " is the term itself" : " is not in the vocabulary"));
      return true;
    });
  }

  /// Goes up from a term, without recursion: a chain of broader terms may be long. A term that is
  /// met again below itself closes a circle.
  void open_circles(std::size_t first) {
    struct Step {
      std::size_t term;
      std::size_t next;  // of its broader terms
    };
    std::vector<Step> path;
    visits_.resize(checked_.terms.size(), Visit::kNot);
    if (visits_[first] == Visit::kNot) path.push_back({first, 0});

    while (!path.empty()) {
      Step& step = path.back();
      visits_[step.term] = Visit::kBelow;
      std::vector<std::string>& broader = checked_.terms[step.term].broader;
      if (step.next == broader.size()) {
        visits_[step.term] = Visit::kDone;
        path.pop_back();
        continue;
      }

      const std::size_t above = places_.at(broader[step.next]);
      if (visits_[above] != Visit::kBelow) {
        ++step.next;
        if (visits_[above] == Visit::kNot) path.push_back({above, 0});
        continue;
      }
      report(given_[step.term], checked_.terms[step.term].id,
             "the broader term " + in_quotes(broader[step.next]) +
                 " closes a circle: it has this term above it");
      broader.erase(broader.begin() + static_cast<std::ptrdiff_t>(step.next));
    }
  }

  const LabelSettings& settings_;
  CheckedTerms checked_;
  std::vector<std::size_t> given_;  ///< the number under which each checked term was given
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<Visit> visits_;
};

}  // namespace

CheckedTerms check_terms(std::vector<api::VocabularyTerm> terms, const LabelSettings& settings) {
  return TermCheck(std::move(terms), settings).result();
}

}  // namespace kindred
