#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace kindred {

/// The object of this key that is in use in this process, or else the one that `load` makes. Any
/// number of threads may call it; they wait while one loads.
template <typename T, typename Load>
std::shared_ptr<const T> shared_object(const std::string& key, Load&& load) {
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const T>> objects;
  const std::lock_guard lock(mutex);
  std::erase_if(objects, [](const auto& entry) { return entry.second.expired(); });
  if (std::shared_ptr<const T> known = objects[key].lock()) return known;
  std::shared_ptr<const T> loaded = load();
  objects[key] = loaded;
  return loaded;
}

}  // namespace kindred
