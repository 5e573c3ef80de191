#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plugin/questions.h"
#include "plugin/readers/vocabulary_file_reader.h"

namespace kindred {

/// @throws Error kInvalidArgument if a vocabulary may not have so many terms.
void check_term_count(std::size_t terms);

/// Collects the terms of a file.
class CollectedTerms {
 public:
  /// A new term. @throws Error kInvalidArgument if there are more than a vocabulary may have.
  api::VocabularyTerm& add(const std::string& id, std::uint64_t line);
  /// The first term with this id; null if there is none.
  api::VocabularyTerm* find(const std::string& id);
  /// The same, or a new one.
  api::VocabularyTerm& get(const std::string& id);

  /// Beyond ten thousand they are dropped.
  void report(std::uint64_t line, std::string fault);

  VocabularyFile result() &&;

 private:
  std::vector<api::VocabularyTerm> terms_;
  std::vector<std::uint64_t> lines_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<VocabularyFile::Mistake> mistakes_;
};

/// A node of RDF: the URI of a resource, or a literal. "" is a blank node.
struct RdfNode {
  std::string text;
  std::string language;
  bool is_literal = false;
};

/// Makes terms of the triples of SKOS.
class SkosTerms {
 public:
  SkosTerms(CollectedTerms& terms, std::string id_prefix)
      : terms_(terms), id_prefix_(std::move(id_prefix)) {}

  void add(const RdfNode& subject, std::string_view predicate, const RdfNode& object);

  /// Leaves out what is no concept.
  VocabularyFile result() &&;

 private:
  std::string id_of(const std::string& uri) const;

  CollectedTerms& terms_;
  const std::string id_prefix_;
  std::unordered_set<std::string> others_;  ///< ids of schemes and collections
  std::size_t texts_ = 0;                   ///< that were added
};

}  // namespace kindred
