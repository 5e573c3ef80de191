/* The C ABI when things go wrong: every failure is a code and a sentence, and writes nothing. */
#include "tests/c_api/c_api_fixture.h"

#include <math.h>
#include <pthread.h>
#include <sys/stat.h>

static void null_ends_nothing(void) {
  kindred_close(NULL);
  kindred_related_free(NULL);
  kindred_classification_free(NULL);
}

static void what_is_no_database_does_not_open(void) {
  kindred_handle* const untouched = (kindred_handle*)(void*)&failures;
  kindred_handle* handle = untouched;
  CHECK_FAILS(open_path(path_to("absent"), &handle), KINDRED_NOT_FOUND, "absent");
  REQUIRE(mkdir(path_to("hollow"), 0700) == 0);
  CHECK_FAILS(open_path(path_to("hollow"), &handle), KINDRED_NOT_FOUND, "hollow");
  write_file(path_to("garbage"), "this is no database\n");
  CHECK_FAILS(open_path(path_to("garbage"), &handle), KINDRED_DATABASE, "garbage");
  write_file(path_to("hollow/iamglass"), "this is no glass database");
  CHECK_FAILS(open_path(path_to("hollow"), &handle), KINDRED_CORRUPT, "hollow");
  CHECK_FAILS(open_path("", &handle), KINDRED_INVALID_ARGUMENT, "database");
  CHECK_FAILS(kindred_open("a\0b", 3, NULL, &handle), KINDRED_INVALID_ARGUMENT, "'a\\x00b'");
  CHECK_FAILS(kindred_open("\0", 1, NULL, &handle), KINDRED_INVALID_ARGUMENT, "'\\x00'");
  CHECK(handle == untouched);
}

/* Error texts are one line of UTF-8 without control characters, whatever they are about. */
static void error_texts_can_be_shown(kindred_handle* handle) {
  static const char evil[] = "\0\033[2J\n\377\302\233\342\200\256";
  static const char shown[] = "\\x00\\x1b[2J\\n\\xff\\u009b\\u202e";
  const kindred_string text = {evil, sizeof evil - 1};
  kindred_example example = {KINDRED_BY_ID, 0, {NULL, 0}};
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_classification* tags = NULL;
  kindred_handle* none = NULL;
  example.value = text;
  CHECK_FAILS(kindred_classify(handle, &example, NULL, &tags), KINDRED_NOT_FOUND, shown);
  options.settings_path = text;
  CHECK_FAILS(kindred_open("x", 1, &options, &none), KINDRED_INVALID_ARGUMENT, shown);
  CHECK_FAILS(kindred_open(evil + 1, sizeof evil - 2, NULL, &none), KINDRED_NOT_FOUND, shown + 4);
  options.settings_path = str("");
  options.settings = str("[analyzer]\nstem_overrides = \"a\\u0000b\"\n");
  options.flags = KINDRED_CREATE;
  CHECK_FAILS(kindred_open(path_to("empty"), strlen(path_to("empty")), &options, &none),
              KINDRED_INVALID_ARGUMENT, "a\\x00b: expected the path of this file of");
}

static void create_makes_a_database_but_never_over_another_file(void) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  const char* const garbage = path_to("garbage");
  options.flags = KINDRED_CREATE;
  CHECK(kindred_open(garbage, strlen(garbage), &options, &handle) == KINDRED_DATABASE);
  CHECK(handle == NULL);
  REQUIRE(mkdir(path_to("empty"), 0700) == 0);
  handle = create(path_to("empty"));
  kindred_close(handle);
  CHECK_OK(open_path(path_to("empty"), &handle));
  kindred_close(handle);
  options.flags = 64;
  CHECK_FAILS(kindred_open("x", 1, &options, &handle), KINDRED_UNSUPPORTED, "flag 64");
}

static kindred_errc open_with(const char* settings, const char* settings_path) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  const char* const path = path_to("empty");
  options.settings = str(settings);
  options.settings_path = str(settings_path);
  const kindred_errc code = kindred_open(path, strlen(path), &options, &handle);
  kindred_close(handle);
  return code;
}

static void bad_settings_name_line_and_key(void) {
  CHECK_OK(open_with("[classify]\nneighbors = 7\n", ""));
  CHECK_FAILS(open_with("[classify]\n\nkk = 7\n", ""), KINDRED_INVALID_ARGUMENT, "settings:3");
  CHECK(strstr(kindred_last_error(), "classify.kk") != NULL);
  CHECK_FAILS(open_with("[classify]\nneighbors = 0\n", ""), KINDRED_INVALID_ARGUMENT, "classify.neighbors");
  CHECK_FAILS(open_with("[classify\n", ""), KINDRED_INVALID_ARGUMENT, "settings:1");
  CHECK_FAILS(open_with("", path_to("absent.toml")), KINDRED_NOT_FOUND, "absent.toml");
  write_file(path_to("bad.toml"), "[related]\nslot = \"ten\"\n");
  CHECK_FAILS(open_with("", path_to("bad.toml")), KINDRED_INVALID_ARGUMENT, "bad.toml:2");
  CHECK_FAILS(open_with("[related]\n", "x"), KINDRED_INVALID_ARGUMENT, "settings");
}

static void settings_that_contradict_what_the_index_remembers_are_refused(void) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* other = NULL;
  const char* const path = path_to("notes.db");
  options.settings = str("[labels]\nprefix = \"XT\"\n");
  CHECK_FAILS(kindred_open(path, strlen(path), &options, &other), KINDRED_INVALID_ARGUMENT,
              "labels.prefix: expected \"K\", as the index remembers");
  options.settings = str("[labels]\nprefix = \"K\"\n");
  CHECK_OK(kindred_open(path, strlen(path), &options, &other));
  kindred_close(other);
}

/* The lemmas of an index's texts come from a list that is then changed. */
static void another_analysis_than_the_index_was_made_with_is_refused(void) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  const char* const list = path_to("lemmas.tsv");
  const char* const path = path_to("lemmas.db");
  char settings[256];
  snprintf(settings, sizeof settings, "[analyzer]\nlemmas = [\"en=%s\"]\n", list);
  write_file(list, "bake\tbaking\n");
  options.settings = str(settings);
  options.flags = KINDRED_CREATE;
  REQUIRE(kindred_open(path, strlen(path), &options, &handle) == KINDRED_OK);
  CHECK_OK(ingest(handle, notes[0]));
  kindred_close(handle);
  options.flags = 0;
  CHECK_OK(kindred_open(path, strlen(path), &options, &handle));
  kindred_close(handle);
  write_file(list, "bake\tbaked\n");
  handle = NULL;
  CHECK_FAILS(kindred_open(path, strlen(path), &options, &handle), KINDRED_INVALID_ARGUMENT,
              "expected the analysis that the index was made with: analyzer.lemmas: en=file ");
  options.settings = str("[analyzer]\nlemmas = []\n");
  CHECK_FAILS(kindred_open(path, strlen(path), &options, &handle), KINDRED_INVALID_ARGUMENT,
              "analyzer.lemmas: expected [\"en=");
  CHECK(handle == NULL);
}

static void null_arguments_are_named(kindred_handle* handle) {
  const kindred_example bread = by_id("b1");
  kindred_related_request request = like(&bread);
  kindred_related_result* related = NULL;
  kindred_classification* tags = NULL;
  const kindred_errc bad = KINDRED_INVALID_ARGUMENT;
  CHECK_FAILS(kindred_open("x", 1, NULL, NULL), bad, "handle");
  CHECK_FAILS(kindred_open(NULL, 1, NULL, &handle), bad, "database");
  CHECK_FAILS(ask_code(NULL, "status", ""), bad, "handle");
  CHECK_FAILS(kindred_ask(handle, NULL, 2, "", 0, NULL, NULL, NULL), bad, "question");
  CHECK_FAILS(kindred_ask(handle, "map", 3, NULL, 2, NULL, NULL, NULL), bad, "request");
  CHECK_FAILS(kindred_refresh(NULL, NULL), bad, "handle");
  CHECK_FAILS(kindred_related(NULL, &request, &related), bad, "handle");
  CHECK_FAILS(kindred_related(handle, NULL, &related), bad, "request");
  CHECK_FAILS(kindred_related(handle, &request, NULL), bad, "result");
  CHECK_FAILS(kindred_classify(NULL, &bread, NULL, &tags), bad, "handle");
  CHECK_FAILS(kindred_classify(handle, NULL, NULL, &tags), bad, "example");
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, NULL), bad, "result");
  CHECK_FAILS(kindred_classify_batch(handle, NULL, 1, NULL, &tags), bad, "records");
  CHECK_FAILS(kindred_classify_batch(handle, &bread, 1, NULL, NULL), bad, "results");
  const kindred_example unknown_kind = {9, 0, {NULL, 0}};
  CHECK_FAILS(kindred_classify_batch(handle, &unknown_kind, 1, NULL, &tags), bad, "records[0]");
  CHECK_FAILS(kindred_ingest(NULL, "{}", 2, NULL), bad, "handle");
  CHECK_FAILS(kindred_ingest(handle, NULL, 2, NULL), bad, "json");
  CHECK_FAILS(kindred_commit(NULL, NULL), bad, "handle");
  CHECK_FAILS(kindred_end_ingest(NULL, NULL), bad, "handle");
  request.like = NULL;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "like");
  request = like(&bread);
  request.filter.size = 3;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "filter");
  CHECK(related == NULL && tags == NULL);
}

static void values_out_of_range_are_refused(const kindred_handle* handle) {
  static const char* const filters[][2] = {{"(bread OR", "byte 1: a bracket"},
                                           {"bread tab:x", "byte 7: unknown field 'tab'"},
                                           {"\"bread", "byte 1: a quote"},
                                           {"labels:x", "did you mean 'label'?"},
                                           {"(((", "byte 3: a bracket"},
                                           {"!!", "no word or field"}};
  kindred_example bread = by_id("b1");
  kindred_related_request request = like(&bread);
  kindred_classify_request vote = KINDRED_CLASSIFY_REQUEST_INIT;
  kindred_related_result* related = NULL;
  kindred_classification* tags = NULL;
  const kindred_errc bad = KINDRED_INVALID_ARGUMENT;
  request.limit = 0;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "limit");
  request.limit = -2;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "limit");
  request = like(&bread);
  request.min_similarity = 1.5;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "min_similarity");
  request.min_similarity = NAN;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "min_similarity");
  request = like(&bread);
  request.like_count = 0;
  CHECK_FAILS(kindred_related(handle, &request, &related), bad, "example");
  request = like(&bread);
  for (size_t i = 0; i < sizeof filters / sizeof *filters; ++i) {
    request.filter = vote.filter = str(filters[i][0]);
    CHECK_FAILS(kindred_related(handle, &request, &related), bad, filters[i][1]);
    CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, filters[i][1]);
  }
  vote.filter = str("");
  vote.flags = 128;
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), KINDRED_UNSUPPORTED, "128");
  vote.flags = 0;
  vote.neighbors = 0;
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "neighbors");
  vote.neighbors = KINDRED_DEFAULT;
  vote.limit = 0;
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "limit");
  vote = (kindred_classify_request)KINDRED_CLASSIFY_REQUEST_INIT;
  vote.min_confidence = NAN;
  CHECK_FAILS(kindred_classify(handle, &bread, &vote, &tags), bad, "min_confidence");
  bread.kind = 0;
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, &tags), bad, "kind");
  bread = by_id("nobody");
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, &tags), KINDRED_NOT_FOUND, "nobody");
  bread.kind = KINDRED_BY_DOCID;
  bread.docid = 4000000;
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, &tags), KINDRED_NOT_FOUND, "4000000");
  bread = by_json("{\"text\": ");
  CHECK_FAILS(kindred_classify(handle, &bread, NULL, &tags), bad, "JSON");
  CHECK(related == NULL && tags == NULL);
}

static void a_batch_with_a_bad_record_writes_nothing(const kindred_handle* handle) {
  const kindred_example records[2] = {by_text("bread"), by_json("[]")};
  kindred_classification* results[2] = {NULL, NULL};
  CHECK_FAILS(kindred_classify_batch(handle, records, 2, NULL, results), KINDRED_INVALID_ARGUMENT,
              "records[1]");
  CHECK(results[0] == NULL && results[1] == NULL);
}

static void struct_sizes_tell_old_and_new_hosts(const kindred_handle* handle) {
  const kindred_example bread = by_id("b1");
  struct {
    kindred_related_request request;
    uint64_t later;
  } asked = {KINDRED_RELATED_REQUEST_INIT, 0};
  kindred_related_result* result = NULL;
  asked.request = like(&bread);
  asked.request.size = sizeof asked;
  CHECK_OK(kindred_related(handle, &asked.request, &result));
  kindred_related_free(result);
  result = NULL;
  asked.later = 1;
  CHECK_FAILS(kindred_related(handle, &asked.request, &result), KINDRED_UNSUPPORTED, "request");
  asked.request.size = 0;
  CHECK_FAILS(kindred_related(handle, &asked.request, &result), KINDRED_INVALID_ARGUMENT, "size");
  CHECK(result == NULL);
}

/* A struct of this type whose size is smaller than that of the first hosts, or 0. */
#define CHECK_SIZES(type, init, first, call, name)                                  \
  do {                                                                              \
    type given = init;                                                              \
    size_t sizes[] = {0, 1, sizeof(size_t), (first)-1};                             \
    size_t i;                                                                       \
    for (i = 0; i < sizeof sizes / sizeof *sizes; ++i) {                            \
      given.size = sizes[i];                                                        \
      CHECK_FAILS(call, KINDRED_INVALID_ARGUMENT, name ".size: expected at least"); \
    }                                                                               \
  } while (0)

static void every_growing_struct_needs_its_size(kindred_handle* handle) {
  const char* const path = path_to("notes.db");
  const kindred_example bread = by_id("b1");
  kindred_handle* other = NULL;
  kindred_related_result* related = NULL;
  kindred_classification* classes = NULL;
  CHECK_SIZES(kindred_open_options, KINDRED_OPEN_OPTIONS_INIT,
              offsetof(kindred_open_options, on_document),
              kindred_open(path, strlen(path), &given, &other), "options");
  CHECK_SIZES(kindred_related_request, KINDRED_RELATED_REQUEST_INIT,
              sizeof(kindred_related_request), kindred_related(handle, &given, &related),
              "request");
  CHECK_SIZES(kindred_classify_request, KINDRED_CLASSIFY_REQUEST_INIT,
              sizeof(kindred_classify_request), kindred_classify(handle, &bread, &given, &classes),
              "request");
  CHECK_SIZES(kindred_ingest_report, KINDRED_INGEST_REPORT_INIT,
              offsetof(kindred_ingest_report, near_duplicates), kindred_commit(handle, &given),
              "report");
  CHECK(other == NULL && related == NULL && classes == NULL);
}

/* Behind the struct of an older host lies what is not of it. */
static void a_host_that_is_older_has_shorter_structs(void) {
  const char* const path = path_to("older.db");
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_ingest_report report;
  kindred_handle* handle = NULL;
  options.flags = KINDRED_CREATE;
  options.size = offsetof(kindred_open_options, on_document);
  memset(&options.on_document, 0x55, sizeof options - options.size);
  REQUIRE(kindred_open(path, strlen(path), &options, &handle) == KINDRED_OK);

  memset(&report, 0x55, sizeof report);
  report.size = offsetof(kindred_ingest_report, near_duplicates);
  CHECK_OK(kindred_ingest(handle, notes[0], strlen(notes[0]), &report));
  CHECK(report.size == offsetof(kindred_ingest_report, near_duplicates));
  CHECK(report.failed == 0 && report.pending == 0);
  CHECK(report.near_duplicates == UINT64_C(0x5555555555555555));
  kindred_close(handle);
}

static void refused_records_are_counted_and_cost_nothing(kindred_handle* handle) {
  kindred_ingest_report report = KINDRED_INGEST_REPORT_INIT;
  CHECK_FAILS(ingest(handle, "not json"), KINDRED_INVALID_ARGUMENT, "JSON");
  CHECK_FAILS(ingest(handle, "{\"text\": \"no id\"}"), KINDRED_INVALID_ARGUMENT, "id");
  CHECK_FAILS(ingest(handle, ""), KINDRED_INVALID_ARGUMENT, "JSON");
  CHECK_FAILS(ingest(handle, "{\"id\":\"a\xff\"}"), KINDRED_INVALID_ARGUMENT, "id: expected UTF-8");
  CHECK_FAILS(ingest(handle, "{\"id\":\"a\",\"terms\":{\"x\":65536}}"), KINDRED_INVALID_ARGUMENT,
              "terms: 'x'");
  CHECK_OK(kindred_ingest(handle, notes[0], strlen(notes[0]), &report));
  CHECK(report.failed == 5);
  report.size = 1;
  CHECK_FAILS(kindred_ingest(handle, notes[0], strlen(notes[0]), &report), KINDRED_INVALID_ARGUMENT,
              "report.size");
  report.size = sizeof report;
  CHECK_OK(kindred_end_ingest(handle, &report));
  CHECK(report.failed == 5 && report.replaced == 1 && report.added == 0);
  CHECK(documents_of(handle) == kNotes);
  CHECK_OK(kindred_commit(handle, &report)); /* nothing ingested since */
  CHECK(report.failed == 0 && report.replaced == 0);
}

static void one_handle_at_a_time_has_the_write_lock(kindred_handle* handle) {
  kindred_handle* other = NULL;
  CHECK_OK(open_path(path_to("notes.db"), &other));
  CHECK_OK(ingest(handle, notes[0]));
  CHECK_FAILS(ingest(other, notes[1]), KINDRED_DATABASE, "is writing to it");
  CHECK_OK(kindred_end_ingest(handle, NULL));
  CHECK_OK(ingest(other, notes[1]));
  kindred_close(other); /* commits and unlocks */
  CHECK_OK(ingest(handle, notes[2]));
  CHECK_OK(kindred_end_ingest(handle, NULL));
}

static void* fail_in_another_thread(void* own_error) {
  kindred_handle* handle = NULL;
  CHECK(strcmp(kindred_last_error(), "") == 0);
  CHECK_FAILS(open_path(path_to("elsewhere"), &handle), KINDRED_NOT_FOUND, "elsewhere");
  *(const char**)own_error = kindred_last_error();
  CHECK(strstr(kindred_last_error(), "lonely") == NULL);
  return NULL;
}

static void error_text_belongs_to_its_thread(kindred_handle* handle) {
  const kindred_example nobody = by_id("lonely");
  kindred_classification* result = NULL;
  const char* other = NULL;
  pthread_t thread;
  CHECK_FAILS(kindred_classify(handle, &nobody, NULL, &result), KINDRED_NOT_FOUND, "lonely");
  REQUIRE(pthread_create(&thread, NULL, fail_in_another_thread, (void*)&other) == 0);
  pthread_join(thread, NULL);
  CHECK(other != NULL && other != kindred_last_error());
  CHECK(strstr(kindred_last_error(), "lonely") != NULL);
  CHECK_OK(ask_code(handle, "status", ""));
  CHECK(strstr(kindred_last_error(), "lonely") != NULL); /* success leaves it */
}

struct heard {
  int messages;
  int mirrored;
};

static void listen_to(void* user, const char* message, size_t size) {
  struct heard* const heard = user;
  ++heard->messages;
  heard->mirrored += strstr(message, "mirrored") != NULL && message[size] == '\0';
}

static void the_log_callback_hears_of_a_new_mirror(void) {
  struct heard heard = {0, 0};
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* handle = NULL;
  const char* const path = path_to("notes.db");
  options.log = listen_to;
  options.log_user = &heard;
  CHECK_OK(kindred_open(path, strlen(path), &options, &handle));
  CHECK(heard.messages >= 1 && heard.mirrored == 1);
  kindred_close(handle);
}

static void a_vanished_database_still_answers(void) {
  kindred_handle* const handle = create_notes(path_to("vanish.db"));
  const kindred_example bread = by_id("b1");
  const kindred_related_request request = like(&bread);
  kindred_related_result* result = NULL;
  int changed = -1;
  remove_tree(path_to("vanish.db"));
  for (int i = 0; i < 2; ++i) { /* before and after the refresh that fails */
    result = NULL;
    CHECK_OK(kindred_related(handle, &request, &result));
    CHECK(result != NULL && result->document_count > 0 && equals(result->documents[0].id, "u1"));
    CHECK(result != NULL && equals(result->documents[0].title, "Oven"));
    kindred_related_free(result);
    CHECK(documents_of(handle) == kNotes);
    const kindred_errc code = kindred_refresh(handle, &changed);
    CHECK(code == KINDRED_DATABASE || code == KINDRED_NOT_FOUND);
    CHECK(strstr(kindred_last_error(), "vanish.db") != NULL);
    CHECK(changed == -1);
  }
  CHECK(ingest(handle, notes[0]) != KINDRED_OK || kindred_commit(handle, NULL) != KINDRED_OK);
  kindred_close(handle);
}

static void what_cannot_be_tagged_is_refused(kindred_handle* handle) {
  static const char opt_out[] = "{\"edits\": [{\"id\": \"u1\", \"auto_tag\": false}]}";
  const kindred_errc bad = KINDRED_INVALID_ARGUMENT;
  kindred_handle* other = NULL;
  CHECK_FAILS(ask_code(handle, "tag", "{\"query\": \"bread XOR\"}"), bad, "bread XOR");
  CHECK_FAILS(ask_code(handle, "tag", "{\"query\": \"bread subject:x\"}"), bad, "byte 7");
  CHECK_FAILS(ask_code(handle, "edit", "{\"edits\": [{\"id\": \"no\", \"reject\": [\"x\"]}]}"),
              KINDRED_NOT_FOUND, "'no'");
  CHECK_FAILS(ask_code(handle, "edit", "{\"edits\": [{\"id\": \"u1\", \"reject\": [\"\"]}]}"), bad,
              "label");
  CHECK_OK(open_path(path_to("notes.db"), &other));
  CHECK_OK(ingest(other, notes[0]));
  CHECK_FAILS(ask_code(handle, "tag", ""), KINDRED_DATABASE, "is writing to it");
  CHECK_FAILS(ask_code(handle, "edit", opt_out), KINDRED_DATABASE, "is writing to it");
  kindred_close(other);
  CHECK_OK(ask_code(handle, "tag", ""));
}

static void wrong_requests_name_key_and_place(kindred_handle* handle) {
  static const char* const cases[][3] = {
      {"clasify", "", "there is no question 'clasify'; did you mean 'classify'?"},
      {"", "", "there is no question ''"},
      {"status", "[", "not JSON, at byte"},
      {"related", "{\"limit\":1e5000}", "a number that no double can hold"},
      {"status", "[]", "status: expected an object, found a list"},
      {"related", "{\"limt\": 3}", "related: unknown key 'limt'; did you mean 'limit'?"},
      {"related", "{\"limit\": 0}", "related.limit: expected a whole number from 1 to 1000000"},
      {"related", "{\"limit\": 1.5}", "related.limit"},
      {"related", "{\"fold\": true}", "related.fold: expected a number from 0 to 1, found true"},
      {"related", "{\"like\": {}}", "related.like: expected a list, found an object"},
      {"related", "{\"like\": [{\"docid\": \"7\"}]}", "related.like[0].docid"},
      {"related", "{\"like\": [{}]}", "related.like[0]: expected one of id, docid, text"},
      {"related", "{\"like\": [{\"id\": \"a\\\\q\"}]}", "hexadecimal"},
      {"related", "{\"like\": [{\"record\": 3}]}", "related.like[0].record: "},
      {"classify", "{}", "classify: expected either example or examples"},
      {"classify", "{\"examples\": [], \"vote\": \"luck\"}", "classify.vote: expected one of"},
      {"duplicates", "{\"min_similarity\": 0}",
       "duplicates.min_similarity: expected a number above 0"},
      {"tune", "{\"dry_run\": true, \"remove\": true}", "tune: expected only one of"},
      {"analyze", "{}", "analyze: expected either text or query"},
      {"edit", "{\"edits\": [{\"reject\": [\"x\"]}]}", "edit.edits[0]: expected either id or docid"}};
  char deep[200] = "";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    CHECK_FAILS(ask_code(handle, cases[i][0], cases[i][1]), KINDRED_INVALID_ARGUMENT, cases[i][2]);
  memset(deep, '[', sizeof deep - 1);
  CHECK_FAILS(ask_code(handle, "status", deep), KINDRED_INVALID_ARGUMENT, "64 levels deep");
}

int main(void) {
  make_directory();
  null_ends_nothing();
  what_is_no_database_does_not_open();
  create_makes_a_database_but_never_over_another_file();
  bad_settings_name_line_and_key();
  kindred_handle* const handle = create_notes(path_to("notes.db"));
  settings_that_contradict_what_the_index_remembers_are_refused();
  another_analysis_than_the_index_was_made_with_is_refused();
  null_arguments_are_named(handle);
  values_out_of_range_are_refused(handle);
  a_batch_with_a_bad_record_writes_nothing(handle);
  struct_sizes_tell_old_and_new_hosts(handle);
  every_growing_struct_needs_its_size(handle);
  a_host_that_is_older_has_shorter_structs();
  refused_records_are_counted_and_cost_nothing(handle);
  one_handle_at_a_time_has_the_write_lock(handle);
  what_cannot_be_tagged_is_refused(handle);
  wrong_requests_name_key_and_place(handle);
  error_texts_can_be_shown(handle);
  error_text_belongs_to_its_thread(handle);
  the_log_callback_hears_of_a_new_mirror();
  a_vanished_database_still_answers();
  kindred_close(handle);
  remove_tree(directory);
  return failures != 0;
}
