# Documents like a text: perl related.pl DATABASE TEXT. Needs FFI::Platypus
use strict;
use warnings;
use FFI::Platypus 1.00;
use JSON::PP;

my $ffi = FFI::Platypus->new(api => 1, lib => $ENV{KINDRED_LIBRARY} || 'libkindred.so.0');
$ffi->attach(kindred_open => ['string', 'size_t', 'opaque', 'opaque*'] => 'int');
$ffi->attach(kindred_ask => ['opaque', 'string', 'size_t', 'string', 'size_t', 'opaque', 'opaque', 'opaque*'] => 'int');
$ffi->attach($_ => ['opaque'] => 'void') for 'kindred_answer_free', 'kindred_close';
$ffi->attach(kindred_last_error => [] => 'string');

sub ask {
    my ($handle, $question, $request) = @_;
    my ($json, $answer) = (encode_json($request), undef);
    my $status = kindred_ask($handle, $question, length $question, $json, length $json, undef, undef, \$answer);
    die kindred_last_error() if $status;
    my ($data, $size) = unpack 'QQ', $ffi->cast('opaque' => 'record(16)*', $answer);
    my $text = $ffi->cast('opaque' => "record($size)*", $data);
    kindred_answer_free($answer);
    return decode_json($text);
}

my ($path, $text) = @ARGV;
utf8::decode($text);
kindred_open($path, length $path, undef, \my $handle) and die kindred_last_error();
print "$_->{id}\n" for @{ask($handle, 'related', {like => [{text => $text}]})->{results}};
kindred_close($handle);
