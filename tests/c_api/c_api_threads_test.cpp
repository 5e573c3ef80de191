// One handle, many threads: queries while another thread ingests, commits and refreshes. Meant for
// ThreadSanitizer, and true without it.
#include <stdexcept>

#include "tests/c_api/opened_index.h"

using kindred::test::OpenedIndex;
using kindred::test::str;

namespace {

std::string note(int i) {
  const std::string number = std::to_string(i);
  const std::string label = i % 3 == 0 ? "" : i % 2 == 0 ? R"("even")" : R"("odd")";
  return R"({"id": ")" + number + R"(", "title": "Note )" + number + R"(", "labels": [)" + label +
         R"(], "text": "note )" + (i % 2 == 0 ? "bread dough oven" : "tide harbor moon") + " word" +
         std::to_string(i % 7) + R"("})";
}

bool ingest(kindred_handle* handle, int i) {
  const std::string json = note(i);
  return kindred_ingest(handle, json.data(), json.size(), nullptr) == KINDRED_OK;
}

struct NewIndex : kindred::test::TemporaryPath, OpenedIndex {
  explicit NewIndex(int documents) : OpenedIndex(path) {
    for (int i = 0; i < documents; ++i) REQUIRE(ingest(handle, i));
    REQUIRE(kindred_commit(handle, nullptr) == KINDRED_OK);
  }
};

bool ask_related(const kindred_handle* handle, bool filtered) {
  kindred_example like = {KINDRED_BY_ID, 0, str("1")};
  kindred_related_request request = KINDRED_RELATED_REQUEST_INIT;
  request.like = &like;
  request.like_count = 1;
  if (filtered) request.filter = str("tide");
  kindred_related_result* result = nullptr;
  if (kindred_related(handle, &request, &result) != KINDRED_OK) return false;
  const bool right = result->document_count > 0;
  kindred_related_free(result);
  return right;
}

bool ask_tags(const kindred_handle* handle) {
  const kindred_example text = {KINDRED_BY_TEXT, 0, str("dough in the oven")};
  kindred_classification* result = nullptr;
  if (kindred_classify(handle, &text, nullptr, &result) != KINDRED_OK) return false;
  const bool right = result->tag_count > 0 && std::string(result->tags[0].label.data) == "even";
  kindred_classification_free(result);
  return right;
}

bool fail_on_purpose(const kindred_handle* handle, int thread) {
  const std::string id = "nobody-" + std::to_string(thread);
  const kindred_example nobody = {KINDRED_BY_ID, 0, str(id)};
  kindred_classification* result = nullptr;
  return kindred_classify(handle, &nobody, nullptr, &result) == KINDRED_NOT_FOUND &&
         std::string(kindred_last_error()).find(id) != std::string::npos;
}

/// True if the answer to a question has this part.
bool answers(kindred_handle* handle, const std::string& question, const std::string& request,
             const std::string& part) {
  return kindred::test::result_of(handle, question, request).find(part) != std::string::npos;
}

bool ask_lists(kindred_handle* handle) {
  return answers(handle, "matching", R"({"query": "label:odd"})", R"("title":"Note 1")") &&
         answers(handle, "documents", R"({"examples": [{"id": "1"}]})", R"("labels":["odd"])") &&
         answers(handle, "labels", "", R"("label":"even")");
}

bool ask_suspects(kindred_handle* handle) { return answers(handle, "suspects", "", "examined"); }

bool add_label(kindred_handle* handle, int document, const std::string& label) {
  return answers(
      handle, "edit",
      R"({"edits": [{"id": ")" + std::to_string(document) + R"(", "add": [")" + label + R"("]}]})",
      label);
}

bool remove_document(kindred_handle* handle, int document) {
  return answers(handle, "delete", R"({"ids": [")" + std::to_string(document) + R"("]})",
                 R"("deleted":1)");
}

}  // namespace

TEST_CASE("eight threads ask while others ingest, commit and refresh") {
  const kindred::test::TemporaryPath database;
  std::atomic<int> messages = 0, compared = 0;
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  options.on_document = [](void* user, const kindred_document_report* report) {
    *static_cast<std::atomic<int>*>(user) += report->compared;
  };
  options.on_document_user = &compared;
  options.log = [](void* user, const char*, size_t) { ++*static_cast<std::atomic<int>*>(user); };
  options.log_user = &messages;
  const OpenedIndex index(database.path, "[ingest]\nnear_duplicates = 0.5\n", options);
  kindred_handle* const handle = index.handle;
  for (int i = 0; i < 20; ++i) REQUIRE(ingest(handle, i));
  REQUIRE(kindred_commit(handle, nullptr) == KINDRED_OK);

  std::atomic<bool> done = false;
  std::atomic<int> asked = 0;
  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      while (!done) {
        const std::array rights = {ask_related(handle, t % 2 == 0), ask_tags(handle),
                                   fail_on_purpose(handle, t),
                                   answers(handle, "status", "", "documents"), ask_lists(handle)};
        for (const bool right : rights) failed += right ? 0 : 1;
        ++asked;
      }
    });
  }
  std::thread refresher([&] {
    while (!done) failed += kindred_refresh(handle, nullptr) == KINDRED_OK ? 0 : 1;
  });
  int written = 20;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 5; ++i) failed += ingest(handle, written++) ? 0 : 1;
    failed += kindred_commit(handle, nullptr) == KINDRED_OK ? 0 : 1;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  refresher.join();

  CHECK(failed == 0);
  CHECK(asked > 0);
  CHECK(messages >= 2);
  CHECK(compared == written);  // with those before it, while others asked
  REQUIRE(kindred_refresh(handle, nullptr) == KINDRED_OK);
  CHECK(answers(handle, "status", "", "\"documents\":" + std::to_string(written) + ","));
}

TEST_CASE("threads that ingest by one handle take turns") {
  const NewIndex index(0);

  std::atomic<int> failed = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) failed += ingest(index.handle, t * 25 + i) ? 0 : 1;
      failed += kindred_end_ingest(index.handle, nullptr) == KINDRED_OK ? 0 : 1;
    });
  }
  for (std::thread& thread : threads) thread.join();

  CHECK(failed == 0);
  CHECK(answers(index.handle, "status", "", "\"documents\":100,"));
}

TEST_CASE("a handle that is closed while the host's exception is in flight commits what waits") {
  const kindred::test::TemporaryPath at;
  try {
    const OpenedIndex index(at.path);
    REQUIRE(ingest(index.handle, 1));
    throw std::runtime_error("a failure of the host");
  } catch (const std::runtime_error&) {
  }
  const OpenedIndex index(at.path);
  CHECK(answers(index.handle, "status", "", "\"documents\":1,"));
}

TEST_CASE("threads edit, delete and ingest by one handle while others ask") {
  const NewIndex index(40);
  kindred_handle* const handle = index.handle;

  std::atomic<bool> done = false;
  std::atomic<int> failed = 0;
  std::vector<std::thread> askers, writers;
  for (int t = 0; t < 3; ++t) {
    askers.emplace_back([&] {
      while (!done) failed += ask_lists(handle) && ask_suspects(handle) ? 0 : 1;
    });
  }
  writers.emplace_back([&] {
    for (int i = 2; i < 12; ++i)
      failed += add_label(handle, i, i % 2 == 0 ? "rare" : "odd") ? 0 : 1;
  });
  writers.emplace_back([&] {
    for (int i = 20; i < 30; ++i) failed += remove_document(handle, i) ? 0 : 1;
  });
  writers.emplace_back([&] {
    for (int i = 40; i < 50; ++i) failed += ingest(handle, i) ? 0 : 1;
    failed += kindred_end_ingest(handle, nullptr) == KINDRED_OK ? 0 : 1;
  });
  for (std::thread& thread : writers) thread.join();
  done = true;
  for (std::thread& thread : askers) thread.join();

  CHECK(failed == 0);
  CHECK(answers(handle, "status", "", "\"documents\":40,"));
  CHECK(answers(handle, "status", "", "\"labels\":3,"));
}

TEST_CASE("an export has the documents of one revision while others are deleted") {
  const NewIndex index(60);
  kindred_handle* const handle = index.handle;
  REQUIRE(answers(handle, "train_topics", R"({"rows": 2, "columns": 2})", "topics"));

  std::atomic<bool> done = false;
  std::atomic<int> failed = 0;
  std::vector<std::thread> askers;
  for (int t = 0; t < 3; ++t) {
    askers.emplace_back([&] {
      while (!done) failed += answers(handle, "export", "", R"("title":"Note 0")") ? 0 : 1;
    });
  }
  for (int i = 1; i < 60; ++i) failed += remove_document(handle, i) ? 0 : 1;
  done = true;
  for (std::thread& thread : askers) thread.join();
  CHECK(failed == 0);
}
