#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace kindred::cuda {

/// The T of a device, if somebody holds one; if not, what make() returns, a std::shared_ptr<T>.
template <typename T, typename Make>
std::shared_ptr<T> one_per_device(int ordinal, Make&& make) {
  static std::mutex mutex;
  static std::map<int, std::weak_ptr<T>> all;
  const std::lock_guard lock(mutex);
  std::weak_ptr<T>& known = all[ordinal];
  std::shared_ptr<T> one = known.lock();
  if (one == nullptr) known = one = make();
  return one;
}

}  // namespace kindred::cuda
