#include "plugin/mirror/reading/label_survey.h"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "plugin/store/posting_reader.h"
#include "plugin/store/prefix.h"

namespace kindred {
namespace {

using Counts = std::map<std::string, LabelCount, std::less<>>;

/// Documents that have one of the two terms that spell a label.
std::uint64_t count_both(const Xapian::Database& database, const std::string& prefix,
                         const std::string& name) {
  std::set<Xapian::docid> docids;
  for (const std::string& term : {prefixed_term(prefix, name), colon_term(prefix, name)}) {
    for (PostingReader list(database, term); !list.at_end(); list.next())
      docids.insert(list.docid());
  }
  return docids.size();
}

/// Counts the documents of each label under a prefix, in `number`.
void count(const Xapian::Database& database, const std::string& prefix,
           std::uint64_t LabelCount::*number, Counts& counts) {
  for (TermReader terms(database, prefix); !terms.at_end(); terms.next()) {
    const auto value = value_under(prefix, terms.term());
    if (!value) continue;
    LabelCount& label = counts[std::string(*value)];
    label.*number =
        label.*number == 0 ? terms.termfreq() : count_both(database, prefix, std::string(*value));
  }
}

}  // namespace

std::vector<LabelCount> survey_labels(const Xapian::Database& database,
                                      const LabelSettings& settings) {
  Counts counts;
  count(database, settings.prefix, &LabelCount::documents, counts);
  for (const std::string& name : settings.system) counts.erase(name);
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
