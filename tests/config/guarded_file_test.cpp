// What is taken for a file of ours, and what is not.
#include "config/guarded_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;
using test::file_text;
using test::put_file;

namespace {

const Owners kOwn{{::geteuid()}, "the owner of the index"};
const Owners kOthers{{::geteuid() + 1}, "the owner of the index"};

/// A file in a folder, and a victim in another.
struct Files {
  Files() {
    std::filesystem::create_directory(directory / "index");
    std::filesystem::create_directory(directory / "other");
    put_file(victim, "precious");
  }

  test::TemporaryDirectory directory;
  const std::string path = directory / "index/file", victim = directory / "other/victim";
};

}  // namespace

TEST_CASE_METHOD(Files, "a link is neither read, nor written, nor removed") {
  REQUIRE(::symlink(victim.c_str(), path.c_str()) == 0);
  const GuardedFile file(path, kOwn);
  std::error_code fault;
  const char* const found = "file: Is a link, expected a regular file";
  CHECK(code_of([&] { read_regular_file(file, "a file", 100); }, found) == Errc::kInvalidArgument);
  CHECK(code_of([&] { file.open(O_WRONLY | O_TRUNC | O_CREAT); }, found) == Errc::kInvalidArgument);
  CHECK(code_of([&] { file.remove(fault); }, found) == Errc::kInvalidArgument);
  CHECK(file.exists());
  CHECK(file_text(victim) == "precious");
}

TEST_CASE_METHOD(Files,
                 "what is done goes to the folder that was opened, whatever is at its path") {
  put_file(path, "ours");
  const GuardedFile file(path, kOwn);
  std::filesystem::rename(directory / "index", directory / "moved");
  std::filesystem::rename(directory / "other", directory / "index");
  put_file(path, "theirs");
  CHECK(read_regular_file(file, "a file", 100).bytes == "ours");
  std::error_code fault;
  CHECK(file.remove(fault));
  CHECK(file_text(path) == "theirs");
  CHECK_FALSE(std::filesystem::exists(directory / "moved/file"));
  CHECK_FALSE(file.remove(fault));
  CHECK_FALSE(fault);
}

TEST_CASE_METHOD(Files, "a file of another user is refused, and says whose was expected") {
  put_file(path, "x");
  const GuardedFile file(path, kOthers);
  const std::string expected = "file: belongs to user " + std::to_string(::geteuid()) +
                               ", expected " + std::to_string(::geteuid() + 1) +
                               ", the owner of the index";
  CHECK(code_of([&] { file.open(O_RDONLY); }, expected) == Errc::kInvalidArgument);
  CHECK(file_text(path) == "x");
}

TEST_CASE_METHOD(Files, "a folder is opened where it is itself, and made for its owner") {
  const GuardedFolder parent(directory / "index");
  CHECK(code_of([&] { GuardedFolder(GuardedFile(parent, "in", kOwn), false); }, "index/in: ") ==
        Errc::kNotFound);
  const GuardedFolder made(GuardedFile(parent, "in", kOwn), true);
  CHECK(made.owner() == ::geteuid());
  CHECK(std::filesystem::is_directory(directory / "index/in"));
  CHECK(code_of([&] { GuardedFolder(GuardedFile(parent, "in", kOthers), true); },
                "in: belongs to user ") == Errc::kInvalidArgument);

  REQUIRE(::symlink((directory / "other").c_str(), (directory / "index/link").c_str()) == 0);
  put_file(path, "x");
  CHECK(code_of([&] { GuardedFolder(GuardedFile(parent, "link", kOwn), true); },
                "link: Is a link, expected") == Errc::kInvalidArgument);
  CHECK(code_of([&] { GuardedFolder(GuardedFile(parent, "file", kOwn), true); },
                "file: Is a file, expected") == Errc::kInvalidArgument);
  CHECK(code_of([&] { GuardedFolder(GuardedFile(directory / "no/in", kOwn), true); },
                "no/in: No such file") == Errc::kNotFound);
}
