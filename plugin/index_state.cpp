#include "plugin/index_state.h"

#include <utility>

#include "plugin/store/kept_files.h"
#include "plugin/store/remembered.h"

namespace kindred {

IndexState::IndexState(std::string path, const Xapian::Database* opened, const Settings& given,
                       Log told, ReadingProgress on_reading)
    : log(taking_turns(std::move(told))),
      database(std::move(path), opened, given),
      analysis(analysis_record(settings())),
      current_snapshot(database, log, std::move(on_reading)),
      topics(database.location()) {
  // Files that were made of the index and are gone.
  if (!database.path().empty() && log) {
    for (const std::string& lost : lost_files(database.kept(), database.location())) log(lost);
  }

  // Texts that were analyzed by other versions may have other features.
  database.read("cannot read how it was analyzed", [this](const Xapian::Database& now) {
    const auto recorded = recorded_analysis(now);
    analysis_recorded = recorded.has_value();
    other_versions = recorded ? differing_versions(*recorded, analysis) : "";
  });
  if (!other_versions.empty() && log) log(other_versions);

  if (settings().mirror.follow == "off" || database.path().empty()) return;
  follower.emplace(
      settings().mirror,
      [this] {
        current_snapshot.follow();
      },
      log);
}

IndexState::~IndexState() {
  follower.reset();
  current_snapshot.close();
}

}  // namespace kindred
