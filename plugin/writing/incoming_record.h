#pragma once

#include <xapian.h>
#include <cstddef>
#include <memory>
#include <string>

#include "analyzer/term_bag.h"
#include "config/settings.h"
#include "plugin/input/analyzer_pool.h"
#include "plugin/input/record.h"
#include "plugin/topics/map.h"
#include "plugin/writing/ingest.h"

namespace kindred {

/// A record on its way into the database. It is handed in as a Record or as JSON. Analysis fills in
/// the rest.
struct IncomingRecord {
  RecordOrigin origin;
  std::string json;  ///< as it was handed in, or as it goes to the dead letters; else ""
  Record record;
  bool parsed = false;    ///< `record` is filled in
  bool told = false;      ///< the caller knows that it failed, and it is counted
  std::string fault;      ///< why it is not indexed; "" if it is
  std::size_t bytes = 0;  ///< as it was handed in, roughly

  Xapian::Document document;
  TermBag features;
};

/// The part of ingest that needs no database. Any number of threads may use one object.
class RecordAnalysis {
 public:
  /// `settings` is borrowed. `map`: gives documents their place, or null.
  /// @throws Error as Analyzer.
  RecordAnalysis(const Settings& settings, std::shared_ptr<const TopicMap> map);

  /// Parses the record if need be, checks it, and makes its document. What goes wrong becomes the
  /// fault of the record. Keeps the JSON, or makes it, only if records that fail become dead
  /// letters.
  void analyze(IncomingRecord& incoming);

 private:
  void parse(IncomingRecord& incoming) const;
  void make(IncomingRecord& incoming);

  const Settings& settings_;
  const bool keeps_json_;
  const std::shared_ptr<const TopicMap> map_;
  AnalyzerPool analyzers_;
};

}  // namespace kindred
