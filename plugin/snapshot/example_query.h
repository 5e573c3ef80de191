#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/term_bag.h"
#include "config/api.h"
#include "config/error.h"
#include "config/pulse.h"
#include "config/settings.h"
#include "gpu/queries.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/input/example.h"
#include "plugin/snapshot/snapshot.h"

namespace kindred {

/// The objects that turn examples into queries.
struct ExampleContext {
  const Snapshot& snapshot;
  const Settings& settings;
  AnalyzerPool& analyzers;
};

/// kNotFound, for an id that no document of the index has.
class KINDRED_API UnknownId : public Error {
 public:
  explicit UnknownId(const std::string& id);
};

/// The document with this id, or kNoDocument.
Xapian::docid document_of_record(const Mirror& mirror, const std::string& id);

/// The document with this id, however the index spells it.
std::optional<Xapian::docid> find_document(const Snapshot& snapshot, const std::string& id,
                                           const IndexSettings& settings);

/// The docid of an example that is a document of the index.
/// @throws Error kNotFound for an id or docid that the snapshot does not have; kInvalidArgument for
/// a record.
Xapian::docid docid_of(const Snapshot& snapshot, const Example& document,
                       const IndexSettings& settings);

/// The features of an example. A record is analyzed; a document of the index has them in the
/// mirror.
/// @throws Error kNotFound for an id or docid that the snapshot does not have.
TermBag example_features(const ExampleContext& context, const Example& example);

/// One query of several examples and counter-examples (Rocchio 1971): the mean of `like` less the
/// mean of `unlike`, negative weights cut. It asks the snapshot's related() view.
struct ExampleQuery {
  Queries query;                      ///< one row
  std::vector<Xapian::docid> docids;  ///< of the examples, ascending, each once
};

/// @throws Error as example_features(); kInvalidArgument if `like` is empty.
ExampleQuery make_query(const ExampleContext& context, const std::vector<Example>& like,
                        const std::vector<Example>& unlike, const Pulse& pulse = {});

}  // namespace kindred
