#include "plugin/input/record_reader.h"

#include <unistd.h>
#include <zlib.h>

#include "tests/fixtures/error_code.h"

using namespace kindred;
using test::says;

namespace {

/// The error message of opening and reading `path`.
std::string open_fault(const std::string& path) {
  return test::message_of([&] { RecordReader(path).next(); }, Errc::kNotFound);
}

/// A file of the given bytes, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("kindred_reader_" + std::to_string(::getpid()) + ".jsonl")) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string gzip(const std::string& bytes) {
  const TemporaryFile file("");
  gzFile out = gzopen(file.path().c_str(), "wb");
  gzwrite(out, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(out);
  std::ifstream in(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<RecordLine> read_all(const std::string& bytes) {
  const TemporaryFile file(bytes);
  RecordReader reader(file.path());
  std::vector<RecordLine> lines;
  while (auto line = reader.next()) lines.push_back(std::move(*line));
  return lines;
}

/// "number:text" of each line, joined by spaces.
std::string summary(const std::string& bytes) {
  std::string text;
  for (const RecordLine& line : read_all(bytes)) {
    text += (text.empty() ? "" : " ") + std::to_string(line.number) + ":" + line.text;
  }
  return text;
}

std::string gzip_fault(const std::string& bytes) {
  return test::message_of([&] { read_all(bytes); }, Errc::kCorrupt);
}

}  // namespace

TEST_CASE("lines are numbered, and blank ones count but are skipped") {
  CHECK(summary("a\nb\n") == "1:a 2:b");
  CHECK(summary("a\n\n \t\r\nb") == "1:a 4:b");
  CHECK(summary("a\r\nb\r\n") == "1:a 2:b");
  CHECK(summary("\n\n").empty());
  CHECK(summary("").empty());
}

TEST_CASE("a byte order mark at the start is skipped, also before a blank line") {
  CHECK(summary("\xEF\xBB\xBFx\n\xEF\xBB\xBFy") == "1:x 2:\xEF\xBB\xBFy");
  CHECK(summary("\xEF\xBB\xBF\nx") == "2:x");
}

TEST_CASE("lines of any length are read, around the buffer's size too") {
  for (const std::size_t size : {131071u, 131072u, 131073u, 50000000u}) {
    const auto lines = read_all(std::string(size, 'x') + "\ny");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].text.size() == size);
    CHECK(lines[1].text == "y");
  }
}

TEST_CASE("a line that is too long is skipped with its number, and the others are read") {
  const std::string bytes =
      "a\n" + std::string(200001, 'x') + "\n" + std::string(200000, 'y') + "\nb";
  for (const std::string& packed : {bytes, gzip(bytes)}) {
    const TemporaryFile file(packed);
    RecordReader reader(file.path(), 200000);
    CHECK(reader.next()->text == "a");
    const auto skipped = reader.next();
    REQUIRE(skipped);
    CHECK(skipped->number == 2);
    CHECK(skipped->text.empty());
    CHECK(says(skipped->fault, {"200000 bytes"}));
    const auto longest = reader.next();
    CHECK(longest->text.size() == 200000);
    CHECK(longest->fault.empty());
    CHECK(reader.next()->text == "b");
    CHECK_FALSE(reader.next());
  }
}

TEST_CASE("gzip is told by content, and members follow each other") {
  CHECK(summary(gzip("a\nb\n")) == "1:a 2:b");
  CHECK(summary(gzip("a\nb") + gzip("c\nd\n")) == "1:a 2:bc 3:d");
  CHECK(summary(gzip("")).empty());
  CHECK(summary(gzip("\xEF\xBB\xBFx")) == "1:x");
}

TEST_CASE("truncated gzip is an error that names the file, wherever it ends") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919) + "\n";
  const std::string whole = gzip(text);
  for (const std::size_t size :
       {std::size_t{5}, std::size_t{12}, whole.size() / 2, whole.size() - 8, whole.size() - 1}) {
    CAPTURE(size);
    const std::string what = gzip_fault(whole.substr(0, size));
    CHECK(says(what, {"kindred_reader_", "ends too early"}));
  }
}

TEST_CASE("corrupt gzip is an error that names the file") {
  std::string bytes = gzip(std::string(100000, 'a') + "\n");
  bytes[bytes.size() - 6] = static_cast<char>(bytes[bytes.size() - 6] ^ 0x55);
  CHECK(says(gzip_fault(bytes), {"kindred_reader_", "gzip"}));
}

TEST_CASE("bytes after a gzip member are an error, once the good lines were read") {
  const std::string good = gzip("a\nb\n");
  std::string damaged = gzip("c\n");
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 0x55);
  const std::string padding(1000, '\0');
  for (const std::string& tail :
       {std::string("x"), std::string("garbage\n"), std::string("\x1f"), std::string("\x1f\x8b"),
        damaged, padding + "x", gzip("c\n").substr(0, 15)}) {
    CAPTURE(tail);
    const TemporaryFile file(good + tail);
    RecordReader reader(file.path());
    CHECK(reader.next()->text == "a");
    CHECK(reader.next()->text == "b");
    const auto read_on = [&] {
      while (reader.next()) continue;
    };
    CHECK(
        says(test::message_of(read_on, Errc::kCorrupt), {"kindred_reader_", "damaged gzip file"}));
  }
}

TEST_CASE("zero bytes behind a gzip member are padding, as for gzip itself") {
  CHECK(summary(gzip("a\nb\n") + std::string(300000, '\0')) == "1:a 2:b");
  CHECK(summary(gzip("a\n") + std::string(1, '\0')) == "1:a");
}

TEST_CASE("a file of one or two bytes is plain, also where gzip starts alike") {
  CHECK(summary("\x1f") == "1:\x1f");
  CHECK(summary("\x1fz") == "1:\x1fz");
}

TEST_CASE("a path that is not a file is an error that names it") {
  CHECK(says(open_fault("/nonexistent/x.jsonl"), {"/nonexistent/x.jsonl: cannot be opened"}));
  CHECK(says(open_fault(std::filesystem::temp_directory_path().string()), {"cannot be read"}));
}

TEST_CASE("a reader tells how much of its file is read, as it lies there") {
  std::string lines;
  for (int i = 0; i < 100000; ++i) lines += std::to_string(i * 7919 % 100003) + "\n";
  for (const std::string& bytes : {lines, gzip(lines)}) {
    const TemporaryFile file(bytes);
    RecordReader reader(file.path());
    CHECK(reader.position().all == bytes.size());
    CHECK(reader.position().read == 0);
    std::uint64_t before = 0;
    for (int i = 0; i < 50000; ++i) {
      REQUIRE(reader.next());
      CHECK(reader.position().read >= before);
      before = reader.position().read;
    }
    CHECK(before > bytes.size() / 3);
    CHECK(before < bytes.size());
    while (reader.next()) {
    }
    CHECK(reader.position().read == bytes.size());
  }
}

TEST_CASE("standard input is read as -") {
  const TemporaryFile file("a\nb");
  REQUIRE(std::freopen(file.path().c_str(), "r", stdin) != nullptr);
  RecordReader reader("-");
  CHECK(reader.next()->text == "a");
  CHECK(reader.next()->text == "b");
  CHECK_FALSE(reader.next());
}
