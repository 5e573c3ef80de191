#pragma once

#include <xapian.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "index/schema.h"

/// A document of a test: what its terms and data say.
struct SmallDocument {
  std::string id;
  std::string title;
  std::string text;
  std::vector<std::string> labels;
  std::vector<std::string> predicted;
  std::string topic;
  double size = 0;
};

/// The schema of these documents: the defaults, and a value "size" in slot 9.
inline search_server::Schema small_schema() {
  search_server::Schema schema =
      search_server::schema_of(nlohmann::json::object(), {{"size", 9, true}});
  schema.system_labels = {"inbox", "_EXACT*"};
  return schema;
}

/// An index in memory, as Kindred writes it.
inline Xapian::Database small_index(const std::vector<SmallDocument>& documents) {
  Xapian::WritableDatabase database(std::string(), Xapian::DB_BACKEND_INMEMORY);
  Xapian::TermGenerator generator;
  generator.set_stemmer(Xapian::Stem("en"));
  const auto prefixed = [](std::string prefix, const std::string& value) {
    if (prefix.size() > 1 && value[0] >= 'A' && value[0] <= 'Z') prefix += ':';
    return prefix + value;
  };
  for (const SmallDocument& each : documents) {
    Xapian::Document document;
    generator.set_document(document);
    generator.index_text(each.title, 1, "S");
    generator.index_text(each.title + " " + each.text);
    document.add_boolean_term(prefixed("Q", each.id));
    document.add_boolean_term("Len");
    for (const std::string& label : each.labels) document.add_boolean_term(prefixed("K", label));
    std::string tags;
    for (const std::string& label : each.predicted) {
      document.add_boolean_term(prefixed("XAUTO", label));
      tags += (tags.empty() ? "" : ",") + std::string(R"({"label":")") + label +
              R"(","confidence":0.)" + std::to_string(tags.empty() ? 5 : 7) + "}";
    }
    if (!tags.empty()) document.add_value(7001, R"({"tags":[)" + tags + "]}");
    if (!each.topic.empty()) document.add_boolean_term("XTOPIC" + each.topic);
    document.add_value(9, Xapian::sortable_serialise(each.size));
    document.set_data("id=" + each.id + "\ntitle=" + each.title + "\nsample=" + each.text +
                      "\nlang=en\nurl=http://example.org/?a=b\n");
    database.add_document(document);
  }
  return database;
}
