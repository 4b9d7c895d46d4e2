package console

import (
	"strings"
	"testing"
)

func cells(texts ...string) (row []cell) {
	for _, text := range texts {
		row = append(row, cell{Value: text, Text: text})
	}
	return row
}

// TestDescribeSame: worst groups are a table where they differ, and a sentence where they do not.
func TestDescribeSame(t *testing.T) {
	groups := &table{Columns: []string{"group", "disease", "of_it", "records", "share"}}
	if said := describeSame("disease", groups); said != "" {
		t.Errorf("of no group: %q", said)
	}
	groups.Rows = [][]cell{cells("1", "flu", "1", "5", "0.2"), cells("7", "gout", "2", "10", "0.2")}
	if said := describeSame("disease", groups); !strings.Contains(said, "1 of 5 records") {
		t.Errorf("of two that are alike: %q", said)
	}
	groups.Rows = append(groups.Rows, cells("8", "gout", "1", "10", "0.1"))
	if said := describeSame("disease", groups); said != "" {
		t.Errorf("of some that differ: %q", said)
	}
}

// TestByKind: no measure is lost, and rows keep their order.
func TestByKind(t *testing.T) {
	found := byKind(&table{Rows: [][]cell{cells("fact"), cells("groups"), cells("new_measure"), cells("rms_z"), cells("relative_error_mean"), cells("group_size_min")}})
	var got []string
	for _, f := range found {
		got = append(got, f.Title)
		for _, row := range f.Figures.Rows {
			got = append(got, row[0].Value)
		}
	}
	const want = "Errors of answers, measured,relative_error_mean,Intervals,rms_z,Groups and relations,groups,group_size_min,What the method reported,fact,Others,new_measure"
	if strings.Join(got, ",") != want {
		t.Errorf("%q", got)
	}
}

// TestLines: unbreakable promises are not shown as kept, and required ones come first.
func TestLines(t *testing.T) {
	null := cell{Null: true}
	lines := linesOf(&table{Rows: [][]cell{
		{cells("alpha")[0], cells("1")[0], cells("0.5")[0], cells("1")[0], cells("d")[0]},
		{cells("l")[0], cells("5")[0], cells("6")[0], cells("1")[0], cells("d")[0]},
		{cells("definetti")[0], null, cells("0.3")[0], null, cells("d")[0]}}})
	if lines[1].Required != "" || lines[0].Required != "at least 5" || !lines[0].Holds || lines[2].Required != "" || lines[2].Achieved.Text != "30\u00a0%" {
		t.Errorf("%+v", lines)
	}
}
