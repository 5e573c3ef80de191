#include "page/frame.h"
#include "page/pages.h"
#include "page/parts.h"
#include "page/tag_chips.h"

namespace search_server {
namespace {

constexpr const char* kThresholds[] = {"0.8", "0.9", "0.95", "0.99"};

Html threshold_links(const std::string& chosen) {
  Html links;
  for (const char* threshold : kThresholds)
    links += el(
        "a",
        {{"class", "button"},
         {"aria-current", chosen == threshold ? std::optional<std::string>("true") : std::nullopt},
         link(Address("/copies").with("threshold", threshold))},
        {"from ", percent(std::stod(threshold))});
  return el("nav", {{"class", "row"}, {"aria-label", "Least similarity"}}, {links});
}

Html group_item(const Json& group) {
  Html documents;
  for (const Json& document : list_of(group, "documents")) {
    const Html labels = label_chips(list_of(document, "labels"));
    const std::string id = text_of(document, "id");
    documents +=
        el("li", {},
           {title_link(document),
            id == title_of(document) ? Html() : el("span", {{"class", "id"}}, {isolated(id)}),
            el("span", {{"class", "chips"}}, {labels})});
  }
  const double least = number_of(group, "least_similarity"),
               greatest = number_of(group, "greatest_similarity");
  return el("li", {},
            {el("article", {{"class", "group"}, {"tabindex", "-1"}},
                {el("h2", {},
                    {counted(list_of(group, "documents").size(), "document", "documents"),
                     el("span", {{"class", "soft"}},
                        {" ", percent(least), least == greatest ? "" : " to " + percent(greatest),
                         " alike"})}),
                 el("ol", {{"class", "plain-list"}}, {documents})})});
}

}  // namespace

std::string render_copies(const Json& answer, const PageContext& context) {
  const Json& groups = list_of(answer, "groups");
  Html list;
  for (const Json& group : groups) list += group_item(group);
  std::string threshold = context.parameter("threshold");
  if (threshold.empty()) threshold = "0.95";
  View view;
  view.title = "Copies";
  view.said = counted(count_of(answer, "found"), "group", "groups");
  view.json = Address("/duplicates").with("threshold", threshold);
  view.main += el("h1", {}, {"Near-copies"});
  view.main += el("p", {{"class", "lead"}},
                  {counted(count_of(answer, "grouped"), "document", "documents"), " in ",
                   counted(count_of(answer, "found"), "group", "groups"), ", of ",
                   counted(count_of(answer, "examined")), ". The largest groups come first."});
  view.main += threshold_links(threshold);
  view.main += groups.empty()
                   ? empty_box("No near-copies.", {"No two documents are this much alike."})
                   : el("ol", {{"class", "groups"}, {"data-items", true}}, {list});
  return framed(view, context);
}

}  // namespace search_server
