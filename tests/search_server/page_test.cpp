#include <algorithm>
#include <functional>
#include <set>

#include "http/encoding.h"
#include "http/problem.h"
#include "page/frame/assets.h"
#include "page/html/search_state.h"
#include "page/map/map_names.h"
#include "page/page_routes.h"
#include "page/pages.h"
#include "page_samples.h"
#include "tests/fixtures/catch.h"

using namespace search_server;

namespace {

constexpr const char* kHostile =
    "\"'><script>alert(1)</script><img src=x onerror=alert(1)> javascript:alert(1) &lt; \x01";

/// The elements of a page with their attributes. Fails for what is not well formed.
struct Element {
  std::string name;
  Parameters attributes;
};

std::vector<Element> elements_of(const std::string& html) {
  static const std::set<std::string> voids = {"br", "hr", "img", "input", "link", "meta", "wbr"};
  std::vector<Element> elements;
  std::vector<std::string> open;
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    if (html.compare(at, 2, "<!") == 0) continue;
    const bool ends = html[at + 1] == '/';
    std::size_t end = html.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789", at + 1 + ends);
    const std::string name = html.substr(at + 1 + ends, end - at - 1 - ends);
    REQUIRE_FALSE(name.empty());
    if (ends) {
      REQUIRE_FALSE(open.empty());
      REQUIRE(open.back() == name);
      open.pop_back();
      continue;
    }
    Element element{name, {}};
    while (html[end] == ' ') {
      const std::size_t stop = html.find_first_of("= >", end + 1);
      const std::string attribute = html.substr(end + 1, stop - end - 1);
      end = stop;
      std::string value;
      if (html[stop] == '=') {
        REQUIRE(html[stop + 1] == '"');
        end = html.find('"', stop + 2);
        value = html.substr(stop + 2, end - stop - 2);
        ++end;
      }
      element.attributes.emplace_back(attribute, value);
    }
    REQUIRE(html[end] == '>');
    if (!voids.contains(name)) open.push_back(name);
    elements.push_back(std::move(element));
  }
  CHECK(open.empty());
  return elements;
}

/// A server with answers that a test chooses, and its pages.
class Site {
 public:
  explicit Site(const std::function<Json(Json)>& change = [](Json answer) { return answer; }) {
    const auto answer = [&](const char* path, const Json& json) {
      router_.add("GET", path,
                  [json = change(json)](const Request&) { return json_response(json.dump()); });
    };
    answer("/search", samples::search_answer());
    answer("/documents/{id}", samples::document());
    answer("/documents/{id}/related", samples::related_answer());
    answer("/map", samples::map_answer());
    answer("/suspects", samples::suspects_answer());
    answer("/labels", samples::labels_answer());
    answer("/labels/{label}/candidates", samples::candidates_answer());
    answer("/duplicates", samples::duplicates_answer());
    answer("/status", samples::status_answer());
    answer("/jobs", samples::jobs_answer());
    post("/classify", change(samples::classify_answer()), false);
    post("/related", change(samples::related_answer()), false);
    post("/documents/{id}/tags", change(samples::document()), true);
    add_page_routes(router_, {"Songs"});
  }

  Response get(const std::string& target, bool may_write = true, bool fragment = false) {
    return ask("GET", target, "", may_write, fragment);
  }
  Response send(const std::string& target, const std::string& form, bool may_write = true) {
    return ask("POST", target, form, may_write, false);
  }

  std::vector<std::pair<std::string, Json>> posted;  ///< ids and changes of tags
  std::vector<std::string> marks;                    ///< that came with them in If-Match
  bool tags_have_changed = false;                    ///< they are refused

 private:
  class Body : public BodyReader {
   public:
    explicit Body(std::string text) : text_(std::move(text)) {}
    bool read(std::string& to) override {
      to += std::exchange(text_, "");
      return false;
    }

   private:
    std::string text_;
  };

  void post(const char* path, const Json& json, bool writes) {
    RouteOptions options;
    options.writes = writes;
    options.body_limit = 1 << 20;
    router_.add(
        "POST", path,
        [this, json](const Request& request) {
          std::string body;
          while (request.body().read(body)) {
          }
          if (const auto id = request.captures.find("id"); id != request.captures.end()) {
            if (tags_have_changed) throw Problem(412, "tags-changed", "read it again");
            posted.emplace_back(id->second, Json::parse(body));
            marks.push_back(request.header("if-match"));
          }
          return json_response(json.dump());
        },
        options);
  }

  Response ask(const std::string& method, const std::string& target, const std::string& form,
               bool may_write, bool fragment) {
    const std::size_t question = target.find('?');
    const Router::Match match = router_.match(method, target.substr(0, question));
    REQUIRE(match.route != nullptr);
    Request request;
    request.method = method;
    request.path = target.substr(0, question);
    request.target = target;
    if (question != std::string::npos)
      request.query = parse_parameters(target.substr(question + 1));
    request.may_write = may_write;
    request.headers["content-type"] = "application/x-www-form-urlencoded";
    if (fragment) request.headers["x-fragment"] = "main";
    Body body(form);
    request.set_body(&body);
    return match.route->handler(request);
  }

  Router router_;
};

std::string header_of(const Response& response, const std::string& name) {
  for (const auto& [its, value] : response.headers)
    if (its == name) return value;
  return "";
}

const std::vector<std::string> kPages = {
    "/",
    "/?q=guitar&label=music&predicted=wood&topic=3&value.year=1999&offset=20",
    "/document?id=d1",
    "/try",
    "/try?text=words",
    "/explore",
    "/explore?topic=3&q=guitar",
    "/review",
    "/label",
    "/label?label=music",
    "/copies",
    "/about",
    "/session?next=/about&failed=1"};

}  // namespace

TEST_CASE("Markup in titles, texts, labels, ids and words is shown as text on every page") {
  Site site([](const Json& answer) { return samples::with_texts(answer, kHostile); });
  for (const std::string& page : kPages) {
    const std::string hostile = percent_encode(kHostile);
    for (const std::string& target :
         {page, page + (page.find('?') == std::string::npos ? "?q=" : "&q=") + hostile +
                    "&id=" + hostile + "&label=" + hostile + "&next=" + hostile +
                    "&text=" + hostile + "&threshold=0.9"}) {
      INFO(target);
      const Response response = site.get(target);
      CHECK(response.status == 200);
      CHECK(response.body.find("<script>") == std::string::npos);
      CHECK(response.body.find('\x01') == std::string::npos);
      for (const Element& element : elements_of(response.body)) {
        CHECK(element.name != "img");
        for (const auto& [name, value] : element.attributes) {
          INFO(element.name << ' ' << name << ' ' << value);
          CHECK(name.substr(0, 2) != "on");
          CHECK(name != "style");
          if (name == "href" || name == "src" || name == "action")
            CHECK(((value[0] == '/' && value.substr(0, 2) != "//") || value[0] == '#'));
        }
      }
    }
  }
}

TEST_CASE("A page begins with its head, and a fragment is its main element alone") {
  Site site;
  for (const std::string& page : kPages) {
    INFO(page);
    const std::string whole = site.get(page).body;
    CHECK(whole.starts_with("<!DOCTYPE html>"));
    const std::vector<Element> elements = elements_of(whole);
    const auto count = [&](const char* name) {
      return std::count_if(elements.begin(), elements.end(),
                           [&](const Element& e) { return e.name == name; });
    };
    CHECK(count("h1") == 1);
    CHECK(count("main") == 1);
    const std::string fragment = site.get(page, true, true).body;
    CHECK(fragment.starts_with("<main "));
    CHECK(whole.find(fragment) != std::string::npos);
  }
}

TEST_CASE("Who may not write sees tags without buttons, and is led to the sign-in page") {
  Site site;
  for (const std::string& page : kPages) {
    const std::string html = site.get(page, false).body;
    CHECK(html.find("/document/tags") == std::string::npos);
    CHECK(html.find("name=\"accept\"") == std::string::npos);
  }
  const Response response =
      site.send("/document/tags", "id=d1&accept=guitar&back=%2F%3Fq%3Da", false);
  CHECK(response.status == 303);
  CHECK(header_of(response, "Location") == "/session?next=%2F%3Fq%3Da");
  CHECK(site.posted.empty());
}

TEST_CASE("A form changes the tags of its document and leads back") {
  Site site;
  const Response response = site.send("/document/tags", "id=a%2Fb&back=%2F%3Fq%3Da&accept=guitar");
  CHECK(response.status == 303);
  CHECK(header_of(response, "Location") == "/?q=a");
  REQUIRE(site.posted.size() == 1);
  CHECK(site.posted[0].first == "a/b");
  CHECK(site.posted[0].second == Json({{"accept", {"guitar"}}}));

  site.send("/document/tags", "id=d1&replace=food&change=music");
  CHECK(site.posted[1].second == Json({{"add", {"music"}}, {"remove", {"food"}}}));
  site.send("/document/tags", "id=d1&replace=food&remove=food");
  CHECK(site.posted[2].second == Json({{"remove", {"food"}}}));
  CHECK(site.send("/document/tags", "id=d1").status == 400);
}

TEST_CASE("Every form for tags has the mark of the tags that are shown, and hands it on") {
  Site site;
  for (const char* page : {"/?q=guitar", "/document?id=d1", "/review", "/label?label=music"}) {
    INFO(page);
    const std::vector<Element> elements = elements_of(site.get(page).body);
    const auto count = [&](const std::string& attribute, const std::string& value) {
      return std::count_if(elements.begin(), elements.end(), [&](const Element& e) {
        return std::count(e.attributes.begin(), e.attributes.end(), std::pair(attribute, value)) >
               0;
      });
    };
    const auto forms = count("action", "/document/tags");
    CHECK(forms > 0);
    CHECK(count("value", "&quot;u-1-7&quot;") == forms);
  }
  site.send("/document/tags", "id=d1&accept=guitar&mark=%22u-1-7%22");
  REQUIRE(site.marks.size() == 1);
  CHECK(site.marks[0] == "\"u-1-7\"");
}

TEST_CASE("Who decides about tags that have changed since is told what has, and is asked again") {
  Site site([](const Json& answer) { return samples::with_texts(answer, kHostile); });
  site.tags_have_changed = true;
  const std::string fields = "id=d1&mark=%22u-0-6%22&back=%2Freview&replace=food&change=music";
  const std::string shown = R"({"labels":["long gone","<b>"],"predicted":["guessed"]})";
  for (const std::string& more :
       {"&shown=" + percent_encode(shown), std::string("&shown=%5B1"),
        std::string("&shown=%7B%22labels%22%3A%5B%5B1%5D%5D%7D"), std::string()}) {
    const Response response = site.send("/document/tags", fields + more);
    INFO(more);
    CHECK(response.status == 412);
    CHECK(response.body.find("<b>") == std::string::npos);
    CHECK((response.body.find("long gone") != std::string::npos) ==
          (more.find("long") != std::string::npos));
    for (const char* field : {"name=\"change\" value=\"music\"", "name=\"replace\" value=\"food\"",
                              "name=\"back\" value=\"/review\""})
      CHECK(response.body.find(field) != std::string::npos);
    CHECK(response.body.find("u-0-6") == std::string::npos);
    elements_of(response.body);
  }
  CHECK(site.posted.empty());
}

TEST_CASE("A form leads back to this server only") {
  Site site;
  for (const char* back :
       {"https://example.org/", "//example.org", "/\\example.org", "", "/%0d%0aX: y"}) {
    const Response response =
        site.send("/document/tags", "id=d1&accept=a&back=" + std::string(back));
    CHECK(header_of(response, "Location") == "/");
  }
}

TEST_CASE("A problem is shown to people with its status") {
  Site site;
  const Response response = site.get("/document");
  CHECK(response.status == 400);
  CHECK(response.type == "text/html; charset=utf-8");
  CHECK(response.body.find("expected /document?id=") != std::string::npos);
  elements_of(response.body);
}

TEST_CASE("An index without a map offers to make one") {
  const PageContext writer = [] {
    PageContext context;
    context.may_write = true;
    return context;
  }();
  const std::string page = render_explore(nullptr, nullptr, writer);
  CHECK(page.find("Make a map") != std::string::npos);
  CHECK(page.find("name=\"start\" value=\"train\"") != std::string::npos);
  CHECK(render_explore(nullptr, nullptr, {}).find("Make a map") == std::string::npos);
  elements_of(page);
}

TEST_CASE("A filter is added to the address once, and taken away") {
  const SearchState state(
      {{"q", "a b"}, {"label", "x"}, {"offset", "20"}, {"other", "1"}, {"sort", ""}});
  CHECK(state.address("/").text() == "/?q=a%20b&label=x&offset=20");
  CHECK(state.with("label", "y&z").address("/").text() == "/?q=a%20b&label=x&label=y%26z");
  CHECK(state.with("label", "x").address("/").text() == "/?q=a%20b&label=x");
  CHECK(state.without("label", "x").address("/").text() == "/?q=a%20b");
  CHECK(state.with("value.year", "1999").unfiltered().address("/").text() == "/?q=a%20b");
}

TEST_CASE("Names on a map meet no other, and lie on it") {
  for (const double pixels : {12.0, 40.0}) {
    const Json answer = samples::map_answer(20, 30, 9);
    const TopicMap map = read_map(answer);
    const std::vector<MapName> names = place_names(map, answer["topics"], pixels, 20);
    CHECK(names.size() > (pixels > 20 ? 6 : 1));
    for (const MapName& a : names) {
      const double half = text_width(a.text) * a.size / 2;
      CHECK(a.x - half >= 0);
      CHECK(a.x + half <= map.width);
      for (const MapName& b : names) {
        if (a.topic == b.topic) continue;
        const double apart = half + text_width(b.text) * b.size / 2;
        CHECK((std::abs(a.x - b.x) >= apart || std::abs(a.y - b.y) >= (a.size + b.size) / 2));
      }
    }
  }
}

TEST_CASE("Topics that lie side by side have different colors") {
  const TopicMap map = read_map(samples::map_answer(20, 30, 30));
  for (const MapUnit& a : map.units)
    for (const MapUnit& b : map.units)
      if (a.topic != b.topic && std::hypot(a.x - b.x, a.y - b.y) < 1.1)
        CHECK(map.color.at(a.topic) != map.color.at(b.topic));
}

TEST_CASE("Pages name their script and style by hashes, and the script is small") {
  Site site;
  const std::string page = site.get("/").body;
  for (const Asset& asset : all_assets()) {
    const std::string path(asset.path.text());
    CHECK(page.find('"' + path + '"') != std::string::npos);
    const Response response = site.get(path);
    CHECK(response.body == asset.text);
    CHECK(header_of(response, "Cache-Control") == "public, max-age=31536000, immutable");
    CHECK(find_asset(path) == &asset);
  }
  CHECK(all_assets()[kScriptAsset].text.size() < 40 * 1024);
  CHECK(find_asset("/assets/none.js") == nullptr);
}
