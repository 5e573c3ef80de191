#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/lists/reasons.h"
#include "page/lists/related_list.h"
#include "page/lists/tag_chips.h"
#include "page/pages.h"

namespace search_server {
namespace {

constexpr std::size_t kShownText = 2400;  // bytes

/// Where a text of UTF-8 can be cut, near `place`: after a space if there is one.
std::size_t cut_near(std::string_view text, std::size_t place) {
  const std::size_t space = text.rfind(' ', place);
  if (space != std::string_view::npos && place - space < 80) return space;
  while (place > 0 && (static_cast<unsigned char>(text[place]) & 0xc0) == 0x80) --place;
  return place;
}

Html text_part(const std::string& text) {
  if (text.empty())
    return el("p", {{"class", "soft"}}, {"The index keeps no text of this document."});
  if (text.size() <= kShownText) return el("div", {{"class", "text"}, {"dir", "auto"}}, {text});
  const std::size_t cut = cut_near(text, kShownText);
  const std::string_view all = text;
  return el("div", {{"class", "text"}, {"dir", "auto"}},
            {all.substr(0, cut),
             el("details", {}, {el("summary", {}, {"The rest of the text"}), all.substr(cut)})});
}

Html entry(std::string_view name, const Html& value) {
  return el("div", {}, {el("dt", {}, {name}), el("dd", {}, {value})});
}

Html facts(const Json& document) {
  Html list = entry("Id", el("span", {{"class", "id"}}, {isolated(text_of(document, "id"))}));
  if (const Html topic = topic_chip(part_of(document, "topic")); !topic.empty())
    list += entry("Topic", topic);
  if (const std::string language = text_of(document, "language"); !language.empty())
    list += entry("Language", el("a", {link(Address("/").with("language", language))}, {language}));
  for (const char* more : {"values", "fields"}) {
    const Json& members = part_of(document, more);
    if (!members.is_object()) continue;
    for (const auto& [name, value] : members.items())
      list += entry(name, isolated(text_of(members, name)));
  }
  return el("dl", {{"class", "entries"}}, {list});
}

Html reasons_part(const Json& reasons, bool tagged_by_people) {
  if (!reasons.is_object()) return {};
  return el("section", {{"id", "reasons"}},
            {el("h2", {}, {tagged_by_people ? "What Kindred would say" : "Why these tags"}),
             reasons_list(reasons)});
}

}  // namespace

std::string render_document(const Json& document, const Json& related, const Json& reasons,
                            const PageContext& context) {
  const std::string id = text_of(document, "id");
  View view;
  view.title = title_of(document);
  view.said = view.title;
  view.json = Address("/documents").below(id);
  const Html tags = el("section", {{"class", "document-tags"}, {"data-item", id}},
                       {el("h2", {{"class", "unseen"}}, {"Tags"}), tag_chips(document, context),
                        add_tag_form(document, reasons, context)});
  const Html left = el("div", {{"class", "document-main"}},
                       {tags, facts(document), text_part(text_of(document, "text")),
                        reasons_part(reasons, !list_of(document, "labels").empty())});
  const Html right = el(
      "aside", {{"class", "document-side"}, {"id", "related"}, {"aria-labelledby", "related-head"}},
      {el("h2", {{"id", "related-head"}}, {"Related"}), related_list(related)});
  view.main += el("h1", {{"dir", "auto"}}, {view.title});
  view.main += el("div", {{"class", "document"}}, {left, right});
  return framed(view, context);
}

}  // namespace search_server
