// What should people look at?

#include "api/app.h"

namespace search_server {
namespace {

constexpr std::size_t kMostListed = 1000;  ///< documents of a list
constexpr std::size_t kNear = 50;          ///< of one that is there at once
constexpr std::size_t kFirst = 300;        ///< that are reviewed at once
constexpr std::size_t kGrowth = 4;         ///< then as many times the documents before

/// The same question for names in the languages of a request, if labels have names. Lists in
/// several languages are made one by one.
Json in_languages(App& app, const Request& request, Json question) {
  const std::vector<std::string> languages = request.languages();
  if (languages.empty()) return question;
  const Json vocabulary = plain(app.ask(request, "vocabulary", {{"limit", 1}}));
  if (vocabulary["all"] != 0) question["names_in"] = languages;
  return question;
}

/// A list that a job makes by the question of its name. `first`: what is there at once.
Json listed(App& app, const std::string& kind, const Json& question,
            const std::function<Json()>& first) {
  const auto work = [&app, kind, question](const Step& step, const auto&) {
    return plain(app.plugin()->ask_text(kind, question, step));
  };
  return app.jobs.list(kind, question.dump(), app.refreshes(), work, first);
}

/// Suspects among more and more documents, until all are looked at. The library goes on where the
/// question before ended; where it cannot keep what it found (of a filter), it begins anew, so that
/// all together take a third more time.
Json growing_suspects(App& app, Json question, const Step& step,
                      const std::function<void(Json)>& publish) {
  const auto ask = [&](std::uint64_t documents, const Step& on_step) {
    question["documents"] = documents;
    return plain(app.plugin()->ask_text("suspects", question, on_step));
  };
  question["limit"] = 1;
  const std::uint64_t all = ask(1, step).value("labeled", std::uint64_t{0});
  const Step of_all = [&](const std::string& doing, std::uint64_t done, std::uint64_t) {
    return step(doing, done, all);
  };

  question["limit"] = kMostListed;
  for (std::uint64_t some = kFirst * kGrowth; some < all; some *= kGrowth) {
    Json answer = ask(some, of_all);
    if (answer["examined"] == all) return answer;
    publish(std::move(answer));
  }
  return ask(0, of_all);
}

/// The candidates among the documents that are most like those with the label, which is quick.
Json near_candidates(App& app, const Request& request, const std::string& label, Json question) {
  std::string value;
  for (const char c : label) value += c == '"' ? "\"\"" : std::string(1, c);
  const std::string filter = question["filter"], has = ":\"" + value + "\"";
  std::string lacking = (filter.empty() ? "" : "(" + filter + ") AND ") + "NOT label" + has;
  if (question["predicted"] == false) lacking += " AND NOT predicted" + has;
  const Json like = {{"like_query", "label" + has}, {"filter", lacking}, {"limit", kNear}};
  try {
    question["filter"] = filter_of(plain(app.ask(request, "related", like))["results"]);
    if (question["filter"] == "")
      return {{"examined", 0}, {"found", 0}, {"candidates", Json::array()}};
  } catch (const PluginError& e) {
    // No document has the label. The question of candidates says so, and names those like it.
    if (e.code() != KINDRED_NOT_FOUND) throw;
  }
  return plain(app.ask(request, "candidates", question));
}

}  // namespace

Response answer_candidates(App& app, const Request& request, const Json& asked) {
  const std::string label = request.capture;
  Json question = {
      {"label", written_name(label)}, {"limit", kMostListed}, {"titles", asked["explain"]}};
  for (const char* key : {"filter", "min_confidence", "predicted", "explain"})
    question[key] = asked[key];
  question = in_languages(app, request, std::move(question));
  Json answer = listed(app, "candidates", question, [&] {
    return near_candidates(app, request, label, question);
  });
  answer["label"] = label;
  take_page(asked, answer, "candidates");
  return checked_answer(to_text(answer));
}

Response answer_suspects(App& app, const Request& request, const Json& asked) {
  const Json question = in_languages(app, request, {{"query", asked["filter"]}});
  const auto work = [&app, question](const Step& step, const std::function<void(Json)>& publish) {
    return growing_suspects(app, question, step, publish);
  };
  Json answer = app.jobs.list("suspects", question.dump(), app.refreshes(), work, [&] {
    const Json first = {{"query", asked["filter"]}, {"documents", kFirst}};
    return plain(app.ask(request, "suspects", first));
  });
  for (const char* list : {"missing", "wrong"}) {
    if (asked["by_document"] == true) join_documents(answer[list], "suspects");
    take_page(asked, answer[list], "suspects");
  }
  return checked_answer(to_text(answer));
}

Response answer_duplicates(App& app, const Request& request, const Json& asked) {
  Json question = {{"limit", kMostListed}};
  for (const char* key : {"filter", "min_similarity"}) question[key] = asked[key];
  question = in_languages(app, request, std::move(question));
  Json answer = listed(app, "duplicates", question, [] {
    return Json{{"groups", Json::array()}, {"examined", 0}, {"found", 0}, {"grouped", 0}};
  });
  take_page(asked, answer, "groups");
  return checked_answer(to_text(answer));
}

}  // namespace search_server
