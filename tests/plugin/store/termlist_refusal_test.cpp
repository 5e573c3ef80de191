// A walk is refused, with a reason, where it could not tell what changed: in other databases, under
// other writers, and in damaged files.
#include <fcntl.h>
#include <unistd.h>
#include <xapian.h>

#include "tests/fixtures/file_text.h"
#include "tests/plugin/store/termlist_walks.h"

using namespace kindred;
using namespace kindred::test::walks;
using test::TemporaryDirectory;
namespace fs = std::filesystem;

TEST_CASE_METHOD(Walked, "a revision that is still current has no changes") {
  fill(database, random, 100, 5);
  const TermlistState before = state_of(path);
  CHECK(before.uuid == database.get_uuid());
  CHECK(before.revision == database.get_revision());
  const TermlistChanges same = changes_since(path, before);
  CHECK(same.present.empty());
  CHECK(same.ranges.empty());
  CHECK(still_at(path, before));

  database.set_metadata("only", "the posting lists");
  database.commit();
  CHECK_FALSE(still_at(path, before));
  const TermlistChanges other = changes_since(path, before);
  CHECK(other.present.empty());
  CHECK(other.ranges.empty());
  CHECK(other.now.revision == before.revision + 1);
}

TEST_CASE_METHOD(Walked, "a writer who changes blocks in place is noticed") {
  fill(database, random, 300, 5);
  database.close();
  const TermlistState before = state_of(path);
  const unsigned documents = GENERATE(0U, 1U, 20U, 3000U, 20000U);
  CAPTURE(documents);
  Xapian::WritableDatabase dangerous(path, Xapian::DB_OPEN | Xapian::DB_DANGEROUS);
  dangerous.replace_document(5, make_document(random, 2));
  fill(dangerous, random, documents, 5);
  CHECK(refusal(path, before).find("in place") != std::string::npos);
  dangerous.close();

  // After an ordinary commit the number of documents tells it if no block of the table is new, and
  // blocks that are new to the tree, with an old revision, if there are some.
  if (documents == 0) return;
  Xapian::WritableDatabase ordinary(path, Xapian::DB_OPEN);
  ordinary.set_metadata("key", "value");
  ordinary.commit();
  CHECK_FALSE(refusal(path, before).empty());
  if (documents < 3000) return;
  ordinary.replace_document(1, make_document(random, 5));
  ordinary.commit();
  CHECK_FALSE(refusal(path, before).empty());
}

TEST_CASE_METHOD(Walked, "a compacted or overwritten database is another one") {
  fill(database, random, 300, 5);
  database.close();
  const TermlistState before = state_of(path);
  Xapian::Database(path).compact(directory / "compact");
  CHECK_FALSE(still_at(directory / "compact", before));
  CHECK(refusal(directory / "compact", before) == "it is another database");
  database = create(path);
  fill(database, random, 300, 5);
  CHECK(refusal(path, before) == "it is another database");
}

TEST_CASE_METHOD(Walked, "a restored or replaced database is another one") {
  fill(database, random, 300, 5);
  fs::copy(path, directory / "backup");
  const TermlistState old = state_of(path);
  database.delete_document(7);
  database.commit();
  const TermlistState before = state_of(path);
  database.close();

  SECTION("beside it") {
    fs::rename(path, directory / "away");
    fs::copy(directory / "backup", path);
    CHECK_FALSE(still_at(path, old));
    CHECK(refusal(path, before) == "its files were replaced");
    CHECK(refusal(path, old) == "its files were replaced");
  }
  SECTION("over its files") {
    for (const auto& file : fs::directory_iterator(directory / "backup")) {
      fs::copy_file(file.path(), fs::path(path) / file.path().filename(),
                    fs::copy_options::overwrite_existing);
    }
    CHECK_FALSE(still_at(path, old));  // its header is another file, as far as can be told
    CHECK(refusal(path, before) == "it went back to an older revision");
  }
  SECTION("over its files, and changed otherwise") {
    for (const auto& file : fs::directory_iterator(directory / "backup")) {
      fs::copy_file(file.path(), fs::path(path) / file.path().filename(),
                    fs::copy_options::overwrite_existing);
    }
    Xapian::WritableDatabase again(path, Xapian::DB_OPEN);
    fill(again, random, 3, 5);
    CHECK(refusal(path, before) == "the same revision has another content");
    Contents without = contents_of(path);
    without.erase(without.upper_bound(300), without.end());
    check_walk(path, old, without);
  }
}

TEST_CASE_METHOD(Walked,
                 "what is no glass database with termlists cannot be walked, and it says why") {
  fill(database, random, 50, 5);
  database.close();
  const TermlistState before = state_of(path);
  const auto why_not = [&](const std::string& name) {
    std::string why;
    CHECK_FALSE(read_termlist_state(directory / name, why));
    CHECK_FALSE(still_at(directory / name, before));
    CHECK(refusal(directory / name, before) == why);
    return why;
  };
  CHECK(why_not("nothing") == "it is not a folder with a glass database");

  Xapian::Database(path).compact(directory / "single", Xapian::DBCOMPACT_SINGLE_FILE);
  CHECK(why_not("single") == "it is not a folder with a glass database");

  std::ofstream(directory / "stub") << "auto " << path << "\n";
  CHECK(why_not("stub") == "it is not a folder with a glass database");

  Xapian::WritableDatabase without =
      create(directory / "without", kSmallBlock, Xapian::DB_NO_TERMLIST);
  fill(without, random, 50, 5);
  CHECK(why_not("without").find("termlist") != std::string::npos);

  const std::string header = test::file_text(path + "/iamglass");
  const auto put = [&](const std::string& bytes) {
    std::ofstream(path + "/iamglass", std::ios::binary) << bytes;
  };
  put("\x0f\x0dXapian Honey" + header.substr(14));
  CHECK(why_not("db") == "it is no glass database");
  put(header.substr(0, 15) + '\x6f' + header.substr(16));
  CHECK(why_not("db") == "the version of its format is not known");
  put(header);
  CHECK_FALSE(still_at(path, before));
  CHECK(refusal(path, before) ==
        "its files were written in place, as a backup is that is copied back");

  fs::rename(path + "/termlist.glass", directory / "termlist");
  CHECK(why_not("db").find("termlist.glass cannot be read") != std::string::npos);
  fs::create_directory(path + "/termlist.glass");
  CHECK(why_not("db").find("termlist.glass cannot be read") != std::string::npos);
}

TEST_CASE_METHOD(WalkedLevels, "damage gives a result or a reason, and no crash", "[slow]") {
  const auto change_some = [&] {
    for (Xapian::docid i = 1; i < 2000; i += 40)
      database.replace_document(i, make_document(random, 5));
    database.commit();
  };
  TermlistState before = state_of(path);
  for (int i = 0; i < 3; ++i) change(database, random);
  change_some();
  if (GENERATE(true, false)) {  // all blocks but one are skipped, or headers read
    before = state_of(path);
    change_some();
  }
  const std::string file = path + "/termlist.glass", header = test::file_text(path + "/iamglass");
  const std::string bytes = test::file_text(file);
  const int handle = ::open(file.c_str(), O_RDWR);
  REQUIRE(handle >= 0);
  const auto put = [&](std::size_t at, const std::string& part) {
    REQUIRE(pwrite(handle, part.data(), part.size(), static_cast<off_t>(at)) ==
            static_cast<ssize_t>(part.size()));
  };
  int refused = 0;
  const auto try_all = [&] {
    std::string why;
    if (const auto state = read_termlist_state(path, why))
      CHECK(state->leaves.size() <= bytes.size());
    std::string why_not;
    const auto changes = walk_changes(path, before, why_not);
    refused += changes ? 0 : 1;
    if (!changes) CHECK_FALSE(why_not.empty());
    if (changes) CHECK(std::is_sorted(changes->present.begin(), changes->present.end()));
  };
  const auto try_with = [&](std::size_t at, const std::string& damage) {
    put(at, damage);
    try_all();
    put(at, bytes.substr(at, damage.size()));
  };
  for (int i = 0; i < 3000; ++i) {
    // Half of the damage goes to the beginning of blocks, where their directory is.
    std::size_t at = random() % bytes.size();
    if (i % 2 == 0) at = at / kSmallBlock * kSmallBlock + random() % 64;
    std::string damage = bytes.substr(at, 1 + random() % 8);
    for (char& byte : damage) byte = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    try_with(at, damage);
  }
  // A block in the place of another one, as if it had been overwritten.
  const std::size_t blocks = bytes.size() / kSmallBlock;
  for (int i = 0; i < 500; ++i)
    try_with(random() % blocks * kSmallBlock,
             bytes.substr(random() % blocks * kSmallBlock, kSmallBlock));
  CHECK(refused > 0);
  for (int i = 0; i < 200; ++i) {
    REQUIRE(ftruncate(handle, static_cast<off_t>(random() % bytes.size())) == 0);
    try_all();
    put(0, bytes);
  }
  ::close(handle);
  for (std::size_t i = 0; i < 4 * header.size(); ++i) {
    std::string damaged = header;
    if (i < header.size())
      damaged.resize(i);
    else
      damaged[i % header.size()] = static_cast<char>(random());
    std::ofstream(path + "/iamglass", std::ios::binary) << damaged;
    try_all();
  }
}
