#pragma once

#include "plugin/kindred.h"
#include "tests/fixtures/catch.h"
#include "tests/fixtures/temporary_directory.h"

namespace kindred::test {

/// Borrows: the text must live as long as the result.
inline kindred_string str(std::string_view text) { return {text.data(), text.size()}; }

/// A handle of a database, which is made if it is not there.
struct OpenedIndex {
  explicit OpenedIndex(const std::string& path, const std::string& settings = "",
                       kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT) {
    options.flags = KINDRED_CREATE;
    options.settings = str(settings);
    INFO(settings);
    const kindred_errc code = kindred_open(path.data(), path.size(), &options, &handle);
    CHECK(std::string(code == KINDRED_OK ? "" : kindred_last_error()) == "");
    REQUIRE(code == KINDRED_OK);
  }
  ~OpenedIndex() { kindred_close(handle); }
  OpenedIndex(const OpenedIndex&) = delete;
  OpenedIndex& operator=(const OpenedIndex&) = delete;

  kindred_handle* handle = nullptr;
};

/// The result of a question without the seconds, or the error.
inline std::string result_of(kindred_handle* handle, std::string_view question,
                             std::string_view request) {
  kindred_answer* answer = nullptr;
  if (kindred_ask(handle, question.data(), question.size(), request.data(), request.size(), nullptr,
                  nullptr, &answer) != KINDRED_OK)
    return kindred_last_error();
  std::string text(answer->json.data, answer->json.size);
  kindred_answer_free(answer);
  return text.erase(text.find(",\"seconds\":"));
}

}  // namespace kindred::test
