package catalog

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
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

// domains reads what is stored of all columns of a table.
func domains(t *testing.T, c *client, table string) map[string]*anonymize.Domain {
	t.Helper()
	ctx := c.context()
	raw, err := c.catalog.Table(ctx, "d", table)
	if err != nil {
		t.Fatal(err)
	}
	m, err := raw.Microdata(ctx, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, err := raw.Domains(ctx, m.Columns)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func diseaseTree() (*Taxonomy, []string, []int) {
	return &Taxonomy{Database: "d", Table: "t", Column: "disease", Kind: "table", Source: "d.tree", Nodes: 6, Leaves: 3, Height: 2, Root: "any"},
		[]string{"any", "joints", "GOUT", "lungs", "flu", "cold"}, []int{-1, 0, 1, 0, 3, 3}
}

func TestStoredTaxonomy(t *testing.T) {
	b := newBench(t)
	c := b.owner()
	c.run("CREATE TABLE t (x INT, disease VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, stage ENUM('low','high'), grade INT)",
		"INSERT INTO t VALUES (1, 'gout', 'high', 3), (2, 'Flu', 'low', 1), (3, 'cold', NULL, 2)")
	if err := b.catalog.SetTaxonomy(c.context(), &Taxonomy{Database: "d", Table: "t", Column: "disease", Kind: "table"}, []string{"x"}, []int{-1}); err != nil {
		t.Fatal(err)
	}
	set := func() {
		stored, labels, parents := diseaseTree()
		if err := b.catalog.SetTaxonomy(c.context(), stored, labels, parents); err != nil {
			t.Fatal(err)
		}
	}
	set() // in the place of the other
	order := &Taxonomy{Database: "d", Table: "t", Column: "grade", Kind: KindOrder, Source: "2,3,1", Nodes: 3, Leaves: 3}
	if err := b.catalog.SetTaxonomy(c.context(), order, []string{"2", "3", "1"}, []int{-1, -1, -1}); err != nil {
		t.Fatal(err)
	}
	scales := map[string]anonymize.Scale{"stage": anonymize.Ordinal, "x": anonymize.Nominal}
	if err := b.catalog.SetAttributes(c.context(), "d", "t", nil, scales); err != nil {
		t.Fatal(err)
	}
	check := func(table, disease string) {
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
	check("t", "disease")
	c.run("RENAME TABLE t TO u", "ALTER TABLE u RENAME COLUMN disease TO illness", "ALTER TABLE u ADD COLUMN more INT FIRST")
	check("u", "illness")
	b.reopen()
	c = b.client()
	c.run("USE d")
	check("u", "illness")
	all, err := b.catalog.AllTaxonomies()
	want := Taxonomy{Database: "d", Table: "u", Column: "illness", Kind: "table", Source: "d.tree", Nodes: 6, Leaves: 3, Height: 2, Root: "any"}
	if err != nil || len(all) != 2 || *all[0] != want {
		t.Errorf("listed are %v, %v", all, err)
	}
	// A transaction that ends without COMMIT leaves what was there.
	c.run("START TRANSACTION", "INSERT INTO u (x) VALUES (4)")
	if dropped, err := b.catalog.DropTaxonomy(c.context(), "d", "u", "illness"); err != nil || !dropped {
		t.Error(dropped, err)
	}
	if found := domains(t, c, "u"); found["illness"] != nil {
		t.Error("the session does not see what it did")
	}
	c.run("ROLLBACK")
	check("u", "illness")
	c.run("ALTER TABLE u DROP COLUMN illness")
	checkRows(t, b, "taxonomy_nodes", 3)
	c.run("DROP TABLE u")
	for _, table := range []string{"taxonomies", "taxonomy_nodes", "scales"} {
		checkRows(t, b, table, 0)
	}
}

func checkRows(t *testing.T, b *bench, table string, want int64) {
	t.Helper()
	conn, err := b.catalog.readers.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var n int64
	if err := conn.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM "+table).Scan(&n); err != nil || n != want {
		t.Errorf("%s has %d rows, want %d; %v", table, n, want, err)
	}
}

// Leaves are read as the column's type reads texts.
func TestLeavesOfTypes(t *testing.T) {
	for _, c := range []struct{ typ, text, value string }{
		{"int", "16", "16"}, {"decimal(5,2)", "1.5", "1.50"}, {"double", "1e3", "1000"}, {"date", "2020-02-01", "2020-02-01"},
		{"datetime(6)", "2020-02-01 10:00:00.5", "2020-02-01 10:00:00.5"}, {"year", "2020", "2020"}, {"varchar(9)", "a b", "a b"},
		{"enum('a','b')", "b", "b"}, {"time", "10:00:00", "36000000000"},
	} {
		typ, err := ParseType(c.typ)
		if err != nil {
			t.Fatal(err)
		}
		column := anonymize.NewColumn("c", c.typ, nil)
		v, err := newLeafReader(newCodec(typ), column, []string{c.text})(c.text)
		if err != nil || v.String() != c.value {
			t.Errorf("%s as %s is %v, want %s; %v", c.text, c.typ, v, c.value, err)
			continue
		}
		text, err := ValueText(typ, v)
		if err != nil {
			t.Error(err)
		}
		if again, err := newLeafReader(newCodec(typ), column, nil)(text); err != nil || again != v {
			t.Errorf("%s as %s is written %s and read %v; %v", c.text, c.typ, text, again, err)
		}
	}
	typ, _ := ParseType("tinyint")
	for _, text := range []string{"300", "x"} {
		if v, err := newLeafReader(newCodec(typ), anonymize.NewColumn("c", "tinyint", nil), nil)(text); err == nil {
			t.Errorf("%q is %v", text, v)
		}
	}
}

// A tree that misses a value is refused before it is stored.
func TestTaxonomyIsChecked(t *testing.T) {
	b := newBench(t)
	c := b.owner()
	c.run("CREATE TABLE t (disease VARCHAR(20) COLLATE utf8mb4_0900_ai_ci)", "INSERT INTO t VALUES ('gout'), ('mumps')")
	ctx := c.context()
	raw, err := b.catalog.Table(ctx, "d", "t")
	if err != nil {
		t.Fatal(err)
	}
	m, err := raw.Microdata(ctx, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, labels, parents := diseaseTree()
	_, err = raw.NewTaxonomy(m.Columns[0], labels, func(read func(string) (anonymize.Value, error)) (*anonymize.Taxonomy, error) {
		return anonymize.NewTaxonomy(labels, parents, read)
	})
	var data *anonymize.DataError
	if !errors.As(err, &data) || !strings.Contains(data.Reason, "mumps") {
		t.Errorf("got %v", err)
	}
}

// Cells come back as they were, wide ones in a few bytes and as parts of one
// list, and so do those that were written member by member.
func TestCellCodec(t *testing.T) {
	all := make([]uint32, 100_000)
	for i := range all {
		all[i] = uint32(i)
	}
	cells := []anonymize.Cell{
		{Label: "*", Members: all}, {Label: "[5-90000]", Members: all[5:90_001]}, {Label: "7", Members: all[7:8]},
		{Label: "{1,3}", Members: []uint32{1, 3}}, {Label: "{0,1}", Members: []uint32{0, 1}, Weights: []float64{0.25, 0.75}},
	}
	data := encodeCells(cells)
	if len(data) > 100 {
		t.Errorf("%d bytes", len(data))
	}
	got, err := decodeCells(data, len(all))
	if err != nil {
		t.Fatal(err)
	}
	for i, cell := range cells {
		if got[i].Label != cell.Label || !slices.Equal(got[i].Members, cell.Members) || !slices.Equal(got[i].Weights, cell.Weights) {
			t.Errorf("cell %s comes back as %s, %d members", cell.Label, got[i].Label, len(got[i].Members))
		}
	}
	if &got[0].Members[5] != &got[1].Members[0] {
		t.Error("stretches have memory of their own")
	}
	old := []byte{1, 1, 'x', 3, 4, 5, 6, 0} // one cell "x" of the codes 4, 5, 6
	if got, err := decodeCells(old, 7); err != nil || !slices.Equal(got[0].Members, []uint32{4, 5, 6}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, damaged := range [][]byte{{1, 1, 'x', 3, 4, 5, 7, 0}, {1, 1, 'x', 0, 5, 3, 0}, {1, 1, 'x', 0, 5, 0, 0}, {1, 1, 'x', 0, 9, 1, 0}, {1, 1, 'x', 0}, {9}} {
		if got, err := decodeCells(damaged, 7); err == nil {
			t.Errorf("%v is %v", damaged, got)
		}
	}
	shared := &anonymize.Release{Fragments: []*anonymize.Fragment{{Columns: []*anonymize.FragmentColumn{{Dictionary: make([]anonymize.Value, len(all)), Cells: got}}}}}
	if bytes := releaseBytes(shared); bytes < 52*int64(len(all)) || bytes > 53*int64(len(all)) {
		t.Errorf("the release is said to take %d bytes", bytes)
	}
}
