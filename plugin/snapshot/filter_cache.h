#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "gpu/document_set.h"

namespace kindred {

/// The documents of one snapshot that match the filters which it was asked last. What was not used
/// for longest goes first. Any number of threads may call it.
class FilterCache {
 public:
  static constexpr std::size_t kMostFilters = 256;
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20;

  /// Keeps at most so many filters, which take at most so many bytes with their documents.
  explicit FilterCache(std::size_t most_filters = kMostFilters,
                       std::size_t most_bytes = kMostBytes);

  /// What was kept for a filter, or null. `opening`: a number that changes whenever the
  /// database is opened anew, which may give another revision. Then all that is kept is dropped.
  std::shared_ptr<const DocumentSet> find(std::string_view filter, std::uint64_t opening);

  /// Keeps the documents of a filter, unless they alone take more than is allowed.
  void keep(const std::string& filter, std::uint64_t opening,
            std::shared_ptr<const DocumentSet> matching);

  std::size_t bytes() const;

 private:
  struct Entry {
    std::string filter;
    std::shared_ptr<const DocumentSet> matching;
    std::size_t bytes() const { return sizeof(Entry) + filter.size() + matching->bytes(); }
  };
  using Entries = std::list<Entry>;

  void enter(std::uint64_t opening);
  Entries::iterator entry_of(std::string_view filter);
  void drop(Entries::iterator entry);

  const std::size_t most_filters_;
  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::uint64_t opening_ = 0;  ///< of all entries
  std::size_t bytes_ = 0;
  Entries entries_;  ///< the latest used first
};

}  // namespace kindred
