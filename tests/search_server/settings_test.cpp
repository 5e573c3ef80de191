#include "settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/fixtures/catch.h"
#include "tests/fixtures/file_text.h"
#include "tests/fixtures/temporary_directory.h"

using namespace search_server;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr const char* kToken = "0123456789abcdef";

std::string written(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

/// The error of a file of settings, or of what it lacks; "" if it is good.
std::string error_of(const std::string& text) {
  const kindred::test::TemporaryDirectory folder;
  const std::string path = written(folder / "server.toml", text);
  try {
    Settings settings;
    read_settings_file(path, settings);
    complete_settings(settings);
  } catch (const SettingsError& error) {
    const std::string what = error.what();
    const std::size_t at = what.find("server.toml:");
    return at == std::string::npos ? what : what.substr(at);
  }
  return "";
}

}  // namespace

TEST_CASE("a file of settings is read, and its paths are relative to it") {
  const kindred::test::TemporaryDirectory folder;
  written(folder / "token", std::string(kToken) + "\n");
  const std::string path = written(folder / "server.toml",
                                   "[index]\ndatabase = \"db\"\nlibrary = \"libx.so\"\n"
                                   "[[values]]\nname = \"year\"\nslot = 3\nnumber = true\n"
                                   "[http]\nport = 0\nhosts = [\"a.example\", \"b.example\"]\n"
                                   "[limits]\nhead_seconds = 7\n"
                                   "[access]\ntoken_file = \"token\"\nsession_hours = 2\n"
                                   "[log]\nlevel = \"warning\"\n");
  Settings settings;
  read_settings_file(path, settings);
  complete_settings(settings);
  CHECK(settings.database == folder / "db");
  CHECK(settings.library == "libx.so");
  REQUIRE(settings.values.size() == 1);
  CHECK(settings.values[0].name == "year");
  CHECK(settings.values[0].slot == 3);
  CHECK(settings.values[0].number);
  CHECK(settings.http.port == 0);
  CHECK(settings.http.times.head == std::chrono::seconds(7));
  CHECK(settings.access.hosts == std::vector<std::string>{"a.example", "b.example"});
  CHECK(settings.access.token == kToken);
  CHECK(settings.access.session == std::chrono::hours(2));
  CHECK(settings.log_level == LogLevel::kWarning);
}

TEST_CASE("the documented file holds every setting with its default") {
  const std::string path =
      std::string(KINDRED_SOURCE_DIR) + "/examples/search_server/kindred-server.toml";
  Settings settings;
  read_settings_file(path, settings);
  const Settings defaults;
  CHECK(settings.library == defaults.library);
  CHECK(settings.facet_documents == defaults.facet_documents);
  CHECK(settings.ready_lag_seconds == defaults.ready_lag_seconds);
  CHECK(settings.auto_tune == defaults.auto_tune);
  CHECK(settings.http.address == defaults.http.address);
  CHECK(settings.http.port == defaults.http.port);
  CHECK(settings.http.connections == defaults.http.connections);
  CHECK(settings.http.connections_per_address == defaults.http.connections_per_address);
  CHECK(settings.http.workers == defaults.http.workers);
  CHECK(settings.http.queue == defaults.http.queue);
  CHECK(settings.http.head.target_bytes == defaults.http.head.target_bytes);
  CHECK(settings.http.head.header_bytes == defaults.http.head.header_bytes);
  CHECK(settings.http.times.head == defaults.http.times.head);
  CHECK(settings.http.times.body == defaults.http.times.body);
  CHECK(settings.http.times.send == defaults.http.times.send);
  CHECK(settings.http.times.request == defaults.http.times.request);
  CHECK(settings.http.times.slowest == defaults.http.times.slowest);
  CHECK(settings.query_bytes == defaults.query_bytes);
  CHECK(settings.document_bytes == defaults.document_bytes);
  CHECK(settings.ingest_bytes == defaults.ingest_bytes);
  CHECK(settings.stop == defaults.stop);
  CHECK(settings.access.session == defaults.access.session);
  CHECK(settings.log_level == defaults.log_level);
  CHECK(settings.values.empty());

  // A key that the reader knows and the file does not have would be named by none of its lines.
  const std::string text = kindred::test::file_text(path);
  for (const char* key : {"database",
                          "library",
                          "kindred_settings",
                          "name",
                          "create",
                          "auto_tune",
                          "facet_documents",
                          "ready_lag_seconds",
                          "slot",
                          "number",
                          "address",
                          "port",
                          "hosts",
                          "connections",
                          "connections_per_address",
                          "workers",
                          "queue",
                          "target_bytes",
                          "header_bytes",
                          "query_bytes",
                          "document_bytes",
                          "ingest_bytes",
                          "head_seconds",
                          "body_seconds",
                          "send_seconds",
                          "slowest_bytes_per_second",
                          "request_seconds",
                          "stop_seconds",
                          "token_file",
                          "session_hours",
                          "file",
                          "level"}) {
    CAPTURE(key);
    CHECK_THAT(text, ContainsSubstring(std::string(key) + " = "));
  }
}

TEST_CASE("wrong settings are named with their file, line and key") {
  const std::string database = "[index]\ndatabase = \"db\"\n";
  CHECK(error_of(database) == "");
  CHECK(error_of("[http]\nport = 1\nprot = 2\n") ==
        "server.toml:3: there is no setting http.prot; known here: address, connections, "
        "connections_per_address, hosts, port, queue, workers");
  CHECK_THAT(error_of("[htpp]\n"), ContainsSubstring("server.toml:1: there is no setting htpp;"));
  CHECK(error_of("[http]\n\nport = 70000\n") ==
        "server.toml:3: http.port must be a whole number from 0 to 65535");
  CHECK(error_of("[http]\nport = \"80\"\n") ==
        "server.toml:2: http.port must be a whole number from 0 to 65535");
  CHECK(error_of("[http]\nhosts = [1]\n") == "server.toml:2: http.hosts must be a text");
  CHECK(error_of("[index]\ncreate = 1\n") == "server.toml:2: index.create must be true or false");
  CHECK(error_of("http = 1\n") == "server.toml:1: http must be a table");
  CHECK(error_of("[[values]]\nslot = 1\n") == "server.toml:1: values must be given a name");
  CHECK_THAT(error_of("[http\n"), ContainsSubstring("server.toml:1: "));
  CHECK_THAT(error_of(""), ContainsSubstring("which database?"));
}

TEST_CASE("a server that others can reach has a token, and no weak one") {
  const std::string database = "[index]\ndatabase = \"db\"\n";
  for (const char* address : {"127.0.0.1", "127.3.2.1", "::1"}) {
    CHECK(error_of(database + "[http]\naddress = \"" + address + "\"\n") == "");
  }
  for (const char* address : {"0.0.0.0", "::", "10.0.0.1", "::ffff:127.0.0.1"}) {
    CAPTURE(address);
    CHECK_THAT(error_of(database + "[http]\naddress = \"" + address + "\"\n"),
               ContainsSubstring("without a token"));
  }
  const kindred::test::TemporaryDirectory folder;
  const auto with_token = [&](const std::string& token) {
    const std::string path = written(folder / "token", token);
    return error_of(database + "[http]\naddress = \"0.0.0.0\"\n[access]\ntoken_file = \"" + path +
                    "\"\n");
  };
  CHECK(with_token(std::string(kToken) + "\r\n") == "");
  CHECK_THAT(with_token(""), ContainsSubstring("must be at least 16 printable characters"));
  CHECK_THAT(with_token("0123456789abcde"), ContainsSubstring("must be at least 16"));
  CHECK_THAT(with_token("0123456789 abcdefg"), ContainsSubstring("must be at least 16"));
  CHECK_THAT(error_of(database + "[access]\ntoken_file = \"/nowhere\"\n"),
             ContainsSubstring("/nowhere"));
}

TEST_CASE("the token may be in the environment") {
  setenv("KINDRED_SERVER_TOKEN", kToken, 1);
  Settings settings;
  settings.database = "db";
  settings.http.address = "0.0.0.0";
  complete_settings(settings);
  CHECK(settings.access.token == kToken);
  setenv("KINDRED_SERVER_TOKEN", "weak", 1);
  CHECK_THROWS_AS(complete_settings(settings), SettingsError);
  unsetenv("KINDRED_SERVER_TOKEN");
}
