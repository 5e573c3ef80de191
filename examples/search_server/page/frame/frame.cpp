#include "page/frame/frame.h"

#include <array>

#include "page/frame/assets.h"
#include "page/html/parts.h"
#include "page/html/search_state.h"

namespace search_server {
namespace {

struct Place {
  Path path;
  const char* name;
};

constexpr std::array<Place, 6> kPlaces = {Place{"/", "Search"},  {"/try", "Try"},
                                          {"/explore", "Map"},   {"/review", "Review"},
                                          {"/copies", "Copies"}, {"/about", "Status"}};

Html navigation(const PageContext& context) {
  Html links;
  for (const Place& place : kPlaces) {
    const bool here = context.path == place.path.text() ||
                      (context.path == "/document" && place.path.text() == "/") ||
                      (context.path == "/label" && place.path.text() == "/review");
    links += el("li", {},
                {el("a",
                    {link(Address(place.path)),
                     {"aria-current", here ? std::optional<std::string>("page") : std::nullopt}},
                    {place.name})});
  }
  return el("nav", {{"aria-label", "Views"}}, {el("ul", {}, {links})});
}

/// The field for words. Filters of the search page stay while its words change.
Html search_form(const PageContext& context) {
  Html kept;
  const SearchState state(context.query);
  const bool searching = context.path == "/";
  if (searching) {
    for (const auto& [name, value] : state.filters()) kept += hidden(name, value);
    for (const char* name : {"sort", "fold", "limit"})
      if (const std::string value = state.value(name); !value.empty()) kept += hidden(name, value);
  }
  return el("form", {{"role", "search"}, {"id", "search"}, action(Address("/"))},
            {el("label", {{"class", "unseen"}, {"for", "q"}}, {"Search"}),
             el("input", {{"type", "search"},
                          {"id", "q"},
                          {"name", "q"},
                          {"value", searching ? state.value("q") : ""},
                          {"placeholder", "Words, \"a phrase\", -without"},
                          {"autocomplete", "off"},
                          {"spellcheck", "false"},
                          {"maxlength", "4096"}}),
             el("span", {{"id", "kept"}}, {kept}), el("button", {}, {"Search"})});
}

Html session_part(const PageContext& context) {
  if (context.has_session)
    return el("form",
              {{"method", "post"},
               {"class", "session"},
               {"data-whole", true},
               action(Address("/session/end"))},
              {back_field(context), el("button", {{"class", "quiet"}}, {"Sign out"})});
  if (context.may_write) return {};
  return el("a",
            {{"class", "session"},
             {"data-whole", true},
             link(Address("/session").with("next", context.target))},
            {"Sign in to edit"});
}

Html header(const PageContext& context) {
  return el("header", {},
            {el("div", {{"class", "top"}},
                {el("a", {{"class", "brand"}, link(Address("/"))},
                    {isolated(context.collection.empty() ? "Kindred" : context.collection)}),
                 navigation(context), session_part(context)}),
             search_form(context)});
}

Html footer(const View& view) {
  Html links;
  if (view.json)
    links +=
        el("a", {{"data-whole", true}, {"id", "json"}, link(*view.json)}, {"JSON of this page"});
  links +=
      el("a", {{"data-whole", true}, link(Address("/openapi.json"))}, {"Description of the API"});
  links += el("button",
              {{"type", "button"},
               {"class", "quiet script-only"},
               {"id", "letters"},
               {"aria-pressed", "true"}},
              {"Letter keys"});
  return el("footer", {},
            {links, el("span", {{"class", "soft script-only"}},
                       {el("kbd", {}, {"/"}), " search ", el("kbd", {}, {"j"}), " ",
                        el("kbd", {}, {"k"}), " next, previous ", el("kbd", {}, {"a"}), " accept ",
                        el("kbd", {}, {"r"}), " remove ", el("kbd", {}, {"Enter"}), " open"})});
}

Html main_part(const View& view, const PageContext& context) {
  Html notice;
  if (!context.notice.empty())
    notice = el("p", {{"class", "notice"}, {"role", "status"}}, {context.notice});
  return el("main",
            {{"id", "main"},
             {"tabindex", "-1"},
             {"data-title", view.title},
             {"data-said", context.notice.empty() ? view.said : context.notice},
             {"data-json", view.json ? view.json->text() : ""}},
            {notice, view.main});
}

}  // namespace

std::string framed(const View& view, const PageContext& context) {
  const Html main = main_part(view, context);
  if (context.fragment) return main.markup();
  const auto& assets = all_assets();
  const std::string name = context.collection.empty() ? "Kindred" : context.collection;
  Html head = el("title", {}, {view.title, " \u2013 ", name});
  head += el("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  head += el("meta", {{"name", "referrer"}, {"content", "same-origin"}});
  const Html body =
      el("body", {},
         {el("a", {{"class", "skip"}, place_on_page("main")}, {"Skip to the content"}),
          header(context), main, footer(view),
          el("div", {{"id", "said"}, {"class", "unseen"}, {"aria-live", "polite"}}),
          el("div", {{"id", "trouble"}, {"role", "alert"}, {"hidden", true}})});
  return document_of(Address(assets[kStyleAsset].path), Address(assets[kScriptAsset].path),
                     Address(assets[kIconAsset].path), head, body)
      .markup();
}

}  // namespace search_server
