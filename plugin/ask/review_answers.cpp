// The question "review": which tags to look at first, and how right tags have become.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analyzer/text/normal_form.h"
#include "analyzer/text/utf8.h"
#include "config/error.h"
#include "plugin/ask/asking.h"
#include "plugin/history/history_time.h"
#include "plugin/history/tag_history.h"
#include "plugin/history/tag_judgments.h"
#include "plugin/store/kept_files.h"

namespace kindred {
namespace {

/// A label is drifting only if people have refused it at least so often of late.
constexpr std::uint64_t kFewestRefused = 2;

/// Groups of near-duplicates that are looked through for different tags.
constexpr std::int64_t kMostGroups = 10'000;

api::JudgedTags shown(const Judged& judged) {
  api::JudgedTags shown;
  shown.accepted = judged.accepted;
  shown.refused = judged.refused;
  shown.right = judged.right();
  return shown;
}

/// How many more of the latest tags are refused than would be as people judged before; of a label
/// that nobody judged before, as they judged all labels.
double excess(const TagJudgments::Periods& label, const TagJudgments::Periods& all) {
  double right = label.before.right();
  if (std::isnan(right)) right = all.before.right();
  if (std::isnan(right)) right = 1;
  const auto judged = static_cast<double>(label.latest.all());
  return static_cast<double>(label.latest.refused) - (1 - right) * judged;
}

/// Labels whose predicted tags people refuse more often than before, the clearest first.
std::vector<api::DriftingLabel> drifting_labels(const TagJudgments& judgments, std::size_t limit) {
  std::vector<std::pair<double, std::string>> ranked;
  for (const auto& [label, periods] : judgments.labels()) {
    const double more = excess(periods, judgments.all());
    if (periods.latest.refused >= kFewestRefused && more >= 1) ranked.emplace_back(-more, label);
  }
  std::ranges::sort(ranked);
  if (ranked.size() > limit) ranked.resize(limit);

  std::vector<api::DriftingLabel> labels;
  for (const auto& [more, label] : ranked) {
    const TagJudgments::Periods& periods = judgments.labels().at(label);
    labels.push_back({label, shown(periods.latest), shown(periods.before)});
  }
  return labels;
}

/// A label without what people write in one way or the other: case, accents, signs, the plural.
std::string skeleton(const std::string& label) {
  std::string folded = folded_text(trimmed_nfc(label), TextFolding::kZim);
  std::erase_if(folded, [](char c) {
    const bool is_word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z');
    return static_cast<unsigned char>(c) < 128 && !is_word;
  });
  if (folded.size() > 3 && folded.ends_with('s')) folded.pop_back();
  return folded;
}

/// Labels that are nearly the same by their names, those that most documents have first.
std::vector<api::TagSpelling> near_spellings(const api::LabelsAnswer& counts, std::size_t limit) {
  std::map<std::string, api::TagSpelling> groups;
  for (const api::LabelCount& count : counts.labels) {
    const std::string key = skeleton(count.label);
    if (key.empty() || count.documents + count.predicted == 0) continue;
    api::TagSpelling& group = groups[key];
    group.labels.push_back(count.label);
    group.documents.push_back(count.documents + count.predicted);
  }

  std::vector<api::TagSpelling> spellings;
  for (auto& [key, group] : groups)
    if (group.labels.size() > 1) spellings.push_back(std::move(group));
  const auto documents = [](const api::TagSpelling& group) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : group.documents) sum += count;
    return sum;
  };
  std::ranges::stable_sort(spellings, std::greater(), documents);
  if (spellings.size() > limit) spellings.resize(limit);
  return spellings;
}

/// The labels that some of a group of near-duplicates have, and not all of them.
std::vector<std::string> differing_labels(const api::DuplicateGroup& group) {
  std::map<std::string, std::size_t> having;
  std::size_t labeled = 0;
  for (const api::Duplicate& document : group.documents) {
    if (!document.labels.empty()) ++labeled;
    for (const std::string& label : document.labels) ++having[label];
  }

  // One that has none is waiting for its tags.
  std::vector<std::string> differing;
  for (const auto& [label, count] : having)
    if (count < labeled) differing.push_back(label);
  return differing;
}

/// Near-duplicates that people tagged differently, the most similar first.
void fill_copies(const api::DuplicatesAnswer& found, std::size_t limit, api::ReviewAnswer& answer) {
  for (const api::DuplicateGroup& group : found.groups) {
    std::vector<std::string> differing = differing_labels(group);
    if (differing.empty()) continue;
    api::DifferingCopies copies;
    copies.similarity = group.least_similarity;
    copies.documents = group.documents;
    copies.labels = std::move(differing);
    answer.copies.push_back(std::move(copies));
  }
  answer.copies_found = answer.copies.size();
  std::ranges::stable_sort(answer.copies, std::greater(), &api::DifferingCopies::similarity);
  if (answer.copies.size() > limit) answer.copies.resize(limit);
}

}  // namespace

api::ReviewAnswer answer(Asking& asking, const api::ReviewRequest& asked) {
  const auto limit = static_cast<std::size_t>(asked.limit);
  auto answer = asking.answer<api::ReviewAnswer>();
  answer.time = time_text(milliseconds_now());

  api::SuspectsRequest suspects;
  suspects.query = asked.query;
  suspects.limit = asked.limit;
  api::SuspectsAnswer found = kindred::answer(asking, suspects);
  answer.missing = std::move(found.missing);
  answer.wrong = std::move(found.wrong);

  if (asked.min_similarity > 0) {
    api::DuplicatesRequest duplicates;
    duplicates.filter = asked.query;
    duplicates.min_similarity = asked.min_similarity;
    duplicates.limit = kMostGroups;
    fill_copies(kindred::answer(asking, duplicates), limit, answer);
  }
  answer.spellings = near_spellings(*asking.reading().database().label_counts(asking.pulse), limit);

  // The history tells what people said.
  const std::uint64_t days = static_cast<std::uint64_t>(asked.days) * kMillisecondsPerDay;
  const std::uint64_t now = milliseconds_now();
  TagJudgments judgments(now - std::min(now, days));
  MirroredDatabase& database = asking.reading().database();
  if (!database.location().empty())
    read_history(database.location(), database.kept().uuids, [&](const HistoryEntry& entry) {
      asking.pulse();
      judgments.add(entry);
    });
  answer.drifting = drifting_labels(judgments, limit);
  answer.judged = shown(judgments.all().latest);
  answer.judged_before = shown(judgments.all().before);
  answer.given = judgments.given();
  answer.taken_off = judgments.taken_off();
  return answer;
}

}  // namespace kindred
