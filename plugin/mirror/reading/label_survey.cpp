#include "plugin/mirror/reading/label_survey.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plugin/input/label_name.h"
#include "plugin/store/posting_reader.h"
#include "plugin/store/prefix.h"

namespace kindred {
namespace {

using Counts = std::map<std::string, LabelCount, std::less<>>;

/// Documents that have one of these terms.
std::uint64_t count_any(const Xapian::Database& database, const std::vector<std::string>& terms) {
  std::set<Xapian::docid> docids;
  for (const std::string& term : terms)
    for (PostingReader list(database, term); !list.at_end(); list.next())
      docids.insert(list.docid());
  return docids.size();
}

/// Counts the documents of each label under a prefix, in `number`. Several terms may spell one.
void count(const Xapian::Database& database, const std::string& prefix,
           std::uint64_t LabelCount::*number, Counts& counts) {
  std::map<std::string, std::vector<std::string>> spellings;
  for (TermReader terms(database, prefix); !terms.at_end(); terms.next()) {
    const auto value = value_under(prefix, terms.term());
    if (!value) continue;
    std::string name = label_name(*value);
    counts[name].*number = terms.termfreq();
    spellings[std::move(name)].push_back(terms.term());
  }
  for (const auto& [name, terms] : spellings)
    if (terms.size() > 1) counts[name].*number = count_any(database, terms);
}

}  // namespace

std::vector<LabelCount> survey_labels(const Xapian::Database& database,
                                      const LabelSettings& settings) {
  Counts counts;
  count(database, settings.prefix, &LabelCount::documents, counts);
  std::erase_if(counts, [&](const auto& label) { return is_system_label(settings, label.first); });
  count(database, settings.predicted_prefix, &LabelCount::predicted, counts);
  count(database, settings.rejected_prefix, &LabelCount::rejected, counts);
  std::vector<LabelCount> labels;
  for (auto& [name, label] : counts) {
    label.name = name;
    labels.push_back(std::move(label));
  }
  return labels;
}

}  // namespace kindred
