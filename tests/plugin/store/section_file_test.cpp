#include "plugin/store/section_file.h"

#include "plugin/store/kept_files.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;
using test::file_text;
using test::TemporaryPath;

namespace {

constexpr std::string_view kMagic = "test of files  1";

std::vector<std::uint32_t> numbers(std::size_t size) {
  std::vector<std::uint32_t> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = static_cast<std::uint32_t>(i * 2654435761u);
  return values;
}

void write(const std::string& path, const std::vector<std::uint32_t>& values) {
  SectionWriter writer(kMagic);
  writer.add(1, std::string_view("some text"));
  writer.add(2, std::span<const std::uint32_t>(values));
  writer.add(3, std::span<const std::uint64_t>());
  writer.write(index_file(path), 2);
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// True if the file reads as what was written; false if it is refused as damaged.
bool reads_as(const std::string& path, const std::vector<std::uint32_t>& values) {
  try {
    const SectionReader reader(index_file(path), "the file", kMagic, 1);
    reader.verify();
    CHECK(reader.read_text(1) == "some text");
    CHECK(reader.read<std::uint32_t>(2) == values);
    CHECK(reader.read<std::uint64_t>(3).empty());
    return true;
  } catch (const kindred::Error& e) {
    CHECK((e.code() == Errc::kCorrupt || e.code() == Errc::kUnsupported));
    CHECK(std::string(e.what()).find(path) == 0);
    return false;
  }
}

}  // namespace

TEST_CASE_METHOD(TemporaryPath, "sections are read as they were written") {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{3000000}}) {
    write(path, numbers(size));
    CHECK(reads_as(path, numbers(size)));
  }
}

TEST_CASE_METHOD(TemporaryPath,
                 "no bytes that differ, and no length, are taken for what was written") {
  const auto values = numbers(3000);
  write(path, values);
  const std::string whole = file_text(path);
  std::mt19937 draw(3);
  int padding = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string bytes = whole;
    const std::size_t at = i < 200 ? static_cast<std::size_t>(i) : draw() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1u << draw() % 8));
    write_bytes(path, bytes);
    padding += reads_as(path, values);  // between sections, where nothing is read
  }
  CHECK(padding < 750);
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 500) {
    write_bytes(path, whole.substr(0, size));
    CHECK_FALSE(reads_as(path, values));
  }
  write_bytes(path, whole + "x");
  CHECK_FALSE(reads_as(path, values));
}

TEST_CASE_METHOD(TemporaryPath, "a section file says why it cannot be read or written") {
  const auto open = [](const std::string& file, std::string_view magic) {
    return [=] { SectionReader(index_file(file), "the file", magic, 1); };
  };
  CHECK(code_of(open(path, kMagic)) == Errc::kNotFound);
  CHECK(code_of(open(directory / ".", kMagic)) == Errc::kInvalidArgument);
  write(path, numbers(10));
  CHECK(code_of(open(path, "test of files  2"), "expected 'test of files  2'") ==
        Errc::kUnsupported);
  CHECK(code_of(open(path, "test of things 1"), "expected it to begin with 'test of things'") ==
        Errc::kCorrupt);
  const SectionReader reader(index_file(path), "the file", kMagic, 1);
  CHECK(code_of([&] { reader.read<std::uint64_t>(2); }) == Errc::kCorrupt);
  CHECK(code_of([&] { reader.read_text(9); }) == Errc::kCorrupt);
  CHECK(code_of([&] { write(directory / "no/such/folder", numbers(1)); }) == Errc::kDatabase);
  write(path, numbers(20));
  CHECK(reads_as(path, numbers(20)));
  CHECK(std::distance(std::filesystem::directory_iterator(directory / ""), {}) == 1);
}
