package publication

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// maxSize is the greatest size of a planned group: larger ones say hardly more than the table's counts.
const maxSize = 10_000

// failing is the share of the groups that may violate a bound by one fragment before merging. A smaller share would require larger groups from the start.
const failing = 0.3

// planSize finds the least size of groups, from Size on, that keeps the bounds. For slicing and mondrian a block is a group, and the rule has no size.
func (e *Engine) planSize(ctx context.Context, p *Plan, sensitive []Count) error {
	p.rule = Rule{Share: anonymize.NewRatio(1, uint64(max(1, p.L))), Delta: ratioOne, Records: p.Records}
	switch p.Method {
	case Slppa:
		return e.planSizeOfSlppa(ctx, p, sensitive)
	case Anatomy:
		return p.leastSize(ctx, int64(p.L), sensitive, nil)
	}
	return nil
}

// planSizeOfSlppa is planSize for the bounds of slppa. Beta and delta follow from the counts of
// sensitive values (Rule). A value's records are dealt at random, so equal quasi-identifiers
// meet in a group by chance: by the counts of the most frequent tuples, at most a share failing
// of the groups violates alpha in a fragment, and these are merged with others
// ([Attempt.merge]).
func (e *Engine) planSizeOfSlppa(ctx context.Context, p *Plan, sensitive []Count) error {
	p.rule.Share, p.rule.Delta = p.Beta, p.Delta
	frequent := make([][]int64, len(p.fragments)) // records of the most frequent tuples of a fragment, descending
	for i, f := range p.fragments {
		if !p.merges() {
			break
		}
		var err error
		if frequent[i], err = e.frequentTuples(ctx, p.Table, f); err != nil {
			return err
		}
		if !p.Alpha.Admits(int(frequent[i][0]), int(p.Records)) {
			return &anonymize.InfeasibleError{Parameter: "alpha", Given: p.Alpha, Smallest: anonymize.NewRatio(uint64(frequent[i][0]), uint64(p.Records)),
				Obstacle: fmt.Sprintf("in fragment qi%d, one tuple of (%s) is %d of %d records", i+1, namesOf(f), frequent[i][0], p.Records)}
		}
	}
	most := mostOf(sensitive)
	if !p.Beta.Admits(int(most.Records), int(p.Records)) {
		return &anonymize.InfeasibleError{Parameter: "beta", Given: p.Beta, Smallest: anonymize.NewRatio(uint64(most.Records), uint64(p.Records)),
			Obstacle: fmt.Sprintf("value %s of column %q has %d of %d records", most.Value, p.Sensitive, most.Records, p.Records)}
	}
	return p.leastSize(ctx, int64(math.Ceil(1/p.Beta.Float())), sensitive, frequent)
}

// leastSize returns the first size, from first and from Size, that keeps the bounds in one block. Only slppa has frequent.
func (p *Plan) leastSize(ctx context.Context, first int64, sensitive []Count, frequent [][]int64) error {
	first = max(1, first, int64(p.Size))
	largest, broken := min(max(maxSize, 2*first), p.Records), ""
	for size := first; size <= largest; size += max(1, size/32) {
		p.rule.Size = size
		broken = p.breaks(ctx, sensitive, frequent)
		if err := ctx.Err(); err != nil || broken == "" {
			return err
		}
	}
	if broken == "l" {
		most := mostOf(sensitive)
		return &anonymize.InfeasibleError{Parameter: "size", Given: anonymize.NewRatio(uint64(p.Size), 1), WayOut: "Leave size out, or ask for a smaller l.",
			Obstacle: fmt.Sprintf("value %s of column %q has %d of %d records, so nearly 1 in %d that no larger groups by rank keep l = %[5]d",
				most.Value, p.Sensitive, most.Records, p.Records, p.L)}
	}
	bound := map[string]anonymize.Ratio{"alpha": p.Alpha, "beta": p.Beta, "gamma": p.Gamma, "delta": p.Delta}[broken]
	return &anonymize.ParameterError{Parameter: broken, Value: bound.String(),
		Rule: fmt.Sprintf("cannot be planned for groups of at most %d records that the engine forms by rank: ask for more", largest)}
}

// breaks returns the first bound that groups of the rule's size violate in one block, "" for none. Once the context has ended, it returns any.
func (p *Plan) breaks(ctx context.Context, sensitive []Count, frequent [][]int64) string {
	for _, c := range sensitive {
		if p.rule.keeps(c.Records, p.Records, c.Records) {
			continue
		}
		if without := p.rule; p.rule.Delta.Cmp(ratioOne) < 0 {
			without.Delta = ratioOne
			if without.keeps(c.Records, p.Records, c.Records) {
				return "delta"
			}
		}
		if p.Method == Anatomy {
			return "l"
		}
		return "beta"
	}
	if !p.merges() {
		return ""
	}
	groups := p.rule.groups(p.Records)
	size, larger := p.Records/groups, (p.Records+groups-1)/groups
	product := float64((mostOf(sensitive).Records+groups-1)/groups) / float64(size)
	for _, records := range frequent {
		often := likelyCount(ctx, larger, records, p.Records, failing)
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

// likelyCount returns the least count a such that a group of size records has some tuple more than a
// times with a probability of at most risk, for tuples with the given descending record counts out of
// all: a sum of binomial tails. Each other tuple has at most as many records as the last one, and
// together they have at most the rest; P(Bin(m, p) > a) / p grows with p while p < a/m. Dealing within
// sensitive values is no worse than drawing from all records (Hoeffding 1956, theorem 4). It returns 0 when the context ends.
func likelyCount(ctx context.Context, size int64, tuples []int64, all int64, risk float64) int64 {
	var distinct []float64 // distinct shares
	var often []float64    // number of tuples with each
	left := all
	for i, n := range tuples {
		left -= n
		if i > 0 && n == tuples[i-1] {
			often[len(often)-1]++
			continue
		}
		distinct, often = append(distinct, float64(n)/float64(all)), append(often, 1)
	}
	last := len(often) - 1
	often[last] += float64(left) / (distinct[last] * float64(all))
	tails := make([]float64, len(distinct)) // P(Bin(size, share) > a), from the largest a down
	for a := size - 1; a >= 0 && ctx.Err() == nil; a-- {
		sum := 0.0
		for i, share := range distinct {
			tails[i] += binomial(size, a+1, share)
			sum += often[i] * tails[i]
		}
		if sum > risk {
			return a + 1
		}
	}
	return 0
}

// binomial returns P(Bin(m, p) = k) for 0 < p <= 1.
func binomial(m, k int64, p float64) float64 {
	if p >= 1 {
		return map[bool]float64{true: 1}[k == m]
	}
	all, _ := math.Lgamma(float64(m + 1))
	chosen, _ := math.Lgamma(float64(k + 1))
	left, _ := math.Lgamma(float64(m - k + 1))
	return math.Exp(all - chosen - left + float64(k)*math.Log(p) + float64(m-k)*math.Log1p(-p))
}

// maxFrequent is the number of a fragment's tuples that are examined individually.
const maxFrequent = 100

// frequentTuples returns the record counts of the most frequent tuples of some columns, descending.
func (e *Engine) frequentTuples(ctx context.Context, t *Table, columns []Column) (records []int64, err error) {
	var names []string
	for _, c := range columns {
		names = append(names, e.Dialect.Name(c.Name))
	}
	err = e.Conn.Query(
		ctx,
		fmt.Sprintf("SELECT count(*) AS records FROM %s GROUP BY %s ORDER BY records DESC LIMIT %d", e.raw(t), strings.Join(names, ", "), maxFrequent),
		func(row []any) error {
			n, err := readCount(row[0])
			records = append(records, n)
			return err
		},
	)
	if err == nil && len(records) == 0 {
		err = emptied(t)
	}
	return records, err
}

func namesOf(columns []Column) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, ", ")
}

// mostOf returns the most frequent value.
func mostOf(counts []Count) (most Count) {
	for _, c := range counts {
		if c.Records > most.Records {
			most = c
		}
	}
	return most
}
