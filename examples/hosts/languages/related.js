// Documents like a text: node related.js DATABASE TEXT. Needs koffi: npm install koffi
const koffi = require('koffi');
const kindred = koffi.load(process.env.KINDRED_LIBRARY || 'libkindred.so.0');

koffi.struct('Text', {data: 'void *', size: 'size_t'});
const open = kindred.func('int kindred_open(str path, size_t n, void *o, _Out_ void **handle)');
const askOf = kindred.func('int kindred_ask(void *handle, str question, size_t n, str request,' +
  ' size_t size, void *progress, void *data, _Out_ void **answer)');
const free = kindred.func('void kindred_answer_free(void *answer)');
const close = kindred.func('void kindred_close(void *handle)');
const lastError = kindred.func('const char *kindred_last_error()');

const bytes = (text) => Buffer.byteLength(text);
function made(status, out) {
  if (status !== 0) throw new Error(lastError());
  return out[0];
}
function ask(handle, question, request) {
  const json = JSON.stringify(request), out = [null];
  const status = askOf(handle, question, bytes(question), json, bytes(json), null, null, out);
  const answer = made(status, out), text = koffi.decode(answer, 'Text');
  const result = JSON.parse(koffi.decode(text.data, 'char', Number(text.size)));
  free(answer);
  return result;
}

const [path, text] = process.argv.slice(2), out = [null], handle = made(open(path, bytes(path), null, out), out);
for (const found of ask(handle, 'related', {like: [{text}]}).results) console.log(found.id);
close(handle);
