// What works with each kind of database that Xapian opens: the table of docs/foreign-indexes.md.
#include <arpa/inet.h>
#include <sys/fsuid.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xapian.h>
#include <csignal>

#include "examples/remote_query.h"
#include "plugin/learning.h"
#include "plugin/related/knn_source.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"
#include "tests/fixtures/edit_tags.h"
#include "tests/fixtures/error_code.h"
#include "tests/fixtures/on_cpu.h"
#include "tests/fixtures/related_to.h"
#include "tests/fixtures/small_collection.h"

using namespace kindred;
using test::code_of;
using test::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

/// A cell of the table: "" if it works, else a part of the message, which says what is expected.
using Refusal = std::string;

/// What is expected of a database that is opened by its path.
struct Kind {
  std::string path;
  std::function<Xapian::docid()> add;  ///< somebody adds a document; its docid
  bool follows = false;                ///< refresh() reads only what changed
  bool takes_named = false;            ///< refresh(changed) does
  Refusal save = {}, write = {}, map = {};
};

/// A document about cats, as another program may write it.
Xapian::Document cat_document() {
  Xapian::Document document;
  for (const char* const term : {"Zcat", "Zpurr"}) document.add_term(term);
  document.add_boolean_term("Kpets");
  return document;
}

Xapian::docid add_cat(const std::string& path, int flags = 0) {
  Xapian::WritableDatabase database(path, Xapian::DB_OPEN | flags);
  const Xapian::docid docid = database.add_document(cat_document());
  database.commit();
  return docid;
}

/// `id_prefix`: for a shard beside another one, whose ids are not to be the same.
std::string make_folder(const std::string& path, const std::string& id_prefix = "") {
  std::vector<Record> records = test::small_collection();
  for (Record& record : records) record.id.insert(0, id_prefix);
  test::write(path, records);
  return path;
}

/// xapian-tcpsrv for a database, on a port of its own. In a process group of its own, too, because
/// it ends its whole group.
class RemoteServer {
 public:
  RemoteServer(const std::string& database, bool writable) : port_(free_port()), pid_(fork()) {
    if (pid_ == 0) {
      setpgid(0, 0);
      const std::string port = std::to_string(port_);
      const char* const mode = writable ? "--writable" : "--quiet";
      execlp("xapian-tcpsrv", "xapian-tcpsrv", "--quiet", mode, "--interface", "127.0.0.1",
             "--port", port.c_str(), database.c_str(), nullptr);
      _exit(127);
    }
  }
  ~RemoteServer() {
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  RemoteServer(const RemoteServer&) = delete;
  RemoteServer& operator=(const RemoteServer&) = delete;

  /// The line of a stub, when the server answers; "" and a warning if it is not installed.
  std::string stub_line() const {
    for (int i = 0; i < 200; ++i) {
      try {
        Xapian::Remote::open("127.0.0.1", static_cast<unsigned>(port_));
        return "remote 127.0.0.1:" + std::to_string(port_) + "\n";
      } catch (const Xapian::Error&) {
        if (waitpid(pid_, nullptr, WNOHANG) != 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
    WARN("skipped: xapian-tcpsrv is not installed");
    return "";
  }

 private:
  static int free_port() {
    const int probe = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(probe, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
    close(probe);
    return ntohs(address.sin_port);
  }

  const int port_;
  const pid_t pid_;
};

Record about_cats() {
  Record record;
  record.text = "the cat purrs";
  return record;
}

void check_questions(const Engine& engine) {
  CHECK_FALSE(test::related_to(engine, Docid{1}).empty());
  CHECK_FALSE(test::related_to(engine, UniqueId{"cat1"}).empty());
  CHECK_FALSE(test::related_to(engine, about_cats()).empty());
  CHECK_FALSE(test::related_to(engine, about_cats(), "label:pets").empty());
  CHECK_FALSE(engine.classify(about_cats()).tags.empty());
}

void check_works(const Refusal& refusal, Errc code, const std::function<void()>& step) {
  CAPTURE(refusal);
  CHECK(code_of(step, refusal) == (refusal.empty() ? Errc::kOk : code));
}

/// An engine, and whether its latest refresh read only what changed.
struct WatchedEngine {
  explicit WatchedEngine(const std::string& path)
      : engine(path, test::on_cpu(1), [this](const std::string& line) { said += line + '\n'; }) {}
  bool read_only_changes() const { return said.find("may have changed") != std::string::npos; }

  std::string said;
  Engine engine;
};

void check_refresh(WatchedEngine& watched, const Kind& kind) {
  const std::uint64_t documents = watched.engine.status().documents;
  kind.add();
  watched.said.clear();
  REQUIRE(watched.engine.refresh());
  CHECK(watched.engine.status().documents == documents + 1);
  CHECK(watched.read_only_changes() == kind.follows);
  const Xapian::docid docid = kind.add();
  watched.said.clear();
  REQUIRE(watched.engine.refresh(std::vector{docid}));
  CHECK(watched.engine.status().documents == documents + 2);
  CHECK(watched.read_only_changes() == kind.takes_named);
  CHECK_FALSE(test::related_to(watched.engine, Docid{docid}).empty());
}

void check_writing(Engine& engine, const Kind& kind) {
  check_works(kind.write, Errc::kDatabase, [&] {
    Ingest ingest(engine);
    ingest.add(test::record("fresh", "a cat that purrs"));
    ingest.commit();
    engine.refresh();
    CHECK_FALSE(test::related_to(engine, UniqueId{"fresh"}).empty());
  });
  check_works(kind.write, Errc::kDatabase, [&] { tag_documents(engine, {}); });
  check_works(kind.write, Errc::kDatabase,
              [&] { test::edit_tags(kind.path, test::on_cpu(1), {"zen1"}, {.reject = {"pets"}}); });
  TrainTopicsRequest map;
  map.rows = map.columns = 2;
  check_works(kind.map, Errc::kDatabase, [&] { train_topics(engine, map); });
  if (kind.map.empty()) check_works(kind.write, Errc::kDatabase, [&] { assign_topics(engine); });
}

void check_kind(const Kind& kind) {
  WatchedEngine watched(kind.path);
  check_questions(watched.engine);
  check_refresh(watched, kind);
  check_works(kind.save, Errc::kUnsupported, [&] { watched.engine.save_mirror(); });
  check_writing(watched.engine, kind);
  const Engine opened(kind.path, test::on_cpu(1));
  check_questions(opened);
}

constexpr char kNotFollowed[] = "it is neither a folder nor a stub that lists folders";

}  // namespace

TEST_CASE("all works with a folder, and with a stub of folders") {
  const TemporaryDirectory directory;
  const std::string folder = make_folder(directory / "folder");
  check_kind({.path = folder,
              .add = [&] { return add_cat(folder); },
              .follows = true,
              .takes_named = true});
  const std::string one = make_folder(directory / "one");
  make_folder(directory / "two", "other-");
  const std::string stub = directory / "stub";
  std::ofstream(stub) << "auto one\nglass two\n";
  check_kind({.path = stub,
              .add = [&] { return 2 * add_cat(one) - 1; },
              .follows = true,
              .takes_named = true});
}

TEST_CASE("an index that nobody wrote to is not read again, also if it has shards") {
  const TemporaryDirectory directory;
  make_folder(directory / "one");
  make_folder(directory / "two");
  std::ofstream(directory / "stub") << "auto one\nauto two\n";
  for (const char* const name : {"one", "stub"}) {
    Engine engine(directory / name, test::on_cpu(1));
    CHECK_FALSE(engine.refresh());
    add_cat(directory / "one");
    CHECK(engine.refresh());
    CHECK_FALSE(engine.refresh());
  }
}

TEST_CASE("a single file answers, is read again when it was replaced, and cannot be written") {
  const TemporaryDirectory directory;
  const std::string source = make_folder(directory / "source"), file = directory / "file";
  const auto replace = [&] {
    Xapian::Database(source).compact(file + ".next",
                                     Xapian::DBCOMPACT_NO_RENUMBER | Xapian::DBCOMPACT_SINGLE_FILE);
    fs::rename(file + ".next", file);
  };
  replace();
  const auto add = [&] {
    const Xapian::docid docid = add_cat(source);
    replace();
    return docid;
  };
  check_kind({.path = file,
              .add = add,
              .takes_named = true,
              .save = kNotFollowed,
              .write = "expected a database in a folder"});
}

TEST_CASE("a database without term lists answers, is read as a whole, and cannot be written") {
  const TemporaryDirectory directory;
  const std::string source = make_folder(directory / "source"), path = directory / "db";
  {
    Xapian::WritableDatabase database(path, Xapian::DB_CREATE | Xapian::DB_NO_TERMLIST);
    const Xapian::Database from(source);
    for (auto it = from.postlist_begin(""); it != from.postlist_end(""); ++it)
      database.add_document(from.get_document(*it));
    database.commit();
  }
  check_kind({.path = path,
              .add = [&] { return add_cat(path, Xapian::DB_NO_TERMLIST); },
              .save = "termlist.glass",
              .write = "expected a database with term lists"});
}

TEST_CASE("a remote database answers, is read again, and is written where its server allows it") {
  const TemporaryDirectory directory;
  for (const bool writable : {false, true}) {
    const std::string served = make_folder(directory / (writable ? "writable" : "served"));
    const RemoteServer server(served, writable);
    const std::string line = server.stub_line();
    if (line.empty()) return;
    const std::string stub = served + "-stub";
    std::ofstream(stub) << line;
    check_kind({.path = stub,
                .add = [&] { return add_cat(writable ? stub : served); },
                .takes_named = true,
                .save = kNotFollowed,
                .write = writable ? "" : "read-only"});
  }
}

TEST_CASE("a stub of a folder and a remote database is read again as a whole") {
  const TemporaryDirectory directory;
  const std::string served = make_folder(directory / "served"),
                    local = make_folder(directory / "local", "other-"), stub = directory / "stub";
  const RemoteServer server(served, true);
  const std::string line = server.stub_line();
  if (line.empty()) return;
  std::ofstream(stub) << line << "auto local\n";
  check_kind({.path = stub,
              .add = [&] { return 2 * add_cat(local); },
              .takes_named = true,
              .save = kNotFollowed});
}

TEST_CASE("shards are written one by one, also if some are remote") {
  const TemporaryDirectory directory;
  const std::string local = directory / "local", remote = directory / "remote";
  const auto make_shards = [&](const std::string& stub, const std::string& name) {
    std::ofstream lines(stub);
    for (const char* const shard : {"0", "1", "2"}) {
      Xapian::WritableDatabase(directory / (name + shard), Xapian::DB_CREATE).commit();
      lines << "auto " << name << shard << "\n";
    }
    lines.close();
    test::write(stub, test::small_collection());
    Xapian::WritableDatabase database(stub, Xapian::DB_OPEN);
    for (int i = 0; i < 9; ++i) {
      Xapian::Document document = cat_document();
      document.remove_term("Kpets");
      document.add_boolean_term("Qu" + std::to_string(i));
      database.add_document(document);
    }
    database.commit();
  };
  make_shards(local, "l");
  make_shards(remote, "r");
  Engine alone(local, test::on_cpu(1));
  const TagReport expected = tag_documents(alone, {});
  CHECK(expected.given >= 9);
  std::vector<std::unique_ptr<RemoteServer>> servers;
  {
    std::ofstream lines(remote);
    for (const char* const shard : {"r0", "r1"}) {
      servers.push_back(std::make_unique<RemoteServer>(directory / shard, true));
      const std::string line = servers.back()->stub_line();
      if (line.empty()) return;
      lines << line;
    }
    lines << "auto r2\n";
  }
  Engine engine(remote, test::on_cpu(1));
  CHECK(tag_documents(engine, {}).given == expected.given);
  const Xapian::Database one(local), other(remote);
  for (Xapian::docid docid = 1; docid <= one.get_lastdocid(); ++docid) {
    const Xapian::Document a = one.get_document(docid), b = other.get_document(docid);
    CHECK(std::equal(a.termlist_begin(), a.termlist_end(), b.termlist_begin(), b.termlist_end()));
    CHECK(a.get_value(7001) == b.get_value(7001));
  }
  CHECK(tag_documents(engine, {}).written == 0);
}

/// Documents and weights, docids ascending.
using Weights = std::map<Xapian::docid, double>;

Weights weights_of(const Xapian::Database& database, const Xapian::Query& query) {
  Xapian::Enquire enquire(database);
  enquire.set_query(query);
  const Xapian::MSet mset = enquire.get_mset(0, database.get_doccount());
  Weights weights;
  for (auto it = mset.begin(); it != mset.end(); ++it) weights[*it] = it.get_weight();
  return weights;
}

TEST_CASE("similar documents weigh the same on servers that do not know Kindred") {
  const TemporaryDirectory directory;
  const std::string local = directory / "local", remote = directory / "remote";
  std::vector<std::unique_ptr<RemoteServer>> servers;
  {
    std::ofstream folders(local), lines(remote);
    for (const char* const name : {"a", "b", "c"}) {
      Xapian::WritableDatabase(directory / name, Xapian::DB_CREATE).commit();
      folders << "auto " << name << "\n";
    }
    folders.close();
    test::write(local, test::small_collection());
    for (const char* const name : {"a", "b"}) {
      servers.push_back(std::make_unique<RemoteServer>(directory / name, false));
      const std::string line = servers.back()->stub_line();
      if (line.empty()) return;
      lines << line;
    }
    lines << "auto c\n";
  }
  const Engine engine(remote, test::on_cpu(1)), other(local, test::on_cpu(1));
  RelatedRequest request = test::like({UniqueId{"cat1"}});
  request.min_similarity = 0;
  const Neighborhood near = engine.neighborhood(request);
  REQUIRE(near.documents.size() > 1);
  std::vector<std::pair<std::string, double>> similar;
  for (const auto& [docid, similarity] : near.documents)
    similar.emplace_back(engine.id_of(docid), similarity);
  const Xapian::Query query = remote_query("Q", similar);
  KnnSource source(other.neighborhood(request));
  const Weights expected = weights_of(Xapian::Database(local), Xapian::Query(&source));
  CHECK(expected.size() == near.documents.size());
  CHECK(weights_of(Xapian::Database(remote), query) == expected);
  CHECK(weights_of(Xapian::Database(local), query) == expected);
  CHECK_THROWS_AS(weights_of(Xapian::Database(remote), Xapian::Query(&source)), Xapian::Error);
  const Xapian::Query words("Zcat"), either(Xapian::Query::OP_OR, words, query);
  const Weights of_words = weights_of(Xapian::Database(remote), words);
  for (const auto& [docid, weight] : weights_of(Xapian::Database(remote), either)) {
    const double text = of_words.contains(docid) ? of_words.at(docid) : 0;
    const double similarity = expected.contains(docid) ? expected.at(docid) : 0;
    CHECK(weight == text + similarity);
  }
}

TEST_CASE("a database in memory answers and follows what its writer names") {
  Xapian::WritableDatabase database("", Xapian::DB_BACKEND_INMEMORY);
  {
    const TemporaryDirectory directory;
    const Xapian::Database from(make_folder(directory / "source"));
    for (auto it = from.postlist_begin(""); it != from.postlist_end(""); ++it)
      database.add_document(from.get_document(*it));
  }
  Engine engine(database, test::on_cpu(1));
  check_questions(engine);
  const std::uint64_t documents = engine.status().documents;
  database.add_document(cat_document());
  REQUIRE(engine.refresh());
  CHECK(engine.status().documents == documents + 1);
  const Xapian::docid docid = database.add_document(cat_document());
  REQUIRE(engine.refresh(std::vector{docid}));
  CHECK_FALSE(test::related_to(engine, Docid{docid}).empty());
  TrainTopicsRequest map;
  map.rows = map.columns = 2;
  train_topics(engine, map);
  CHECK(Reading(engine).placed_documents(engine.matching("")).documents.size() == documents + 2);
  CHECK(code_of([&] { engine.save_mirror(); }, "opened by the caller") == Errc::kUnsupported);
  CHECK(code_of([&] { Ingest ingest(engine); }) == Errc::kUnsupported);
  CHECK(code_of([&] { tag_documents(engine, {}); }) == Errc::kUnsupported);
  CHECK(code_of([&] { assign_topics(engine); }) == Errc::kUnsupported);
}

namespace {

/// As long as it lives, this thread may not write to files and folders of root.
class WithoutRights {
 public:
  WithoutRights() : before_(setfsuid(65534)) {}
  ~WithoutRights() { setfsuid(static_cast<uid_t>(before_)); }
  WithoutRights(const WithoutRights&) = delete;
  WithoutRights& operator=(const WithoutRights&) = delete;

 private:
  const int before_;
};

}  // namespace

TEST_CASE("a folder that may only be read answers, follows, and saves its mirror elsewhere") {
  const TemporaryDirectory directory;
  const std::string path = make_folder(directory / "db"), mirrors = directory / "mirrors";
  fs::create_directory(mirrors);
  fs::permissions(mirrors, fs::perms::all);
  const auto protect = [&](bool on) {  // the files, too, which are its owner's
    for (const auto& file : fs::directory_iterator(path))
      fs::permissions(file.path(), fs::perms(on ? 0444 : 0644));
    fs::permissions(path, fs::perms(on ? 0555 : 0755));
  };
  protect(true);
  fs::permissions(directory / "", fs::perms(0755));
  auto reader = std::make_unique<WithoutRights>();
  Settings settings = test::on_cpu(1);
  WatchedEngine watched(path);
  Engine& engine = watched.engine;
  check_questions(engine);
  reader.reset();
  protect(false);
  add_cat(path);
  protect(true);
  reader = std::make_unique<WithoutRights>();
  CHECK(engine.refresh());
  CHECK(watched.read_only_changes());
  TrainTopicsRequest map;
  map.rows = map.columns = 2;
  const std::vector<std::function<void()>> writes = {
      [&] { engine.save_mirror(); }, [&] { Ingest ingest(engine); },
      [&] { tag_documents(engine, {}); }, [&] { train_topics(engine, map); },
      [&] { test::edit_tags(path, settings, {"zen1"}, {}); }};
  for (const auto& write : writes) CHECK(code_of(write, "ermission denied") == Errc::kDatabase);
  settings.mirror.directory = mirrors;
  CHECK(Engine(path, settings).save_mirror().path.find(mirrors) == 0);
  std::string said;
  const Engine opened(path, settings, [&](const std::string& line) { said += line; });
  CHECK(said.find("saved mirror: read 0 documents") != std::string::npos);
  reader.reset();
  protect(false);
}
