#include "tests/attack/living/living_database.h"

#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "config/error.h"
#include "plugin/input/record.h"
#include "plugin/learning.h"
#include "plugin/tune/tune_report.h"
#include "plugin/votes/tuning/tuning.h"
#include "plugin/writing/deletion.h"
#include "plugin/writing/ingest.h"
#include "plugin/writing/stored_answers.h"
#include "plugin/writing/tagging.h"
#include "tests/attack/living/living_processes.h"
#include "tests/fixtures/edit_tags.h"
#include "tests/fixtures/file_text.h"

namespace kindred::attack {
namespace {

namespace fs = std::filesystem;

/// Flips and overwrites bytes, moves pieces, cuts and extends.
void damage(std::string& bytes, std::mt19937& draw) {
  const auto place = [&] {  // seldom in the zeros between two sections
    const std::size_t from = draw() % bytes.size(), at = bytes.find_first_not_of('\0', from);
    return draw() % 4 == 0 || at == std::string::npos ? from : at;
  };
  const std::size_t at = place();
  const auto length = std::min<std::size_t>(1 + draw() % 64, bytes.size() - at);
  switch (draw() % 8) {
    case 0:
      return bytes.resize(at);
    case 1:
      bytes.append(1 + draw() % 100, static_cast<char>(draw()));
      break;
    case 2:
      bytes.replace(at, length, length, '\0');
      break;
    case 3:
      bytes.replace(at, length, bytes.substr(place(), length));
      break;
    case 4:
      bytes.erase(at, length);
      break;
    case 5:  // the table of sections is at the beginning
      bytes[at % std::min<std::size_t>(bytes.size(), 600)] ^= static_cast<char>(1u << draw() % 8);
      break;
    default:
      bytes[at] ^= static_cast<char>(1u << draw() % 8);
  }
}

/// Damages one file of a folder, removes it, or gives it the bytes of another.
void damage_file_of(const std::string& folder, std::mt19937& draw) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());  // seeds give the same again
  const auto pick = [&] { return files[draw() % files.size()]; };
  const std::string file = pick();
  std::string bytes = test::file_text(file);
  const auto way = draw() % 10;
  if (way == 0 && !file.ends_with("/list")) {  // without a list nothing was saved
    fs::remove(file);
    return;
  }
  if (way == 1)
    bytes = test::file_text(pick());
  else
    damage(bytes, draw);
  std::ofstream(file, std::ios::binary) << bytes;
}

std::string saved_mirror_of(const std::string& path, bool stub) {
  return stub ? path + ".kindred-mirror" : path + "/kindred.mirror";
}

}  // namespace

LivingDatabase::LivingDatabase(const std::string& folder, const LivingPlan& plan)
    : folder_(folder),
      plan_(plan),
      path_(folder + (plan.stub ? "/stub" : "/db")),
      mirror_(saved_mirror_of(path_, plan.stub)) {
  settings_.backend.kind = "cpu";
  settings_.classify.auto_tune = false;  // answers are held against the vote of the model
  settings_.backend.threads = 2;
  if (plan.dot) settings_.weighting.smart = "ltn";
  if (plan.follower) {
    settings_.mirror.follow = "poll";
    settings_.mirror.max_staleness_ms = 10;
  }
  fs::create_directory(folder + "/no-mirrors");
  if (plan.stub) std::ofstream(path_) << "auto one\nauto two\n";
  for (const char* const shard : plan.stub ? std::vector{"one", "two"} : std::vector{"db"})
    Xapian::WritableDatabase(folder + "/" + shard, Xapian::DB_CREATE).commit();
  std::vector<Edit> edits;
  std::mt19937 draw(plan.seed);
  for (std::size_t i = 0; i < plan.documents; ++i)
    edits.push_back(carry_out({Action::kAdd, static_cast<unsigned>(draw())}, model_).front());
  write({edits}, {Action::kCommit, 0});
  tune();
  open();
}

void LivingDatabase::open() {
  engine_.reset();
  said_.clear();
  engine_ = std::make_unique<Engine>(path_, settings_,
                                     [this](const std::string& message) { say(message); });
}

/// The engine's threads count, too.
void LivingDatabase::count(const std::string& what) {
  const std::lock_guard lock(counts_mutex_);
  ++counts_[what];
}

std::map<std::string, unsigned> LivingDatabase::counts() const {
  const std::lock_guard lock(counts_mutex_);
  return counts_;
}

void LivingDatabase::say(const std::string& message) {
  {
    const std::lock_guard lock(counts_mutex_);
    said_ += message + '\n';
  }
  for (const char* const part :
       {"saved mirror: read", "not used, save it again", "are read again", "may have changed"}) {
    if (message.find(part) == std::string::npos) continue;
    return count(std::string("log: ") + part);
  }
}

bool LivingDatabase::was_said(const std::string& text) const {
  const std::lock_guard lock(counts_mutex_);
  return said_.find(text) != std::string::npos;
}

/// Opens the engine with the saved mirror as it is found, if there is one, which is used or named
/// in the log. Saves it again, and then it must be used.
void LivingDatabase::open_with_mirror() {
  const bool is_there = fs::exists(mirror_ + "/list");
  open();
  const bool is_used = was_said("saved mirror: read");
  if (is_there && !is_used && !was_said(mirror_))
    throw WrongAnswer("a saved mirror is not used, and the log says nothing of it");
  count(is_used ? "saved mirrors used" : is_there ? "saved mirrors refused" : "no saved mirror");
  check(0);
  engine_->save_mirror();
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(mirror_).parent_path()))
    if (entry.path().filename().string().find(".new") != std::string::npos)
      throw WrongAnswer("left behind: " + entry.path().string());
  open();
  if (!was_said("saved mirror: read 0"))
    throw WrongAnswer("a mirror that was saved again is not used");
}

/// Also with changes that were committed since the mirror was saved.
void LivingDatabase::damage_mirror(const Operation& operation) {
  engine_->save_mirror();
  std::mt19937 draw(operation.random);
  for (int i = 0; i < 3; ++i) {
    engine_.reset();
    damage_file_of(mirror_, draw);
    if (i == 1) commit(operation);
    open_with_mirror();
  }
}

void LivingDatabase::kill_keeper(const Operation& operation) {
  engine_.reset();
  const std::vector<Edit> same(model_.documents().begin(), model_.documents().end());
  const pid_t keeper = fork();
  if (keeper < 0) throw std::runtime_error("fork failed");
  if (keeper == 0) be_keeper(path_, mirror_, settings_, same, operation.random % 3);
  std::this_thread::sleep_for(std::chrono::microseconds(operation.random % 250'000));
  kill(keeper, SIGKILL);
  int status = 0;
  waitpid(keeper, &status, 0);
  if (!WIFSIGNALED(status)) throw WrongAnswer("a process that keeps a mirror ended by itself");
  std::ostringstream said;
  for (const unsigned shard : {0, 1})
    if (Xapian::Database::check(shard_path(shard), 0, &said) != 0)
      throw WrongAnswer("xapian-check: " + said.str());
  open_with_mirror();
}

std::string LivingDatabase::shard_path(unsigned random) const {
  if (!plan_.stub) return path_;
  return folder_ + (random % 2 == 0 ? "/one" : "/two");
}

void LivingDatabase::run(const Operation& operation) {
  if (is_change(operation.action)) return waiting_.push_back(operation);
  switch (operation.action) {
    case Action::kFailRefresh:
      fail_refresh(operation);
      break;
    case Action::kIngest:
      ingest(operation);
      break;
    case Action::kEditTags:
      edit_some_tags(operation);
      break;
    case Action::kDeleteById:
      delete_by_id(operation);
      break;
    case Action::kTag:
      tag();
      break;
    case Action::kStoreRelated:
      store_related(*engine_, {});
      break;
    case Action::kReopenBare:
      fs::remove_all(mirror_);
      open();
      break;
    case Action::kReopen:
      open();
      break;
    case Action::kSave:
      engine_->save_mirror();
      return;
    case Action::kDamageMirror:
      return damage_mirror(operation);
    case Action::kKillKeeper:
      return kill_keeper(operation);
    case Action::kCompact:
      compact(operation);
      break;
    case Action::kAsk:
      answers_of(*engine_, model_, std::mt19937(operation.random));
      return;
    default:
      commit(operation);
  }
  // A commit that changed blocks in place is noticed only while it is the latest.
  if (operation.action == Action::kInPlace) fs::remove_all(mirror_);
  if (operation.action == Action::kInPlace || operation.random % 4 != 0) check(operation.random);
}

void LivingDatabase::check(unsigned random) {
  engine_->refresh();
  const std::mt19937 draw(random);
  Settings settings = settings_;
  settings.mirror.follow = "off";
  settings.mirror.directory = folder_ + "/no-mirrors";
  const Engine fresh(path_, settings);
  expect_same_answers(answers_of(*engine_, model_, draw), answers_of(fresh, model_, draw),
                      "the engine");
  count("compared with an engine from nothing");
  if (random % 3 != 0) return;
  expect_answers_of_model(*engine_, model_, !plan_.tuned && !plan_.dot, draw);
  count("compared with the model");
}

void LivingDatabase::commit(const Operation& operation) {
  Model next = model_;
  std::vector<std::vector<Edit>> commits(operation.action == Action::kTwoCommits ? 2 : 1);
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    auto& edits = commits[i * commits.size() / waiting_.size()];
    for (Edit& edit : carry_out(waiting_[i], next)) edits.push_back(std::move(edit));
  }
  waiting_.clear();
  if (write(commits, operation)) model_ = std::move(next);
}

/// True if it was committed. Shards are committed one by one, so no writer of a stub is interrupted
/// at any moment.
bool LivingDatabase::write(const std::vector<std::vector<Edit>>& commits,
                           const Operation& operation) {
  const bool cancels = operation.action == Action::kCancel;
  const bool interrupts = operation.action == Action::kInterrupt && !plan_.stub;
  const std::uint64_t before = plan_.stub ? 0 : Xapian::Database(path_).get_revision();
  const pid_t writer = fork();
  if (writer < 0) throw std::runtime_error("fork failed");
  if (writer == 0) be_writer(path_, commits, operation.action);
  if (interrupts) {
    std::this_thread::sleep_for(std::chrono::microseconds(operation.random % 4000));
    kill(writer, SIGKILL);
  }
  int status = 0;
  waitpid(writer, &status, 0);
  if (interrupts) return was_committed(before);
  if (!cancels && status != 0) throw std::runtime_error("the writer failed");
  count(cancels ? "commits that were canceled" : "commits");
  return !cancels;
}

bool LivingDatabase::was_committed(std::uint64_t revision) const {
  return Xapian::Database(path_).get_revision() != revision;
}

void LivingDatabase::fail_refresh(const Operation& operation) {
  const std::string tuning = tuning_path(path_);
  std::ofstream(tuning) << "no tuning";
  commit(operation);
  try {
    engine_->refresh();
    throw WrongAnswer("a tuning that cannot be read was not noticed");
  } catch (const Error&) {
    count("refreshes that failed");
  }
  fs::remove(tuning);
  tune();
}

/// Records of ids that are there, and of others.
void LivingDatabase::ingest(const Operation& operation) {
  std::mt19937 draw(operation.random);
  IngestOptions options;
  options.tag = draw() % 2 == 0;
  std::map<std::string, ModelDocument> written;
  {
    Ingest ingest(*engine_, options);
    for (std::size_t i = 1 + draw() % 6; i > 0; --i) {
      ModelDocument document = random_document(draw);
      document.id = "r" + std::to_string(draw() % 1000000);
      if (draw() % 2 == 0 && !model_.documents().empty()) {
        const auto at = std::next(model_.documents().begin(), draw() % model_.documents().size());
        if (!at->second.id.empty()) document.id = at->second.id;
      }
      if (!written.emplace(document.id, document).second) continue;
      Record record = document.record();
      record.replaces_labels = true;
      ingest.add(std::move(record));
    }
    ingest.commit();
  }
  const Xapian::Database database(path_);
  for (auto& [id, document] : written) {
    const Model::Documents before = model_.documents();
    for (const auto& [docid, other] : before)
      if (other.id == id) model_.remove(docid);
    model_.put(*database.postlist_begin("Q" + id), std::move(document));
  }
  count("ingested");
}

void LivingDatabase::edit_some_tags(const Operation& operation) {
  std::mt19937 draw(operation.random);
  std::set<std::string> ids;
  for (const auto& [docid, document] : model_.documents())
    if (draw() % 20 == 0 && model_.is_named(document)) ids.insert(document.id);
  if (ids.empty()) return;
  TagEdit edit;
  std::vector<std::string>* const lists[] = {&edit.accept, &edit.reject, &edit.undo, &edit.add};
  const std::string label = "k" + std::to_string(draw() % 9);
  lists[draw() % 4]->push_back(label);
  edit.clear_labels = draw() % 16 == 0;
  if (draw() % 4 == 0) edit.auto_tag = draw() % 2 == 0;
  test::edit_tags(path_, settings_, {ids.begin(), ids.end()}, edit);
  for (const std::string& id : ids) {
    const auto first = std::ranges::find_if(
        model_.documents(), [&](const auto& document) { return document.second.id == id; });
    ModelDocument document = first->second;
    if (edit.clear_labels) document.labels.clear();
    if (!edit.reject.empty() || !edit.undo.empty()) document.labels.erase(label);
    if (!edit.accept.empty() || !edit.add.empty()) document.labels.insert(label);
    model_.put(first->first, std::move(document));
  }
  count("tags edited");
}

void LivingDatabase::delete_by_id(const Operation& operation) {
  std::mt19937 draw(operation.random);
  std::set<std::string> ids = {"nobody"};
  for (const auto& [docid, document] : model_.documents())
    if (draw() % 30 == 0 && model_.is_named(document)) ids.insert(document.id);
  const std::vector<std::string> asked(ids.begin(), ids.end());
  const DeletionReport report = delete_documents(*engine_, asked);
  const Model::Documents before = model_.documents();
  for (const auto& [docid, document] : before)
    if (ids.contains(document.id)) model_.remove(docid);
  if (report.deleted != before.size() - model_.documents().size() || report.unknown != 1)
    throw WrongAnswer("a deletion counted other documents than it deleted");
  count("deleted by id");
}

void LivingDatabase::tag() {
  try {
    tag_documents(*engine_, {});
    count("tagged");
  } catch (const Error& e) {
    if (e.code() != Errc::kNotFound) throw;
    count("no labels to tag by");
  }
}

/// The compacted database takes the place of the other. It may take over the saved mirror.
void LivingDatabase::compact(const Operation& operation) {
  const std::string from = shard_path(operation.random / 4), to = folder_ + "/compacted";
  Xapian::Database(from).compact(to, Xapian::DBCOMPACT_NO_RENUMBER);
  const std::string saved = from + "/kindred.mirror";
  if (operation.random % 3 != 0 && fs::exists(saved)) fs::copy(saved, to + "/kindred.mirror");
  fs::rename(from, folder_ + "/old");
  fs::rename(to, from);
  fs::remove_all(folder_ + "/old");
  tune();
  count("compacted");
}

/// Tunes the database as it is, or leaves it without a tuning if it has too few labels.
void LivingDatabase::tune() {
  if (!plan_.tuned) return;
  Settings settings = settings_;
  settings.classify.use_tuning = false;
  settings.mirror.follow = "off";
  settings.mirror.directory = folder_ + "/no-mirrors";
  fs::remove(tuning_path(path_));
  try {
    TuneRequest request;
    if (plan_.seed % 2 == 0) request.filter = "label:k1 OR label:k2 OR label:k3 OR label:k4";
    write_tuning(path_, kindred::tune(Engine(path_, settings), request).tuning);
    count("tuned");
  } catch (const Error& e) {
    if (e.code() != Errc::kInvalidArgument) throw;
    count("too few labels to tune");
  }
}

}  // namespace kindred::attack
