#include "plugin/snapshot/filter_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kindred {

FilterCache::FilterCache(std::size_t most_filters, std::size_t most_bytes)
    : most_filters_(most_filters), most_bytes_(most_bytes) {}

std::shared_ptr<const DocumentSet> FilterCache::find(std::string_view filter,
                                                     std::uint64_t opening) {
  const std::lock_guard lock(mutex_);

  enter(opening);
  const auto known = entry_of(filter);
  if (known == entries_.end()) return nullptr;

  // Used last, so it is the last to go.
  entries_.splice(entries_.begin(), entries_, known);
  return known->matching;
}

void FilterCache::keep(const std::string& filter, std::uint64_t opening,
                       std::shared_ptr<const DocumentSet> matching) {
  const std::lock_guard lock(mutex_);
  enter(opening);
  const auto known = entry_of(filter);
  if (known != entries_.end()) drop(known);

  Entry entry{filter, std::move(matching)};
  if (entry.bytes() > most_bytes_) return;  // the others stay
  bytes_ += entry.bytes();
  entries_.push_front(std::move(entry));

  while (entries_.size() > most_filters_ || bytes_ > most_bytes_) drop(std::prev(entries_.end()));
}

std::size_t FilterCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

/// Drops all entries of another opening. Expects the mutex to be held, as entry_of() and drop() do.
void FilterCache::enter(std::uint64_t opening) {
  while (opening != opening_ && !entries_.empty()) drop(entries_.begin());
  opening_ = opening;
}

FilterCache::Entries::iterator FilterCache::entry_of(std::string_view filter) {
  return std::ranges::find(entries_, filter, &Entry::filter);
}

void FilterCache::drop(Entries::iterator entry) {
  bytes_ -= entry->bytes();
  entries_.erase(entry);
}

}  // namespace kindred
