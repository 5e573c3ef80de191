#pragma once

#include <cstddef>

namespace kindred::test {

/// For as long as it lives, the calling thread may start so many threads; for more of them
/// pthread_create() gives EAGAIN, as where a limit of the system is reached. Threads that other
/// threads start are not counted. A test that has one is linked with thread_limit.cpp.
class ThreadLimit {
 public:
  explicit ThreadLimit(std::size_t most);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

  std::size_t wanted() const;  ///< how many were asked for, those refused included
};

}  // namespace kindred::test
