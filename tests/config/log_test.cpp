// config/log.h: a log hears one thread at a time.
#include "config/log.h"

#include "tests/fixtures/catch.h"

using namespace kindred;

TEST_CASE("threads take turns at a log") {
  std::vector<std::string> heard;  // no lock of its own: ThreadSanitizer sees two at once
  const Log log = taking_turns([&heard](const std::string& message) { heard.push_back(message); });
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([copy = log] {
      for (int i = 0; i < 1000; ++i) copy("a message that is too long for a small string");
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(heard.size() == 4000);
  CHECK(heard.front() == heard.back());
}

TEST_CASE("silence stays silence") { CHECK(!taking_turns({})); }
