package functions

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog"
)

// A fact is shown under its paper's symbol, with its figures; a text, a fraction
// and a date are none.
func TestFacts(t *testing.T) {
	for _, c := range []struct {
		fact anonymize.Fact
		want []sql.Row
	}{
		{anonymize.Fact{Name: "synonymous linkage (Total_Pr_SA)", Value: "1.2500 over 5 groups, 0.2500 of a record's group on average"}, []sql.Row{
			{"total_pr_sa", 1.25, "synonymous linkage: 1.2500 over 5 groups"},
			{"total_pr_sa_per_record", 0.25, "synonymous linkage: of a record, on average"}}},
		{anonymize.Fact{Name: "information loss (Average_IL)", Value: "0.088889, 0.2667 of a record on average"}, []sql.Row{
			{"average_il", 0.088889, "information loss: 0.088889"},
			{"average_il_per_record", 0.2667, "information loss: of a record, on average"}}},
		{anonymize.Fact{Name: "discernibility (C_DM)", Value: "18"}, []sql.Row{{"c_dm", 18.0, "discernibility: 18"}}},
		{anonymize.Fact{Name: "utility loss (UL)", Value: "0.4200"}, []sql.Row{{"ul", 0.42, "utility loss: 0.4200"}}},
		{anonymize.Fact{Name: "privacy of quasi-identifiers (P(Q))", Value: "0.8000"}, []sql.Row{{"p_q", 0.8, "privacy of quasi-identifiers: 0.8000"}}},
		{anonymize.Fact{Name: "prevention of homogeneity (P(S))", Value: "1.0000"}, []sql.Row{{"p_s", 1.0, "prevention of homogeneity: 1.0000"}}},
		{anonymize.Fact{Name: "privacy of the release (P(D'))", Value: "0.9055"}, []sql.Row{{"p_d", 0.9055, "privacy of the release: 0.9055"}}},
		{anonymize.Fact{Name: "share (of all (100))", Value: "0.5"}, []sql.Row{{"fact", 0.5, "share (of all (100)): 0.5"}}},
		{anonymize.Fact{Name: "groups", Value: "4"}, []sql.Row{{"fact", 4.0, "groups: 4"}}},
		{anonymize.Fact{Name: "unique tuples", Value: "6 of 7, 0.5 of a record"}, []sql.Row{{"fact", 6.0, "unique tuples: 6 of 7, 0.5 of a record"}}},
		{anonymize.Fact{Name: "share", Value: "19/45"}, []sql.Row{{"fact", nil, "share: 19/45"}}},
		{anonymize.Fact{Name: "since", Value: "2020-02-03"}, []sql.Row{{"fact", nil, "since: 2020-02-03"}}},
		{anonymize.Fact{Name: "synonyms", Value: "none known: 100 %"}, []sql.Row{{"fact", nil, "synonyms: none known: 100 %"}}},
		{anonymize.Fact{Name: "unique tuples", Value: "6 of 7 quasi-identifier tuples occur once in the whole table and reveal their group"}, []sql.Row{
			{"fact", 6.0, "unique tuples: 6 of 7 quasi-identifier tuples occur once in the whole"}, {"fact", nil, "  table and reveal their group"}}},
		{anonymize.Fact{}, []sql.Row{{"fact", nil, ": "}}},
	} {
		var m measures
		if m.facts([]anonymize.Fact{c.fact}); fmt.Sprint([]sql.Row(m)) != fmt.Sprint(c.want) {
			t.Errorf("%+v\ngot  %v\nwant %v", c.fact, m, c.want)
		}
	}
	var m measures
	if m.facts(nil); m != nil {
		t.Errorf("no facts are %v", m)
	}
}

// A measure that is computed from published cells is no fact of the method as well:
// it would have two values.
func TestOneValueForAMeasure(t *testing.T) {
	facts := []anonymize.Fact{{Name: "equivalence classes", Value: "2"}, {Name: "discernibility (C_DM)", Value: "18"}, {Name: "normalized certainty penalty", Value: "0.7"}, {Name: "groups", Value: "3"}}
	cells := []anonymize.Cell{{Label: "1-2", Members: []uint32{0, 1}}}
	values := []anonymize.Value{anonymize.IntegerValue(1), anonymize.IntegerValue(2)}
	for _, points := range []bool{false, true} {
		column := &anonymize.FragmentColumn{Name: "age", Dictionary: values, Cells: cells, Codes: []uint32{0}}
		if points {
			column.Cells = nil
		}
		r := &anonymize.Release{Rows: 2, GroupSizes: []uint32{2}, Fragments: []*anonymize.Fragment{
			{Name: "qi1", Columns: []*anonymize.FragmentColumn{column}, GroupStart: []uint32{0, 1}, Count: []uint32{2}}}}
		told := recomputed(facts, r)
		if points && !slices.Equal(told, facts) || !points && fmt.Sprint(told) != "[{equivalence classes 1 of 2 to 2 records, 2.00 on average} {discernibility (C_DM) 4} {normalized certainty penalty 1.0000} {groups 3}]" {
			t.Errorf("points %v: CALL anonymize tells %v", points, told)
		}
		kept := withoutMeasures(facts, r)
		if points && len(kept) != 4 || !points && (len(kept) != 1 || kept[0].Name != "groups") {
			t.Errorf("points %v: %v", points, kept)
		}
	}
}

// SUM and AVG of a column are two aggregates: the last evaluation of each is shown.
func TestEvaluationsOfEachAggregate(t *testing.T) {
	record := func(average bool, median float64) catalog.EvaluationRecord {
		return catalog.EvaluationRecord{Estimator: catalog.Independent, Of: "age", Average: average, Low: 1, High: 3, Queries: 10, Seed: 1, Median: median}
	}
	var m measures
	records := []catalog.EvaluationRecord{record(false, 0.1), record(false, 0.2), record(true, 0.3)}
	m.evaluations(records)
	var medians []string
	for _, row := range m {
		if row[0] == "relative_error_median" {
			medians = append(medians, fmt.Sprintf("%v %v", row[1], row[2]))
		}
	}
	want := []string{"0.2 SUM(age), 1-3 qi, 10 queries, seed 1", "0.3 AVG(age), 1-3 qi, 10 queries, seed 1"}
	if !slices.Equal(medians, want) {
		t.Errorf("ANON_UTILITY has %q, want %q", medians, want)
	}
	if shown := lastEvaluations(records, catalog.Independent, sameBand); len(shown) != 2 {
		t.Errorf("the report shows %v", shown)
	}
}
