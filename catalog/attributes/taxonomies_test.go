package attributes_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/attributes"
	"github.com/anonsql/anonsql/catalog/catalogtest"
)

// tree writes a taxonomy as indented lines.
func tree(t *anonymize.Taxonomy) string {
	var b strings.Builder
	for node := range t.Nodes() {
		fmt.Fprintf(&b, "%s%s\n", strings.Repeat(" ", t.Depth(node)), t.Label(node))
	}
	for _, v := range t.Leaves() {
		fmt.Fprintf(&b, "%v ", v)
	}
	return b.String()
}

// domains reads the stored declarations about all columns of a table.
func domains(t *testing.T, c *catalogtest.Client, table string) map[string]*anonymize.Domain {
	t.Helper()
	ctx := c.Context()
	stored, err := c.Catalog.Table(ctx, "d", table)
	if err != nil {
		t.Fatal(err)
	}
	m, err := stored.Microdata(ctx, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.Catalog.Domains(ctx, stored, m.Columns)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func diseaseTree() (*attributes.Taxonomy, []string, []int) {
	return &attributes.Taxonomy{Database: "d", Table: "t", Column: "disease", Kind: "table", Source: "d.tree", Nodes: 6, Leaves: 3, Height: 2, Root: "any"},
		[]string{"any", "joints", "GOUT", "lungs", "flu", "cold"}, []int{-1, 0, 1, 0, 3, 3}
}

// diseases is table t with every kind of declaration: a taxonomy that replaced another one, an order, and scales.
func diseases(t *testing.T) (*catalogtest.Bench, *catalogtest.Client) {
	t.Helper()
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (x INT, disease VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, stage ENUM('low','high'), grade INT)",
		"INSERT INTO t VALUES (1, 'gout', 'high', 3), (2, 'Flu', 'low', 1), (3, 'cold', NULL, 2)")
	if err := b.Catalog.SetTaxonomy(c.Context(), &attributes.Taxonomy{Database: "d", Table: "t", Column: "disease", Kind: "table"}, []string{"x"}, []int{-1}); err != nil {
		t.Fatal(err)
	}
	stored, labels, parents := diseaseTree()
	if err := b.Catalog.SetTaxonomy(c.Context(), stored, labels, parents); err != nil {
		t.Fatal(err)
	}
	order := &attributes.Taxonomy{Database: "d", Table: "t", Column: "grade", Kind: attributes.KindOrder, Source: "2,3,1", Nodes: 3, Leaves: 3}
	if err := b.Catalog.SetTaxonomy(c.Context(), order, []string{"2", "3", "1"}, []int{-1, -1, -1}); err != nil {
		t.Fatal(err)
	}
	scales := map[string]anonymize.Scale{"stage": anonymize.Ordinal, "x": anonymize.Nominal}
	if err := b.Catalog.SetAttributes(c.Context(), "d", "t", nil, scales); err != nil {
		t.Fatal(err)
	}
	return b, c
}

// checkDiseases checks diseases' declarations on a table and its column disease, which may have been renamed.
func checkDiseases(t *testing.T, c *catalogtest.Client, table, disease string) {
	t.Helper()
	found := domains(t, c, table)
	// The leaves are spelled as the column spells them.
	want := "any\n joints\n  GOUT\n lungs\n  flu\n  cold\ngout Flu cold "
	if d := found[disease]; d == nil || d.Scale != anonymize.Semantic || tree(d.Taxonomy) != want {
		t.Fatalf("the taxonomy is %v", d)
	}
	if d := found["grade"]; d.Scale != anonymize.Ordinal || fmt.Sprint(d.Order) != "[2 3 1]" {
		t.Errorf("the order is %v", d)
	}
	if d := found["stage"]; d.Scale != anonymize.Ordinal || fmt.Sprint(d.Order) != "[ low high]" {
		t.Errorf("the order of an enum is %v", d)
	}
	if d := found["x"]; d.Scale != anonymize.Nominal {
		t.Errorf("the scale is %v", d)
	}
}

// Declarations about columns follow renames, survive a restart, and disappear with the columns.
func TestStoredTaxonomy(t *testing.T) {
	b, c := diseases(t)
	checkDiseases(t, c, "t", "disease")
	c.Run("RENAME TABLE t TO u", "ALTER TABLE u RENAME COLUMN disease TO illness", "ALTER TABLE u ADD COLUMN more INT FIRST")
	checkDiseases(t, c, "u", "illness")
	b.Reopen()
	c = b.Client()
	c.Run("USE d")
	checkDiseases(t, c, "u", "illness")
	all, err := b.Catalog.AllTaxonomies()
	want := attributes.Taxonomy{Database: "d", Table: "u", Column: "illness", Kind: "table", Source: "d.tree", Nodes: 6, Leaves: 3, Height: 2, Root: "any"}
	if err != nil || len(all) != 2 || *all[0] != want {
		t.Errorf("listed are %v, %v", all, err)
	}
	c.Run("ALTER TABLE u DROP COLUMN illness")
	checkRows(t, b, "taxonomy_nodes", 3)
	c.Run("DROP TABLE u")
	for _, table := range []string{"taxonomies", "taxonomy_nodes", "scales"} {
		checkRows(t, b, table, 0)
	}
}

// A transaction that ends without COMMIT leaves the taxonomy that was there.
func TestTaxonomyInATransaction(t *testing.T) {
	b, c := diseases(t)
	c.Run("START TRANSACTION", "INSERT INTO t (x) VALUES (4)")
	if err := b.Catalog.DropTaxonomies(c.Context(), "d", "t", []string{"disease", "x"}); err == nil || domains(t, c, "t")["disease"] == nil {
		t.Errorf("of two columns, one without a taxonomy: %v, and the other has %v", err, domains(t, c, "t")["disease"])
	}
	if err := b.Catalog.DropTaxonomies(c.Context(), "d", "t", []string{"disease"}); err != nil {
		t.Error(err)
	}
	if found := domains(t, c, "t"); found["disease"] != nil {
		t.Error("the session does not see what it did")
	}
	c.Run("ROLLBACK")
	checkDiseases(t, c, "t", "disease")
}

func checkRows(t *testing.T, b *catalogtest.Bench, table string, want int64) {
	t.Helper()
	var n int64
	if b.Stored("SELECT COUNT(*) FROM "+table, &n); n != want {
		t.Errorf("%s has %d rows, want %d", table, n, want)
	}
}

// A tree that misses a value is refused before it is stored.
func TestTaxonomyIsChecked(t *testing.T) {
	b := catalogtest.NewBench(t)
	c := b.Owner()
	c.Run("CREATE TABLE t (disease VARCHAR(20) COLLATE utf8mb4_0900_ai_ci)", "INSERT INTO t VALUES ('gout'), ('mumps')")
	ctx := c.Context()
	table, err := b.Catalog.Table(ctx, "d", "t")
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Microdata(ctx, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, labels, parents := diseaseTree()
	_, err = attributes.NewTaxonomy(m.Columns[0], labels, func(read func(string) (anonymize.Value, error)) (*anonymize.Taxonomy, error) {
		return anonymize.NewTaxonomy(labels, parents, read)
	})
	var data *anonymize.DataError
	if !errors.As(err, &data) || !strings.Contains(data.Reason, "mumps") {
		t.Errorf("got %v", err)
	}
}
