package acceptance

import (
	"fmt"
	"strings"
	"testing"
)

// Statements of unusual size get correct answers.
func TestLargeStatements(t *testing.T) {
	t.Parallel()
	db := publishPatients(t, 240)
	reference := createReference(t, db)
	compare := func(t *testing.T, predicate, keys string) {
		q := randomQuery{text: "SELECT {COUNT *}, {COUNT zip}, {SUM age}, {AVG charge}, {SUM age * charge} FROM {T} WHERE " + predicate}
		if keys != "" {
			q.text = strings.Replace(q.text, "SELECT ", "SELECT "+keys+", ", 1) + " GROUP BY " + keys
		}
		if !compareAnswers(t, db, q, q.plain("published.p"), q.weighted(reference)) {
			t.Error("there is nothing to compare with")
		}
	}
	var list, terms []string
	for i := range 20_000 {
		list = append(list, fmt.Sprint(i*7))
	}
	for i := range 200 {
		terms = append(terms, fmt.Sprintf("(age = %d AND disease %s 'flu')", i, []string{"=", "<>"}[i%2]))
	}
	for name, predicate := range map[string]string{
		"IN list of 20,000": "age IN (" + strings.Join(list, ", ") + ")",
		"OR of 200":         strings.Join(terms, " OR "),
		"nothing":           "age < 0",
	} {
		t.Run(name, func(t *testing.T) {
			compare(t, predicate, "")
			compare(t, predicate, "sex")
		})
	}
	t.Run("GROUP BY of more than 1,000 keys", func(t *testing.T) {
		keys := "age, charge, zip, disease"
		if groups := fetchRows(t, db, "SELECT "+keys+", COUNT(*) FROM published.p GROUP BY "+keys); len(groups) <= 1000 {
			t.Fatalf("only %d keys", len(groups))
		}
		compare(t, "1 = 1", keys)
	})
}
