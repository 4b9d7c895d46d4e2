package estimates

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
)

// categories returns the categories of n values as in a model: sixteen ranges, in which every alone-th value has its own category.
func categories(n, alone int) []uint32 {
	numbers := make([]uint32, n)
	for code := range numbers {
		if numbers[code] = uint32(code * 16 / n); code%alone == alone/2 {
			numbers[code] = uint32(16 + code/alone)
		}
	}
	return numbers
}

// TestChosenOfManyValues: a short expression gives the category of each of fifty thousand texts, and agrees with a list of all.
func TestChosenOfManyValues(t *testing.T) {
	const n = 50_000
	s, column := newStandIn(t), Column{"x", "varchar"}
	dictionary := []anonymize.Value{anonymize.NullValue}
	for i := range n {
		dictionary = append(dictionary, anonymize.TextValue(fmt.Sprintf("it's %06d", i)))
	}
	s.exec(t, `CREATE TABLE t (code bigint, x varchar)`, `INSERT INTO t VALUES (0, NULL)`, fmt.Sprintf(
		`INSERT INTO t WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < %d) SELECT i + 1, printf('it''s %%06d', i) FROM c`, n-1))
	of := append([]uint32{99}, categories(n, n/48)...)
	none := slices.Clone(of)
	for code := range n/16 + 1 {
		if none[code] == 0 || code == 0 {
			none[code] = estimate.NoClass
		}
	}
	for what, numbers := range map[string][]uint32{"every value": of, "NULL and a stretch in none": none} {
		text, err := Chosen(dialect.Trino, column, dictionary, numbers)
		if err != nil || len(text) > longLookup {
			t.Fatalf("%s: %d characters, %v", what, len(text), err)
		}
		wrong, told := 0, 0
		if err := s.query(t.Context(), "SELECT code, "+text+" FROM t", func(row []any) error {
			told++
			got, isNumber := row[1].(int64)
			if want := numbers[row[0].(int64)]; isNumber != (want != estimate.NoClass) || isNumber && uint32(got) != want {
				wrong++
			}
			return nil
		}); err != nil || wrong > 0 || told != n+1 {
			t.Errorf("%s: %d of %d categories are wrong: %.500s, %v", what, wrong, told, text, err)
		}
	}
	none[n/2] = estimate.NoClass // next to values of a range
	if text, err := Chosen(dialect.Trino, column, dictionary, none); err != nil || !strings.HasPrefix(text, lookedUp) {
		t.Errorf("with a value alone in no category: %.100s, %v", text, err)
	}
}
