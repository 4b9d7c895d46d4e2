package coding

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// TestUnifySpellings against the obvious: two rows have one code exactly when
// the collation holds their texts equal, under a spelling that occurs, and no
// spelling of the group is more frequent.
func TestUnifySpellings(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	words := []string{"Flu", "flu", "FLU", "flü", "Cold", "COLD", "köln", "Koln", "", "a", "Ä", "ss", "ß"}
	for range 200 {
		values := make([]anonymize.Value, 1+random.IntN(40))
		for i := range values {
			if random.IntN(8) > 0 {
				values[i] = anonymize.Value{Kind: anonymize.Text, Text: words[random.IntN(len(words))]}
			}
		}
		c := anonymize.NewColumn("c", "varchar(9)", values)
		UnifySpellings(c, sql.Collation_utf8mb4_0900_ai_ci)
		checkSpellings(t, c, values)
	}
}

// Under a collation that is PAD SPACE in MySQL, spaces at the end are no part of a value.
func TestPaddedTexts(t *testing.T) {
	for _, c := range []struct {
		collation sql.CollationID
		want      string
	}{
		{sql.Collation_utf8mb4_general_ci, " b|Basel|Basel\t|Bern"}, {sql.Collation_utf8mb4_bin, " b|Basel|Basel\t|Bern|basel"},
		{sql.Collation_utf8mb4_0900_ai_ci, " b|Basel|Basel\t|Basel  |Bern "}, {sql.Collation_utf8mb4_0900_bin, " b|Basel|Basel\t|Basel  |Bern |basel"},
	} {
		var values []anonymize.Value
		for _, text := range []string{"Basel  ", "Basel", "Basel", "basel", "Basel\t", "Bern ", " b"} {
			values = append(values, anonymize.TextValue(text))
		}
		column := anonymize.NewColumn("c", "varchar(9)", append(values, anonymize.NullValue))
		UnifySpellings(column, c.collation)
		var texts []string
		for i, v := range column.Dictionary {
			if i > 0 && anonymize.Compare(column.Dictionary[i-1], v) >= 0 {
				t.Errorf("%s: the dictionary is not ascending: %v", c.collation.Name(), column.Dictionary)
			}
			if v.Kind == anonymize.Text {
				texts = append(texts, v.Text)
			}
		}
		if got := strings.Join(texts, "|"); got != c.want || !column.Value(7).IsNull() {
			t.Errorf("%s: %q, want %q", c.collation.Name(), got, c.want)
		}
		if got := column.Value(5).Text; got != "Bern" && Pads(c.collation) {
			t.Errorf("%s: 'Bern ' is %q", c.collation.Name(), got)
		}
		spelled := AsSpelled(anonymize.NewColumn("c", "varchar(9) COLLATE "+c.collation.Name(), []anonymize.Value{anonymize.TextValue("Bern   ")}), column)
		if got := spelled.Value(0).Text; (got == "Bern") != Pads(c.collation) {
			t.Errorf("%s: 'Bern   ' is spelled %q", c.collation.Name(), got)
		}
	}
}

func checkSpellings(t *testing.T, c *anonymize.Column, values []anonymize.Value) {
	t.Helper()
	compare := sqlite.Comparison(sql.Collation_utf8mb4_0900_ai_ci)
	count := map[string]int{}
	for _, v := range values {
		count[v.Text]++
	}
	for i := range c.Dictionary[1:] {
		if anonymize.Compare(c.Dictionary[i], c.Dictionary[i+1]) >= 0 {
			t.Fatalf("the dictionary is not ascending: %v", c.Dictionary)
		}
	}
	for i, v := range values {
		got := c.Value(i)
		if got.IsNull() != v.IsNull() || compare(got.Text, v.Text) != 0 || !v.IsNull() && count[v.Text] > count[got.Text] {
			t.Fatalf("%v became %v (%v)", v, got, count)
		}
		for j, w := range values {
			if same := v.IsNull() == w.IsNull() && compare(v.Text, w.Text) == 0; same != (c.Codes[i] == c.Codes[j]) {
				t.Fatalf("%v and %v: equal is %t, codes %d and %d", v, w, same, c.Codes[i], c.Codes[j])
			}
		}
	}
}

// A column with a bytewise collation keeps its spellings; with PAD SPACE, except trailing spaces.
func TestSpellings(t *testing.T) {
	for text, want := range map[string]bool{
		"varchar(9)": false, "int": false, "varbinary(9)": false, "enum('a','A') COLLATE utf8mb4_0900_ai_ci": false,
		"varchar(9) COLLATE utf8mb4_0900_bin": false, "varchar(9) COLLATE utf8mb4_bin": true, "varchar(9) COLLATE utf8mb4_0900_ai_ci": true, "text COLLATE utf8mb4_general_ci": true,
	} {
		collation, got := Spellings(text)
		if got != want || want && !strings.HasSuffix(text, collation.Name()) {
			t.Errorf("%s: got %v, %s", text, got, collation.Name())
		}
	}
}

func TestAsSpelled(t *testing.T) {
	const ci = "varchar(9) COLLATE utf8mb4_0900_ai_ci"
	texts := func(list ...string) *anonymize.Column {
		values := make([]anonymize.Value, len(list))
		for i, s := range list {
			if values[i] = anonymize.TextValue(s); s == "NULL" {
				values[i] = anonymize.NullValue
			}
		}
		return anonymize.NewColumn("now", TypeText(mustType(t, ci)), values)
	}
	known := texts("Flu", "cold", "NULL", "flux")
	known.Name = "then"
	got := AsSpelled(texts("FLU", "NULL", "COLD", "gout", "flu", "FLUX", "Gout"), known)
	var spelled []string
	for row := range got.Codes {
		spelled = append(spelled, got.Value(row).String())
	}
	if text := strings.Join(spelled, " "); text != "Flu NULL cold gout Flu flux Gout" || got.Name != "then" {
		t.Errorf("%s: %s", got.Name, text)
	}
	if !slices.IsSortedFunc(got.Dictionary, anonymize.Compare) {
		t.Errorf("dictionary %v", got.Dictionary)
	}
	if got := AsSpelled(texts(), texts()); len(got.Codes) != 0 {
		t.Error(got)
	}
}

func mustType(t *testing.T, text string) sql.Type {
	t.Helper()
	typ, err := ParseType(text)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}
