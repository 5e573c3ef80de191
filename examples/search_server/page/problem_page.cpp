#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/pages.h"

namespace search_server {
namespace {

/// What the reader can do about it.
Html help_for(std::uint64_t status, const PageContext& context) {
  const Html start = el("a", {link(Address("/"))}, {"Search all documents"});
  switch (status) {
    case 400:
      return empty_box("What helps", {"Change the search, or take filters away.", start});
    case 401:
    case 403:
      return empty_box("What helps",
                       {el("a", {{"data-whole", true}, link(Address("/session").with("next", "/"))},
                           {"Sign in with the token of this server"}),
                        start});
    case 404:
      return empty_box("What helps", {"It may have been deleted since.", start});
    case 503:
      return empty_box("What helps", {"Try again in some seconds: the server is starting, or has "
                                      "more to do than it can.",
                                      start});
    default:
      return empty_box(
          "What helps",
          {"If it stays so, give this to whoever runs the server: " + context.path, start});
  }
}

}  // namespace

std::string render_problem(const Json& problem, const PageContext& context) {
  View view;
  const std::uint64_t status = count_of(problem, "status");
  view.title = text_of(problem, "title");
  view.said = text_of(problem, "detail");
  view.main += el("h1", {}, {view.title});
  view.main += el("p", {{"class", "lead"}, {"dir", "auto"}}, {text_of(problem, "detail")});
  view.main += help_for(status, context);
  view.main += el("p", {{"class", "soft"}},
                  {"Status ", std::to_string(status), ", ", text_of(problem, "type"), ", request ",
                   isolated(text_of(problem, "request_id"))});
  return framed(view, context);
}

}  // namespace search_server
