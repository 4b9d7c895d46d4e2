package server_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// older are what packages of earlier versions had beside what is public.
var older = map[string]string{
	"loss":     `{"Attributes": [{"Attribute": "disease", "GLP": 0.123, "Correlations": [{"Attribute": "age", "Before": 0.456, "After": 0.001}]}]}`,
	"sequence": `[{"name": "disclosed_updated", "achieved": 0.246, "holds": true}]`,
}

// A package has nothing in it that was measured with the raw table. One of an earlier
// version, which had, is imported; what was measured is shown to who may import, and
// to no analyst.
func TestImportOfOlderPackages(t *testing.T) {
	here, there, dir := exportPair(t)
	root, second := here.Open(t, servertest.Root), there.Open(t, servertest.Root)
	createPatients(t, root)
	servertest.Exec(t, root, "CALL anonymize('hospital.patients', 'anatomy', 'l=3', 'qi=age,sex,born,charge', 'sa=disease', 'publish=p', 'attacks=true', 'calibrate=true')",
		"CALL export_release('p')")
	file := filepath.Join(dir, "p", "datapackage.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var descriptor map[string]any
	if err := json.Unmarshal(text, &descriptor); err != nil {
		t.Fatal(err)
	}
	about := descriptor["anonsql"].(map[string]any)
	for _, raw := range []string{"definetti", "learned", "loss", "sequence", "Coverage\": [", "RMS\": 1", "RMS\": 0."} {
		if strings.Contains(string(text), raw) {
			t.Errorf("the package has %s", raw)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(older)) {
		var value any
		if err := json.Unmarshal([]byte(older[name]), &value); err != nil {
			t.Fatal(err)
		}
		about[name] = value
	}
	about["guarantees"] = append(about["guarantees"].([]any), map[string]any{"name": "definetti", "achieved": 0.654, "holds": true})
	if text, err = json.Marshal(descriptor); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	servertest.Exec(t, second, "CALL import_release('p')")
	owner, analyst := only(t, there, servertest.Root), analystOf(t, there)
	for _, figure := range []string{"0.123", "0.456", "0.654", "0.246"} {
		shows := func(statement string) (owners, analysts bool) {
			seen, _ := try(owner, statement)
			got, _ := try(analyst, statement)
			return strings.Contains(seen, "{"+figure+" "), strings.Contains(got, figure)
		}
		known := false
		for _, statement := range []string{"SELECT * FROM ANON_UTILITY(p)", "SELECT * FROM ANON_PRIVACY(p)", "SELECT * FROM anonsql.guarantees", "CALL report('p')"} {
			owners, analysts := shows(statement)
			known = known || owners
			if analysts {
				t.Errorf("%s shows an analyst %s", statement, figure)
			}
		}
		if !known {
			t.Errorf("the owner of the imported release is not shown %s", figure)
		}
	}
}
