/* Shared by the tests of the C ABI: a check that lets the test go on, a temporary directory, and a
 * small database made through the ABI itself. C99 and POSIX; include it first. */
#ifndef KINDRED_TESTS_C_API_FIXTURE_H
#define KINDRED_TESTS_C_API_FIXTURE_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plugin/kindred.h"

static int failures = 0;

#define CHECK(condition)                                                                   \
  do {                                                                                     \
    if (!(condition)) {                                                                    \
      fprintf(stderr, "%s:%d: %s: CHECK(%s) failed; last error: %s\n", __FILE__, __LINE__, \
              __func__, #condition, kindred_last_error());                                 \
      ++failures;                                                                          \
    }                                                                                      \
  } while (0)

/* For conditions that the rest of the test depends on. */
#define REQUIRE(condition)       \
  do {                           \
    const int before = failures; \
    CHECK(condition);            \
    if (failures != before) {    \
      exit(1);                   \
    }                            \
  } while (0)

#define CHECK_OK(call) CHECK((call) == KINDRED_OK)

/* The call fails with this code and a text that has `part`. */
#define CHECK_FAILS(call, code, part)                    \
  do {                                                   \
    CHECK((call) == (code));                             \
    CHECK(strstr(kindred_last_error(), (part)) != NULL); \
  } while (0)

static inline kindred_string str(const char* text) {
  const kindred_string string = {text, strlen(text)};
  return string;
}

static inline int equals(kindred_string string, const char* text) {
  return string.size == strlen(text) && memcmp(string.data, text, string.size) == 0 &&
         string.data[string.size] == '\0';
}

static inline kindred_example by_id(const char* id) {
  kindred_example example = {KINDRED_BY_ID, 0, {NULL, 0}};
  example.value = str(id);
  return example;
}

static inline kindred_example by_text(const char* text) {
  kindred_example example = {KINDRED_BY_TEXT, 0, {NULL, 0}};
  example.value = str(text);
  return example;
}

static inline kindred_example by_json(const char* json) {
  kindred_example example = {KINDRED_BY_JSON, 0, {NULL, 0}};
  example.value = str(json);
  return example;
}

static inline kindred_related_request like(const kindred_example* example) {
  kindred_related_request request = KINDRED_RELATED_REQUEST_INIT;
  request.like = example;
  request.like_count = 1;
  return request;
}

/* A path in the directory of the test. It stays valid for three more calls. */
static char directory[64];
static inline const char* path_to(const char* name) {
  static char paths[4][128];
  static int next = 0;
  char* const path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", directory, name);
  return path;
}

static inline void make_directory(void) {
  strcpy(directory, "/tmp/kindred-c-api-XXXXXX");
  REQUIRE(mkdtemp(directory) != NULL);
}

static inline int remove_one(const char* path, const struct stat* info, int type,
                             struct FTW* where) {
  (void)info;
  (void)type;
  (void)where;
  return remove(path);
}

static inline void remove_tree(const char* path) {
  (void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void write_file(const char* path, const char* text) {
  FILE* const file = fopen(path, "wb");
  REQUIRE(file != NULL);
  fputs(text, file);
  fclose(file);
}

static inline kindred_errc ingest(kindred_handle* handle, const char* json) {
  return kindred_ingest(handle, json, strlen(json), NULL);
}

static inline kindred_errc open_path(const char* path, kindred_handle** handle) {
  return kindred_open(path, strlen(path), NULL, handle);
}

/* The answer to a question, which is valid until the next one; "" if it failed. */
static inline const char* ask(kindred_handle* handle, const char* question, const char* request) {
  static kindred_answer* answer = NULL;
  kindred_answer_free(answer);
  answer = NULL;
  return kindred_ask(handle, question, strlen(question), request, strlen(request), NULL, NULL,
                     &answer) == KINDRED_OK
             ? answer->json.data
             : "";
}

/* The same without the answer. */
static inline kindred_errc ask_code(kindred_handle* handle, const char* question,
                                    const char* request) {
  return kindred_ask(handle, question, strlen(question), request, strlen(request), NULL, NULL,
                     NULL);
}

/* The number that follows "key": in an answer, the first time behind its request; -1 if none. */
static inline double number_in(const char* answer, const char* key) {
  char name[64];
  const char* const revision = strstr(answer, "\"revision\":");
  snprintf(name, sizeof name, "\"%s\":", key);
  const char* const found = strstr(revision != NULL ? revision : answer, name);
  return found != NULL ? strtod(found + strlen(name), NULL) : -1;
}

#define CHECK_SAYS(answer, part) CHECK(strstr((answer), (part)) != NULL)

static inline double documents_of(kindred_handle* handle) {
  return number_in(ask(handle, "status", ""), "documents");
}

static inline kindred_handle* create(const char* path) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  options.flags = KINDRED_CREATE;
  REQUIRE(kindred_open(path, strlen(path), &options, &handle) == KINDRED_OK);
  return handle;
}

/* Three notes on bread, three on the sea, one without a label, one without text. */
static const char* const notes[] = {
    "{\"id\":\"b1\",\"title\":\"Bread\",\"labels\":[\"kitchen\"],"
    "\"text\":\"Knead the dough, let the dough rise, bake the bread in a hot oven.\"}",
    "{\"id\":\"b2\",\"title\":\"Rolls\",\"labels\":[\"kitchen\",\"quick\"],"
    "\"text\":\"Shape the dough into rolls and bake them until the crust is brown.\"}",
    "{\"id\":\"b3\",\"title\":\"Starter\",\"labels\":[\"kitchen\"],"
    "\"text\":\"Feed the sourdough starter with flour and water before you bake bread.\"}",
    "{\"id\":\"s1\",\"title\":\"Tides\",\"labels\":[\"sea\"],"
    "\"text\":\"The moon pulls the tide; sailors read the tide tables of the harbor.\"}",
    "{\"id\":\"s2\",\"title\":\"Harbor\",\"labels\":[\"sea\"],"
    "\"text\":\"Ships wait in the harbor for the tide and for water under the keel.\"}",
    "{\"id\":\"s3\",\"title\":\"Waves\",\"labels\":[\"sea\"],"
    "\"text\":\"Wind raises waves; sailors reef the sails when the waves grow.\"}",
    "{\"id\":\"u1\",\"title\":\"Oven\",\"text\":\"Bake the bread and the rolls in a brown "
    "crust.\"}",
    "{\"id\":\"e1\",\"title\":\"\",\"text\":\"\"}"};
enum { kNotes = sizeof notes / sizeof *notes };

/* A handle on a database of the notes, committed, without the write lock. */
static inline kindred_handle* create_notes(const char* path) {
  kindred_handle* const handle = create(path);
  for (size_t i = 0; i < kNotes; ++i) REQUIRE(ingest(handle, notes[i]) == KINDRED_OK);
  REQUIRE(kindred_end_ingest(handle, NULL) == KINDRED_OK);
  return handle;
}

#endif
