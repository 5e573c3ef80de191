// Which files Kindred reads, and how it replaces a file.
#include "config/regular_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;
using test::file_text;

namespace {

namespace fs = std::filesystem;

void put(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Replaces a file by a letter repeated many times, written in pieces. True if that succeeded.
bool replace(const std::string& path, char letter, std::size_t size) {
  Replacement replacement(path);
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

TEST_CASE_METHOD(test::TemporaryPath,
                 "a regular file is read as a whole, with the stamp that it has") {
  std::string bytes(200'000, 'x');
  bytes[7] = '\0';
  put(path, bytes);
  const FileContent content = read_regular_file(path, "the file", bytes.size());
  CHECK(content.bytes == bytes);
  CHECK(content.stamp == file_stamp(path));
  put(path, "other");
  CHECK(content.stamp != file_stamp(path));
  CHECK(read_regular_file("/proc/self/stat", "the file", 10'000).bytes.size() > 10);  // of length 0
  CHECK(file_stamp(directory / "absent").empty());
}

TEST_CASE("a path that blocks or never ends, and a file that is too long, are refused by name") {
  const test::TemporaryDirectory directory;
  const auto read = [](const std::string& path, std::size_t most = 100) {
    return [=] { read_regular_file(path, "the file", most); };
  };
  REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
  CHECK(code_of(read(directory / "fifo"), "fifo: the file cannot be read: Is a FIFO, expected") ==
        Errc::kInvalidArgument);
  CHECK(code_of(read("/dev/zero"), "/dev/zero: the file cannot be read: Is a device") ==
        Errc::kInvalidArgument);
  CHECK(code_of(read(directory / "."), "Is a directory") == Errc::kInvalidArgument);
  CHECK(code_of(read(directory / "absent"), "No such file") == Errc::kNotFound);
  put(directory / "long", std::string(101, 'x'));
  CHECK(code_of(read(directory / "long"), "expected at most 100 bytes") == Errc::kInvalidArgument);
  CHECK(code_of(read("/proc/self/stat", 10), "expected at most 10") == Errc::kInvalidArgument);
  fs::resize_file(directory / "long", std::uintmax_t{1} << 40);  // costs neither disk nor memory
  CHECK(code_of(read(directory / "long"), "expected at most 100") == Errc::kInvalidArgument);
}

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
  for (const std::string& name : others) put(name, "x");
  put(left, "x");
  put(written, "x");
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
  put(directory / "folder/file", "x");
  CHECK_FALSE(replace(directory / "folder", 'a', 1000));  // rename() refuses
  CHECK(files_in(directory / ".") == 1);
  CHECK(file_text(directory / "folder/file") == "x");
  const Replacement nowhere(directory / "absent/file");
  CHECK(nowhere.fault() == std::errc::no_such_file_or_directory);
}
