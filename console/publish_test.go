package console

import (
	"net/url"
	"testing"
)

// A statement names the roles that it needs: whom the rows are of, too, whose values are published by none.
func TestPublicationNamesTheUnit(t *testing.T) {
	form := url.Values{"database": {"h"}, "table": {"visits"}, "column": {"visit", "patient", "age", "disease"}, "method": {"anatomy"},
		"role:visit": {"ei"}, "role:patient": {"unit"}, "role:age": {"qi"}, "role:disease": {"sa"}}
	for action, want := range map[string]string{
		"dry_run": `CALL anonymize('h.visits', 'anatomy', '{"dry_run":"true","qi":["age"],"sa":["disease"],"unit":["patient"]}')`,
		"advise":  `CALL advise('h.visits', '{"qi":["age"],"sa":["disease"],"unit":["patient"]}')`,
	} {
		form.Set("action", action)
		if got, err := publication(form); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", action, got, err, want)
		}
	}
}
