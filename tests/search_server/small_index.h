#pragma once

#include <xapian.h>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include "index/query_analysis.h"
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

/// Queries and stems by Xapian alone, for an index with stems and the schema above.
inline search_server::QueryAnalysis analysis_by(const Xapian::Stem& stemmer) {
  const auto parse = [stemmer](const std::string& typed, bool partial) {
    using Parser = Xapian::QueryParser;
    Parser parser;
    parser.set_default_op(Xapian::Query::OP_AND);
    parser.set_stemmer(stemmer);
    parser.set_stemming_strategy(Parser::STEM_SOME);
    parser.add_prefix("title", "S");
    for (const auto& [name, prefix] :
         {std::pair("label", "K"), {"predicted", "XAUTO"}, {"id", "Q"}})
      parser.add_boolean_prefix(name, prefix);
    search_server::AnalyzedQuery analyzed;
    try {
      analyzed.query = parser.parse_query(typed, Parser::FLAG_DEFAULT | Parser::FLAG_WILDCARD |
                                                     (partial ? Parser::FLAG_PARTIAL : 0));
    } catch (const Xapian::QueryParserError& e) {
      throw search_server::QueryMistake(e.get_msg());
    }
    const auto end = analyzed.query.get_unique_terms_end();
    for (auto term = analyzed.query.get_unique_terms_begin(); term != end; ++term) {
      const auto word = parser.unstem_begin(*term);
      if (word != parser.unstem_end(*term)) analyzed.words.push_back({*word, {*term}});
    }
    return analyzed;
  };
  return {[stemmer](const std::string& word) { return stemmer(word); }, parse};
}
