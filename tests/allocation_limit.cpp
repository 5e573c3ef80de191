// Takes the place of operator new for the whole program.
#include "tests/allocation_limit.h"

#include <cstdlib>
#include <new>

namespace kindred::test {
namespace {

thread_local bool is_limited = false;
thread_local std::size_t left = 0;

}  // namespace

AllocationLimit::AllocationLimit(std::size_t most) {
  is_limited = true;
  left = most;
}
AllocationLimit::~AllocationLimit() { is_limited = false; }

}  // namespace kindred::test

void* operator new(std::size_t size) {
  using namespace kindred::test;
  if (is_limited && left-- == 0) {
    left = 0;
    throw std::bad_alloc();
  }
  if (void* const memory = std::malloc(size > 0 ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
