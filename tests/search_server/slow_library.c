/* A Kindred that answers everything at once by an empty answer, but for what asks for a thousand
 * items of all documents, or for "slow": that takes as long as it may; and for "stuck": that never
 * ends. */
#include <kindred/kindred.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What the questions of the server have, all in one. */
static const char kAnswer[] =
    "{\"documents\":[],\"groups\":[],\"missing\":{\"suspects\":[]},\"wrong\":{\"suspects\":[]},"
    "\"examined\":1200,\"labeled\":6000,\"found\":0,\"grouped\":0,\"results\":[],\"tuning_due\":false,\"seconds\":0}";

static const char* last_error(void) { return "canceled"; }

static kindred_errc open_database(const char* database, size_t size,
                                  const kindred_open_options* options, kindred_handle** handle) {
  (void)database;
  (void)size;
  (void)options;
  *handle = (kindred_handle*)kAnswer;
  return KINDRED_OK;
}

static void close_database(kindred_handle* handle) { (void)handle; }

static kindred_errc refresh(kindred_handle* handle, int* changed) {
  (void)handle;
  if (changed != NULL) *changed = 0;
  return KINDRED_OK;
}

static kindred_errc end_ingest(kindred_handle* handle, kindred_ingest_report* report) {
  (void)handle;
  (void)report;
  return KINDRED_OK;
}

static int has(const char* text, size_t size, const char* word) {
  return memmem(text, size, word, strlen(word)) != NULL;
}

static kindred_errc ask(kindred_handle* handle, const char* question, size_t question_size,
                        const char* request, size_t request_size, kindred_progress progress,
                        void* user, kindred_answer** answer) {
  const struct timespec moment = {0, 10 * 1000 * 1000};
  kindred_step step = {sizeof step, {"slow", 4}, 0, 0};
  (void)handle;
  (void)question;
  (void)question_size;
  const int is_stuck = has(request, request_size, "stuck");
  const int is_of_all = !has(request, request_size, "\"documents\":") ||
                        has(request, request_size, "\"documents\":0");
  const int is_slow = (has(request, request_size, "\"limit\":1000") && is_of_all) ||
                      has(request, request_size, "slow");
  while (is_slow || is_stuck) {
    if (progress != NULL && !is_stuck && progress(user, &step) != 0) return KINDRED_CANCELED;
    nanosleep(&moment, NULL);
  }
  if (answer == NULL) return KINDRED_OK;
  *answer = malloc(sizeof **answer);
  (*answer)->json.data = kAnswer;
  (*answer)->json.size = sizeof kAnswer - 1;
  return KINDRED_OK;
}

static void answer_free(kindred_answer* answer) { free(answer); }

const kindred_descriptor* kindred_plugin(void) {
  static const kindred_descriptor descriptor = {.size = sizeof(kindred_descriptor),
                                                .abi_version = KINDRED_ABI_VERSION,
                                                .version = "slow",
                                                .last_error = last_error,
                                                .open = open_database,
                                                .close = close_database,
                                                .refresh = refresh,
                                                .end_ingest = end_ingest,
                                                .ask = ask,
                                                .answer_free = answer_free};
  return &descriptor;
}
