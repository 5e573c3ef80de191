#include "tests/attack/living/living_processes.h"

#include <unistd.h>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "plugin/engine.h"

namespace kindred::attack {

namespace fs = std::filesystem;

void write_edits(Xapian::WritableDatabase& database, const std::vector<Edit>& edits) {
  for (const auto& [docid, document] : edits) {
    if (document) {
      database.replace_document(docid, document->document());
    } else {
      database.delete_document(docid);
    }
  }
}

void be_writer(const std::string& path, const std::vector<std::vector<Edit>>& commits,
               Action action) {
  try {
    const int flags = action == Action::kInPlace ? Xapian::DB_DANGEROUS : 0;
    Xapian::WritableDatabase database(path, Xapian::DB_OPEN | Xapian::DB_NO_SYNC | flags);
    for (const auto& edits : commits) {
      write_edits(database, edits);
      if (action == Action::kCancel) kill(getpid(), SIGKILL);
      database.commit();
    }
    _exit(0);
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "the writer failed: %s\n", e.get_description().c_str());
  }
  _exit(1);
}

void be_keeper(const std::string& path, const std::string& mirror, Settings settings,
               const std::vector<Edit>& same, unsigned way) {
  settings.mirror.save = std::array{"never", "follow", "close"}[way];
  settings.mirror.follow = way == 1 ? "poll" : "off";
  settings.mirror.max_staleness_ms = 10;
  try {
    for (;;) {
      if (way == 1) fs::remove_all(mirror);  // so that the follower saves it soon
      Engine engine(path, settings);
      {
        Xapian::WritableDatabase database(path, Xapian::DB_OPEN | Xapian::DB_NO_SYNC);
        write_edits(database, same);
        database.commit();
      }
      engine.refresh();
      if (way == 0) engine.save_mirror();
      for (int i = 0; way == 1 && i < 50 && !fs::exists(mirror + "/list"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "who keeps the mirror failed: %s\n", e.what());
  } catch (const Xapian::Error& e) {
    std::fprintf(stderr, "who keeps the mirror failed: %s\n", e.get_description().c_str());
  }
  _exit(1);
}

}  // namespace kindred::attack
