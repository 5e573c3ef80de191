/* A whole host of the C ABI: loads libkindred.so at run time, ingests three notes, and asks.
 *
 *   host path/to/libkindred.so DATABASE
 *
 * DATABASE is made if it does not exist. Exit status: 0, or 1 with a message on stderr. */
#include <dlfcn.h>
#include <kindred/kindred.h>
#include <stdio.h>
#include <string.h>

static const kindred_descriptor* api;

static kindred_string text_of(const char* text) {
  const kindred_string string = {text, strlen(text)};
  return string;
}

/* Prints what failed; nonzero if the call failed. */
static int failed(kindred_errc code, const char* what) {
  if (code == KINDRED_OK) return 0;
  fprintf(stderr, "%s: error %d: %s\n", what, (int)code, api->last_error());
  return 1;
}

static void print_log(void* user, const char* message, size_t size) {
  (void)user;
  fprintf(stderr, "kindred: %.*s\n", (int)size, message);
}

static int load(const char* path) {
  const kindred_descriptor* (*plugin)(void) = NULL;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library != NULL) *(void**)(&plugin) = dlsym(library, "kindred_plugin");
  if (plugin == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  api = plugin();
  if (api->abi_version != KINDRED_ABI_VERSION || api->size < sizeof *api) {
    fprintf(stderr, "%s: version %s is not for this host\n", path, api->version);
    return 1;
  }
  return 0;
}

static int ingest_notes(kindred_handle* kindred) {
  static const char* const notes[] = {
      "{\"id\": \"host-1\", \"title\": \"Bread\", \"labels\": [\"kitchen\"],"
      " \"text\": \"Knead the dough, let it rise, bake the bread in a hot oven.\"}",
      "{\"id\": \"host-2\", \"title\": \"Tides\", \"labels\": [\"sea\"],"
      " \"text\": \"The moon pulls the tide; sailors read the harbor tables.\"}",
      "{\"id\": \"host-3\", \"title\": \"Rolls\","
      " \"text\": \"Shape the dough into rolls and bake them until brown.\"}"};
  kindred_ingest_report report = KINDRED_INGEST_REPORT_INIT;
  for (size_t i = 0; i < sizeof notes / sizeof *notes; ++i) {
    if (failed(api->ingest(kindred, notes[i], strlen(notes[i]), NULL), "ingest")) return 1;
  }
  if (failed(api->end_ingest(kindred, &report), "commit")) return 1;
  printf("ingested: %llu added, %llu replaced, %llu tagged\n", (unsigned long long)report.added,
         (unsigned long long)report.replaced, (unsigned long long)report.tagged);
  return 0;
}

/* Any question of docs/json.md, in JSON. */
static int show_status(kindred_handle* kindred) {
  kindred_answer* answer = NULL;
  if (failed(api->ask(kindred, "status", 6, "{}", 2, NULL, NULL, &answer), "status")) return 1;
  printf("status: %s\n", answer->json.data);
  api->answer_free(answer);
  return 0;
}

static int show_related(const kindred_handle* kindred) {
  kindred_example like = {KINDRED_BY_ID, 0, {NULL, 0}};
  kindred_related_request request = KINDRED_RELATED_REQUEST_INIT;
  kindred_related_result* result = NULL;
  like.value = text_of("host-1");
  request.like = &like;
  request.like_count = 1;
  request.limit = 3;
  if (failed(api->related(kindred, &request, &result), "related")) return 1;
  for (size_t i = 0; i < result->document_count; ++i) {
    const kindred_related_document* document = &result->documents[i];
    printf("related to host-1: %s (%s), similarity %.3f\n", document->id.data,
           document->title.data, document->similarity);
  }
  api->related_free(result);
  return 0;
}

static int show_tags(const kindred_handle* kindred) {
  kindred_example note = {KINDRED_BY_TEXT, 0, {NULL, 0}};
  kindred_classification* result = NULL;
  note.value = text_of("How long does sourdough bread bake?");
  if (failed(api->classify(kindred, &note, NULL, &result), "classify")) return 1;
  for (size_t i = 0; i < result->tag_count; ++i) {
    printf("tag: %s, confidence %.3f\n", result->tags[i].label.data, result->tags[i].confidence);
  }
  api->classification_free(result);
  return 0;
}

/* A failure gives a code to branch on, and a sentence to show. */
static void show_failure(const kindred_handle* kindred) {
  kindred_example absent = {KINDRED_BY_ID, 0, {NULL, 0}};
  kindred_classification* result = NULL;
  absent.value = text_of("no such id");
  if (api->classify(kindred, &absent, NULL, &result) == KINDRED_NOT_FOUND) {
    printf("as expected: %s\n", api->last_error());
  }
}

int main(int argc, char* argv[]) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* kindred = NULL;
  int bad;
  if (argc != 3) {
    fprintf(stderr, "usage: %s path/to/libkindred.so DATABASE\n", argv[0]);
    return 1;
  }
  if (load(argv[1])) return 1;
  options.flags = KINDRED_CREATE;
  options.log = print_log;
  if (failed(api->open(argv[2], strlen(argv[2]), &options, &kindred), "open")) return 1;
  bad =
      ingest_notes(kindred) || show_status(kindred) || show_related(kindred) || show_tags(kindred);
  if (!bad) show_failure(kindred);
  api->close(kindred);
  return bad;
}
