// Which files Kindred reads.
#include "config/regular_file.h"

#include <sys/stat.h>

#include <filesystem>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;
using test::put_file;

namespace {

namespace fs = std::filesystem;

}  // namespace

TEST_CASE_METHOD(test::TemporaryPath,
                 "a regular file is read as a whole, with the stamp that it has") {
  std::string bytes(200'000, 'x');
  bytes[7] = '\0';
  put_file(path, bytes);
  const FileContent content = read_regular_file(path, "the file", bytes.size());
  CHECK(content.bytes == bytes);
  CHECK(content.stamp == file_stamp(path));
  put_file(path, "other");
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
  put_file(directory / "long", std::string(101, 'x'));
  CHECK(code_of(read(directory / "long"), "expected at most 100 bytes") == Errc::kInvalidArgument);
  CHECK(code_of(read("/proc/self/stat", 10), "expected at most 10") == Errc::kInvalidArgument);
  fs::resize_file(directory / "long", std::uintmax_t{1} << 40);  // costs neither disk nor memory
  CHECK(code_of(read(directory / "long"), "expected at most 100") == Errc::kInvalidArgument);
}
