// run_filter(): what a filter is given, and what ends it.

#include "plugin/readers/folder/filter_run.h"

#include <fcntl.h>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <string>

#include "config/regular_file.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::TemporaryDirectory;

namespace {

/// Runs a script of the shell as a filter of a file that holds "content".
std::string run_script(const std::string& script, const FilterLimits& limits = {}) {
  const TemporaryDirectory directory;
  const std::string path = directory / "file";
  std::ofstream(path) << "content";
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));

  Filter filter;
  filter.program = "sh";
  filter.options = {"-c", script};
  return run_filter("/bin/sh", filter, file, limits);
}

FilterLimits within(std::chrono::milliseconds time) {
  FilterLimits limits;
  limits.time = time;
  return limits;
}

}  // namespace

TEST_CASE("A filter gets the file, an empty input and no other open file") {
  CHECK(run_script("cat $0") == "content");
  CHECK(run_script("cat") == "");
  CHECK(run_script("ls /proc/self/fd | tr '\\n' ' '") == "0 1 2 3 4 ");  // 4: the folder for ls
  CHECK(run_script("pwd; echo $HOME") == "/\n\n");
}

TEST_CASE("A filter that fails is an error with its status or signal") {
  CHECK_THROWS_WITH(run_script("echo x; exit 7"), "sh cannot read it (its status is 7)");
  CHECK_THROWS_WITH(run_script("kill -SEGV $$"), "sh was ended by the signal Segmentation fault");
}

TEST_CASE("A filter that takes too long is ended with what it has started") {
  const auto quick = within(std::chrono::milliseconds(100));
  CHECK_THROWS_WITH(run_script("sleep 60 | cat", quick), "sh took too long");
  CHECK_THROWS_WITH(run_script("exec >&-; sleep 60", quick), "sh took too long");
}

TEST_CASE("What a filter leaves running is ended with it") {
  CHECK(run_script("sleep 60 >/dev/null & echo done") == "done\n");
}

TEST_CASE("The output of a filter is bounded") {
  FilterLimits limits;
  limits.output_bytes = 1000;
  CHECK_THROWS_WITH(run_script("yes", limits), "sh wrote more than 1000 bytes");
}

TEST_CASE("A filter can write no file and take no more than its memory") {
  CHECK(run_script("f=$(mktemp); (echo x >$f); cat $f; rm $f") == "");

  FilterLimits limits;
  limits.memory_bytes = std::size_t{64} << 20;
  CHECK(run_script("head -c 100000000 /dev/zero | tail -n 1 | wc -c", limits) == "0\n");
}
