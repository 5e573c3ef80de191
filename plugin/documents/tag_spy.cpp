#include "plugin/documents/tag_spy.h"

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "config/error.h"
#include "plugin/store/cbor.h"
#include "plugin/store/terms.h"

namespace kindred {
namespace {

constexpr int kSpyVersion = 1;

/// Counts the names in the terms under a prefix, but those of which is_none() is true. Several
/// terms may spell one name; a document that has them counts once.
template <typename IsNone>
void count_terms(const Xapian::Document& document, const std::string& prefix, IsNone&& is_none,
                 NameCounts& counts) {
  std::set<std::string> names;
  for_each_under(prefix, document, [&](const std::string&, std::string_view value, auto) {
    std::string name = label_name(value);
    if (!is_none(name)) names.insert(std::move(name));
  });
  for (const std::string& name : names) ++counts[name];
}

NameCounts counts_in(const nlohmann::json& json) {
  if (!json.is_object()) throw Error(Errc::kCorrupt, "expected counts by name");
  NameCounts counts;
  for (const auto& [name, count] : json.items())
    counts[name] = whole_number<Xapian::doccount>(count);
  return counts;
}

void add_counts(const NameCounts& from, NameCounts& to) {
  for (const auto& [name, count] : from) to[name] += count;
}

}  // namespace

TagSpy::TagSpy(const Settings& settings) : TagSpy(settings.labels, settings.topics.prefix) {}

TagSpy::TagSpy(LabelSettings labels, std::string topic_prefix)
    : label_settings_(std::move(labels)), topic_prefix_(std::move(topic_prefix)) {}

TagSpy::~TagSpy() = default;

void TagSpy::operator()(const Xapian::Document& document, double /*weight*/) {
  ++total_;
  const auto none = [](std::string_view) {
    return false;
  };
  const auto is_system = [&](std::string_view v) {
    return is_system_label(label_settings_, v);
  };

  // Values of the system under the prefix of labels are no tags.
  count_terms(document, label_settings_.prefix, is_system, labels_);
  count_terms(document, label_settings_.predicted_prefix, none, predicted_);
  count_terms(document, topic_prefix_, none, topics_);
}

std::string TagSpy::serialise() const {
  return serialized({{"version", kSpyVersion},
                     {"labels", label_settings_.prefix},
                     {"system", label_settings_.system},
                     {"predicted", label_settings_.predicted_prefix},
                     {"topics", topic_prefix_}});
}

TagSpy* TagSpy::unserialise(const std::string& bytes, const Xapian::Registry& /*registry*/) const {
  return unserialized(name(), kSpyVersion, bytes, [](const nlohmann::json& json) {
    LabelSettings labels;
    labels.prefix = json.at("labels").get<std::string>();
    labels.predicted_prefix = json.at("predicted").get<std::string>();
    labels.system = json.at("system").get<std::vector<std::string>>();
    return new TagSpy(std::move(labels), json.at("topics").get<std::string>());
  });
}

std::string TagSpy::serialise_results() const {
  return serialized({{"version", kSpyVersion},
                     {"total", total_},
                     {"labels", labels_},
                     {"predicted", predicted_},
                     {"topics", topics_}});
}

void TagSpy::merge_results(const std::string& bytes) {
  unserialized(name(), kSpyVersion, bytes, [this](const nlohmann::json& json) {
    // All is read before anything is added: damaged results must not count in part.
    const auto total = whole_number<Xapian::doccount>(json.at("total"));
    const NameCounts labels = counts_in(json.at("labels"));
    const NameCounts predicted = counts_in(json.at("predicted"));
    const NameCounts topics = counts_in(json.at("topics"));

    total_ += total;
    add_counts(labels, labels_);
    add_counts(predicted, predicted_);
    add_counts(topics, topics_);
  });
}

std::string TagSpy::get_description() const {
  return name() + "(" + std::to_string(total_) + " documents)";
}

}  // namespace kindred
