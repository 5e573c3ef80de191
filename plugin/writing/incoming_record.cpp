#include "plugin/writing/incoming_record.h"

#include <exception>
#include <new>
#include <utility>

#include "config/error.h"
#include "plugin/documents/features.h"
#include "plugin/documents/stored_document.h"
#include "plugin/writing/dead_letters.h"

namespace kindred {

RecordAnalysis::RecordAnalysis(const Settings& settings, std::shared_ptr<const TopicMap> map)
    : settings_(settings),
      keeps_json_(settings.ingest.on_failure == "dead_letter"),
      map_(std::move(map)),
      analyzers_(settings.analyzer, settings.index) {}

void RecordAnalysis::analyze(IncomingRecord& incoming) {
  try {
    if (incoming.fault.empty()) {
      if (!incoming.parsed) parse(incoming);
      make(incoming);
    }
    if (keeps_json_ && incoming.json.empty() && incoming.parsed)
      incoming.json = record_json(incoming.record);
  } catch (const std::bad_alloc&) {
    incoming.fault = "takes more memory than there is";
  } catch (const Xapian::Error& e) {
    incoming.fault = "cannot be analyzed: " + e.get_msg();
  } catch (const std::exception& e) {
    incoming.fault = e.what();
  }
}

void RecordAnalysis::parse(IncomingRecord& incoming) const {
  incoming.record = parse_record(incoming.json);
  incoming.parsed = true;
  check_record(incoming.record, settings_);
  if (!keeps_json_) std::string().swap(incoming.json);
}

void RecordAnalysis::make(IncomingRecord& incoming) {
  const auto analyzer = analyzers_.lease_for(incoming.record);
  incoming.document = make_document(incoming.record, settings_, *analyzer, incoming.features);
  if (map_ != nullptr)
    write_place(incoming.document, map_->place(incoming.features), settings_.topics);
}

}  // namespace kindred
