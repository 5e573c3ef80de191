#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/lists/reasons.h"
#include "page/lists/related_list.h"
#include "page/pages.h"

namespace search_server {
namespace {

/// Texts up to this length travel in the address, so that the state has one.
constexpr const char* kAddressLength = "1500";

Html trial_form(const Trial& trial) {
  return el(
      "form",
      {{"method", "post"},
       {"id", "trial"},
       {"class", "trial"},
       {"data-drop", true},
       {"data-address", kAddressLength},
       action(Address("/try"))},
      {el("label", {{"for", "text"}},
          {"A text", el("span", {{"class", "script-only"}}, {": paste it, or drop a file here"})}),
       el("textarea",
          {{"id", "text"},
           {"name", "text"},
           {"rows", trial.text.empty() ? "10" : "5"},
           {"required", true},
           {"dir", "auto"},
           {"maxlength", "1000000"}},
          {"\n", trial.text}),
       el("div", {{"class", "row"}},
          {el("button", {{"class", "main-button"}}, {"Show its tags"}),
           el("label", {{"class", "button script-only"}, {"for", "file"}}, {"Open a file\u2026"}),
           el("input", {{"type", "file"},
                        {"id", "file"},
                        {"class", "unseen script-only"},
                        {"accept", ".txt,.md,.html,.csv,.json,.eml,text/*"}}),
           el("span", {{"class", "soft"}}, {"Nothing is stored."})})});
}

}  // namespace

std::string render_try(const Trial& trial, const PageContext& context) {
  View view;
  view.title = "Try a text";
  view.main += el("h1", {}, {view.title});
  view.main += trial_form(trial);
  if (trial.reasons.is_object()) {
    const std::size_t tags = list_of(trial.reasons, "tags").size();
    view.said = counted(tags, "tag", "tags");
    view.main +=
        el("div", {{"class", "document"}},
           {el("section", {{"class", "document-main"}},
               {el("h2", {}, {tags == 0 ? "No tags" : "Its tags, and why"}),
                reasons_list(trial.reasons)}),
            el("aside", {{"class", "document-side"}, {"aria-labelledby", "related-head"}},
               {el("h2", {{"id", "related-head"}}, {"Related"}), related_list(trial.related)})});
  } else {
    view.main +=
        empty_box("What you get", {"The tags that the text deserves, by what people tagged.",
                                   "The documents and words that speak for each tag.",
                                   "Tags that just missed, and related documents."});
  }
  return framed(view, context);
}

}  // namespace search_server
