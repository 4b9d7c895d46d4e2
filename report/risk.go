package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Risk is the probability that an attacker who knows everybody's quasi-identifiers and reads
// the release guesses right about a record, over all records. Counterfeits count as records,
// because nobody can distinguish them.
type Risk struct {
	// Attribute is the sensitive attribute; "" for the record itself.
	Attribute string
	// Points are sorted by probability, without duplicates.
	Points []RiskPoint
	// Mean is over all records, Greatest the maximum.
	Mean, Greatest float64
	// Records is the number of records whose value is secret. For a release by units, it counts
	// each unit's distinct values, or its distinct quasi-identifiers.
	Records float64
	// Unit is the plural of what is counted.
	Unit string
}

// A RiskPoint is the share of the records with exactly this probability.
type RiskPoint struct{ Probability, Share float64 }

// AtLeast returns the share of the records with at least this probability.
func (r *Risk) AtLeast(probability float64) float64 {
	share := 0.0
	for _, p := range r.Points {
		if p.Probability >= probability-1e-12 {
			share += p.Share
		}
	}
	return min(1, share)
}

// RiskOf reads the risks off the fragments: one for every sensitive attribute, in
// the order of sensitive, then that of identification.
//
// For a class C of all records that the release shows with the same
// quasi-identifiers, in whichever groups B, a value s has the probability
//
//	P_C(s) = sum over B of n(C,B)/|C| * Num(s,B)/|B|
//
// (Li et al., Definition 5, by class), and |C| P_C(s) of the class's records are expected to
// have it: that many have their own value with this probability. A record of C that is in B is
// linked with its own entry among the sensitive ones with probability n(C,B)/|C| * 1/|B|. If
// several fragments have quasi-identifiers, the attacker is assumed to know the group: C is B.
// If they stand beside the sensitive value (slicing), C is the group's records with the same
// cells beside it. A sensitive cell that is a set or has weights counts by record, as in
// package privacy. A release by units counts units: Num(s,B) of the |B| units have s.
//
// Cost: for every tuple of quasi-identifiers, the sensitive tuples of its group.
func RiskOf(ctx context.Context, r *anonymize.Release, sensitive []string) ([]Risk, error) {
	var risks []Risk
	valueOf, identityOf := "records", "records"
	if r.Units != nil {
		r, valueOf, identityOf = r.PerUnit(), "combinations of a person and a value", "combinations of a person and quasi-identifiers"
	}
	c := classesOf(r, sensitive)
	for _, name := range sensitive {
		f, at, ok := r.Locate(name)
		if !ok {
			continue
		}
		tally := make(tally)
		if err := c.values(ctx, r.Fragments[f], at, tally); err != nil {
			return nil, err
		}
		risks = append(risks, tally.risk(name, valueOf))
	}
	tally := make(tally)
	if err := c.entries(ctx, tally); err != nil {
		return nil, err
	}
	return append(risks, tally.risk("", identityOf)), ctx.Err()
}

// A tally counts records by probability.
type tally map[float64]float64

// add counts records. Probabilities that differ only by rounding are the same.
func (t tally) add(probability, records float64) {
	if records > 0 && probability > 0 {
		t[math.Round(probability*1e9)/1e9] += records
	}
}

func (t tally) risk(attribute, unit string) Risk {
	risk, records := Risk{Attribute: attribute, Unit: unit}, 0.0
	for p, n := range t {
		risk.Points = append(risk.Points, RiskPoint{p, n})
	}
	slices.SortFunc(risk.Points, func(a, b RiskPoint) int { return cmp.Compare(a.Probability, b.Probability) })
	for _, p := range risk.Points {
		records += p.Share
		risk.Mean += p.Probability * p.Share
		risk.Greatest = p.Probability
	}
	for i := range risk.Points {
		risk.Points[i].Share /= records
	}
	if risk.Records = records; records > 0 {
		risk.Mean /= records
	}
	return risk
}

// classes are the records that the release does not distinguish for somebody who knows the
// quasi-identifiers.
type classes struct {
	release *anonymize.Release
	// of has the parts of every class: the numbers of its records by group.
	of [][]part
}

type part struct{ group, records uint32 }

// classesOf returns the classes of the only fragment with quasi-identifiers if it has no
// sensitive attribute, else the groups.
func classesOf(r *anonymize.Release, sensitive []string) *classes {
	c := &classes{release: r}
	only, several := (*anonymize.Fragment)(nil), false
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive {
			several = several || only != nil || slices.ContainsFunc(sensitive, func(name string) bool { return f.Column(name) >= 0 })
			only = f
		}
	}
	if only == nil || several {
		for g, size := range r.GroupSizes {
			c.of = append(c.of, []part{{uint32(g), size}})
		}
		return c
	}
	number, distinct := only.NumberTuples(len(only.Columns))
	c.of = make([][]part, distinct)
	for g := range only.Groups() {
		for t := only.GroupStart[g]; t < only.GroupStart[g+1]; t++ {
			n := number[t]
			c.of[n] = append(c.of[n], part{uint32(g), only.Count[t]})
		}
	}
	return c
}

// values tallies the probability of a record's own value.
func (c *classes) values(ctx context.Context, f *anonymize.Fragment, at int, t tally) error {
	column := f.Columns[at]
	switch {
	case !column.IsPoint():
		c.cells(f, column, t)
		return nil
	case f.Role != anonymize.Sensitive:
		c.linkToCells(f, at, t)
		return nil
	}
	mass, harmless := make([]float64, len(column.Dictionary)), column.CodesOf(c.release.NotSensitive())
	var touched []uint32
	for i, parts := range c.of {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		records := 0.0
		for _, p := range parts {
			records += float64(p.records)
			weight := float64(p.records) / float64(c.release.GroupSizes[p.group])
			for s := f.GroupStart[p.group]; s < f.GroupStart[p.group+1]; s++ {
				code := column.Codes[s]
				if mass[code] == 0 {
					touched = append(touched, code)
				}
				mass[code] += weight * float64(f.Count[s])
			}
		}
		for _, code := range touched {
			if !harmless[code] {
				t.add(mass[code]/records, mass[code])
			}
			mass[code] = 0
		}
		touched = touched[:0]
	}
	return nil
}

// cells tallies by record: its value has a weight in its own cell.
func (c *classes) cells(f *anonymize.Fragment, column *anonymize.FragmentColumn, t tally) {
	for tuple, code := range column.Codes {
		cell := &column.Cells[code]
		for i := range cell.Members {
			weight := cell.Weight(i)
			t.add(weight, weight*float64(f.Count[tuple]))
		}
	}
}

// linkToCells tallies values that are linked to the other cells of their tuple. A unit with several values has
// these cells once. The number of such units is not published; it is taken as the least that the group permits.
func (c *classes) linkToCells(f *anonymize.Fragment, at int, t tally) {
	type set struct{ group, cells uint32 }
	number, _ := f.NumberTuples(at) // the sensitive column is the last
	size, count := make(map[set]float64), make(map[set]map[uint32]float64)
	for g := range f.Groups() {
		for tuple := f.GroupStart[g]; tuple < f.GroupStart[g+1]; tuple++ {
			s := set{uint32(g), number[tuple]}
			if count[s] == nil {
				count[s] = make(map[uint32]float64)
			}
			size[s] += float64(f.Count[tuple])
			count[s][f.Columns[at].Codes[tuple]] += float64(f.Count[tuple])
		}
	}
	for s, values := range count {
		for _, n := range values {
			t.add(n/min(size[s], float64(c.release.GroupSizes[s.group])), n)
		}
	}
}

// entries tallies the probability of a record's own entry.
func (c *classes) entries(ctx context.Context, t tally) error {
	for i, parts := range c.of {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		records := 0.0
		for _, p := range parts {
			records += float64(p.records)
		}
		for _, p := range parts { // one per group, in which every tuple occurs once
			n := float64(p.records)
			t.add(n/records/float64(c.release.GroupSizes[p.group]), n)
		}
	}
	return nil
}
