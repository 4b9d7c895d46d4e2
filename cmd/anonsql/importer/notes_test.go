package importer

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotes: an import of ambiguous numbers notes this, and the flag that decides.
func TestNotes(t *testing.T) {
	for _, c := range []struct{ text, decimal, want string }{
		{"x;n\na;1.234\nb;987\n", "", "points are read as decimal points, and all of them may group thousands as in 1.234, in n: --decimal comma leaves them out, --decimal point keeps them"},
		{"x;n\na;1.234\nb;987\n", "point", ""},
		{"x;n\na;1.234\nb;987\n", "comma", "numbers are read with a decimal comma in n"},
		{"x;n\na;1.234\nb;0.5\n", "", ""},
		{"x;n\na;1.234\nb;1.234.567\n", "", "column n is VARCHAR(16) because its digits stand in groups"},
		{"x;n\na;0.1234567890123456789012345678901\n", "", "column n is VARCHAR(64) because its numbers have more digits than a DECIMAL"},
	} {
		o := Options{File: write(t, "f.csv", c.text), Database: "n", Table: "n", DataDir: filepath.Join(t.TempDir(), "d"), Decimal: c.decimal, Delimiter: ";"}
		result, err := ToDataDir(context.Background(), o)
		if err != nil {
			t.Fatalf("%q: %v", c.text, err)
		}
		if notes := strings.Join(result.Notes, "; "); !strings.HasPrefix(notes, c.want) || c.want == "" && notes != "" {
			t.Errorf("%q, %s: the notes are %q, want %q", c.text, c.decimal, notes, c.want)
		}
	}
}
