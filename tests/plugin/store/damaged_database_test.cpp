#include <xapian.h>

#include "plugin/engine.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/edit_tags.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;
using test::code_of;
using test::TemporaryDirectory;

namespace {

constexpr unsigned kDocuments = 300;
constexpr int kBlock = 2048;

/// Documents 1 to 300: all have the term Zmarker, all but the first 150 the label that Kmarked is,
/// and each a value of its own. Compacted, so that every block is in use.
std::string make_database(const TemporaryDirectory& directory) {
  Xapian::WritableDatabase database(directory / "new", Xapian::DB_CREATE_OR_OVERWRITE, kBlock);
  for (unsigned i = 1; i <= kDocuments; ++i) {
    Xapian::Document document;
    document.add_term("Zmarker", 1);
    document.add_term("Zword" + std::to_string(i % 20), 2);
    document.add_boolean_term("Q" + std::to_string(i));
    if (i > kDocuments / 2) document.add_term("Kmarked", 2);
    document.add_value(7001, "value " + std::to_string(i) + " of this slot");
    database.add_document(document);
  }
  database.commit();
  database.compact(directory / "db", 0, kBlock);
  return directory / "db";
}

/// Lets `change` edit a file of a database.
void edit(const std::string& file, const std::function<void(std::string&)>& change) {
  std::string bytes = kindred::test::file_text(file);
  change(bytes);
  std::ofstream(file, std::ios::binary) << bytes;
}

/// Where `text` is in `bytes`, after `from`.
std::size_t find(const std::string& bytes, const std::string& text, std::size_t from = 0) {
  const std::size_t at = bytes.find(text, from);
  REQUIRE(at != std::string::npos);
  return at;
}

/// Where postings of consecutive documents begin: steps of 0 between docids, each with its count.
std::size_t postings_of(const std::string& bytes, const std::string& term, char count) {
  std::string run;
  for (int i = 0; i < 20; ++i) run += {'\0', count};
  return find(bytes, run, find(bytes, term));
}

void open(const std::string& path) { Engine(path, kindred::test::on_cpu(1)); }

}  // namespace

TEST_CASE("a posting list with a docid that no document has is refused by name") {
  const TemporaryDirectory directory;
  const std::string path = make_database(directory);
  edit(path + "/postlist.glass", [](std::string& bytes) {
    bytes[postings_of(bytes, "Zmarker", 1) + 4] = 0x70;  // 112 further: the last ones are past 300
  });
  CHECK(code_of([&] { open(path); }, "'Zmarker'") == Errc::kCorrupt);
}

TEST_CASE("a posting list whose docids do not ascend is refused by name") {
  const TemporaryDirectory directory;
  const std::string path = make_database(directory);
  edit(path + "/postlist.glass", [](std::string& bytes) {
    bytes.replace(postings_of(bytes, "Zmarker", 1) + 8, 5, "\xff\xff\xff\xff\x0f");  // 2^32 - 1
  });
  CHECK(code_of([&] { open(path); }, path) == Errc::kCorrupt);
  CHECK(code_of([&] { open(path); }, "'Zmarker'") == Errc::kCorrupt);
}

TEST_CASE("a label's posting list is checked as a feature's") {
  const TemporaryDirectory directory;
  const std::string path = make_database(directory);
  edit(path + "/postlist.glass",
       [](std::string& bytes) { bytes[postings_of(bytes, "Kmarked", 2) + 4] = 0x70; });
  CHECK(code_of([&] { open(path); }, "'Kmarked'") == Errc::kCorrupt);
}

TEST_CASE("terms that do not ascend are refused") {
  const TemporaryDirectory directory;
  const std::string path = make_database(directory);
  edit(path + "/postlist.glass", [](std::string& bytes) {
    const std::size_t block = find(bytes, "Zword11") / kBlock * kBlock;
    std::size_t entry = block + 11;  // the directory: where items lie, two bytes each
    const std::size_t wanted = find(bytes, "Zword11") - block;
    const auto offset = [&](std::size_t at) {
      return static_cast<unsigned char>(bytes[at]) * 256U +
             static_cast<unsigned char>(bytes[at + 1]);
    };
    while (offset(entry) > wanted || wanted - offset(entry) > 10) entry += 2;
    std::swap_ranges(bytes.begin() + static_cast<long>(entry),
                     bytes.begin() + static_cast<long>(entry) + 2,
                     bytes.begin() + static_cast<long>(entry) + 2);
  });
  CHECK(code_of([&] { open(path); }, "the list of terms is damaged") == Errc::kCorrupt);
}

TEST_CASE("a damaged number of documents is refused before memory is taken for so many") {
  const TemporaryDirectory directory;
  const std::string path = make_database(directory);
  edit(path + "/iamglass", [](std::string& bytes) {
    bytes.replace(find(bytes, "\xac\x02", 48), 2, "\xfd\xff\xff\xff\x0f");  // 300; 2^32 - 3
  });
  CHECK(code_of([&] { open(path); }, path) == Errc::kCorrupt);
}

TEST_CASE("a value slot with damage is found before Xapian would write it") {
  const TemporaryDirectory directory;
  const std::string path = make_database(directory);
  edit(path + "/postlist.glass", [](std::string& bytes) {
    bytes.replace(find(bytes, "value 40 of") - 1, 5, "\xff\xff\xff\xff\x0f");  // its length
  });
  Settings settings = kindred::test::on_cpu(1);
  settings.labels.prediction_slot = 7003;  // so that the mirror does not read the damaged one
  kindred::TagEdit opt_out;
  opt_out.auto_tag = false;
  const auto write = [&] { test::edit_tags(path, settings, {"1"}, opt_out); };
  settings.topics.slot = 7001;
  CHECK(code_of(write, "value slot 7001") == Errc::kCorrupt);
  Engine engine(path, settings);
  CHECK(code_of([&] { kindred::tag_documents(engine, {}); }, "value slot 7001") == Errc::kCorrupt);
  CHECK(code_of([&] { kindred::Ingest(engine, {}); }, "value slot 7001") == Errc::kCorrupt);
}
