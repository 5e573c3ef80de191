#include <algorithm>

#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/lists/tag_chips.h"
#include "page/lists/tag_form.h"
#include "page/pages.h"

namespace search_server {
namespace {

constexpr std::size_t kNeighbors = 4;  // that are shown

Html decision(const Json& suspect, const std::string& doubted, const std::string& proposed,
              const PageContext& context) {
  if (!context.may_write) return {};
  return el(
      "form", {{"method", "post"}, action(Address("/document/tags")), {"class", "row decide"}},
      {tag_form_fields(suspect, context), hidden("replace", doubted),
       el("button", {{"class", "accept main-button"}, {"name", "change"}, {"value", proposed}},
          {"Change to ", isolated(proposed)}),
       el("button", {{"name", "add"}, {"value", proposed}}, {"Add it too"}),
       el("button", {{"class", "remove"}, {"name", "remove"}, {"value", doubted}},
          {"Remove ", isolated(doubted)}),
       el("button",
          {{"class", "quiet"}, {"name", "remove"}, {"value", proposed}, {"data-keep", true}},
          {"Keep as it is"})});
}

/// What people said against what similar documents say.
Html proposal(const Json& suspect, const PageContext& context) {
  const Json &weakest = part_of(suspect, "weakest"), &strongest = part_of(suspect, "strongest");
  const std::string doubted = text_of(weakest, "label"), proposed = text_of(strongest, "label");
  return el("div", {{"class", "versus"}},
            {el("p", {},
                {el("span", {{"class", "soft"}}, {"People said "}), label_chip(doubted),
                 el("span", {{"class", "figure"}}, {percent(number_of(weakest, "confidence"))})}),
             el("p", {},
                {el("span", {{"class", "soft"}}, {"similar documents say "}),
                 predicted_chip(proposed, number_of(strongest, "confidence"))}),
             decision(suspect, doubted, proposed, context)});
}

Html neighbor_list(const Json& neighbors) {
  Html list;
  for (std::size_t i = 0; i < std::min(neighbors.size(), kNeighbors); ++i) {
    const Json& neighbor = neighbors[i];
    list += el("li", {},
               {title_link(neighbor), bar(number_of(neighbor, "similarity"), "thin"),
                el("span", {{"class", "figure"}}, {percent(number_of(neighbor, "similarity"))}),
                tags_line(list_of(neighbor, "labels"))});
  }
  return el("div", {{"class", "voters"}},
            {el("span", {{"class", "soft"}}, {"Most similar documents"}), el("ol", {}, {list})});
}

Html suspect_item(const Json& suspect, const PageContext& context) {
  Html others;
  for (const Json& label : list_of(suspect, "labels"))
    if (label.is_string() && label != part_of(part_of(suspect, "weakest"), "label"))
      others += label_chip(label.get<std::string>());
  return el(
      "li", {},
      {el("article", {{"class", "item"}, {"tabindex", "-1"}, {"data-item", text_of(suspect, "id")}},
          {el("div", {{"class", "item-text"}},
              {el("h2", {}, {title_link(suspect)}), proposal(suspect, context),
               others.empty() ? Html()
                              : el("p", {{"class", "chips"}},
                                   {el("span", {{"class", "soft"}}, {"Also "}), others})}),
           el("div", {{"class", "item-tags"}}, {neighbor_list(list_of(suspect, "neighbors"))})})});
}

}  // namespace

std::string render_review(const Json& answer, const PageContext& context) {
  const Json& suspects = list_of(answer, "suspects");
  Html list;
  for (const Json& suspect : suspects) list += suspect_item(suspect, context);
  View view;
  view.title = "Review";
  view.said = counted(count_of(answer, "found"), "suspect", "suspects");
  view.json = Address("/suspects");
  view.main += el("h1", {}, {"Tags to look at again"});
  view.main += el("p", {{"class", "lead"}},
                  {counted(suspects.size()), " of ", counted(count_of(answer, "found")),
                   " documents whose tags differ from those of similar ones, the worst first; ",
                   counted(count_of(answer, "examined")), " were looked at. ",
                   el("a", {link(Address("/label"))}, {"Or find documents for a tag."})});
  view.main += suspects.empty()
                   ? empty_box("Nothing is doubtful.",
                               {"Each tag of people agrees with the tags of similar documents.",
                                el("a", {link(Address("/label"))}, {"Find documents for a tag"})})
                   : el("ol", {{"class", "items work"}, {"data-items", true}}, {list});
  return framed(view, context);
}

}  // namespace search_server
