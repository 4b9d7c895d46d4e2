package limits

import (
	"errors"
	"testing"
	"time"
)

// Options have units; an error names the value and the rule.
func TestWith(t *testing.T) {
	for option, want := range map[string]string{
		"statement_timeout=120":    "statement_timeout=120, max_result_rows=1000000, max_result_bytes=256MiB, memory=128MiB, max_connections=20",
		"Statement_Timeout = 2m":   "statement_timeout=120, max_result_rows=1000000, max_result_bytes=256MiB, memory=128MiB, max_connections=20",
		"memory=64MiB":             "statement_timeout=60, max_result_rows=1000000, max_result_bytes=256MiB, memory=64MiB, max_connections=20",
		"max_result_bytes=1 GiB":   "statement_timeout=60, max_result_rows=1000000, max_result_bytes=1024MiB, memory=128MiB, max_connections=20",
		"max_connections=0":        "statement_timeout=60, max_result_rows=1000000, max_result_bytes=256MiB, memory=128MiB, max_connections=0",
		"max_result_rows=default":  "statement_timeout=60, max_result_rows=1000000, max_result_bytes=256MiB, memory=128MiB, max_connections=20",
		"max_result_rows=5":        "statement_timeout=60, max_result_rows=5, max_result_bytes=256MiB, memory=128MiB, max_connections=20",
		"statement_timeout=90s":    "statement_timeout=90, max_result_rows=1000000, max_result_bytes=256MiB, memory=128MiB, max_connections=20",
		"max_result_bytes=1048576": "statement_timeout=60, max_result_rows=1000000, max_result_bytes=1MiB, memory=128MiB, max_connections=20",
	} {
		changed, err := Changed{"max_result_rows": 7}.WithOptions("max_result_rows=default", option)
		if got := changed.ApplyTo(Default()).String(); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", option, got, err, want)
		}
	}
	for _, option := range []string{"", "memory", "memory=", "memory=-1", "memory=1", "memory=many", "max_rows=5", "max_connections=2.5",
		"statement_timeout=99999999999999999999", "max_result_bytes=9999999999999GiB", "max_connections=5MiB"} {
		var wrong *OptionError
		if changed, err := (Changed{}).WithOptions(option); !errors.As(err, &wrong) || wrong.Rule == "" {
			t.Errorf("%q: %v, %v", option, changed, err)
		}
	}
}

// Of two limits the smaller counts, and 0 is none.
func TestWithin(t *testing.T) {
	a := Limits{StatementTimeout: time.Minute, MaxResultRows: 5, Memory: 7}
	b := Limits{StatementTimeout: 300 * time.Millisecond, MaxResultRows: 9, MaxResultBytes: 3}
	want := Limits{StatementTimeout: 300 * time.Millisecond, MaxResultRows: 5, MaxResultBytes: 3, Memory: 7}
	if got := a.Intersect(b); got != want {
		t.Errorf("%v, want %v", got, want)
	}
	if got := b.Intersect(a); got != want {
		t.Errorf("the other way: %v, want %v", got, want)
	}
}

// Limits are stored next to other attributes.
func TestText(t *testing.T) {
	text := Changed{"memory": 1 << 30}.Text(`{"team":"east"}`)
	if text != `{"anonsql_limits":{"memory":1073741824},"team":"east"}` {
		t.Error(text)
	}
	if got := FromText(text).ApplyTo(Default()).Memory; got != 1<<30 {
		t.Errorf("memory %d", got)
	}
	if got := (Changed{}).Text(text); got != `{"team":"east"}` {
		t.Errorf("nothing set: %s", got)
	}
	for _, other := range []string{"", "null", "[1]", "{", `{"anonsql_limits":3}`} {
		if got := FromText(other).ApplyTo(Default()); got != Default() {
			t.Errorf("%s: %v", other, got)
		}
	}
}
