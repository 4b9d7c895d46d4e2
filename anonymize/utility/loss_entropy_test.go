package utility

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// anonymized runs a method, and returns the link too.
func anonymized(t testing.TB, in *anonymize.Input, method string, arguments anonymize.Arguments) (*anonymize.Release, []uint32) {
	t.Helper()
	m, err := methods.ByName(method)
	if err != nil {
		t.Fatal(err)
	}
	var gidOf []uint32
	listening := *in
	listening.Assigned = func(link []uint32) { gidOf = link }
	r, err := m.Run(context.Background(), &listening, arguments)
	if err != nil {
		t.Fatal(err)
	}
	return r, gidOf
}

// Two classes: three records with sex {F,M} and zip 1, three with F and zip {2,3}.
//
//	sex: F 5, M 1. {F,M} has 6 records: F lacks log2(6/5) bits, M log2(6).
//	zip: 1 3, 2 2, 3 1. {2,3} has 3: 2 lacks log2(3/2), 3 log2(3).
func TestEntropyByHand(t *testing.T) {
	table := anontest.Parse(t, `
		sex zip disease
		F   1   flu
		F   1   cold
		M   1   gout
		F   2   flu
		F   2   cold
		F   3   gout`)
	in := anontest.NewInput(t, table, "sex zip", "disease", rand.NewPCG(1, 1))
	r, gidOf := anonymized(t, in, "mondrian", anonymize.Arguments{"k": "3"})
	report, err := Loss(context.Background(), r, in, gidOf)
	if err != nil {
		t.Fatal(err)
	}
	bits := 2*math.Log2(6./5) + math.Log2(6) + 2*math.Log2(3./2) + math.Log2(3)
	whole := 5*math.Log2(6./5) + math.Log2(6) + 3*math.Log2(2) + 2*math.Log2(3) + math.Log2(6)
	e := report.Entropy
	if e == nil || math.Abs(e.Bits-bits/6) > 1e-12 || math.Abs(e.Share-bits/whole) > 1e-12 {
		t.Errorf("%+v, want %v and %v", e, bits/6, bits/whole)
	}
	// p is 1/6 of every record. q: a class has half of the records; F is half of {F,M},
	// a zip half of {2,3}, and a disease one of three in each.
	want := (3*math.Log2((1./6)/(1./2*1./2*1./3)) + 3*math.Log2((1./6)/(1./2*1./2*1./3))) / 6
	if d := report.Divergence; d == nil || math.Abs(*d-want) > 1e-12 {
		t.Errorf("divergence %v, want %v", d, want)
	}
	if bare, err := Loss(context.Background(), r, in, nil); err != nil || bare.Entropy != nil || bare.Divergence == nil {
		t.Errorf("without the link: %+v, %v", bare, err)
	}
}

// All records in one class lose all there is; a release of what is lost in no cell, nothing.
func TestEntropyOfSuppression(t *testing.T) {
	table := people(60)
	in := anontest.NewInput(t, table, "age sex region", "disease", rand.NewPCG(1, 1))
	r, gidOf := anonymized(t, in, "mondrian", anonymize.Arguments{"k": "60"})
	report, err := Loss(context.Background(), r, in, gidOf)
	if err != nil || report.Entropy == nil || math.Abs(report.Entropy.Share-1) > 1e-12 {
		t.Errorf("%+v, %v", report, err)
	}
	r, gidOf = anonymized(t, in, "anatomy", anonymize.Arguments{"l": "3"})
	if report, err = Loss(context.Background(), r, in, gidOf); err != nil || report.Entropy != nil {
		t.Errorf("anatomy generalizes nothing: %+v, %v", report, err)
	}
}

// The divergence is the sum by its definition, with q added up tuple by tuple, for releases
// of point cells and of generalized ones, in two fragments and in several.
func TestDivergenceByDefinition(t *testing.T) {
	table := people(150)
	for method, arguments := range map[string]anonymize.Arguments{
		"mondrian": {"k": "5"}, "cross_bucket": {"k": "3", "l": "2"}, "anatomy": {"l": "3"}, "slicing": {"l": "3"},
		"slppa": {"beta": "0.34", "tables": "2"}, "fulldomain": {"k": "4", "suppress": "0.2"}, "arp": {"l": "3"},
	} {
		in := anontest.NewInput(t, table, "age sex region", "disease", rand.NewPCG(1, 1))
		r, gidOf := anonymized(t, in, method, arguments)
		report, err := Loss(context.Background(), r, in, gidOf)
		if err != nil {
			t.Fatal(err)
		}
		want, known := 0.0, true
		for record := range table.Rows {
			same := 0
			for other := range table.Rows {
				if equalRecords(table, record, other) {
					same++
				}
			}
			q := 0.0
			for g, size := range r.GroupSizes {
				q += float64(size) / float64(r.Rows) * shareInGroup(t, r, table, g, record)
			}
			if known = known && q > 0; q > 0 {
				want += math.Log2(float64(same)/float64(table.Rows)/q) / float64(table.Rows)
			}
		}
		if d := report.Divergence; known != (d != nil) || known && (math.Abs(*d-want) > 1e-9 || want <= 0) {
			t.Errorf("%s: divergence %v, want %v, %v", method, d, want, known)
		}
	}
}

func equalRecords(table *anonymize.Microdata, a, b int) bool {
	for _, c := range table.Columns {
		if c.Codes[a] != c.Codes[b] {
			return false
		}
	}
	return true
}

// shareInGroup is the share of a group that is expected to be like a record.
func shareInGroup(t *testing.T, r *anonymize.Release, table *anonymize.Microdata, g, record int) float64 {
	t.Helper()
	share := 1.0
	for _, f := range r.Fragments {
		mass := 0.0
		for i := f.GroupStart[g]; i < f.GroupStart[g+1]; i++ {
			weight := float64(f.Count[i])
			for _, c := range f.Columns {
				value, here := table.Column(c.Name).Value(record), 0.0
				if c.IsPoint() && c.Dictionary[c.Codes[i]] == value {
					here = 1
				} else if !c.IsPoint() {
					cell := c.Cells[c.Codes[i]]
					for m, member := range cell.Members {
						if c.Dictionary[member] == value {
							here = cell.Weight(m)
						}
					}
				}
				weight *= here
			}
			mass += weight
		}
		share *= mass / float64(r.GroupSizes[g])
	}
	return share
}

// What full-domain generalization made least is what the release is found to have.
func TestDiscernibilityOfOptimum(t *testing.T) {
	var rows strings.Builder // four regions of 24, and four people alone in theirs
	rows.WriteString("sex region disease\n")
	for person := range 96 {
		fmt.Fprintf(&rows, "%c %c d%d\n", "FM"[person/4%2], "NESW"[person%4], person/8%3)
	}
	rows.WriteString("F X d0\nM Y d1\nF Z d2\nM V d0")
	in := anontest.NewInput(t, anontest.Parse(t, rows.String()), "sex region", "disease", rand.NewPCG(1, 1))
	for _, suppress := range []string{"0", "0.04", "0.3"} {
		r, _ := anonymized(t, in, "fulldomain", anonymize.Arguments{"k": "4", "suppress": suppress, "optimize": "discernibility"})
		loss := GeneralizationOf(r)
		want := fmt.Sprintf("least discernibility, %.0f with suppressed records", loss.DiscernibilitySuppressed)
		if !slices.ContainsFunc(r.Facts, func(f anonymize.Fact) bool { return f.Name == "optimum" && strings.HasPrefix(f.Value, want) }) {
			t.Errorf("suppress=%s: no fact %s in %v", suppress, want, r.Facts)
		}
		if (suppress == "0") != (loss.Suppressed == 0) || loss.Suppressed == 0 != (loss.Discernibility == loss.DiscernibilitySuppressed) {
			t.Errorf("suppress=%s: %+v", suppress, loss)
		}
	}
}
