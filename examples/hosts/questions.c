/* A host that asks every question: it ingests some notes, and asks what questions.tsv lists.
 *
 *   questions DATABASE questions.tsv
 *
 * DATABASE must not exist. Exit status: 0, or 1 with a message on stderr. */
#include <kindred/kindred.h>
#include <stdio.h>
#include <string.h>

static const char* const notes[] = {
    "{\"id\": \"b1\", \"title\": \"Bread\", \"labels\": [\"kitchen\"],"
    " \"text\": \"Knead the dough, let it rise, bake the bread in a hot oven.\"}",
    "{\"id\": \"b2\", \"title\": \"Rolls\", \"labels\": [\"kitchen\"],"
    " \"text\": \"Shape the dough into rolls and bake them in the oven until brown.\"}",
    "{\"id\": \"s1\", \"title\": \"Tides\", \"labels\": [\"sea\"],"
    " \"text\": \"The moon pulls the tide; sailors read the harbor tables.\"}",
    "{\"id\": \"s2\", \"title\": \"Harbor\", \"labels\": [\"sea\"],"
    " \"text\": \"Ships wait in the harbor for the tide.\"}",
    "{\"id\": \"n1\", \"title\": \"Loaf\", \"text\": \"Bake the dough in a hot oven.\"}",
    "{\"id\": \"n2\", \"title\": \"Sails\", \"text\": \"Sailors leave the harbor.\"}"};

/* Prints what failed; nonzero if the call failed. */
static int failed(kindred_errc code, const char* what) {
  if (code == KINDRED_OK) return 0;
  fprintf(stderr, "%s: error %d: %s\n", what, (int)code, kindred_last_error());
  return 1;
}

/* Prints the question and its answer. */
static int ask(kindred_handle* kindred, const char* question, const char* request) {
  kindred_answer* answer = NULL;
  if (failed(kindred_ask(kindred, question, strlen(question), request, strlen(request), NULL, NULL,
                         &answer),
             question))
    return 1;
  printf("%s\t%s\n", question, answer->json.data);
  kindred_answer_free(answer);
  return 0;
}

static int ask_all(kindred_handle* kindred, FILE* questions) {
  char line[1000];
  int bad = 0;
  while (!bad && fgets(line, sizeof line, questions) != NULL) {
    char* const request = strchr(line, '\t');
    if (request == NULL) continue;
    *request = '\0';
    bad = ask(kindred, line, request + 1);
  }
  return bad;
}

int main(int argc, char* argv[]) {
  kindred_open_options options = KINDRED_OPEN_OPTIONS_INIT;
  kindred_handle* kindred = NULL;
  FILE* const questions = argc == 3 ? fopen(argv[2], "r") : NULL;
  int bad = 0;
  if (questions == NULL) {
    fprintf(stderr, "usage: %s DATABASE questions.tsv\n", argv[0]);
    return 1;
  }
  options.flags = KINDRED_CREATE;
  if (failed(kindred_open(argv[1], strlen(argv[1]), &options, &kindred), "open")) return 1;
  for (size_t i = 0; !bad && i < sizeof notes / sizeof *notes; ++i)
    bad = failed(kindred_ingest(kindred, notes[i], strlen(notes[i]), NULL), "ingest");
  bad = bad || failed(kindred_end_ingest(kindred, NULL), "commit") || ask_all(kindred, questions);
  kindred_close(kindred);
  fclose(questions);
  return bad;
}
