#pragma once

#include <xapian.h>
#include <map>
#include <string>

#include "config/api.h"
#include "config/settings.h"

namespace kindred {

/// How many documents have each of these names.
using NameCounts = std::map<std::string, Xapian::doccount>;

/// Counts the tags and topics of the documents that a search matches: facets.
///
///     TagSpy spy(engine.settings());
///     enquire.add_matchspy(&spy);
///     enquire.get_mset(0, 10, database.get_doccount());
///     for (const auto& [label, documents] : spy.labels()) ...
///
/// Xapian shows a spy the documents that it looks at: all that match if get_mset() is told to check
/// at least as many documents as the database has, else perhaps only the best. Counts add up over
/// searches. For one thread at a time.
class KINDRED_API TagSpy final : public Xapian::MatchSpy {
 public:
  /// `settings` say how documents hold tags and topics (labels.prefix, labels.predicted_prefix,
  /// topics.prefix), and which values are no labels (labels.system); these are not counted.
  explicit TagSpy(const Settings& settings = {});
  ~TagSpy() override;

  Xapian::doccount total() const { return total_; }           ///< documents that were counted
  const NameCounts& labels() const { return labels_; }        ///< tags that people gave
  const NameCounts& predicted() const { return predicted_; }  ///< tags that Kindred gave
  const NameCounts& topics() const { return topics_; }        ///< numbers of topics, in digits

  // The members of Xapian::MatchSpy.

  /// @throws Xapian::Error.
  void operator()(const Xapian::Document& document, double weight) override;
  /// Without the counts.
  TagSpy* clone() const override { return new TagSpy(label_settings_, topic_prefix_); }
  std::string name() const override { return "kindred::TagSpy"; }
  std::string serialise() const override;          ///< the prefixes and labels.system
  std::string serialise_results() const override;  ///< the counts
  /// @throws Xapian::SerialisationError if `bytes` are not what serialise() wrote.
  TagSpy* unserialise(const std::string& bytes, const Xapian::Registry& registry) const override;
  /// Adds counts. @throws Xapian::SerialisationError if `bytes` are not what serialise_results()
  /// wrote; nothing has changed then.
  void merge_results(const std::string& bytes) override;
  std::string get_description() const override;

 private:
  TagSpy(LabelSettings labels, std::string topic_prefix);

  const LabelSettings label_settings_;
  const std::string topic_prefix_;
  Xapian::doccount total_ = 0;
  NameCounts labels_;
  NameCounts predicted_;
  NameCounts topics_;
};

}  // namespace kindred
