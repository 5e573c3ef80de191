#pragma once

#include <xapian.h>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "config/pulse.h"

namespace kindred {

/// Words of a query, with those that its wildcards stand for. A word counts once, whatever its
/// forms and the prefixes under which it is looked up. Values of fields do not count: they may list
/// ids.
inline constexpr std::size_t kMaxQueryTerms = 256;
inline constexpr std::size_t kMaxPhraseWords = 64;  ///< also of NEAR and ADJ

/// How a query is read that people type into a search box, rather than a filter.
struct QueryStyle {
  bool partial = false;  ///< the last word may be the beginning of one
  /// Wildcards and such a beginning stand for so many of their terms, the most frequent ones, and
  /// for fewer where a query has many of them. 0: for all of their terms.
  Xapian::termcount most_frequent = 0;
  /// Whose terms wildcards stand for; borrowed. Null: the query has wildcards of Xapian, each for
  /// an equal share of kMaxQueryTerms. If most_frequent is 0, Xapian refuses those that stand for
  /// more (Xapian::WildcardError).
  const Xapian::Database* dictionary = nullptr;
  /// Called while the dictionary is read. The query then holds sources that call it, and cannot be
  /// serialised: see with_pulse() (plugin/query/pulse_source.h).
  Pulse pulse = {};
  /// The label that the value of a field for labels stands for, such as the one of this name.
  /// Empty: the value itself. What it throws, parse_query() throws.
  std::function<std::string(const std::string&)> label_of = {};
  /// The same of a field for branches: that label and all below it.
  std::function<std::vector<std::string>(const std::string&)> branch_of = {};
  /// The documents that have a label by their shard, which are found beside those with its term.
  /// Empty: none. See set_labels() (plugin/query/label_style.h).
  std::function<Xapian::Query(const std::string&)> in_shards_with = {};
};

/// A word that a query wants, and the terms under which the index may have it.
struct QueryWord {
  std::string word;
  std::vector<std::string> terms;
  std::size_t at = 0;    ///< first byte of the part of the query that has it: words without spaces
  std::size_t size = 0;  ///< or a phrase; bytes of that part
};

struct ParsedQuery {
  Xapian::Query query;
  std::vector<QueryWord> words;
};

}  // namespace kindred
