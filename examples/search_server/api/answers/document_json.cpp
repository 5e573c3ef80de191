#include "api/answers/document_json.h"

#include <algorithm>
#include <string_view>

#include "http/problem.h"
#include "plugin/handle.h"

namespace search_server {
namespace {

/// Of the terms that two documents share, those that say most.
constexpr std::size_t kMostTerms = 20;

/// FNV-1a, 64 bits.
class Hash {
 public:
  void add(std::string_view text) {
    for (const char c : text) step(static_cast<unsigned char>(c));
    step(0x100);  // no byte: the texts "a", "b" and "ab" differ
  }
  std::string digits() const { return std::to_string(value_); }

 private:
  void step(std::uint64_t value) { value_ = (value_ ^ value) * 1099511628211u; }
  std::uint64_t value_ = 14695981039346656037u;
};

/// Calls set(document, Xapian::Document, OpenDatabase) for each document of the list that is still
/// there.
template <typename Set>
void for_each_document(App& app, const Request& request, Json& documents, Set&& set) {
  const TimeSpent spent(request.timings.xapian);
  app.databases().with([&](const OpenDatabase& open) {
    for (Json& document : documents) {
      try {
        set(document, open.database.get_document(document["docid"].get<Xapian::docid>()), open);
      } catch (const Xapian::DocNotFoundError&) {
        continue;
      }
    }
  });
}

/// An ETag without its revision, which is between the last two hyphens.
std::string without_revision(std::string_view etag) {
  const std::size_t last = etag.rfind('-');
  const std::size_t before = last == std::string_view::npos ? last : etag.rfind('-', last - 1);
  if (before == std::string_view::npos) return std::string(etag);
  return std::string(etag.substr(0, before)).append(etag.substr(last));
}

}  // namespace

Json value_json(const ValueField& field, const std::string& value) {
  if (field.number) return Xapian::sortable_unserialise(value);
  return value;
}

Json topic_json(std::uint32_t number, const App::TopicNames& topics) {
  const auto name = topics.find(number);
  return {{"number", number}, {"name", name == topics.end() ? "" : name->second}};
}

Json document_json(const IndexedDocument& document, const std::string& revision,
                   const Schema& schema, const App::TopicNames& topics) {
  Json json = {{"id", document.id}, {"docid", document.docid}, {"title", document.title}};
  json["labels"] = document.labels;
  json["predicted"] = Json::array();
  for (const auto& [label, confidence] : document.predicted) {
    json["predicted"].push_back({{"label", label}, {"confidence", confidence}});
  }
  json["topic"] = document.topic ? topic_json(*document.topic, topics) : Json();
  json["language"] = document.language ? Json(*document.language) : Json();
  json["values"] = Json::object();
  for (const auto& [name, value] : document.values) {
    json["values"][name] = value_json(*schema.value(name), value);
  }
  json["etag"] = document_etag(revision, document);
  return json;
}

Json tag_json(const Json& tag) {
  // Shares of a vote add up to 1 only as well as rounding lets them.
  return {{"label", read_name(tag["label"])},
          {"confidence", std::clamp(tag["confidence"].get<double>(), 0.0, 1.0)}};
}

Json tags_json(const Json& tags) {
  Json json = Json::array();
  for (const Json& tag : tags) json.push_back(tag_json(tag));
  return json;
}

Json terms_json(const Json& terms) {
  Json json = Json::array();
  for (const Json& term : terms)
    json.push_back(
        {{"term", read_name(term["term"])}, {"word", ""}, {"contribution", term["contribution"]}});
  return json;
}

std::string document_etag(const std::string& revision, const IndexedDocument& document) {
  Hash hash;
  hash.add(document.id);
  for (const std::string& label : document.labels) hash.add(label);
  hash.add("");  // no label is empty
  for (const auto& [label, confidence] : document.predicted) hash.add(label);
  std::string etag = revision;
  etag.pop_back();
  return etag.append("-").append(hash.digits()).append("\"");
}

bool matches_tags(const std::string& if_match, const std::string& etag) {
  const std::string wanted = without_revision(etag);
  std::string_view rest = if_match;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (one == "*" || without_revision(one) == wanted) return true;
  }
  return false;
}

std::string snapshot_etag(const Json& status) {
  std::string etag(1, '"');
  etag.append(status["uuid"].get<std::string>()).append("-").append(status["revision"].dump());
  return etag.append("\"");
}

Xapian::docid require_document(const Xapian::Database& database, const std::string& id,
                               const Schema& schema) {
  const Xapian::docid docid = find_document(database, id, schema);
  if (docid != 0) return docid;
  throw Problem(404, "document-not-found", "no document has the id '" + id + "'");
}

void add_labels(App& app, const Request& request, Json& documents) {
  const auto schema = app.schema();
  for_each_document(app, request, documents,
                    [&](Json& json, const Xapian::Document& document, const OpenDatabase&) {
                      json["labels"] = read_labels(document, *schema);
                    });
}

void add_etags(App& app, const Request& request, Json& documents) {
  const auto schema = app.schema();
  for_each_document(app, request, documents,
                    [&](Json& json, const Xapian::Document& document, const OpenDatabase& open) {
                      const IndexedDocument read = read_document(document, *schema);
                      json["labels"] = read.labels;
                      json["etag"] = document_etag(open.etag(), read);
                    });
}

void add_titles(App& app, const Request& request, Json& documents) {
  const auto schema = app.schema();
  for_each_document(app, request, documents,
                    [&](Json& json, const Xapian::Document& document, const OpenDatabase&) {
                      json["title"] = read_document(document, *schema).title;
                    });
}

void add_words(App& app, const Request& request, Json& objects) {
  const QueryAnalysis analysis = app.query_analysis("");
  const TimeSpent spent(request.timings.xapian);
  app.databases().with([&](const OpenDatabase& open) {
    for (Json& object : objects) {
      for (Json& term : object["terms"]) {
        term["word"] = app.words().word(open.database, term["term"].get<std::string>(), analysis);
      }
    }
  });
}

}  // namespace search_server
