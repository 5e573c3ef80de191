#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/pages.h"

namespace search_server {
namespace {

constexpr std::size_t kShownFirst = 5;  // of a group
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

Html member_item(const Json& document) {
  const std::string id = text_of(document, "id");
  return el("li", {},
            {title_link(document),
             id == title_of(document) ? Html() : el("span", {{"class", "id"}}, {isolated(id)}),
             tags_line(list_of(document, "labels"))});
}

Html group_item(const Json& group) {
  const Json& documents = list_of(group, "documents");
  Html first, more;
  for (std::size_t i = 0; i < documents.size(); ++i)
    (i < kShownFirst ? first : more) += member_item(documents[i]);
  const double least = number_of(group, "least_similarity");
  const double greatest = number_of(group, "greatest_similarity");
  Html rest;
  if (!more.empty())
    rest = el("details", {},
              {el("summary", {}, {counted(documents.size() - kShownFirst), " more"}),
               el("ol", {{"class", "plain-list"}}, {more})});
  return el("li", {},
            {el("article", {{"class", "group"}, {"tabindex", "-1"}},
                {el("h2", {},
                    {counted(documents.size(), "document", "documents"),
                     el("span", {{"class", "soft"}},
                        {" ", percent(least), least == greatest ? "" : " to " + percent(greatest),
                         " alike"})}),
                 el("ol", {{"class", "plain-list"}}, {first}), rest})});
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
