#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "plugin/handle.h"
#include "plugin/replaceable.h"

namespace search_server {

/// The handle that answers now. It can be swapped for one of another library while requests run:
/// they keep the old one, which is closed when the last of them ends. Any thread may use it.
class CurrentHandle {
 public:
  explicit CurrentHandle(HandleOptions options) : options_(std::move(options)) {}

  /// Opens the database beside what answers now, with its saved mirror if there is one.
  /// @throws PluginError: nothing has changed.
  std::shared_ptr<const Handle> open(std::shared_ptr<const Library> library) const;

  /// From now on `handle` answers.
  void set(std::shared_ptr<const Handle> handle);

  /// The handle that answers; null before the first one is set.
  std::shared_ptr<const Handle> get() const { return current_.load(); }

  /// How often another handle has taken over.
  std::uint64_t swaps() const { return set_ == 0 ? 0 : set_ - 1; }

 private:
  const HandleOptions options_;
  Replaceable<Handle> current_;
  std::atomic<std::uint64_t> set_ = 0;
};

}  // namespace search_server
