package catalog_test

import (
	"testing"

	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// Publications during a statement affect its admission, even if its session has an older snapshot.
func TestAdmissionSeesWhatOthersPublished(t *testing.T) {
	plain := func(*catalog.Publication) {}
	for name, test := range map[string]struct {
		table, other string
		how          func(*catalog.Publication)
		dropped      bool // the other one, before this one is stored
		wants        string
	}{
		"of the same budget":      {table: "t", other: "t", how: spend("6", inPrivate), wants: "must be at most 4:"},
		"of a dropped release":    {table: "t", other: "t", how: plain, dropped: true, wants: "table d.t had a public release until 20"},
		"of a copy":               {table: "t", other: "copied", how: plain, wants: "records of d.t are records of table d.copied"},
		"of a copy that was gone": {table: "copied", other: "t", how: plain, dropped: true, wants: "Table d.t had a public release until 20"},
	} {
		t.Run(name, func(t *testing.T) {
			b := catalogtest.NewBench(t)
			r, c, other := b.Releases(), b.Owner(), b.Client()
			other.Session.SetCurrentDatabase("d")
			c.Run("CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, q INT, s INT)", fillTable("t", 0), "CREATE TABLE copied AS SELECT * FROM t")
			admission, err := r.Admit(c.Context(), publicationOf(c, test.table, "slow", test.how))
			if err == nil {
				err = admission.CompareRecords(c.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
			c.Table(test.table) // opens the session's snapshot
			if _, err := publishRecords(other, r, test.other, "fast", test.how); err != nil {
				t.Fatal(err)
			}
			if test.dropped {
				if _, err := r.Drop(other.Context(), catalogtest.Named(t, b.Releases(), "fast")); err != nil {
					t.Fatal(err)
				}
			}
			_, err = r.Publish(c.Context(), admission)
			wantRefusal(t, err, test.wants)
		})
	}
}
