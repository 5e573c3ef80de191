#include "plugin/snapshot/filter_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kindred {

FilterCache::FilterCache(std::size_t most_filters, std::size_t most_bytes)
    : most_filters_(most_filters), most_bytes_(most_bytes) {}

std::shared_ptr<const RowSet> FilterCache::find(std::string_view filter, std::uint64_t opening) {
  const std::lock_guard lock(mutex_);
  const auto place = place_of(filter, opening);
  if (place == entries_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place);
  return place->rows;
}

void FilterCache::keep(const std::string& filter, std::uint64_t opening,
                       std::shared_ptr<const RowSet> rows) {
  const std::lock_guard lock(mutex_);
  if (const auto known = place_of(filter, opening); known != entries_.end()) drop(known);
  entries_.push_front({filter, std::move(rows)});
  bytes_ += entries_.front().bytes();
  while (entries_.size() > most_filters_ || bytes_ > most_bytes_) drop(std::prev(entries_.end()));
}

std::size_t FilterCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

/// Drops all entries of another opening. Expects the mutex to be held, as drop() does.
FilterCache::Entries::iterator FilterCache::place_of(std::string_view filter,
                                                     std::uint64_t opening) {
  while (opening != opening_ && !entries_.empty()) drop(entries_.begin());
  opening_ = opening;
  return std::ranges::find(entries_, filter, &Entry::filter);
}

void FilterCache::drop(Entries::iterator entry) {
  bytes_ -= entry->bytes();
  entries_.erase(entry);
}

}  // namespace kindred
