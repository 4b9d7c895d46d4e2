package acceptance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/server/servertest"
)

// A package has no measurements with the raw table. If somebody adds some, which nobody can recompute, it is refused.
func TestImportOfMeasuredFigures(t *testing.T) {
	t.Parallel()
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
	about["guarantees"] = append(about["guarantees"].([]any), map[string]any{"name": "definetti", "achieved": 0.654, "holds": true})
	if text, err = json.Marshal(descriptor); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	servertest.Refused(t, second, 30001, `it states "definetti", which its fragments and its model do not determine`, "CALL import_release('p')")
}
