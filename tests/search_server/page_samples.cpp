#include "page_samples.h"

#include <cmath>

namespace search_server::samples {
namespace {

Json tag(const char* label, double confidence) {
  return {{"label", label}, {"confidence", confidence}};
}

Json terms() {
  return {{{"term", "guitar"}, {"word", "guitar"}, {"contribution", 0.31}},
          {{"term", "Zstring"}, {"word", "strings"}, {"contribution", 0.12}}};
}

Json voters() {
  return {{{"id", "d7"}, {"title", "Seven strings"}, {"similarity", 0.61}, {"share", 0.4}},
          {{"id", "d8"}, {"title", ""}, {"similarity", 0.5}, {"share", 0.2}}};
}

Json plain_document(const char* id, const char* title) {
  return {{"id", id},
          {"docid", 1},
          {"title", title},
          {"labels", {"music", "how to"}},
          {"predicted", {tag("guitar", 0.83), tag("wood", 0.41)}},
          {"topic", {{"number", 3}, {"name", "guitar strings wood"}}},
          {"language", "en"},
          {"values", {{"year", 1999}}},
          {"etag", "\"u-1-7\""}};
}

Json found_document(const char* id, const char* title) {
  Json document = plain_document(id, title);
  document["score"] = 1.5;
  document["snippet"] = {{{"text", "How to tune a "}, {"hit", false}},
                         {{"text", "guitar"}, {"hit", true}}};
  document["duplicates"] = {{{"id", "d1-copy"}, {"similarity", 0.97}}};
  return document;
}

}  // namespace

Json document() {
  Json document = plain_document("d1", "Tuning a guitar");
  document["text"] = "How to tune a guitar by ear.\nStart with the A string.";
  document["fields"] = {{"url", "https://example.org/tune"}};
  return document;
}

Json search_answer() {
  const Json counts = {{{"value", "music"}, {"count", 40}}, {{"value", "food"}, {"count", 12}}};
  return {{"q", "guitar"},
          {"offset", 20},
          {"limit", 20},
          {"sort", "relevance"},
          {"filters", Json::object()},
          {"total", {{"estimate", 1234}, {"exact", false}}},
          {"documents", {found_document("d1", "Tuning a guitar"), found_document("d2", "")}},
          {"facets",
           {{"label", counts},
            {"predicted", counts},
            {"topic", {{{"value", 3}, {"name", "guitar strings"}, {"count", 9}}}},
            {"language", counts},
            {"values", {{"year", counts}}}}},
          {"counted", 1000},
          {"correction", "guitars"},
          {"etag", "\"u-1\""},
          {"took", {{"xapian_ms", 1.25}, {"plugin_ms", 0.5}}}};
}

Json related_answer() {
  return {{"documents",
           {{{"id", "d3"},
             {"docid", 3},
             {"title", "Strings"},
             {"similarity", 0.71},
             {"terms", terms()},
             {"labels", {"music"}},
             {"folded", {{{"id", "d4"}, {"similarity", 0.99}}}}}}},
          {"etag", "\"u-1\""}};
}

Json classify_answer() {
  Json given = tag("guitar", 0.83);
  given["threshold"] = 0.4;
  given["voters"] = voters();
  given["terms"] = terms();
  Json missed = tag("wood", 0.3);
  missed["threshold"] = 0.5;
  Json never = tag("metal", 0.1);
  never["threshold"] = nullptr;
  return {{"tags", {given}},
          {"near_misses", {missed, never}},
          {"best", tag("guitar", 0.83)},
          {"etag", "\"u-1\""}};
}

Json map_answer(int rows, int columns, int topics) {
  Json units = Json::array(), list = Json::array();
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column)
      units.push_back({{"unit", row * columns + column},
                       {"x", column + (row % 2 == 0 ? 0 : 0.5)},
                       {"y", row * std::sqrt(3.0) / 2},
                       {"topic", 1 + (row / 4 * 3 + column / 6) % topics},
                       {"documents", (row * 7 + column * 3) % 11}});
  for (int topic = 1; topic <= topics; ++topic)
    list.push_back({{"number", topic},
                    {"name", "guitar strings number" + std::to_string(topic)},
                    {"documents", 100 - topic},
                    {"terms", {{{"word", "guitar"}, {"score", 2.5}}}}});
  return {{"rows", rows},   {"columns", columns}, {"lattice", "hexagonal"}, {"toroidal", false},
          {"units", units}, {"topics", list},     {"revision", 4},          {"stale", true}};
}

Json suspects_answer() {
  return {{"suspects",
           {{{"id", "d1"},
             {"docid", 1},
             {"title", "Tuning a guitar"},
             {"labels", {"food", "how to"}},
             {"margin", 0.7},
             {"weakest", tag("food", 0.02)},
             {"strongest", tag("music", 0.72)},
             {"proposed", {tag("music", 0.72)}},
             {"neighbors",
              {{{"id", "d3"}, {"title", "Strings"}, {"similarity", 0.7}, {"labels", {"music"}}}}},
             {"etag", "\"u-1-7\""}}}},
          {"examined", 500},
          {"found", 31},
          {"etag", "\"u-1\""}};
}

Json labels_answer() {
  return {{"labels",
           {{{"label", "food"}, {"documents", 12}, {"predicted", 0}},
            {{"label", "music"}, {"documents", 40}, {"predicted", 7}}}},
          {"etag", "\"u-1\""}};
}

Json candidates_answer() {
  return {{"label", "music"},
          {"examined", 60},
          {"found", 3},
          {"candidates",
           {{{"id", "d9"},
             {"docid", 9},
             {"title", "Drums"},
             {"confidence", 0.66},
             {"labels", {"how to"}},
             {"predicted", {"music"}},
             {"voters", voters()},
             {"terms", terms()},
             {"etag", "\"u-1-7\""}}}},
          {"etag", "\"u-1\""}};
}

Json duplicates_answer() {
  const Json one = {
      {"id", "d1"}, {"docid", 1}, {"title", "Tuning a guitar"}, {"labels", {"music"}}};
  return {
      {"groups",
       {{{"documents", {one, one}}, {"least_similarity", 0.96}, {"greatest_similarity", 0.99}}}},
      {"examined", 500},
      {"found", 1},
      {"grouped", 2},
      {"etag", "\"u-1\""}};
}

Json status_answer() {
  return {{"collection", "Songs"},
          {"index",
           {{"uuid", "u"},
            {"revision", 9},
            {"documents", 500},
            {"profile", "kindred"},
            {"writable", true}}},
          {"snapshot",
           {{"revision", 8},
            {"documents", 500},
            {"terms", 9000},
            {"nonzeros", 50000},
            {"labels", 12},
            {"labeled", 400},
            {"tagged", 90},
            {"pending", 0},
            {"opted_out", 0},
            {"rejected", 3},
            {"tuned", true},
            {"bytes", 123456},
            {"device_bytes", 0}}},
          {"plugin", {{"version", "0.1.0"}, {"backend", "cpu"}, {"device", "AVX2"}, {"swaps", 0}}},
          {"lag", {{"revisions", 1}, {"seconds", 0.2}}},
          {"values", {"year"}},
          {"etag", "\"u-1\""}};
}

Json jobs_answer() {
  const Json running = {{"id", "j2"},
                        {"kind", "tune"},
                        {"state", "running"},
                        {"progress", {{"doing", "trying votes"}, {"done", 3}, {"of", 9}}},
                        {"started", "2026-01-01T00:00:00Z"},
                        {"finished", nullptr},
                        {"result", nullptr},
                        {"error", nullptr}};
  Json failed = running;
  failed["state"] = "failed";
  failed["error"] = {{"status", 503}, {"detail", "out of memory"}};
  return {{"jobs", {running, failed}}};
}

Json with_texts(const Json& answer, const std::string& text) {
  if (answer.is_string()) return text;
  if (!answer.is_structured()) return answer;
  Json other = answer.is_array() ? Json::array() : Json::object();
  for (const auto& [name, value] : answer.items()) {
    if (answer.is_array()) {
      other.push_back(with_texts(value, text));
    } else {
      other[name == "year" || name == "url" ? text : name] = with_texts(value, text);
    }
  }
  return other;
}

}  // namespace search_server::samples
