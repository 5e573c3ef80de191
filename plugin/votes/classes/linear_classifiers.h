#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plugin/store/packing.h"
#include "plugin/store/string_table.h"
#include "plugin/votes/classes/learning_set.h"

namespace kindred {

/// How much farther from its side a document is if it was not learned from: 1 - y value grows by
/// this factor, in the mean, where it is above 0. y is 1 for the document's labels, else -1.
struct LeftOutFactors {
  double own = 1;     ///< for the labels of the document
  double others = 1;  ///< for the other labels
};

/// One linear classifier for each label, as a tuning stores them: what each term speaks for or
/// against the label, sparse by term. They do not follow the index.
struct LinearClassifiers {
  /// What a term says about a label, in units of kUnit.
  struct Entry {
    std::uint32_t label;
    std::int32_t weight;
  };
  static constexpr double kUnit = 0x1p-10;
  static constexpr std::int32_t kMostWeight = 1 << 15;  ///< of entries and offsets, in size
  static constexpr double kMostFactor = 32;
  /// A label of which fewer documents are learned from has no classifier.
  static constexpr double kFewestDocuments = 5;

  StringTable labels;                   ///< each once
  std::vector<std::int32_t> offset;     ///< of each label, in units of kUnit
  StringTable terms;                    ///< in byte order, each once
  std::vector<std::uint64_t> begin{0};  ///< of each term's entries; terms + 1
  std::vector<Entry> entries;           ///< labels ascend within a term
  LearningSet learned_from;
  LeftOutFactors left_out;  ///< in 0 to kMostFactor, a multiple of kUnit

  std::span<const Entry> of(std::uint32_t term) const {
    return std::span(entries).subspan(begin[term], begin[term + std::size_t{1}] - begin[term]);
  }
  std::size_t bytes() const;

  /// The same for other names: `names` has those of each label, none or several. Names are
  /// distinct.
  LinearClassifiers with_names(const std::vector<std::vector<std::string>>& names) const;

  Packed packed() const;
  /// @throws std::runtime_error that says what is wrong with it.
  static LinearClassifiers unpacked(const Packed& packed);
};

/// Linear classifiers in the terms and labels of a mirror. LinearComparison asks them. Immutable;
/// any number of threads may share them.
class LinearVotes {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  LinearVotes(std::shared_ptr<const LinearClassifiers> classifiers, const StringTable& dictionary,
              const StringTable& labels);

  /// The same for a dictionary and labels that have grown.
  LinearVotes extended(const StringTable& dictionary, const StringTable& labels) const;

  std::size_t bytes() const;  ///< with the classifiers
  const LinearClassifiers& classifiers() const { return *classifiers_; }
  bool learned_from(std::uint32_t docid) const { return classifiers_->learned_from.has(docid); }

  // Numbers here and there, or kNone:
  std::uint32_t term_of(std::uint32_t column) const { return term_of_column_[column]; }
  std::uint32_t classifier_of(std::uint32_t label) const { return own_of_label_[label]; }
  std::uint32_t label_of(std::uint32_t classifier) const { return label_of_own_[classifier]; }

 private:
  void extend(const StringTable& dictionary, const StringTable& labels);

  std::shared_ptr<const LinearClassifiers> classifiers_;
  std::vector<std::uint32_t> term_of_column_;
  std::vector<std::uint32_t> own_of_label_;  // a label's number among those of the classifiers
  std::vector<std::uint32_t> label_of_own_;
};

}  // namespace kindred
