package differential

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
)

// documents are values of JSON on which MySQL and MariaDB agree.
var documents = []string{
	"JSON_EXTRACT('[1,2,3]', '$[last]')", "JSON_EXTRACT('[1,2,3]', '$[last-1]')", "JSON_EXTRACT('[1,2,3]', '$[last-3]')",
	"JSON_EXTRACT('[1,2,3]', '$[0 to 1]')", "JSON_EXTRACT('[1,2,3]', '$[last-8 to last-2]')", "JSON_EXTRACT('[1,2,3]', '$[5 to 6]')",
	"JSON_EXTRACT('[1,[2,3]]', '$[*]')", "JSON_EXTRACT('[[1,2],[3]]', '$[*][0]')", "JSON_EXTRACT('{\"a\":[1,2,{\"a\":4}]}', '$**.a')",
	"JSON_EXTRACT('{\"a\":{\"b\":1},\"c\":{\"b\":2}}', '$**.b')", "JSON_EXTRACT('{\"a\":1,\"c\":3}', '$.c', '$.d')", "JSON_EXTRACT('{\"a\":1}', '$.x', '$.y')",
	"JSON_EXTRACT('{\"a\":1}', '$[0]')", "JSON_EXTRACT('{\"a\":1}', '$[0].a')", "JSON_EXTRACT('{\"a\":1}', '$[1]')", "JSON_EXTRACT('1', '$[0]')",
	"JSON_EXTRACT('{\"a\":null}', '$.a') IS NULL", "JSON_EXTRACT('{\"a\":1}', '$.a', NULL)", "JSON_EXTRACT('{\"a b\":\"x\"}', '$.\"a b\"')",
	"JSON_VALUE('{\"a\":\"Joe\"}', '$.a')", "JSON_VALUE('{\"a\":1.5}', '$.a')", "JSON_VALUE('{\"a\":null}', '$.a')", "JSON_VALUE('{\"a\":1}', '$.b')",
	"JSON_LENGTH('[]')", "JSON_LENGTH('null')", "JSON_LENGTH('{\"a\":[1,2]}', '$.a')", "JSON_LENGTH('{\"a\":1}', '$.x')",
	"JSON_KEYS('{\"a\":1,\"b\":{\"c\":2}}')", "JSON_KEYS('{\"a\":1,\"b\":{\"c\":2}}', '$.b')", "JSON_KEYS('[1]')",
	"JSON_CONTAINS('[1,2,3]', '[1,2]')", "JSON_CONTAINS('{\"a\":1}', '1', '$.a')", "JSON_CONTAINS('{\"a\":1}', '1', NULL)", "JSON_CONTAINS(JSON_ARRAY(1, 2.5), '2.5')",
	"JSON_CONTAINS('[1,[2,3]]', '2')", "JSON_CONTAINS('{\"a\":{\"b\":1}}', '{\"b\":1}')",
	"JSON_CONTAINS_PATH('{\"a\":1,\"b\":2}', 'one', '$.a', '$.e')", "JSON_CONTAINS_PATH('{\"a\":1,\"b\":2}', 'all', '$.a', '$.e')", "JSON_CONTAINS_PATH('[1]', 'one', '$**[0]')",
	"JSON_SEARCH('[\"abc\",{\"x\":\"abc\"}]', 'all', 'abc')", "JSON_SEARCH('[\"abc\",{\"x\":\"abd\"}]', 'one', '%d')", "JSON_SEARCH('{\"a\":\"x\"}', 'all', 'y')",
	"JSON_SET('{\"a\":1}', '$.a', 2, '$.b', 'x')", "JSON_SET('{\"a\":1}', '$.b[1]', 2)", "JSON_INSERT('{\"a\":1}', '$.a', 2, '$.b', 3)", "JSON_REPLACE('{\"a\":1}', '$.a', 2, '$.b', 3)",
	"JSON_REMOVE('[1,[2,3],4]', '$[1]')", "JSON_REMOVE('{\"a\":1,\"b\":2}', '$[0].a')", "JSON_ARRAY_APPEND('[1,[2]]', '$[1]', 3)", "JSON_ARRAY_INSERT('[1,2]', '$[1]', 3)",
	"JSON_MERGE_PRESERVE('{\"a\":1}', '{\"a\":2,\"b\":3}')", "JSON_MERGE_PATCH('{\"a\":1,\"b\":2}', '{\"a\":null,\"c\":{\"d\":null}}')", "JSON_MERGE_PATCH('[1]', '{\"a\":1}')",
	"JSON_MERGE_PATCH('{\"a\":1}', NULL, '[1]')", "JSON_OVERLAPS('[1,3,5]', '[2,5]')", "JSON_OVERLAPS('{\"a\":1,\"b\":2}', '{\"b\":2}')", "JSON_OVERLAPS('5', '[4,5]')",
	"JSON_TYPE('{}')", "JSON_TYPE('1')", "JSON_TYPE('1.5')", "JSON_TYPE('\"a\"')", "JSON_TYPE('true')", "JSON_TYPE('null')", "JSON_TYPE(NULL)",
	"JSON_UNQUOTE('\"a\"')", "JSON_UNQUOTE('abc')", "JSON_UNQUOTE('\"\\\\u4f60\"')", "JSON_DEPTH('[10,{\"a\":20}]')",
	"JSON_ARRAY(1, 'a', NULL, TRUE)", "JSON_OBJECT('a', 1, 'b', NULL)", "JSON_EXTRACT('[3]', '$[0]') + 1", "JSON_UNQUOTE(JSON_EXTRACT('[\"x\"]', '$[0]')) = 'x'",
}

// Functions of documents have MariaDB's values where MySQL's are the same.
func TestDocuments(t *testing.T) {
	s := servertest.Start(t, server.Config{})
	ours, theirs := connect(t, "tcp", s.Addr, "root"), startMariaDB(t)
	for _, expression := range documents {
		got, want := ask(t, ours, "SELECT "+expression), ask(t, theirs, "SELECT "+expression)
		if want.err != nil {
			t.Fatalf("%s: MariaDB says %v", expression, want.err)
		}
		if got.err != nil || !slices.EqualFunc(got.rows, want.rows, slices.Equal[[]string]) {
			t.Errorf("%s\n got %s\nwant %s", expression, fmt.Sprint(got.rows, got.err), fmt.Sprint(want.rows))
		}
	}
}
