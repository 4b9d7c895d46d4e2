package dynamic_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/dynamic"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// numbered is a table of quasi-identifiers a and b and a sensitive attribute.
func numbered(rows int, a, b func(i int) int, disease func(i int) string) []*anonymize.Column {
	var columns [3][]anonymize.Value
	for i := range rows {
		columns[0] = append(columns[0], anonymize.IntegerValue(int64(a(i))))
		columns[1] = append(columns[1], anonymize.IntegerValue(int64(b(i))))
		columns[2] = append(columns[2], anonymize.TextValue(disease(i)))
	}
	return []*anonymize.Column{anonymize.NewColumn("a", "int", columns[0]), anonymize.NewColumn("b", "int", columns[1]), anonymize.NewColumn("d", "text", columns[2])}
}

// Rows for which a method finds no groups wait, whatever error it returns: they do not prevent updates of other rows.
func TestRecordsWithoutGroupsWait(t *testing.T) {
	for _, c := range []struct {
		method       string
		arguments    anonymize.Arguments
		added        []string // diseases
		notSensitive []string
	}{
		{"anatomy", anonymize.Arguments{"l": "2"}, []string{"d0"}, []string{"d0"}},
		{"anatomy", anonymize.Arguments{"l": "2"}, []string{"d0", "d0", "d1"}, []string{"d0", "d1"}},
		{"slppa", anonymize.Arguments{"beta": "0.5", "gamma": "0.2"}, []string{"d0", "d1"}, nil},
		{"asn", anonymize.Arguments{"beta": "0.5", "alpha": "0.2"}, []string{"d0", "d1"}, nil},
		{"slppa", anonymize.Arguments{"beta": "0.5", "order": "paper"}, []string{"d0", "d1"}, nil},
		{"slppa", anonymize.Arguments{"beta": "1", "delta": "0.3"}, []string{"d0"}, nil},
		{"slppa", anonymize.Arguments{"beta": "0.5"}, []string{"d0", "d0"}, nil},
	} {
		t.Run(fmt.Sprint(c.method, c.arguments, c.notSensitive), func(t *testing.T) {
			const rows = 40
			m, err := methods.ByName(c.method)
			if err != nil {
				t.Fatal(err)
			}
			columns := numbered(rows, func(i int) int { return i % 7 }, func(i int) int { return i % 5 }, func(i int) string { return fmt.Sprint("d", i%8) })
			in := &anonymize.Input{QuasiIdentifiers: columns[:2], Sensitive: columns[2:], Rows: rows, NotSensitive: c.notSensitive, Random: rand.NewPCG(3, 4)}
			var gidOf []uint32
			in.Assigned = func(of []uint32) { gidOf = of }
			r, err := m.Run(t.Context(), in, c.arguments)
			if err != nil {
				t.Fatal(err)
			}
			var keys []int64
			for key := range int64(rows) {
				keys = append(keys, key)
			}
			live, err := dynamic.Start(in, gidOf, keys)
			if err != nil {
				t.Fatal(err)
			}
			changed := &anonymize.Changed{Columns: numbered(len(c.added), func(int) int { return 3 }, func(int) int { return 3 }, func(i int) string { return c.added[i] })}
			for i := range c.added {
				changed.Key, changed.Row = append(changed.Key, int64(rows+i)), append(changed.Row, i)
			}
			o, err := dynamic.Sealed(t.Context(), live, changed, dynamic.Options{Method: m, Arguments: c.arguments, Random: rand.NewPCG(1, 1), Before: r,
				Promises: r.Promises, NotSensitive: c.notSensitive})
			if err != nil {
				t.Fatalf("the update fails: %v", err)
			}
			if o.Waiting != len(c.added) || o.Release.Rows != rows {
				t.Errorf("%d of %d records wait beside %d", o.Waiting, len(c.added), o.Release.Rows)
			}
		})
	}
}
