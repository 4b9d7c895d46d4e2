package publication

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// mostSize is how many records a planned group has at most: larger ones say hardly more than the table's counts.
const mostSize = 10_000

// failing is how likely it may be at most that some group breaks a bound that is left to luck: alpha and gamma.
const failing = 0.01

// planSize finds the least size of groups that keeps the bounds of slppa. Beta and delta follow from the counts of sensitive values (Rule). How
// often a group has the same quasi-identifiers is luck, since records of a value are dealt at random: by the counts of the most frequent tuples, alpha and gamma fail
// in some group with a probability of at most failing. [Attempt.Verify] looks at what came of it.
func (e *Engine) planSize(ctx context.Context, p *Plan, sensitive []Count) error {
	p.rule = Rule{Share: p.Beta, Delta: p.Delta, Records: p.Records}
	greatest := make([]int64, len(p.fragments)) // of tuples of a fragment, in the table
	if p.Alpha.Cmp(one) < 0 || p.Gamma.Cmp(one) < 0 {
		for i, f := range p.fragments {
			var err error
			if greatest[i], err = e.greatestTuple(ctx, p.Table, f); err != nil {
				return err
			}
			if !p.Alpha.Admits(int(greatest[i]), int(p.Records)) {
				return &anonymize.InfeasibleError{Parameter: "alpha", Given: p.Alpha, Smallest: anonymize.NewRatio(uint64(greatest[i]), uint64(p.Records)),
					Obstacle: fmt.Sprintf("in fragment qi%d, one tuple of (%s) is %d of %d records", i+1, namesOf(f), greatest[i], p.Records)}
			}
		}
	}
	most := mostOf(sensitive)
	if !p.Beta.Admits(int(most.Records), int(p.Records)) {
		return &anonymize.InfeasibleError{Parameter: "beta", Given: p.Beta, Smallest: anonymize.NewRatio(uint64(most.Records), uint64(p.Records)),
			Obstacle: fmt.Sprintf("value %s of column %q has %d of %d records", most.Value, p.Sensitive, most.Records, p.Records)}
	}
	broken := ""
	first := int64(math.Ceil(1 / p.Beta.Float()))
	for size := max(1, first); size <= min(mostSize, p.Records); size += max(1, size/32) {
		p.rule.Size = size
		if broken = p.breaks(sensitive, greatest, most.Records); broken == "" {
			return nil
		}
	}
	bound := map[string]anonymize.Ratio{"alpha": p.Alpha, "beta": p.Beta, "gamma": p.Gamma, "delta": p.Delta}[broken]
	return &anonymize.ParameterError{Parameter: broken, Value: bound.String(),
		Rule: fmt.Sprintf("cannot be planned for groups of at most %d records that the engine forms by rank: ask for more", mostSize)}
}

// breaks names the first bound that groups of the rule's size do not keep in one block, "" for none.
func (p *Plan) breaks(sensitive []Count, greatest []int64, most int64) string {
	for _, c := range sensitive {
		if p.rule.keeps(c.Records, p.Records, c.Records) {
			continue
		}
		if without := p.rule; p.Delta.Cmp(one) < 0 {
			without.Delta = one
			if without.keeps(c.Records, p.Records, c.Records) {
				return "delta"
			}
		}
		return "beta"
	}
	groups := p.rule.groups(p.Records)
	size, larger := p.Records/groups, (p.Records+groups-1)/groups
	product := float64((most+groups-1)/groups) / float64(size)
	for _, n := range greatest {
		if n == 0 { // neither alpha nor gamma is asked for
			return ""
		}
		often := likely(larger, groups, float64(n)/float64(p.Records), failing/float64(len(greatest)))
		if !p.Alpha.Admits(int(often), int(size)) {
			return "alpha"
		}
		product *= float64(often) / float64(size)
	}
	if product > p.Gamma.Float() {
		return "gamma"
	}
	return ""
}

// likely is the least count a such that, with a probability of at least 1-risk, none of the groups has more than a of size records with the same tuple, when the most
// frequent tuple is a share of the records. Groups and tuples are added up: at most 1/share tuples have a tail as heavy, since P(Bin(m, p) > a)/p
// grows with p while p < a/m. Dealing within sensitive values is no worse than drawing from all records (Hoeffding 1956, theorem 4).
func likely(size, groups int64, share, risk float64) int64 {
	if share >= 1 {
		return size
	}
	m, bound := float64(size), math.Log(risk*share/float64(groups))
	top, _ := math.Lgamma(m + 1)
	tail := math.Inf(-1) // log P(Bin(m, share) > a)
	for a := size - 1; a >= int64(share*m); a-- {
		k := float64(a + 1)
		chosen, _ := math.Lgamma(k + 1)
		left, _ := math.Lgamma(m - k + 1)
		term := top - chosen - left + k*math.Log(share) + (m-k)*math.Log1p(-share)
		if tail = max(tail, term) + math.Log1p(math.Exp(-math.Abs(tail-term))); tail > bound {
			return a + 1
		}
	}
	return int64(share*m) + 1
}

// greatestTuple is how many records the most frequent tuple of some columns has.
func (e *Engine) greatestTuple(ctx context.Context, t *Table, columns []Column) (n int64, err error) {
	var names []string
	for _, c := range columns {
		names = append(names, e.Dialect.Name(c.Name))
	}
	err = e.Conn.Query(ctx, fmt.Sprintf("SELECT max(records) FROM (SELECT count(*) AS records FROM %s GROUP BY %s) AS counted", e.raw(t), strings.Join(names, ", ")), func(row []any) error {
		n, err = whole(row[0])
		return err
	})
	return n, err
}

func namesOf(columns []Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// mostOf is the most frequent value.
func mostOf(counts []Count) (most Count) {
	for _, c := range counts {
		if c.Records > most.Records {
			most = c
		}
	}
	return most
}
