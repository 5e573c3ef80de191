#include "plugin/query/label_style.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "config/error.h"
#include "config/shown.h"
#include "plugin/query/pulse_source.h"
#include "plugin/store/terms.h"
#include "plugin/vocabulary/label_hierarchy.h"
#include "plugin/vocabulary/meant_label.h"

namespace kindred {
namespace {

using Query = Xapian::Query;
using Uuids = std::vector<std::string>;

/// All docids of some shards. Xapian gives each shard a source of its own, and does not say which
/// one it is; its UUID does.
class ShardSource : public PulseSource {
 public:
  explicit ShardSource(Uuids uuids) : PulseSource(Pulse()), uuids_(std::move(uuids)) {}

  ShardSource* clone() const override { return new ShardSource(uuids_); }
  void init(const Xapian::Database& shard) override {
    const bool is_wanted = std::ranges::find(uuids_, shard.get_uuid()) != uuids_.end();
    PulseSource::init(is_wanted ? shard : Xapian::Database());
  }

 private:
  const Uuids uuids_;
};

}  // namespace

void set_labels(QueryStyle& style, const Mirror& mirror, const Vocabulary* vocabulary) {
  style.label_of = [&mirror, vocabulary](const std::string& text) {
    return meant_label(text, mirror, vocabulary);
  };
  style.branch_of = [&mirror, vocabulary](const std::string& text) {
    return branch_of(text, mirror, vocabulary);
  };
  style.in_shards_with = [&mirror](const std::string& label) {
    return in_shards_with(label, mirror);
  };
}

Query in_shards_with(const std::string& label, const Mirror& mirror) {
  const std::string name = label_name(label);
  Uuids wanted;
  Uuids others;
  for (std::size_t shard = 0; shard < mirror.shard_labels.size(); ++shard) {
    if (mirror.shard_labels[shard] == name)
      wanted.push_back(mirror.shards.at(shard));
    else
      others.push_back(mirror.shards.at(shard));
  }
  if (name.empty() || wanted.empty()) return Query();

  const auto copied = std::ranges::find_first_of(wanted, others);
  if (copied != wanted.end())
    throw Error(Errc::kUnsupported, "'" + shortened(name) +
                                        "': expected that databases with other labels have other "
                                        "UUIDs, found " +
                                        *copied + " twice; one is a copy");

  // The source has docids that no document has, too.
  return {Query::OP_FILTER, Query(std::string()), Query((new ShardSource(wanted))->release())};
}

}  // namespace kindred
