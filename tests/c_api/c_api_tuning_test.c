/* Tuning through the C ABI: progress, canceling, the result, and what it refuses. */
#include "tests/c_api/c_api_fixture.h"

#include <pthread.h>

static kindred_handle* kindred;
static pthread_t main_thread;

static int cancel_tuning(void* user, const kindred_tune_step* step) {
  int* const told = user;
  ++*told;
  CHECK(step->size == sizeof *step && step->doing.size > 0);
  CHECK(step->doing.data[step->doing.size] == 0);
  CHECK(pthread_equal(pthread_self(), main_thread));
  return 1;
}

static int count_steps(void* user, const kindred_tune_step* step) {
  int* const told = user;
  (void)step;
  ++*told;
  CHECK(pthread_equal(pthread_self(), main_thread));
  return 0;
}

static void the_index_is_tuned_and_tags_follow(void) {
  kindred_tune_request request = KINDRED_TUNE_REQUEST_INIT;
  kindred_tune_result* result = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  int told = 0;
  request.progress = cancel_tuning;
  request.progress_user = &told;
  CHECK_FAILS(kindred_tune(kindred, &request, &result), KINDRED_CANCELED, "leave-one-out");
  CHECK(told == 1 && result == NULL);
  request.progress = count_steps;
  request.settings = str("{\"documents\": 1000}");
  request.flags = KINDRED_DRY_RUN;
  CHECK_OK(kindred_tune(kindred, &request, &result));
  REQUIRE(result != NULL);
  CHECK(told > 1);
  CHECK(strstr(result->json.data, "\"vote\":\"blend\"") != NULL);
  CHECK(strstr(result->json.data, "\"file\":null") != NULL);
  CHECK(strlen(result->json.data) == result->json.size);
  kindred_tune_free(result);
  kindred_tune_free(NULL);
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK(status.tuned == 0);
  CHECK_OK(kindred_tune(kindred, NULL, NULL));
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK(status.tuned == 1);
}

/* Sixty documents of two labels, so that the index tunes itself. */
static void add_documents_that_make_a_tuning_due(kindred_handle* handle) {
  char json[256];
  int i;
  for (i = 0; i < 60; ++i) {
    snprintf(json, sizeof json, "{\"id\":\"%d\",\"labels\":[\"%s\"],\"text\":\"%s word%d\"}", i,
             i % 2 == 0 ? "sea" : "kitchen", i % 2 == 0 ? "harbor tide" : "bread dough", i % 7);
    REQUIRE(ingest(handle, json) == KINDRED_OK);
  }
  REQUIRE(kindred_end_ingest(handle, NULL) == KINDRED_OK);
}

static void an_index_is_tuned_if_that_is_due(void) {
  kindred_handle* const handle = create(path_to("due.db"));
  kindred_tune_request request = KINDRED_TUNE_REQUEST_INIT;
  kindred_tune_result* result = NULL;
  kindred_status status = KINDRED_STATUS_INIT;
  int told = 0;
  add_documents_that_make_a_tuning_due(handle);
  CHECK_OK(kindred_get_status(handle, &status));
  CHECK(status.tuning_due == 1 && status.tuned == 0);
  request.flags = KINDRED_IF_DUE;
  request.progress = cancel_tuning;
  request.progress_user = &told;
  CHECK_FAILS(kindred_tune(handle, &request, &result), KINDRED_CANCELED, "canceled");
  CHECK(result == NULL && told == 1);
  request.progress = count_steps;
  CHECK_OK(kindred_tune(handle, &request, &result));
  REQUIRE(result != NULL && told > 1);
  CHECK(strstr(result->json.data, "\"automatic\":true") != NULL);
  kindred_tune_free(result);
  CHECK_OK(kindred_get_status(handle, &status));
  CHECK(status.tuning_due == 0 && status.tuned == 1);
  CHECK_OK(kindred_tune(handle, &request, &result));
  CHECK(result == NULL);
  request.flags = KINDRED_IF_DUE | KINDRED_DRY_RUN;
  CHECK_FAILS(kindred_tune(handle, &request, &result), KINDRED_INVALID_ARGUMENT, "IF_DUE");
  request.flags = KINDRED_IF_DUE;
  request.settings = str("{}");
  CHECK_FAILS(kindred_tune(handle, &request, &result), KINDRED_INVALID_ARGUMENT, "IF_DUE");
  kindred_close(handle);
}

static void a_host_that_tunes_is_not_kept_waiting_by_ingest_and_tagging(void) {
  const char* const path = path_to("host_tunes.db");
  const char* const text = "{\"id\":\"new\",\"text\":\"the tide in the harbor\"}";
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_tune_request request = KINDRED_TUNE_REQUEST_INIT;
  kindred_ingest_report report = KINDRED_INGEST_REPORT_INIT;
  kindred_tag_report tagged = KINDRED_TAG_REPORT_INIT;
  kindred_status status = KINDRED_STATUS_INIT;
  kindred_handle* handle = NULL;
  options.flags = KINDRED_CREATE | KINDRED_HOST_TUNES;
  CHECK_OK(kindred_open(path, strlen(path), &options, &handle));
  add_documents_that_make_a_tuning_due(handle);
  CHECK(ingest(handle, text) == KINDRED_OK);
  CHECK_OK(kindred_end_ingest(handle, &report));
  CHECK(report.added == 1 && report.tagged == 1);
  CHECK_OK(kindred_tag_documents(handle, NULL, &tagged));
  CHECK_OK(kindred_get_status(handle, &status));
  CHECK(status.tuning_due == 1 && status.tuned == 0);
  request.flags = KINDRED_IF_DUE;
  CHECK_OK(kindred_tune(handle, &request, NULL));
  CHECK_OK(kindred_get_status(handle, &status));
  CHECK(status.tuning_due == 0 && status.tuned == 1);
  kindred_close(handle);
}

static void tuning_refuses_what_it_does_not_know(void) {
  static const char* const wrong[][2] = {
      {"[]", "JSON object"},
      {"{\"objective\": 1}", "unknown key 'objective'"},
      {"{\"filter\": 1}", "filter: expected a string"},
      {"{\"seed\": 1.5}", "seed"},
      {"{\"groups\": \"XG\"}", "groups: expected a list"},
      {"{\"documents\": 1}", "documents: expected at least 2"},
  };
  kindred_tune_request request = KINDRED_TUNE_REQUEST_INIT;
  size_t i;
  for (i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    request.settings = str(wrong[i][0]);
    CHECK_FAILS(kindred_tune(kindred, &request, NULL), KINDRED_INVALID_ARGUMENT, wrong[i][1]);
  }
  request.settings = str("");
  request.flags = KINDRED_PENDING;
  CHECK_FAILS(kindred_tune(kindred, &request, NULL), KINDRED_UNSUPPORTED, "flags");
  CHECK_FAILS(kindred_tune(NULL, NULL, NULL), KINDRED_INVALID_ARGUMENT, "handle");
}

static void a_damaged_tuning_is_reported_until_it_is_gone(void) {
  kindred_status status = KINDRED_STATUS_INIT;
  int changed = 7, i;
  write_file(path_to("notes.db/kindred.tuning"), "damaged");
  for (i = 0; i < 3; ++i) {
    CHECK_FAILS(kindred_refresh(kindred, &changed), KINDRED_CORRUPT, "kindred.tuning");
    CHECK(changed == 7);
  }
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK(status.tuned == 1);
  CHECK_OK(kindred_tune(kindred, NULL, NULL)); /* mends it */
  CHECK_OK(kindred_refresh(kindred, NULL));
  write_file(path_to("notes.db/kindred.tuning"), "damaged");
  CHECK_FAILS(kindred_refresh(kindred, NULL), KINDRED_CORRUPT, "kindred.tuning");
  REQUIRE(remove(path_to("notes.db/kindred.tuning")) == 0);
  CHECK_OK(kindred_refresh(kindred, &changed));
  CHECK(changed == 1);
  CHECK_OK(kindred_get_status(kindred, &status));
  CHECK(status.tuned == 0);
  CHECK_OK(kindred_refresh(kindred, &changed));
  CHECK(changed == 0);
}

int main(void) {
  main_thread = pthread_self();
  make_directory();
  kindred = create_notes(path_to("notes.db"));
  the_index_is_tuned_and_tags_follow();
  tuning_refuses_what_it_does_not_know();
  a_damaged_tuning_is_reported_until_it_is_gone();
  an_index_is_tuned_if_that_is_due();
  a_host_that_tunes_is_not_kept_waiting_by_ingest_and_tagging();
  kindred_close(kindred);
  remove_tree(directory);
  return failures != 0;
}
