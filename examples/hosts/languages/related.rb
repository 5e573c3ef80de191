# Documents like a text: ruby related.rb DATABASE TEXT
require 'fiddle/import'
require 'json'
module Kindred
  extend Fiddle::Importer
  dlload ENV['KINDRED_LIBRARY'] || 'libkindred.so.0'
  extern 'int kindred_open(const char*, size_t, void*, void**)'
  extern 'int kindred_ask(void*, const char*, size_t, const char*, size_t, void*, void*, void**)'
  extern 'void kindred_answer_free(void*)'
  extern 'void kindred_close(void*)'
  extern 'const char* kindred_last_error()'
  Answer = struct ['char* data', 'size_t size']

  def self.made # what a call puts where its last argument points to
    out = Fiddle::Pointer.malloc(Fiddle::SIZEOF_VOIDP, Fiddle::RUBY_FREE)
    raise kindred_last_error.to_s unless yield(out).zero?
    out.ptr
  end

  def self.ask(handle, question, request)
    json = request.to_json
    answer = Answer.new(made { |out| kindred_ask(handle, question, question.bytesize, json, json.bytesize, nil, nil, out) })
    JSON.parse(answer.data[0, answer.size]).tap { kindred_answer_free(answer.to_ptr) }
  end
end
path, text = ARGV
handle = Kindred.made { |out| Kindred.kindred_open(path, path.bytesize, nil, out) }
Kindred.ask(handle, 'related', { like: [{ text: text }] })['results'].each { |found| puts found['id'] }
Kindred.kindred_close(handle)
