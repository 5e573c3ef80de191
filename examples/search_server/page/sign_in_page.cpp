#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/pages.h"

namespace search_server {

std::string render_sign_in(bool refused, const PageContext& context) {
  View view;
  view.title = "Sign in";
  view.main += el("h1", {}, {"Sign in to edit"});
  if (refused)
    view.main += el("p", {{"class", "notice bad"}, {"role", "alert"}},
                    {"That is not the token of this server."});
  view.main +=
      el("p", {{"class", "lead"}},
         {"Whoever has the token of this server may change tags. It is in the file that the "
          "server's settings name."});
  const std::string next = context.parameter("next");
  view.main += el(
      "form",
      {{"method", "post"}, {"class", "sign-in"}, {"data-whole", true}, action(Address("/session"))},
      {hidden("next", next.empty() ? "/" : next), el("label", {{"for", "token"}}, {"Token"}),
       el("input", {{"type", "password"},
                    {"id", "token"},
                    {"name", "token"},
                    {"required", true},
                    {"autocomplete", "current-password"}}),
       el("button", {{"class", "main-button"}}, {"Sign in"})});
  return framed(view, context);
}

}  // namespace search_server
