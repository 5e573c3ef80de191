// The names of labels: a file of them, and its end.

#include <kindred/readers/vocabulary_file_reader.h>

#include <algorithm>
#include <map>

#include "api/app.h"

namespace search_server {
namespace {

constexpr std::size_t kMistakesShown = 10;

/// By the media type of a body, the end of a name that says what it is.
const std::map<std::string, std::string> kForms = {
    {"text/csv", ".csv"},
    {"text/tab-separated-values", ".tsv"},
    {"text/turtle", ".ttl"},
    {"application/n-triples", ".nt"},
    {"application/rdf+xml", ".rdf"},
    {"application/x-ndjson", ".jsonl"},
};

kindred::VocabularyFile read_body(const Request& request, const std::string& id_prefix) {
  const std::string type = media_type(request);
  const auto form = kForms.find(type);
  if (form == kForms.end())
    throw Problem(415, "unsupported-media-type",
                  "expected a body of text/csv, text/tab-separated-values, text/turtle, "
                  "application/n-triples, application/rdf+xml or application/x-ndjson, found '" +
                      type + "'");

  const auto source = [rest = std::string_view(request.body)](std::span<char> room) mutable {
    const std::size_t count = rest.copy(room.data(), room.size());
    rest.remove_prefix(count);
    return count;
  };
  return kindred::read_vocabulary_file("body" + form->second, source, id_prefix);
}

}  // namespace

Response load_vocabulary(App& app, const Request& request, const Json& asked) {
  kindred::VocabularyFile file = read_body(request, asked["id_prefix"]);
  const bool skips = asked["skip_bad"];
  Json mistakes = Json::array();
  for (const auto& [line, fault] : file.mistakes)
    if (mistakes.size() < kMistakesShown) mistakes.push_back({{"line", line}, {"fault", fault}});

  const bool is_dry = asked["dry_run"] == true || (!file.mistakes.empty() && !skips);
  const Json question = {
      {"terms", std::move(file.terms)}, {"skip_bad", skips}, {"dry_run", is_dry}};
  Json answer = plain(app.ask(request, "load_vocabulary", question));
  for (const Json& mistake : answer["mistakes"]) {
    if (mistakes.size() == kMistakesShown) break;
    mistakes.push_back({{"line", file.lines[mistake["term"].get<std::size_t>()]},
                        {"id", mistake["id"]},
                        {"fault", mistake["fault"]}});
  }

  const std::uint64_t mistaken = file.mistakes.size() + answer["mistaken"].get<std::uint64_t>();
  answer.erase("file");
  answer["mistakes"] = std::move(mistakes);
  answer["mistaken"] = mistaken;
  if (mistaken == 0 || skips || asked["dry_run"] == true) return json_answer(answer);

  Json problem = Problem(400, "vocabulary-refused",
                         "the vocabulary has " + std::to_string(mistaken) +
                             " mistakes, and nothing has changed; with skip_bad, what is wrong is "
                             "left out")
                     .json(request.path, request.id);
  problem["mistakes"] = answer["mistakes"];
  return {400, "application/problem+json", to_text(problem)};
}

Response remove_vocabulary(App& app, const Request& request, const Json&) {
  app.ask(request, "remove_vocabulary", Json::object());
  return {204};
}

}  // namespace search_server
