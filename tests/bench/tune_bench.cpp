// Time of a tuning over a collection from a file of tune_export, without Xapian or an index: mirror
// on the backend, leave-one-out, and what is fitted to it. Prints one JSON object: seconds of each
// stage and in all, and what was found.
//
//   tune_bench FILE|DOCUMENTS [--backend auto|cpu|cuda] [--threads N] [--documents N]
//              [--json FILE]
//
// A number stands for so many documents that are drawn at random, of 500 labels.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "options.h"
#include "plugin/tune/tune.h"
#include "plugin/votes/tuning/tuning.h"
#include "tests/bench/tune_collection.h"

namespace kindred::bench {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Seconds of each stage, from the progress that a tuning reports. A stage begins with its first
/// report.
class Stages {
 public:
  void enter(const std::string& stage) {
    if (stage == current_) return;
    leave();
    current_ = stage;
  }
  void leave() {
    const Clock::time_point now = Clock::now();
    if (!current_.empty())
      seconds_.emplace_back(current_, std::chrono::duration<double>(now - begin_).count());
    begin_ = now;
  }
  Json json() const {
    Json json = Json::object();
    for (const auto& [stage, seconds] : seconds_) json[stage] = seconds;
    return json;
  }

 private:
  std::string current_;
  Clock::time_point begin_ = Clock::now();
  std::vector<std::pair<std::string, double>> seconds_;
};

Json run(const std::string& path, const Settings& settings, const TuneRequest& request) {
  auto begin = Clock::now();
  Mirror mirror = std::ranges::all_of(path, [](char c) { return c >= '0' && c <= '9'; })
                      ? drawn_collection(static_cast<std::uint32_t>(std::stoul(path)))
                      : read_collection(path);
  const double reading = seconds_since(begin);
  begin = Clock::now();
  const Snapshot snapshot(std::move(mirror), settings);
  const double building = seconds_since(begin);
  Stages stages;
  const std::clock_t processors_before = std::clock();
  begin = Clock::now();
  const TuneReport report =
      tune(snapshot, settings, snapshot.mirror().labeled, {}, request,
           [&](const std::string& doing, std::uint64_t) { stages.enter(doing); });
  const double tuning = seconds_since(begin);
  const double processors = static_cast<double>(std::clock() - processors_before) / CLOCKS_PER_SEC;
  stages.leave();
  const TuningScores& scores = report.tuning.scores;
  return {{"documents", snapshot.mirror().docids.size()},
          {"terms", snapshot.mirror().vocabulary.size()},
          {"nonzeros", snapshot.mirror().nonzeros()},
          {"labels", snapshot.mirror().labels.names.size()},
          {"device", snapshot.backend().info().device},
          {"threads", snapshot.voting().threads()},
          {"classified", scores.documents},
          {"read_seconds", reading},
          {"mirror_seconds", building},
          {"tune_seconds", tuning},
          {"tune_processor_seconds", processors},
          {"stages", stages.json()},
          {"linear", report.tuning.classifiers != nullptr},
          {"micro_f1", scores.micro_f1},
          {"macro_f1", scores.macro_f1},
          {"accuracy", scores.accuracy},
          {"calibration_error", scores.calibration_error},
          {"forward_documents", report.tuning.forward_documents}};
}

}  // namespace
}  // namespace kindred::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr,
                 "usage: tune_bench FILE|DOCUMENTS [--backend KIND] [--threads N] "
                 "[--documents N] [--json FILE]\n");
    return 2;
  }
  kindred::Settings settings;
  kindred::TuneRequest request;
  std::string json;
  try {
    kindred::bench::read_options(
        {argv + 2, argv + argc},
        {{"--backend", [&](const std::string& value) { settings.backend.kind = value; }},
         {"--threads",
          [&](const std::string& value) { settings.backend.threads = std::stol(value); }},
         {"--documents", [&](const std::string& value) { request.documents = std::stoul(value); }},
         {"--json", [&](const std::string& value) { json = value; }}});
    const std::string text = kindred::bench::run(argv[1], settings, request).dump(2);
    std::printf("%s\n", text.c_str());
    if (!json.empty() && !(std::ofstream(json) << text << '\n').flush())
      throw std::runtime_error(json + ": cannot be written");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tune_bench: %s\n", e.what());
  }
  return 1;
}
