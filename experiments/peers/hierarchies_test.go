package peers

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize/anontest"
)

// Other tools get the hierarchies of our own tests, and the written files read back unchanged.
func TestHierarchiesOfAdult(t *testing.T) {
	complete := anontest.AdultComplete(t)
	table, err := ReadAdult(t.Context(), anontest.AdultPath(t))
	if err != nil {
		t.Fatal(err)
	}
	names := table.Roles().QuasiIdentifiers
	want := anontest.AdultHierarchies(t, complete, strings.Join(names, " "))
	directory := t.TempDir()
	if err := table.WriteFiles(directory); err != nil {
		t.Fatal(err)
	}
	again, err := WithHierarchies(table.Microdata, os.DirFS(directory))
	if err != nil {
		t.Fatal(err)
	}
	if table.Rows != 45222 || len(names) != 8 || len(table.Hierarchies) != 8 {
		t.Errorf("%d records, %v", table.Rows, names)
	}
	for _, name := range names {
		paths := pathsOf(want[name].Taxonomy)
		if !reflect.DeepEqual(pathsOf(table.Hierarchies[name].Taxonomy), paths) || !reflect.DeepEqual(pathsOf(again.Hierarchies[name].Taxonomy), paths) {
			t.Errorf("%s is another hierarchy", name)
		}
	}
}
