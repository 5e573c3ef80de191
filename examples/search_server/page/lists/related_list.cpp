#include "page/lists/related_list.h"

#include "page/html/parts.h"

namespace search_server {
namespace {

Html related_item(const Json& document) {
  const double similarity = number_of(document, "similarity");
  const Json& terms = list_of(document, "terms");
  Html why;
  if (!terms.empty())
    why = el("details", {},
             {el("summary", {}, {words_line(terms)}), term_list(terms, "Words that both share")});
  Html folded;
  if (const std::size_t copies = list_of(document, "folded").size(); copies > 0)
    folded = el("p", {{"class", "soft"}},
                {"and ", counted(copies, "near-copy", "near-copies"), " of it"});
  return el("li", {{"class", "related-item"}},
            {el("div", {{"class", "related-head"}},
                {title_link(document), el("span", {{"class", "figure"}, {"title", "similarity"}},
                                          {unseen("Similarity "), percent(similarity)})}),
             bar(similarity, "thin"), why, tags_line(list_of(document, "labels")), folded});
}

}  // namespace

Html related_list(const Json& answer) {
  const Json& documents = list_of(answer, "documents");
  if (documents.empty())
    return empty_box("Nothing is like it.", {"It shares no telling words with other documents."});
  Html list;
  for (const Json& document : documents) list += related_item(document);
  return el("ol", {{"class", "related"}}, {list});
}

}  // namespace search_server
