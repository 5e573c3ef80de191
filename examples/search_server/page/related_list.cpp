#include "page/related_list.h"

#include "page/parts.h"
#include "page/tag_chips.h"

namespace search_server {
namespace {

constexpr std::size_t kWordsInLine = 5;

Html words_in_line(const Json& terms) {
  Html line;
  for (std::size_t i = 0; i < terms.size() && i < kWordsInLine; ++i) {
    const std::string word = text_of(terms[i], "word");
    if (i > 0) line += " \u00b7 ";
    line += isolated(word.empty() ? text_of(terms[i], "term") : word);
  }
  return line;
}

Html related_item(const Json& document) {
  const double similarity = number_of(document, "similarity");
  Html labels;
  for (const Json& label : list_of(document, "labels"))
    if (label.is_string()) labels += label_chip(label.get<std::string>());
  const Json& terms = list_of(document, "terms");
  Html why;
  if (!terms.empty())
    why =
        el("details", {},
           {el("summary", {}, {words_in_line(terms)}), term_list(terms, "Words that both share")});
  Html folded;
  if (const std::size_t copies = list_of(document, "folded").size(); copies > 0)
    folded = el("p", {{"class", "soft"}},
                {"and ", counted(copies, "near-copy", "near-copies"), " of it"});
  return el("li", {{"class", "related-item"}},
            {el("div", {{"class", "related-head"}},
                {title_link(document), el("span", {{"class", "figure"}, {"title", "similarity"}},
                                          {unseen("Similarity "), percent(similarity)})}),
             bar(similarity, "thin"), why,
             labels.empty() ? Html() : el("p", {{"class", "chips"}}, {labels}), folded});
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
