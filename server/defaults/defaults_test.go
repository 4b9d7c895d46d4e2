package defaults

import (
	"errors"
	"strings"
	"testing"
)

func TestWith(t *testing.T) {
	check := func(variable, value string) error {
		if variable == "anon_counts" && value != "integer" {
			return errors.New("no such value")
		}
		return nil
	}
	for name, c := range map[string]struct {
		options []string
		want    string // or the beginning of an error
	}{
		"set":         {[]string{"ANON_COUNTS = integer", "sql_notes=OFF"}, "anon_counts=integer, anon_estimator=fragments, sql_notes=OFF"},
		"taken back":  {[]string{"anon_estimator=Default"}, ""},
		"unknown":     {[]string{"max_connections=5"}, `default is "max_connections=5", must be one of anon_counts,`},
		"no value":    {[]string{"anon_counts"}, `default is "anon_counts", must be one of`},
		"wrong value": {[]string{"anon_counts=many"}, `anon_counts is "many", must be a value of that variable, or 'default': no such value`},
	} {
		before := Values{"anon_estimator": "fragments"}
		after, err := before.WithOptions(check, c.options...)
		got := after.String()
		if err != nil {
			got = err.Error()
		}
		if err == nil && got != c.want || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s, must be %s", name, got, c.want)
		}
		if before.String() != "anon_estimator=fragments" {
			t.Errorf("%s changes what there was", name)
		}
	}
}

// Stored values have an exact round trip, and other attributes stay.
func TestText(t *testing.T) {
	others := `{"anonsql_limits":{"memory":0},"comment":"a BI tool"}`
	text := Values{"anon_counts": "integer"}.Text(others)
	if got := FromText(text).String(); got != "anon_counts=integer" {
		t.Errorf("%s says %s", text, got)
	}
	if got := (Values{}).Text(text); got != others {
		t.Errorf("without defaults there is %s, must be %s", got, others)
	}
	for _, nothing := range []string{"", "no JSON", "[1]", "{}"} {
		if got := FromText(nothing); len(got) > 0 {
			t.Errorf("%q says %v", nothing, got)
		}
	}
}
