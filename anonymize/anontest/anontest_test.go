package anontest

import (
	"fmt"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// Bell numbers, and every record once in each partition.
func TestPartitions(t *testing.T) {
	for n, want := range []int{1, 1, 2, 5, 15, 52, 203, 877} {
		got, seen := 0, map[string]bool{}
		for groups := range Partitions(n) {
			got++
			seen[fmt.Sprint(groups)] = true
			records := 0
			for _, g := range groups {
				records += len(g)
			}
			if records != n {
				t.Fatalf("%v does not have %d records", groups, n)
			}
		}
		if got != want || len(seen) != want {
			t.Errorf("n = %d: %d partitions, %d different, want %d", n, got, len(seen), want)
		}
	}
	for range Partitions(7) {
		break // stops early without trouble
	}
}

func TestParse(t *testing.T) {
	table := Parse(t, "a b\n1,000 x\nNULL -2")
	if table.Rows != 2 || table.Columns[0].Value(0).Int != 1000 || !table.Columns[0].Value(1).IsNull() ||
		table.Columns[1].Value(0).Text != "x" || table.Columns[1].Value(1).Int != -2 {
		t.Errorf("%+v", table)
	}
}

// The rows that the papers count: 48,842 in all, 45,222 without a '?', 30,162 of
// them in adult.data.
func TestAdult(t *testing.T) {
	if n := Adult(t).Rows; n != 48842 {
		t.Errorf("Adult has %d records", n)
	}
	if n := AdultComplete(t).Rows; n != 45222 {
		t.Errorf("AdultComplete has %d records", n)
	}
	training := AdultTraining(t)
	if training.Rows != 30162 {
		t.Errorf("AdultTraining has %d records", training.Rows)
	}
	for name, distinct := range map[string]int{"age": 72, "workclass": 7, "education": 16, "marital_status": 7,
		"occupation": 14, "relationship": 6, "race": 5, "sex": 2, "hours_per_week": 94, "native_country": 41} {
		if got := training.Column(name).Distinct(); got != distinct {
			t.Errorf("%s has %d values, Table 5 of the SLPPA paper says %d", name, got, distinct)
		}
	}
}

// The sensitive column is where package privacy looks for it, or the release is
// not publishable.
func TestSensitiveLast(t *testing.T) {
	table := Parse(t, "sex s\nF u\nM v")
	in := NewInput(t, table, "sex", "s", nil)
	for header, want := range map[string]bool{"sex s": true, "s sex": false} {
		first, second := "F u", "M v"
		if !want {
			first, second = "u F", "v M"
		}
		r := Release(t, Printed{Name: "rest", Role: anonymize.Mixed, Text: "GID " + header + " Count\n1 " + first + " 1\n1 " + second + " 1"})
		if err := sensitiveLast(r, in); (err == nil) != want {
			t.Errorf("%s: %v", header, err)
		}
	}
}
