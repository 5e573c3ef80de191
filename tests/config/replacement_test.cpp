// How Kindred replaces a file.
#include "config/replacement.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::file_text;
using test::put_file;

namespace {

namespace fs = std::filesystem;

GuardedFile named(const std::string& path) { return {path, owners_of_named_file(path)}; }

/// Replaces a file by a letter repeated many times, written in pieces. True if that succeeded.
bool replace(const std::string& path, char letter, std::size_t size) {
  Replacement replacement(named(path));
  if (replacement.fault()) return false;
  const std::string piece(1000, letter);
  for (std::size_t i = 0; i < size; i += piece.size())
    if (::write(replacement.descriptor(), piece.data(), piece.size()) < 0) return false;
  return !replacement.place();
}

std::size_t files_in(const std::string& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

fs::perms mode_of(const std::string& path) { return fs::status(path).permissions(); }

}  // namespace

TEST_CASE_METHOD(
    test::TemporaryPath,
    "threads that replace one file at once leave one of theirs, whole, and nothing beside") {
  for (int round = 0; round < 50; ++round) {
    std::vector<std::thread> threads;
    std::vector<char> went_well(4);
    for (std::size_t i = 0; i < went_well.size(); ++i) {
      threads.emplace_back(
          [&, i] { went_well[i] = replace(path, static_cast<char>('a' + i), 200'000); });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(went_well == std::vector<char>(4, 1));
    const std::string bytes = file_text(path);
    CHECK(bytes == std::string(200'000, bytes.at(0)));
    CHECK(files_in(directory / ".") == 1);
  }
}

TEST_CASE_METHOD(
    test::TemporaryPath,
    "files that killed processes left are removed, files that others write or own stay") {
  const std::string left = path + ".new-0123456789abcdef";
  const std::string written = path + ".new-fedcba9876543210";
  const std::vector<std::string> others = {path + ".new-1", path + ".new-0123456789abcdeg",
                                           directory / "fil.new-0123456789abcdef",
                                           directory / "file2.new-0123456789abcdef"};
  for (const std::string& name : others) put_file(name, "x");
  put_file(left, "x");
  put_file(written, "x");
  const int writer = ::open(written.c_str(), O_WRONLY | O_CLOEXEC);
  REQUIRE(::flock(writer, LOCK_EX) == 0);
  CHECK(replace(path, 'a', 1000));
  CHECK_FALSE(fs::exists(left));
  CHECK(fs::exists(written));
  for (const std::string& name : others) CHECK(fs::exists(name));
  ::close(writer);  // as if it had been killed
  CHECK(replace(path, 'b', 1000));
  CHECK_FALSE(fs::exists(written));
  CHECK(file_text(path) == std::string(1000, 'b'));
}

TEST_CASE_METHOD(
    test::TemporaryPath,
    "a file that is replaced keeps its permissions, a new one has what the umask says") {
  const mode_t before = ::umask(027);
  CHECK(replace(path, 'a', 1000));
  ::umask(before);
  CHECK(mode_of(path) == static_cast<fs::perms>(0640));
  fs::permissions(path, static_cast<fs::perms>(0600));
  CHECK(replace(path, 'b', 1000));
  CHECK(mode_of(path) == static_cast<fs::perms>(0600));
}

TEST_CASE("a file that cannot be replaced is as it was") {
  const test::TemporaryDirectory directory;
  fs::create_directory(directory / "folder");
  put_file(directory / "folder/file", "x");
  CHECK(test::code_of([&] { replace(directory / "folder", 'a', 1000); },
                      "folder: Is a directory, expected a regular file") == Errc::kInvalidArgument);
  CHECK(files_in(directory / ".") == 1);
  CHECK(file_text(directory / "folder/file") == "x");
  const Replacement nowhere(named(directory / "absent/file"));
  CHECK(nowhere.fault() == std::errc::no_such_file_or_directory);
}
