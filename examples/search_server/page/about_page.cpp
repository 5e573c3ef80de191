#include "page/frame/frame.h"
#include "page/html/parts.h"
#include "page/pages.h"

namespace search_server {
namespace {

Html tile(std::string_view name, const std::string& value, std::string_view kind = "") {
  return el("div", {{"class", kind}}, {el("dt", {}, {name}), el("dd", {}, {value})});
}

std::string bytes(double count) {
  for (const char* unit : {"B", "KiB", "MiB"}) {
    if (count < 1024) return decimal(count) + "\u2009" + unit;
    count /= 1024;
  }
  return decimal(count) + "\u2009GiB";
}

Html snapshot_tiles(const Json& status) {
  const Json &snapshot = part_of(status, "snapshot"), &lag = part_of(status, "lag");
  const auto count = [&](const char* member) { return counted(count_of(snapshot, member)); };
  const std::uint64_t behind = count_of(lag, "revisions");
  Html tiles = tile("Documents", counted(count_of(part_of(status, "index"), "documents")));
  tiles += tile("Tagged by people", count("labeled"));
  tiles += tile("Tagged by Kindred", count("tagged"));
  tiles += tile("Different tags", count("labels"));
  tiles += tile("To be tagged", count("pending"));
  tiles += tile("Tags taken off", count("rejected"));
  tiles += tile("Answers are",
                behind == 0 ? "current" : counted(behind, "revision", "revisions") + " behind",
                behind == 0 ? "good" : "warn");
  tiles += tile("Tuned", part_of(snapshot, "tuned") == true ? "yes" : "no");
  return el("dl", {{"class", "tiles"}}, {tiles});
}

Html row(std::string_view name, const std::string& value) {
  return el("tr", {}, {el("th", {{"scope", "row"}}, {name}), el("td", {}, {value})});
}

Html details(const Json& status) {
  const Json &index = part_of(status, "index"), &snapshot = part_of(status, "snapshot"),
             &plugin = part_of(status, "plugin");
  Html rows = row("Index", text_of(index, "uuid") + ", revision " + text_of(index, "revision"));
  rows += row("Profile", text_of(index, "profile"));
  if (const Json& writable = part_of(index, "writable"); writable.is_boolean())
    rows += row("Writing", writable == true ? "allowed" : "not allowed");
  rows += row("Terms", counted(count_of(snapshot, "terms")) + ", " +
                           counted(count_of(snapshot, "nonzeros")) + " in documents");
  rows += row("Memory of the plugin", bytes(number_of(snapshot, "bytes")));
  if (number_of(snapshot, "device_bytes") > 0)
    rows += row("Memory of its device", bytes(number_of(snapshot, "device_bytes")));
  rows +=
      row("Plugin",
          text_of(plugin, "version") + " on " + text_of(plugin, "backend") +
              (text_of(plugin, "device").empty() ? "" : " (" + text_of(plugin, "device") + ")"));
  rows += row("Swapped since the start", counted(count_of(plugin, "swaps"), "time", "times"));
  return el("table", {{"class", "details"}}, {el("tbody", {}, {rows})});
}

/// A time as RFC 3339 has it, without its fractions.
Html moment(const std::string& time) {
  if (time.size() < 19) return time;
  return el("time", {{"datetime", time}}, {time.substr(0, 10), " ", time.substr(11, 8), " UTC"});
}

Html job_row(const Json& job, const PageContext& context) {
  const Json& progress = part_of(job, "progress");
  const double of = number_of(progress, "of");
  const std::string state = text_of(job, "state");
  const bool open = state == "running" || state == "queued";
  Html work;
  if (open)
    work =
        el("progress",
           {{"max", decimal(of > 0 ? of : 1)},
            {"value", of > 0 ? std::optional(decimal(number_of(progress, "done"))) : std::nullopt},
            {"aria-label", text_of(job, "kind")}});
  const std::string doing =
      state == "failed" ? text_of(part_of(job, "error"), "detail") : text_of(progress, "doing");
  Html done;
  if (open && of > 0)
    done =
        el("span", {{"class", "figure"}},
           {counted(count_of(progress, "done")), " of ", counted(count_of(progress, "of")), " "});
  Html cancel;
  if (open && context.may_write)
    cancel =
        el("form", {{"method", "post"}, action(Address("/about/jobs"))},
           {hidden("cancel", text_of(job, "id")), el("button", {{"class", "quiet"}}, {"Cancel"})});
  return el("tr", {{"data-open", open}},
            {el("th", {{"scope", "row"}}, {text_of(job, "kind")}), el("td", {}, {state}),
             el("td", {}, {work, done, isolated(doing)}),
             el("td", {}, {moment(text_of(job, "started"))}), el("td", {}, {cancel})});
}

Html start_form(const char* kind, const char* text, const char* help) {
  return el(
      "form", {{"method", "post"}, {"class", "start"}, action(Address("/about/jobs"))},
      {hidden("start", kind), el("button", {}, {text}), el("span", {{"class", "soft"}}, {help})});
}

Html jobs_part(const Json& jobs, const PageContext& context) {
  const Json& list = list_of(jobs, "jobs");
  Html rows;
  for (const Json& job : list) rows += job_row(job, context);
  Html part = el("h2", {}, {"Long work"});
  if (context.may_write) {
    part += start_form("tune", "Tune", "finds the way to tag that suits this index best");
    part += start_form("train", "Make the map", "finds the topics of all documents");
    part += start_form("tag", "Tag all",
                       "gives predicted tags to documents that people have not tagged");
  }
  if (!list.empty())
    part +=
        el("div",
           {{"class", "box"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Long work"}},
           {el("table", {{"class", "details"}, {"data-poll", true}},
               {el("thead", {},
                   {el("tr", {},
                       {el("th", {{"scope", "col"}}, {"Work"}),
                        el("th", {{"scope", "col"}}, {"State"}),
                        el("th", {{"scope", "col"}}, {"Progress"}),
                        el("th", {{"scope", "col"}}, {"Started"}), el("td", {}, {})})}),
                el("tbody", {}, {rows})})});
  return el("section", {}, {part});
}

}  // namespace

std::string render_about(const Json& status, const Json& jobs, const PageContext& context) {
  View view;
  view.title = "Status";
  view.said = "Status";
  view.json = Address("/status");
  view.main += el("h1", {}, {"Status"});
  view.main += snapshot_tiles(status);
  view.main += jobs_part(jobs, context);
  view.main += el("h2", {}, {"Index and plugin"});
  view.main += el(
      "div",
      {{"class", "box"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", "Index and plugin"}},
      {details(status)});
  return framed(view, context);
}

}  // namespace search_server
