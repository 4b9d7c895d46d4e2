package slicing

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

func TestBattery(t *testing.T) {
	for _, check := range []string{local, global} {
		t.Run("check="+check, func(t *testing.T) {
			anontest.Battery(t, Method(), anontest.Options{
				Arguments: func(random *rand.Rand, in *anonymize.Input) anonymize.Arguments {
					return drawArguments(random, in, check)
				},
				Easy:  anonymize.Arguments{"l": "3", "tables": "2", "check": check},
				Meets: meets,
			})
		})
	}
}

func drawArguments(random *rand.Rand, in *anonymize.Input, check string) anonymize.Arguments {
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	arguments := anonymize.Arguments{
		"l": pick("2", "2", "3", "4"), "tables": fmt.Sprint(1 + random.IntN(len(in.QuasiIdentifiers))),
		"sa_column": pick(alone, alone, grouped), "split": pick(nearest, every, widest), "check": check,
		"bins": pick("0", "3", "32"), "phi": pick("raw", "corrected"),
	}
	if in.Sensitive[0].IsNumeric() {
		if width := pick("0", "0", "10", "15.5"); width == "0" || arguments["sa_column"] == alone {
			arguments["threshold"] = width
		}
	}
	return arguments
}

// readArguments are the parameters of arguments.
func readArguments(in *anonymize.Input, arguments anonymize.Arguments) (parameters, error) {
	settings, err := Method().Resolve(arguments)
	if err != nil {
		return parameters{}, err
	}
	return readParameters(in, settings)
}

// meets is l-diversity of every class by counting pairs of records: for each
// record, those of its group that agree with it in what is published beside the
// sensitive attribute, and among them those of its sensitive value. It is also
// the condition for check=global, which begins with the table as one bucket.
func meets(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
	p, err := readArguments(in, arguments)
	if err != nil {
		return false
	}
	columns, err := groupColumns(context.Background(), in, &p)
	if err != nil {
		return false
	}
	last := columns[len(columns)-1]
	linked, s := last[:len(last)-1], in.Sensitive[0]
	if width := arguments["threshold"]; width != "" && !anontest.CloseDiverse(in, groups, p.l, width) {
		return false
	}
	for _, group := range groups {
		for _, a := range group {
			alike, same := 0, 0
			for _, b := range group {
				if agreeIn(linked, a, b) {
					alike++
					if s.Codes[a] == s.Codes[b] {
						same++
					}
				}
			}
			if same*p.l > alike {
				return false
			}
		}
	}
	return true
}

func agreeIn(columns []*anonymize.Column, a, b int) bool {
	for _, c := range columns {
		if c.Codes[a] != c.Codes[b] {
			return false
		}
	}
	return true
}

// groupsOf runs the method and returns the records of every bucket.
func groupsOf(in *anonymize.Input, arguments anonymize.Arguments) (*anonymize.Release, [][]int, error) {
	var groups [][]int
	in.Assigned = func(gidOf []uint32) {
		for record, gid := range gidOf {
			for len(groups) <= int(gid) {
				groups = append(groups, nil)
			}
			groups[gid] = append(groups[gid], record)
		}
	}
	r, err := Method().Run(context.Background(), in, arguments)
	return r, groups, err
}

// What is promised holds record by record, also for classes of values that count
// as one, which the verifier does not know of.
func TestPromise(t *testing.T) {
	released := 0
	for seed := range uint64(600) {
		random := rand.New(rand.NewPCG(seed, 2))
		in := anontest.RandomTable(1+random.IntN(80), seed)
		arguments := drawArguments(random, in, local)
		_, groups, err := groupsOf(in, arguments)
		if err != nil {
			continue
		}
		released++
		if !meets(in, arguments, groups) {
			t.Fatalf("seed %d, %v: a bucket of %v is not l-diverse", seed, arguments, groups)
		}
	}
	if released < 150 {
		t.Errorf("only %d tables were released", released)
	}
}

func TestErrors(t *testing.T) {
	table := `
q1 q2 q3 s
1  1  1  a
2  1  2  a
3  2  1  NULL
4  2  2  b`
	anontest.Refuses(t, Method(), [][3]string{
		{table, "", "l is missing, method slicing needs it: no sensitive value has more than one in l of the records of a bucket, a whole number from 2"},
		{table, "l=1", "l is 1, must be between 2 and 1073741824"},
		{table, "l=2.5", "l is '2.5', must be a whole number"},
		{table, "l=2 tables=4", "tables is 4, must be at most 3, the number of quasi-identifiers"},
		{table, "l=2 bins=1", "bins is 1, must be 0 (never) or at least 2"},
		{table, "l=2 split=median", "split is 'median', must be one of nearest, any, widest"},
		{table, "l=2 threshold=-1", "threshold is '-1', must be a number of at least 0, such as 500, or a part of the number itself, such as 1%"},
		{table, "l=2 threshold=1", "threshold: no sensitive attribute is numeric, and others have no distance to each other"},
		{table, "l=3", "l = 3 cannot be met: s = 'a' is 2 of 4 records; the largest feasible l is 2"},
		{"q1 q2 q3 s\n1 1 1 5\n1 2 1 6\n2 1 1 9", "l=2 threshold=1", "l = 2 cannot be met: s from 5 to 6 is 2 of 3 records, and numbers within 1 of each other count as one; no l but 1 would be met, which protects nothing"},
		{"q1 q2 q3 s\n1 1 1 a", "l=2", "l = 2 cannot be met: s = 'a' is 1 of 1 records; no l but 1 would be met, which protects nothing"},
		{"q1 q2 q3 s\n1 1 1 a\n1 2 1 a\n2 1 1 b\n2 2 1 b", "l=2 tables=1 sa_column=grouped bins=0",
			"l = 2 cannot be met: sa_column=grouped publishes q1, q3 beside the sensitive attribute, and s = 'a' is 2 of the 2 records with q1 = 1 and q3 = 1; no l but 1 would be met, which protects nothing"},
	})
}

func TestInputErrors(t *testing.T) {
	arguments := anonymize.Arguments{"l": "2"}
	var data *anonymize.DataError
	in := anontest.RandomTable(20, 1)
	in.Sensitive = append(in.Sensitive, in.QuasiIdentifiers[0])
	if _, err := Method().Run(context.Background(), in, arguments); !errors.As(err, &data) ||
		err.Error() != "slicing protects one sensitive attribute, 2 are given" {
		t.Error(err)
	}
	in = anontest.People(maxGlobalRows+1, 0)
	_, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "2", "check": global})
	if err == nil || !strings.Contains(err.Error(), "check is 'global', compares every record") {
		t.Error(err)
	}
}

func TestFacts(t *testing.T) {
	in := yao(t)
	r, err := Method().Run(context.Background(), in, anonymize.Arguments{"l": "4", "tables": "2"})
	if err != nil {
		t.Fatal(err)
	}
	want := []anonymize.Fact{
		{Name: "column group qi1", Value: "Gender, Age, Zipcode"},
		{Name: "column group qi2", Value: "Job"},
		{Name: "column group sa", Value: "Salary"},
		{Name: "buckets", Value: "1"},
		{Name: "bucket sizes", Value: "8 to 8 records, median 8"},
		{Name: "unique sub-tuples qi1", Value: "4 of 6 sub-tuples (66.7 %) occur once in the whole table and reveal their owners' bucket"},
		{Name: "unique sub-tuples qi2", Value: "1 of 4 sub-tuples (25.0 %) occur once in the whole table and reveal their owners' bucket"},
	}
	if fmt.Sprint(r.Facts) != fmt.Sprint(want) {
		t.Errorf("facts:\n%v\nwant\n%v", r.Facts, want)
	}
}

// A layout is kept, and so is the place that the sensitive attribute has in it.
func TestLayoutsAreKept(t *testing.T) {
	text := "a b c s"
	for i := range 80 {
		text += fmt.Sprintf("\n%d %d %d %d", i%2, i/2%2, i/4%2, i/8%5)
	}
	table := anontest.Parse(t, text)
	for saColumn, layout := range map[string][][]string{alone: {{"b", "c"}, {"a"}}, grouped: {{"a", "c"}, {"b", "s"}}} {
		in := anontest.NewInput(t, table, "a b c", "s", rand.NewPCG(1, 1))
		in.Layout = layout
		r := anontest.MustRun(t, Method(), in, anonymize.Arguments{"l": "2", "tables": map[string]string{alone: "2", grouped: "1"}[saColumn], "sa_column": saColumn})
		if got := r.Layout(); !reflect.DeepEqual(got, layout) {
			t.Errorf("sa_column=%s: %v became %v", saColumn, layout, got)
		}
	}
}
