// Indexes of mail servers and others, made in the form that these programs give them, and the
// settings by which such indexes are read.
#include <xapian.h>

#include <filesystem>

#include "plugin/ask/ask.h"
#include "plugin/engine.h"
#include "plugin/store/writable_database.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/temporary_directory.h"

using namespace kindred;

namespace {

using TermList = std::vector<std::string>;
using ValueList = std::vector<std::pair<Xapian::valueno, std::string>>;
using NameList = std::vector<std::string>;

Xapian::WritableDatabase memory_database() {
  return Xapian::WritableDatabase("", Xapian::DB_BACKEND_INMEMORY);
}

void add_to(Xapian::WritableDatabase& database, const TermList& terms, const ValueList& values = {},
            const std::string& data = "") {
  Xapian::Document document;
  for (const std::string& term : terms) document.add_term(term);
  for (const auto& [slot, value] : values) document.add_value(slot, value);
  document.set_data(data);
  database.add_document(document);
}

Settings set_by(const std::string& toml) { return parse_settings(toml, "test"); }

NameList ids_of(const std::vector<api::RelatedDocument>& documents) {
  NameList ids;
  for (const api::RelatedDocument& document : documents) ids.push_back(document.id);
  return ids;
}

/// Documents of two kinds, each about one of two subjects, with an id in slot 1.
Xapian::WritableDatabase parts_and_wholes() {
  Xapian::WritableDatabase database = memory_database();
  for (const char* kind : {"whole", "part"}) {
    const std::string name(kind);
    add_to(database, {"moon", "rocket", "XTYPE" + name, "Kspace"}, {{0, name}, {1, name + "/1"}});
    add_to(database, {"moon", "orbit", "XTYPE" + name, "K" + name}, {{0, name}, {1, name + "/2"}});
    add_to(database, {"bread", "oven", "XTYPE" + name}, {{0, name}, {1, name + "/3"}});
  }
  return database;
}

/// A folder of databases, one for each list of words, of two documents each.
void make_shard(const std::string& path, const std::string& word) {
  std::filesystem::create_directories(path);
  Xapian::WritableDatabase database(path, Xapian::DB_CREATE_OR_OPEN);
  add_to(database, {word, "moon", word + "s"});
  add_to(database, {word, "bread"});
  database.commit();
}

}  // namespace

TEST_CASE("what does not count is in no answer, number or label, by a term or a value") {
  for (const char* documents :
       {R"(["XTYPEwhole"])", R"(["-XTYPEpart"])", R"(["value:0=whole"])", R"(["-value:0=part"])",
        R"(["XTYPEwhole", "value:0=part", "-XTYPEpart"])"}) {
    CAPTURE(documents);
    Xapian::WritableDatabase database = parts_and_wholes();
    Engine engine(database, set_by("[index]\nids = \"slot\"\nid_slot = 1\n[mirror]\ndocuments = " +
                                   std::string(documents) + "\n"));
    CHECK(engine.status().documents == 3);
    CHECK(engine.status().terms == 5);
    CHECK(engine.labels() == NameList{"space", "whole"});
    CHECK(engine.label_counts().labels.size() == 2);
    CHECK(ids_of(test::related_to(engine, UniqueId{"whole/1"})) == NameList{"whole/2"});
    CHECK(ids_of(test::related_to(engine, UniqueId{"whole/1"}, "id:whole/2")) ==
          NameList{"whole/2"});
    CHECK(test::related_to(engine, UniqueId{"whole/1"}, "id:part/2").empty());
    CHECK_FALSE(engine.docid_of("part/1"));

    // What others add is taken in by itself, and counts or not.
    add_to(database, {"moon", "rocket", "XTYPEpart"}, {{0, "part"}, {1, "part/4"}});
    add_to(database, {"moon", "rocket", "XTYPEwhole"}, {{0, "whole"}, {1, "whole/4"}});
    engine.refresh(std::vector<Xapian::docid>{7, 8});
    CHECK(engine.status().documents == 4);
    CHECK(ids_of(test::related_to(engine, UniqueId{"whole/1"})) == NameList{"whole/4", "whole/2"});
  }
}

TEST_CASE("an index that is followed shard by shard counts the same documents as one read anew") {
  const test::TemporaryDirectory directory;
  Xapian::WritableDatabase database(directory / "db", Xapian::DB_CREATE);
  for (int i = 0; i < 50; ++i)
    add_to(database, {"moon", "w" + std::to_string(i % 7), i % 3 == 0 ? "XPART" : "XWHOLEx"});
  database.commit();
  const Settings settings = set_by("[mirror]\ndocuments = [\"XWHOLEx\"]\n");
  std::vector<std::string> log;
  Engine engine(directory / "db", settings, [&](const std::string& text) { log.push_back(text); });

  Xapian::Document changed = database.get_document(2);
  changed.remove_term("XWHOLEx");
  database.replace_document(2, changed);
  add_to(database, {"moon", "XWHOLEx"});
  database.commit();
  log.clear();
  REQUIRE(engine.refresh());
  const Engine anew(directory / "db", settings);
  CHECK(engine.status().documents == anew.status().documents);
  CHECK(engine.status().nonzeros == anew.status().nonzeros);
  CHECK(std::ranges::none_of(log, [](const std::string& text) {
    return text.find("all documents are read again") != std::string::npos;
  }));
}

TEST_CASE("settings that say which documents count, or are one find, are checked") {
  const std::string expected = "expected a term or value:SLOT=TEXT, behind - what does not count";
  for (const char* item : {"", "-", "value:7", "value:x=a", "-value:9"}) {
    const auto parse = [&] { set_by("[mirror]\ndocuments = [\"" + std::string(item) + "\"]\n"); };
    CHECK(test::code_of(parse, expected) == Errc::kInvalidArgument);
  }
  for (const char* group : {"thread", "value:", "value:1=a"}) {
    const auto parse = [&] { set_by("[related]\ngroup = \"" + std::string(group) + "\"\n"); };
    CHECK(test::code_of(parse, "related.group") == Errc::kInvalidArgument);
  }
}

TEST_CASE("words that begin with Z are no stems where hardly a document has one") {
  Xapian::WritableDatabase database = memory_database();
  for (int i = 0; i < 300; ++i) add_to(database, {"moon", "orbit", "w" + std::to_string(i % 9)});
  add_to(database, {"Zone", "zone", "moon"});
  CHECK(Engine(database, Settings{}).status().nonzeros == 902);

  Xapian::WritableDatabase rare = memory_database();  // few documents have words at all
  for (int i = 0; i < 300; ++i) add_to(rare, {"Q" + std::to_string(i)});
  add_to(rare, {"Zmoon", "moon"});
  CHECK(Engine(rare, Settings{}).status().nonzeros == 1);
}

TEST_CASE("a field of a filter may be a slot, have any letters, and values that begin with one") {
  Xapian::WritableDatabase database = parts_and_wholes();
  add_to(database, {"moon", "XEG", "Lde"}, {{0, "other"}});
  const Engine engine(database, set_by("[index]\nids = \"docids\"\n[labels]\nprefix = \"L\"\n"
                                       "[filter]\nfields = [\"kind=value:0\", \"type=XE\", "
                                       "\"L=L\"]\n"));
  CHECK(engine.labels() == NameList{"de"});
  for (const char* filter : {"kind:other", "type:G", "L:de"})
    CHECK(ids_of(test::related_to(engine, UniqueId{"1"}, filter)) == NameList{"7"});
  const auto parse = [&] { set_by("[filter]\ntext_fields = [\"kind=value:0\"]\n"); };
  CHECK(test::code_of(parse, "NAME=PREFIX") == Errc::kInvalidArgument);
}

TEST_CASE("of documents of one group the best is found, with how many it stands for") {
  for (const char* group : {"G", "value:3"}) {
    CAPTURE(group);
    Xapian::WritableDatabase database = memory_database();
    add_to(database, {"Qasked", "moon", "rocket", "Gasked"}, {{3, "asked"}});
    for (int i = 0; i < 9; ++i)
      add_to(database, {"Qreply" + std::to_string(i), "moon", "rocket", "Gthread"},
             {{3, "thread"}});
    add_to(database, {"Qalone", "moon", "crater"});
    add_to(database, {"Qbread", "bread", "oven"});
    const Engine engine(database, set_by("[related]\ngroup = \"" + std::string(group) + "\"\n"));

    const auto found = test::related_to(engine, UniqueId{"asked"});
    REQUIRE(ids_of(found) == NameList{"reply0", "alone"});
    CHECK(found[0].group_count == 8);
    CHECK(found[1].group_count == 0);

    // The document that is asked about is not among those that its own group is said to have.
    const auto within = test::related_to(engine, UniqueId{"reply3"});
    REQUIRE(ids_of(within) == NameList{"asked", "reply0", "alone"});
    CHECK(within[1].group_count == 7);
    const auto each = engine.related_each(std::vector<Xapian::docid>{1}, {});
    CHECK(ids_of(each.at(0).results) == NameList{"reply0", "alone"});

    RelatedRequest all = test::like({UniqueId{"asked"}}, 20);
    all.group = "none";
    CHECK(engine.related(all).results.size() == 10);
    CHECK_FALSE(engine.related(all).results[0].group_count);

    DuplicatesRequest copies;
    copies.min_similarity = 0.9;
    REQUIRE(engine.duplicates(copies).groups.size() == 1);
    CHECK(engine.duplicates(copies).groups[0].documents.size() == 2);
    CHECK(engine.duplicates(copies).groups[0].documents[1].group_count == 8);
    CHECK(engine.duplicates(copies).grouped == 10);
  }
}

TEST_CASE("voters of one group are shown as one, and count in the vote as they are") {
  Xapian::WritableDatabase database = memory_database();
  for (int i = 0; i < 4; ++i)
    add_to(database,
           {"Q" + std::to_string(i), "Kspace", "moon", "w" + std::to_string(i), "Gthread"});
  add_to(database, {"Qother", "Kfood", "moon", "bread"});
  add_to(database, {"Qlast", "Kfood", "oven"});
  const Engine engine(database, set_by("[related]\ngroup = \"G\"\n"));
  ClassifyRequest request;
  request.voters = true;
  Record asked;
  asked.text = "moon";
  const Classification shown = engine.classify(asked, request);
  request.group = "none";
  const Classification all = engine.classify(asked, request);
  REQUIRE(shown.voters->size() == 2);
  CHECK(shown.voters->at(0).group_count == 3);
  CHECK(all.voters->size() == 5);
  CHECK(shown.tags.at(0).confidence == all.tags.at(0).confidence);
}

TEST_CASE(
    "a folder of databases is one, which is looked through at each refresh, and never written") {
  const test::TemporaryDirectory directory;
  const std::string folder = directory / "fts";
  for (const char* name : {"index.2", "index.10", "current.11"})
    make_shard(folder + "/" + name, std::string(name).substr(0, 2) + "word");
  Engine engine(folder, set_by("[labels]\nshards = \"names\"\n"));
  CHECK(engine.status().documents == 6);
  CHECK(engine.labels() == NameList{"current.11", "index.10", "index.2"});
  CHECK(engine.label_counts().labels.at(0).documents == 2);
  CHECK(engine.classify(Docid{1}).tags.at(0).label.starts_with("index"));

  make_shard(folder + "/current.12", "comet");
  make_shard(folder + "/.current.13", "being made");
  make_shard(folder + "/current.14.NEW", "being made, of Cyrus");
  std::filesystem::remove_all(folder + "/index.2");
  REQUIRE(engine.refresh());
  CHECK(engine.labels() == NameList{"current.11", "current.12", "index.10"});
  CHECK_FALSE(engine.refresh());

  const auto write = [&] {
    open_writable_database(folder, WriteSettings(), Xapian::DB_CREATE_OR_OPEN);
  };
  CHECK(test::code_of(write, "expected one database, found a folder") == Errc::kUnsupported);
  CHECK_FALSE(std::filesystem::exists(folder + "/iamglass"));
}

TEST_CASE("databases that a pattern matches have the folders in which they differ as labels") {
  const test::TemporaryDirectory directory;
  for (const char* mailbox : {".", ".Junk", ".Lists"})
    make_shard(directory / "Maildir/" + mailbox + "/fts-flatcurve/index.1", "word");
  const std::string pattern = directory / "Maildir/.*/fts-flatcurve";
  std::string settings = "[labels]\nshards = \"folders\"\n";
  const auto open = [&] { Engine engine(pattern, set_by(settings)); };
  CHECK(test::code_of(open, "expected index.directory") == Errc::kInvalidArgument);
  settings += "[index]\ndirectory = \"" + (directory / "files") + "\"\n";
  CHECK(test::code_of(open, "index.directory: no such folder") == Errc::kInvalidArgument);
  std::filesystem::create_directory(directory / "files");
  CHECK(Engine(pattern, set_by(settings)).labels() == NameList{"INBOX", "Junk", "Lists"});
}

TEST_CASE("a folder of Cyrus is one database, before it has several and afterwards") {
  const test::TemporaryDirectory directory;
  const std::string folder = directory / "user";
  make_shard(folder + "/xapian", "word");
  CHECK_THROWS(Engine(folder, Settings{}));
  test::put_file(folder + "/xapian/cyrus.indexed.db", "");
  CHECK(Engine(folder, Settings{}).status().documents == 2);
  make_shard(folder + "/xapian.1", "word");
  CHECK(Engine(folder, Settings{}).status().documents == 4);
}

TEST_CASE("filters find the documents of a shard by its label") {
  const test::TemporaryDirectory directory;
  for (const char* shard : {"index.1", "index.2", "index.3"})
    make_shard(directory / ("db/" + std::string(shard)), "word");
  Engine engine(directory / "db", set_by("[labels]\nshards = \"names\"\n"));

  const auto found = [&](const std::string& filter) { return engine.matching(filter); };
  using Docids = std::vector<Xapian::docid>;
  CHECK(found("label:index.2") == Docids{2, 5});
  CHECK(found("tag:index.2 AND moon") == Docids{2});
  CHECK(found("label:index.2 label:index.3") == Docids{2, 3, 5, 6});
  CHECK(found("-label:index.2") == Docids{1, 3, 4, 6});
  CHECK(found("label:index.4").empty());
  CHECK(found("predicted:index.2").empty());
  api::SearchRequest search;
  search.label = {"index.3"};
  CHECK(engine.search(search).total->estimate == 2);

  const auto parse = [&] {
    ask({directory / "db", engine.settings(), [&]() -> Engine& { return engine; }}, "analyze",
        R"({"query": "label:index.2"})");
  };
  CHECK(test::code_of(parse, "is no term") == Errc::kUnsupported);

  // A copy has the UUID by which a shard is known.
  std::filesystem::copy(directory / "db/index.2", directory / "db/index.4");
  REQUIRE(engine.refresh());
  CHECK(found("label:index.3") == Docids{3, 7});
  CHECK(test::code_of([&] { found("label:index.4"); }, "one is a copy") == Errc::kUnsupported);
}

TEST_CASE("where an index has no positions of words, a phrase finds what has all of them") {
  Xapian::WritableDatabase database = memory_database();
  add_to(database, {"moon", "orbit", "Q1"});
  add_to(database, {"moon", "bread", "Q2"});
  const Engine engine(database, Settings{});
  for (const char* filter : {"\"orbit moon\"", "moon NEAR orbit", "moon-orbit"})
    CHECK(engine.matching(filter) == std::vector<Xapian::docid>{1});

  Xapian::Document document;
  document.add_posting("moon", 1);
  document.add_posting("orbit", 9);
  database.add_document(document);
  const Engine positioned(database, Settings{});
  CHECK(positioned.matching("\"orbit moon\"").empty());
}

TEST_CASE("an index of each of these programs is known, and is read with its words and labels") {
  struct Host {
    const char* profile;
    TermList terms, others;
    ValueList values;
    const char* data;
    const char* metadata;
    NameList labels;
    const char* id;
    const char* title;
    const char* filter;
  };
  const std::vector<Host> hosts = {
      {"public-inbox",
       {"Qa@x", "Glist.x", "ZXNQmoon", "XNQmoon", "Ssky", "ZSsky", "ZXQUOTbread"},
       {"Qb@x", "Gother.x", "ZXNQmoon", "ZSstar"},
       {{5, "t"}},
       "Sky\nMe <a@x>\n\n",
       "has_threadid",
       {"list.x", "other.x"},
       "a@x",
       "Sky",
       "lid:list.x nq:moon s:sky"},
      {"public-inbox",
       {"Qa@x", "Glist.x", "Lmine", "Kseen", "ZXNQmoon", "XNQmoon"},
       {"Qb@x", "Glist.x", "Lother", "ZXNQmoon"},
       {},
       "",
       "has_threadid",
       {"mine", "other"},
       "a@x",
       "",
       "L:mine kw:seen"},
      {"flatcurve",
       {"moon", "Asky", "Ajane@x", "Bsubject", "Bfrom", "HSUBJECTsky", "HFROMjane@x"},
       {"moon", "stars", "Bsubject", "Bfrom"},
       {},
       "",
       "dovecot.fts-flatcurve",
       {},
       "1",
       "",
       "subject:sky from:jane@x header:sky"},
      {"fts-xapian",
       {"Q1", "XBDYmoon", "Ssky", "Ajane", "Ajane_x", "XTOjoe_x", "XMIDa_x", "XLISTlist_x",
        "XCTtext_plain"},
       {"Q2", "XBDYmoon", "XBDYstars"},
       {{1, "\xA0"}},
       "",
       nullptr,
       {},
       "1",
       "",
       "subject:sky from:jane_x"},
      {"cyrus",
       {"XEG", "Zmoon", "moon", "XLlist.x", "XSsky", "ZXSsky", "XFjane", "XFAjane@x", "XFDx",
        "XHsky", "XYtext/plain"},
       {"XEG", "Zmoon", "Zstar", "XLother.x"},
       {{0, "*G*a"}, {2, "03"}, {3, "16"}},
       "",
       "cyrus.db_version",
       {"list.x", "other.x"},
       "*G*a",
       "",
       "subject:sky listid:list.x from:jane headers:sky type:text/plain"},
      {"akonadi",
       {"C4", "BR", "BNI", "moon", "sky", "SUsky", "Fjane", "Fjane@x", "HEreferences", "LIlist"},
       {"C5", "BNR", "BNI", "moon", "stars"},
       {{0, "735032400"}, {1, "2867"}, {2, "2449095"}},
       "sky",
       nullptr,
       {"4", "5"},
       "1",
       "sky",
       "subject:sky folder:4 from:jane headers:references list:list"},
      {"sup",
       {"Qa@x", "Kmail", "Lmine", "Linbox", "ZBmoon", "Bmoon", "Ssky", "ZSsky", "Ht", "FNjane",
        "FEjane@x", "TEjoe@x", "D19930416234000", "I1"},
       {"Qb@x", "Kmail", "Lother", "ZBmoon", "ZBstar"},
       {},
       "\x04\x08{",
       nullptr,
       {"mine", "other"},
       "a@x",
       "",
       "subject:sky label:mine from:jane email:joe@x"},
      {"doxygen",
       {"Moon", "moon", "Kannada"},
       {"moon", "stars", "Zone"},
       {{1, "class"}, {2, "Moon"}, {5, "moon.html"}, {6, "Moon"}, {7, "of the moon"}},
       "",
       nullptr,
       {},
       "moon.html",
       "Moon",
       "type:class"},
  };

  for (const Host& host : hosts) {
    CAPTURE(host.profile, host.filter);
    Xapian::WritableDatabase database = memory_database();
    if (host.metadata != nullptr) database.set_metadata(host.metadata, "1");
    add_to(database, host.terms, host.values, host.data);
    add_to(database, host.others, {{1, "class"}, {0, "*G*b"}, {5, "b"}}, host.data);
    if (std::string(host.profile) == "cyrus") add_to(database, {"XEP", "Zmoon"}, {{0, "*P*a"}});
    if (std::string(host.profile) == "doxygen") add_to(database, {"moon", "line"}, {{1, "source"}});
    add_to(database, {"Qc", "C4", "XEG", "ZXNQbread", "XBDYbread", "Zbread", "bread", "ZBbread"},
           {{0, "c"}, {1, "file"}, {5, "c"}});

    const Engine engine(database, Settings{});
    CHECK(engine.status().profile == host.profile);
    CHECK(engine.status().documents == 3);
    CHECK(engine.settings().index.read_only);
    CHECK(engine.labels() == host.labels);
    const auto found = test::related_to(engine, Docid{2}, host.filter);
    REQUIRE(found.size() == 1);
    CHECK(found[0].id == host.id);
    CHECK(found[0].title == host.title);
  }
}

TEST_CASE(
    "settings are guessed that read the forms of mail programs, or it is said what is not known") {
  struct Form {
    const char* words;   // the prefix of words
    const char* stems;   // of their stems; "" for none
    const char* sender;  // of words of which each document has a few
    const char* label;   // of the terms that are labels; null: none are
    bool has_ids;
    const char* settings;
    bool counts = true;  // how often a document has a word
  };
  for (const Form& form :
       {Form{"XNQ", "ZXNQ", "A", "XLIST", true,
             "[labels]\nprefix = \"XLIST\"\n[mirror]\nterm_prefixes = [\"ZXNQ\"]\n"},
        Form{"", "", "A", nullptr, false, "[index]\nids = \"docids\"\n"},
        Form{"XBDY", "", "A", nullptr, true, "[mirror]\nterm_prefixes = [\"XBDY\"]\n"},
        Form{"XBDY", "", "A", "XLIST", true,
             "[labels]\nprefix = \"XLIST\"\n[mirror]\nterm_prefixes = [\"XBDY\"]\n", false},
        Form{"", "", "F", "C", false, "[index]\nids = \"docids\"\n[labels]\nprefix = \"C\"\n"}}) {
    CAPTURE(form.words, form.settings);
    Xapian::WritableDatabase database = memory_database();
    for (int i = 0; i < 60; ++i) {
      Xapian::Document document;
      for (int word = 0; word < 30; ++word) {
        const std::string text =
            (i % 2 == 0 ? "moon" : "bread") + std::to_string(word % (24 + i % 7));
        document.add_term(form.words + text, form.counts ? 1 + word % 3 : 1);
        if (*form.stems != '\0') document.add_term(form.stems + text, 1);
      }
      for (const char* part : {"me", "example", "net"})
        document.add_term(form.sender + std::string(part), 2);
      document.add_boolean_term("Bsubject");
      document.add_boolean_term(i % 50 == 0 ? "Blistid" : "Bfrom");
      if (form.has_ids) document.add_boolean_term("Q" + std::to_string(i));
      if (form.label != nullptr) document.add_boolean_term(form.label + std::to_string(i % 2));
      database.add_document(document);
    }

    Settings none;
    none.index.profile = "none";
    const Engine plain(database, none);
    const SettingsGuess guess = plain.guess_settings(plain.prefixes());
    CHECK(guess.settings == form.settings);
    if (form.label == nullptr)
      CHECK(guess.unknown == NameList{"which terms are labels (labels.prefix)"});
    Settings guessed = set_by(guess.settings);
    guessed.index.profile = "none";
    const Engine read(database, guessed);
    const auto found = test::related_to(read, Docid{1});
    REQUIRE(found.size() == 10);
    CHECK(std::ranges::all_of(found, [](const auto& each) { return each.docid % 2 == 1; }));
    if (form.label != nullptr) CHECK(read.labels() == NameList{"0", "1"});
  }
}

TEST_CASE("words that begin with a capital are not guessed to be labels") {
  Xapian::WritableDatabase database = memory_database();
  for (int i = 0; i < 60; ++i) {
    const std::string word = i % 2 == 0 ? "annada" : "lingon";
    add_to(database, {"moon", "K" + word, "k" + word, "w" + std::to_string(i % 9)});
  }
  Settings none;
  none.index.profile = "none";
  const Engine engine(database, none);
  CHECK(engine.guess_settings(engine.prefixes()).unknown ==
        NameList{"which terms are labels (labels.prefix)"});
}
