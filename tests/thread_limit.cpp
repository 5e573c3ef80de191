// Takes the place of the C library's pthread_create() for the whole program: std::thread and
// std::async find this one first.
#include "tests/thread_limit.h"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

namespace kindred::test {
namespace {

thread_local bool is_limited = false;
thread_local std::size_t most_started = 0, asked_for = 0;

}  // namespace

ThreadLimit::ThreadLimit(std::size_t most) {
  is_limited = true;
  most_started = most;
  asked_for = 0;
}
ThreadLimit::~ThreadLimit() { is_limited = false; }

std::size_t ThreadLimit::wanted() const { return asked_for; }

}  // namespace kindred::test

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  using namespace kindred::test;
  using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create*>(dlsym(RTLD_NEXT, "pthread_create"));
  if (is_limited && asked_for++ >= most_started) return EAGAIN;
  return create(thread, attributes, start, argument);
}
