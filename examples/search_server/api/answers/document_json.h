#pragma once

#include <string>

#include "api/app.h"
#include "api/json.h"
#include "http/request.h"
#include "index/database_pool.h"
#include "index/document.h"

namespace search_server {

/// A document as the API shows it, without its text and fields. `revision`: OpenDatabase::etag().
Json document_json(const IndexedDocument& document, const std::string& revision,
                   const Schema& schema, const App::TopicNames& topics);

/// {"number", "name"}.
Json topic_json(std::uint32_t number, const App::TopicNames& topics);

/// [{"label", "confidence"}] of tags of the plugin.
Json tags_json(const Json& tags);
Json tag_json(const Json& tag);
/// [{"term", "word", "contribution"}], in which add_words() fills the words.
Json terms_json(const Json& terms);

/// UUID and revision of the index, and a hash of the tags: `If-Match` compares all but the
/// revision, so a write to another document is no conflict.
std::string document_etag(const std::string& revision, const IndexedDocument& document);
/// True if one of the ETags of an If-Match header fits.
bool matches_tags(const std::string& if_match, const std::string& etag);

/// The documents' ETag for answers of the plugin: UUID and revision of its snapshot.
std::string snapshot_etag(const Json& status);

/// The document of an id. @throws Problem 404.
Xapian::docid require_document(const Xapian::Database& database, const std::string& id,
                               const Schema& schema);

/// Fills the member "labels", or "title", of documents with a "docid", or "labels" and the "etag"
/// that goes with them. One that is gone meanwhile stays as it is.
void add_labels(App& app, const Request& request, Json& documents);
void add_etags(App& app, const Request& request, Json& documents);
void add_titles(App& app, const Request& request, Json& documents);
/// Fills the words of the member "terms" of these objects.
void add_words(App& app, const Request& request, Json& objects);

/// A stored value for people: numbers as numbers.
Json value_json(const ValueField& field, const std::string& value);

}  // namespace search_server
