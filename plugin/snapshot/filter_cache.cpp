#include "plugin/snapshot/filter_cache.h"

#include <iterator>
#include <utility>

namespace kindred {

FilterCache::FilterCache(std::size_t most_filters, std::size_t most_bytes)
    : most_filters_(most_filters), most_bytes_(most_bytes) {}

std::shared_ptr<const RowSet> FilterCache::find(std::string_view filter, std::uint64_t opening) {
  const std::lock_guard lock(mutex_);
  drop_others(opening);
  const auto place = places_.find(filter);
  if (place == places_.end()) return nullptr;
  entries_.splice(entries_.begin(), entries_, place->second);
  return place->second->rows;
}

void FilterCache::keep(const std::string& filter, std::uint64_t opening,
                       std::shared_ptr<const RowSet> rows) {
  const std::lock_guard lock(mutex_);
  drop_others(opening);
  if (const auto known = places_.find(filter); known != places_.end()) drop(known->second);
  entries_.push_front({filter, std::move(rows)});
  places_.emplace(entries_.front().filter, entries_.begin());
  bytes_ += entries_.front().bytes();
  while (entries_.size() > most_filters_ || bytes_ > most_bytes_) drop(std::prev(entries_.end()));
}

std::size_t FilterCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

/// Expects the mutex to be held, as drop() does.
void FilterCache::drop_others(std::uint64_t opening) {
  if (opening == opening_) return;
  while (!entries_.empty()) drop(entries_.begin());
  opening_ = opening;
}

void FilterCache::drop(Entries::iterator entry) {
  bytes_ -= entry->bytes();
  places_.erase(entry->filter);
  entries_.erase(entry);
}

}  // namespace kindred
