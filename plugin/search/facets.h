#pragma once

#include <xapian.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "config/pulse.h"
#include "config/settings.h"

namespace kindred {

class Snapshot;

/// A value slot that documents are filtered, counted and sorted by.
struct ValueField {
  std::string name;
  Xapian::valueno slot = 0;
  bool number = false;  ///< Xapian::sortable_serialise() made it; else it is text

  bool operator==(const ValueField&) const = default;
};

/// A value, and how many of the documents that match have it.
struct Facet {
  std::string value;  ///< as it is stored
  std::size_t documents = 0;
  std::size_t predicted = 0;  ///< of labels: documents that have it as a predicted one
};

/// What matches.
struct FacetCounts {
  std::size_t counted = 0;  ///< documents whose values are counted
  std::size_t estimate = 0;
  bool exact = true;                ///< the estimate
  std::vector<std::size_t> values;  ///< by the slots of the table
};

/// Which documents have which labels, topics, units, languages and values, at one revision: a
/// search counts from it in a hundredth of the time that their terms take. Immutable.
class FacetTable {
 public:
  /// What documents hold as terms, each kind under a prefix of its own.
  enum Kind : std::size_t { kLabels, kPredicted, kTopics, kUnits, kLanguages, kIds };
  static std::string prefix_of(Kind kind, const Settings& settings);

  /// Reads the posting lists and value slots: 0.1 us for each document and value.
  /// @throws Xapian::Error.
  FacetTable(const Xapian::Database& database, const Settings& settings,
             const std::vector<ValueField>& fields, const Pulse& pulse = {});

  /// Counts over at least `least` documents that match. @throws Xapian::Error.
  FacetCounts count(const Xapian::Database& database, const Xapian::Query& query,
                    std::size_t least) const;

  /// The values of a kind that most of the counted documents have, at most `most`, then in byte
  /// order. Predicted labels are beside kLabels; kIds + i is the value field i.
  std::vector<Facet> most_frequent(const FacetCounts& counts, std::size_t kind,
                                   std::size_t most) const;

 private:
  struct Pair {
    Xapian::docid docid;
    std::uint32_t slot;  ///< twice that of the value; one more: predicted
  };

  void add_terms(const Xapian::Database& database, Kind kind, const Settings& settings,
                 const Pulse& pulse);
  void count(Xapian::docid docid, std::size_t& at, FacetCounts& counts) const;
  std::uint32_t slot_of(std::size_t kind, const std::string& text);

  std::map<std::pair<std::size_t, std::string>, std::uint32_t> slots_;  ///< of kinds and texts
  std::vector<Pair> pairs_;                                             ///< docids ascending
};

/// Holds the table of one database. It is made anew for another snapshot, but in at most a tenth of
/// the time; meanwhile the one before counts. Any number of threads may call it.
class FacetShelf {
 public:
  /// @throws Xapian::Error.
  std::shared_ptr<const FacetTable> get(const std::shared_ptr<const Snapshot>& snapshot,
                                        const Xapian::Database& database, const Settings& settings,
                                        const std::vector<ValueField>& fields,
                                        const Pulse& pulse = {});

 private:
  using Clock = std::chrono::steady_clock;

  std::timed_mutex build_mutex_;  ///< held by who makes a table
  std::mutex mutex_;              ///< guards what follows
  std::shared_ptr<const FacetTable> table_;
  std::vector<ValueField> fields_;
  std::weak_ptr<const Snapshot> snapshot_;  ///< the table is as new as it
  Clock::time_point next_{};                ///< when it may be made anew
};

}  // namespace kindred
