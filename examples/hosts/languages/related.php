<?php // Documents like a text: php related.php DATABASE TEXT. Needs the extension FFI
$kindred = FFI::cdef('
  typedef struct { const char* data; size_t size; } answer;
  int kindred_open(const char*, size_t, void*, void**);
  int kindred_ask(void*, const char*, size_t, const char*, size_t, void*, void*, answer**);
  void kindred_answer_free(answer*);
  void kindred_close(void*);
  const char* kindred_last_error(void);', getenv('KINDRED_LIBRARY') ?: 'libkindred.so.0');

function check($kindred, $status) {
  if ($status != 0) throw new Exception($kindred->kindred_last_error());
}

function ask($kindred, $handle, $question, $request) {
  $json = json_encode($request);
  $answer = $kindred->new('answer*');
  check($kindred, $kindred->kindred_ask($handle, $question, strlen($question), $json, strlen($json),
                                        null, null, FFI::addr($answer)));
  $text = FFI::string($answer->data, $answer->size);
  $kindred->kindred_answer_free($answer);
  return json_decode($text, true);
}

[, $path, $text] = $argv;
$handle = $kindred->new('void*');
check($kindred, $kindred->kindred_open($path, strlen($path), null, FFI::addr($handle)));
foreach (ask($kindred, $handle, 'related', ['like' => [['text' => $text]]])['results'] as $found) echo $found['id'], "\n";
$kindred->kindred_close($handle);
