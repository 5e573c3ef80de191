// Documents: to read, to hand in, to delete.

#include "api/app.h"
#include "api/body_records.h"
#include "api/record_keys.h"

namespace search_server {
namespace {

/// Records of a body that are written together: nobody waits for all of another's.
constexpr std::size_t kTogether = 500;
/// Of a body: the answer is kept in memory, and that to an empty record is a hundred times as long
/// as the record.
constexpr std::size_t kMostRecords = 100'000;

/// "." and ".." cannot be segments of an address: a parameter has them.
std::string address_of(const std::string& id) {
  const bool is_dots = id == "." || id == "..";
  return is_dots ? "/documents/-?id=" + id : "/documents/" + percent_encode(id);
}

/// `check` throws if it must not be written. `told`: of keys that nobody reads.
Response ingest_one(App& app, const Request& request, const std::string& record,
                    const std::function<void()>& check = {}, const Json& told = Json::object()) {
  app.plugin();  // or it is too early
  const TimeSpent spent(request.plugin_seconds);
  Json outcome = app.writer.ingest({record}, request.deadline, check).at(0);
  if (outcome["outcome"] == "refused") throw Problem(400, "record-refused", outcome["reason"]);
  outcome.update(told);
  const bool added = outcome["outcome"] == "added";
  Response response = json_answer(outcome, added ? 201 : 200);
  if (added) response.headers.emplace_back("Location", address_of(outcome["id"]));
  return response;
}

/// Ingests records of at most so many bytes, and collects what becomes of each.
class ManyOutcomes {
 public:
  ManyOutcomes(App& app, RecordKeys& keys) : app_(app), keys_(keys) {}

  void add(kindred::RecordLine record) {
    const std::size_t most = app_.options.document_limit;
    if (record.fault.empty() && record.text.size() > most)
      record.fault = "expected a record of at most " + std::to_string(most) + " bytes, found " +
                     std::to_string(record.text.size());
    if (!record.fault.empty() || records_.size() == kTogether) ingest();
    if (!record.fault.empty()) return append(record.number, refused(record.fault));
    keys_.count(record.text);
    numbers_.push_back(record.number);
    records_.push_back(std::move(record.text));
  }

  /// The answer: a line for each. The last one tells of keys.
  std::string finish() {
    ingest();
    if (last_.is_object()) last_.update(keys_.told());
    write_last();
    return std::move(answer_);
  }

 private:
  void ingest() {
    std::vector<Json> outcomes;
    try {
      if (!records_.empty())
        outcomes = app_.writer.ingest(records_, Writer::Clock::time_point::max());
    } catch (const Problem& e) {
      outcomes.assign(records_.size(), refused(e.what()));
    }
    for (std::size_t i = 0; i < outcomes.size(); ++i) append(numbers_[i], outcomes[i]);
    numbers_.clear();
    records_.clear();
  }

  void append(std::uint64_t number, const Json& outcome) {
    write_last();
    last_ = {{"line", number}};
    last_.update(outcome);
  }

  void write_last() {
    if (last_.is_object()) answer_ += to_text(last_) + "\n";
  }

  App& app_;
  RecordKeys& keys_;
  std::vector<std::uint64_t> numbers_;
  std::vector<std::string> records_;
  Json last_;
  std::string answer_;
};

Response ingest_many(App& app, const Request& request, const kindred::FieldMap& map,
                     bool allows_empty) {
  // What is refused as a whole is found before any of it is written.
  RecordKeys at_first(app, request);
  NextRecord next = records_of(request, map);
  std::size_t count = 0;
  while (const auto record = next()) {
    if (++count > kMostRecords)
      throw Problem(413, "too-many-records",
                    "The body has more than " + std::to_string(kMostRecords) + " records.");
    const bool is_short = record->text.size() <= app.options.document_limit;
    if (record->fault.empty() && is_short && !at_first.has_words()) at_first.count(record->text);
  }
  if (!allows_empty) at_first.require_words();

  RecordKeys keys(app, request);
  ManyOutcomes outcomes(app, keys);
  next = records_of(request, map);
  while (auto record = next()) outcomes.add(std::move(*record));
  return {200, kNdjson, outcomes.finish()};
}

}  // namespace

Response answer_document(App& app, const Request& request, const Json&) {
  return json_answer(app.documents(request, {request.capture})[0]);
}

Response post_documents(App& app, const Request& request, const Json& asked) {
  const auto items = asked["map"].get<std::vector<std::string>>();
  const kindred::FieldMap map = kindred::read_field_map(items, asked["separator"]);
  if (!is_one_record(request)) return ingest_many(app, request, map, asked["allow_empty"] == true);

  if (request.body.size() > app.options.document_limit)
    throw body_too_large(app.options.document_limit);
  const std::string record = map.empty() ? request.body : kindred::mapped_record(request.body, map);
  RecordKeys keys(app, request);
  keys.count(record);
  return ingest_one(app, request, record, {}, keys.told());
}

Response put_document(App& app, const Request& request, const Json&) {
  const std::string& id = request.capture;
  Json record = read_object(request, app);
  const Json given = record.value("id", Json(id));
  if (given != Json(id) && !(given.is_number_integer() && to_text(given) == id)) {
    throw Problem(400, "bad-member",
                  "member 'id': expected '" + id + "' as in the path, found " +
                      to_text(given).substr(0, 300));
  }
  record["id"] = id;
  return ingest_one(app, request, to_text(record), [&] {
    app.check_preconditions(request, {id});
  });
}

Response delete_document(App& app, const Request& request, const Json&) {
  const std::string& id = request.capture;
  Json result;
  const auto remove = [&](const Handle& plugin) {
    app.check_preconditions(request, {id});
    result = plugin.ask("delete", {{"ids", Json::array({written_name(id)})}});
  };
  app.plugin();
  app.writer.run(remove, request.deadline);
  if (result["deleted"] == 0)
    throw Problem(404, "document-not-found", "no document has the id '" + id + "'");
  app.jobs.changed(id);
  return {204};
}

}  // namespace search_server
