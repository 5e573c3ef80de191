// The main() of every benchmark: its exit status, and what it says if something is wrong.
#include <cstdio>
#include <exception>

#ifdef KINDRED_BENCH_HAS_XAPIAN
#include <xapian.h>
#endif

#include "tests/bench/options.h"

int main(int argc, char** argv) {
  const auto fail = [&](const std::string& reason) {
    std::fprintf(stderr, "%s: %s\n", argv[0], reason.c_str());
    return 1;
  };

  try {
    kindred::bench::run_bench({argv + 1, argv + argc});
    return 0;
  } catch (const std::exception& e) {
    return fail(e.what());
#ifdef KINDRED_BENCH_HAS_XAPIAN
  } catch (const Xapian::Error& e) {  // which is no std::exception
    return fail(e.get_description());
#endif
  }
}
