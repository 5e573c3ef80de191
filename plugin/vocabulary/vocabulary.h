#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/questions.h"

namespace kindred {

/// What a catalogue calls its labels: terms, each with an id, which is the label, names and
/// synonyms in several languages, broader terms, and what to use instead. Not to be mistaken for
/// the terms of the index, which are its dictionary. Immutable; any number of threads may share it.
///
///     const auto term = vocabulary.find("4015134-7");
///     if (term) std::cout << vocabulary.name(*term, languages);
class Vocabulary {
 public:
  /// A part of a term, in `texts`. A term begins with its id.
  struct Part {
    enum Kind : std::uint16_t { kId, kName, kSynonym, kBroader, kNote, kDeprecated, kUseInstead };
    std::uint16_t kind = kId;
    std::uint16_t language = 0;  ///< place in `languages`; 0: none is given
    std::uint32_t bytes = 0;
  };
  /// What a vocabulary is stored as.
  struct Stored {
    std::vector<Part> parts;  ///< of all terms, in byte order of their ids
    std::string texts;        ///< of the parts, one after the other
    std::string folded;       ///< the names and synonyms for searching, each between line ends
    std::vector<std::string> languages;  ///< the first is "", then as they came
  };

  Vocabulary() = default;
  /// Terms that check_terms() (plugin/vocabulary/checked_terms.h) has left.
  explicit Vocabulary(std::vector<api::VocabularyTerm> terms);
  /// @throws Error kCorrupt if the parts do not fit together.
  Vocabulary(Stored stored, std::string stamp);

  std::size_t size() const { return terms_.size(); }
  const Stored& stored() const { return stored_; }
  const std::string& stamp() const { return stamp_; }  ///< of its file; "" = no file

  // Terms are named by their numbers below size(), in byte order of their ids.

  std::string_view id(std::size_t term) const { return text(terms_[term]); }
  std::optional<std::size_t> find(std::string_view id) const;
  /// All of a term.
  api::VocabularyTerm term(std::size_t term) const;
  /// Its name in the first of these languages that it has one in, else its first name; "" if it has
  /// none. "de" and "de-AT" are good for each other.
  std::string_view name(std::size_t term, std::span<const std::string> languages) const;
  /// The terms with this text as a name or synonym, whatever its case and accents.
  std::vector<std::size_t> named(std::string_view text) const;
  /// The terms with this text in a name or synonym: first those that are called so, then those
  /// whose names begin with it, then by their ids.
  std::vector<std::size_t> search(std::string_view text) const;

  /// The terms directly above or below a term, ascending.
  std::span<const std::uint32_t> broader(std::size_t term) const { return above_.of(term); }
  std::span<const std::uint32_t> narrower(std::size_t term) const { return below_.of(term); }
  /// These, theirs, and so on: each once, the nearest first.
  std::vector<std::uint32_t> all_broader(std::size_t term) const { return above_.all_from(term); }
  std::vector<std::uint32_t> all_narrower(std::size_t term) const { return below_.all_from(term); }

  std::size_t bytes() const;  ///< of main memory

 private:
  /// From each term to others.
  struct Links {
    std::vector<std::size_t> begin;  ///< of a term's, in `to`
    std::vector<std::uint32_t> to;

    /// `pairs`: from a term to another, ascending.
    Links() = default;
    Links(std::size_t terms, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs);

    std::span<const std::uint32_t> of(std::size_t term) const {
      return std::span(to).subspan(begin[term], begin[term + 1] - begin[term]);
    }
    std::vector<std::uint32_t> all_from(std::size_t term) const;
  };

  /// A name or synonym, in `folded`.
  struct Name {
    std::size_t begin;
    std::uint32_t term;
  };

  void index();
  void link();
  std::string_view text(std::size_t part) const;
  std::span<const Part> parts_of(std::size_t term) const;

  Stored stored_;
  std::string stamp_;
  std::vector<std::size_t> begins_;  ///< of the parts, in texts
  std::vector<std::size_t> terms_;   ///< the first part of each
  std::vector<Name> names_;
  Links above_;
  Links below_;
};

}  // namespace kindred
