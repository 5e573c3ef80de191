#pragma once

#include <sys/types.h>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config/settings.h"
#include "tests/attack/living/living_answers.h"
#include "tests/attack/living/living_operations.h"

namespace kindred::attack {

/// How a database begins, and who looks at it.
struct LivingPlan {
  std::size_t documents = 150;  ///< before the first operation
  bool stub = false;            ///< two shards
  bool follower = false;        ///< the engine follows by itself, too
  bool tuned = false;           ///< tags follow a tuning, whose votes the model does not know
  bool dot = false;             ///< similar by the dot product, which the model does not know
  unsigned seed = 1;
};

/// A database that changes by operations, an engine that lives as long as it does, and the model of
/// both. After each commit the engine is compared with one that was opened from nothing.
class LivingDatabase {
 public:
  /// Makes the database in an empty folder.
  LivingDatabase(const std::string& folder, const LivingPlan& plan);

  /// @throws WrongAnswer; Error and Xapian::Error of whatever fails.
  void run(const Operation& operation);

  /// Compares the engine with one that is opened from nothing, and sometimes with the model.
  void check(unsigned random);

  /// How often something happened: comparisons, mirrors that grew, saved ones that were used, ...
  std::map<std::string, unsigned> counts() const;

 private:
  void open();
  void open_with_mirror();
  bool was_said(const std::string& text) const;
  void damage_mirror(const Operation& operation);
  void kill_keeper(const Operation& operation);
  void commit(const Operation& operation);
  bool write(const std::vector<std::vector<Edit>>& commits, const Operation& operation);
  bool was_committed(std::uint64_t revision) const;
  void fail_refresh(const Operation& operation);
  void ingest(const Operation& operation);
  void edit_some_tags(const Operation& operation);
  void delete_by_id(const Operation& operation);
  void tag();
  void compact(const Operation& operation);
  void tune();
  void count(const std::string& what);
  void say(const std::string& message);
  std::string shard_path(unsigned random) const;

  const std::string folder_;
  const LivingPlan plan_;
  const std::string path_, mirror_;
  Settings settings_;
  Model model_;
  std::vector<Operation> waiting_;  ///< changes that nobody has committed
  mutable std::mutex counts_mutex_;
  std::map<std::string, unsigned> counts_;
  std::string said_;                ///< by the log, since the engine was opened
  std::unique_ptr<Engine> engine_;  ///< last: its log counts
};

}  // namespace kindred::attack
