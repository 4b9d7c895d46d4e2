package interval

import (
	"context"
	"math"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
)

// Quantiles of Student's t as tables have them (Abramowitz and Stegun 1964, table 26.10).
func TestStudent(t *testing.T) {
	for _, c := range []struct {
		level    float64
		freedom  int
		quantile float64
	}{{.5, 1, 1}, {.95, 1, 12.706}, {.95, 2, 4.303}, {.9, 3, 2.353}, {.95, 7, 2.365}, {.8, 8, 1.397}, {.95, 11, 2.201}, {.99, 11, 3.106}, {.99, 19, 2.861}, {.95, 120, 1.980}} {
		if got := student(c.level, c.freedom); math.Abs(got-c.quantile) > 6e-4*c.quantile {
			t.Errorf("level %v, %d degrees of freedom: %v, want %v", c.level, c.freedom, got, c.quantile)
		}
	}
}

// two is a release of two groups of two records: x is a or b, y is a or b, in each.
func two(t *testing.T, places ...uint16) *estimate.Completed {
	t.Helper()
	fragment := func(name string) *anonymize.Fragment {
		return &anonymize.Fragment{Name: name, GroupStart: []uint32{0, 2, 4}, Count: []uint32{1, 1, 1, 1},
			Columns: []*anonymize.FragmentColumn{{Name: name, Type: "TEXT", Dictionary: []anonymize.Value{anonymize.TextValue("a"), anonymize.TextValue("b")}, Codes: []uint32{0, 1, 0, 1}}}}
	}
	r := &anonymize.Release{Rows: 4, GroupSizes: []uint32{2, 2}, Fragments: []*anonymize.Fragment{fragment("x"), fragment("y")}}
	var tables [][][]uint16
	for _, p := range places { // 0: as they are in both groups, 1: exchanged in the second, 2: in both
		row := []uint16{0, 1, 0, 1}
		if p > 0 {
			row[2], row[3] = 1, 0
		}
		if p > 1 {
			row[0], row[1] = 1, 0
		}
		tables = append(tables, [][]uint16{row})
	}
	c, err := estimate.Prepare(r).WithTables(t.Context(), anonymize.NewCompletion(r, tables))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// countAA asks for the records with x = a and y = a.
func countAA() *estimate.Question {
	isA := func(values []anonymize.Value) (anonymize.Value, error) {
		if values[0].Text == "a" {
			return estimate.True, nil
		}
		return estimate.False, nil
	}
	return &estimate.Question{Leaves: []estimate.Leaf{{Fragment: 0, Columns: []int{0}, Eval: isA}, {Fragment: 1, Columns: []int{0}, Eval: isA}},
		Where: []estimate.Expression{{Leaves: []int{0}}, {Leaves: []int{1}}}, Aggregates: []estimate.Aggregate{{Kind: estimate.Count}}}
}

func TestIntervalsOfCompletedTables(t *testing.T) {
	for _, c := range []struct {
		name      string
		tables    []uint16
		misfit    float64
		level     float64
		low, high float64
	}{
		// Q_d are 2, 1, 1, 0: the mean is 1, B = 2/3, T = 5/6.
		{"half", []uint16{0, 1, 1, 2}, 0, .5, 1 - .7649*math.Sqrt(5./6), 1 + .7649*math.Sqrt(5./6)},
		{"cut by the bounds", []uint16{0, 1, 1, 2}, 0, .95, 0, 2},
		{"misfit", []uint16{1, 1, 1, 1}, .4, .5, 1 - .7649*.2, 1 + .7649*.2},
		{"all the same", []uint16{1, 1, 1, 1}, 0, .8, 1, 1},
		{"all the same, at a level that the next table may break", []uint16{1, 1, 1, 1}, 0, .95, 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			tables, q := two(t, c.tables...), countAA()
			answer, err := tables.Ask(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			s, err := OfCompleted(context.Background(), tables, q, answer, Parts{Intervals: true}, Unmeasured(c.misfit))
			if err != nil {
				t.Fatal(err)
			}
			low, high, ok := s.Interval(nil, 0, 0, c.level)
			if !ok || math.Abs(low-c.low) > 1e-3 || math.Abs(high-c.high) > 1e-3 {
				t.Errorf("[%v, %v] %v, want [%v, %v]", low, high, ok, c.low, c.high)
			}
			if _, _, ok := s.Interval(nil, 0, 0, .2); ok {
				t.Error("a level that is refused has an interval")
			}
		})
	}
}
