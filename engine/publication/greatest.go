package publication

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A greatest has the size of some groups and the count of the most frequent tuple of every fragment.
type greatest struct {
	records int64
	most    []int64 // by fragment
	groups  int64
	gid     int64 // of one of them
}

// greatestCounts reads the greatest counts of all groups. Groups that are alike share a row of
// the answer. A group that some relation lacks is an error.
func (a *Attempt) greatestCounts(ctx context.Context, fragments []Relation) (found []greatest, err error) {
	var of, most []string
	from := ""
	for i, r := range fragments {
		of = append(of, fmt.Sprintf("f%d.most AS most%d", i, i))
		most = append(most, fmt.Sprintf("most%d", i))
		table := fmt.Sprintf("(SELECT gid, %s AS records, max(%s) AS most FROM %s GROUP BY gid) AS f%d", a.records(), a.count(), a.relation(r), i)
		if i > 0 {
			table = fmt.Sprintf(" JOIN %s ON f%d.gid = f0.gid", table, i)
		}
		from += table
	}
	list := strings.Join(most, ", ")
	var groups int64
	err = a.engine.Conn.Query(
		ctx,
		fmt.Sprintf(
			"SELECT records, %s, count(*), min(gid) FROM (SELECT f0.gid AS gid, f0.records AS records, %s FROM %s) AS counted GROUP BY records, %s ORDER BY records, %s",
			list,
			strings.Join(of, ", "),
			from,
			list,
			list,
		),
		func(row []any) error {
			n := make([]int64, len(row))
			for i := range row {
				var err error
				if n[i], err = readCount(row[i]); err != nil {
					return err
				}
			}
			last := len(n) - 1
			found = append(found, greatest{n[0], n[1 : last-1], n[last-1], n[last]})
			groups += n[last-1]
			return nil
		},
	)
	if err == nil && groups != a.Groups {
		err = a.changed(fmt.Sprintf("there are %d groups, planned were %d", groups, a.Groups))
	}
	return found, err
}

// shares of a group: counts divided by its number of records. Their figure is the product.
type shares struct {
	counts  []int64
	records int64
}

func (p shares) product() *big.Rat {
	r := big.NewRat(1, 1)
	for _, c := range p.counts {
		r.Mul(r, big.NewRat(c, p.records))
	}
	return r
}

// worstGuarantee returns the guarantee with the greatest figure over the groups.
func worstGuarantee(promised anonymize.Promise, groups []greatest, of func(g greatest) []shares, name func(fragment int) string) anonymize.Guarantee {
	g := anonymize.Guarantee{Name: promised.Guarantee, Required: &promised.Bound, WorstGroup: -1}
	greatest := new(big.Rat)
	for _, group := range groups {
		for i, p := range of(group) {
			if r := p.product(); g.WorstGroup < 0 || r.Cmp(greatest) > 0 {
				greatest, g.WorstGroup = r, int(group.gid)
				g.Detail = described(p, i, name)
			}
		}
	}
	g.Achieved, _ = greatest.Float64()
	g.Holds = g.WorstGroup >= 0 && greatest.Cmp(promised.Bound.Rat()) <= 0
	return g
}

// described writes "qi1 1/4 x qi2 2/4 x sa 1/4", starting at a fragment.
func described(p shares, fragment int, name func(fragment int) string) string {
	var parts []string
	for i, c := range p.counts {
		parts = append(parts, fmt.Sprintf("%s %d/%d", name(fragment+i), c, p.records))
	}
	return strings.Join(parts, " x ")
}

// recordsIn returns the total number of records of some groups.
func recordsIn(groups []greatest) (records int64) {
	for _, g := range groups {
		records += g.groups * g.records
	}
	return records
}

// oneValue returns the share of the records in groups with a single sensitive value, named as in package report, if there are any.
func (a *Attempt) oneValue(groups []greatest) (anonymize.Guarantee, bool) {
	var alone int64
	for _, g := range groups {
		if g.most[len(g.most)-1] == g.records {
			alone += g.groups * g.records
		}
	}
	all := recordsIn(groups)
	return anonymize.Guarantee{Name: "one_value", Achieved: float64(alone) / float64(max(all, 1)), WorstGroup: -1, Holds: true,
		Detail: fmt.Sprintf("%s: %d of %d records are in groups with one value: who knows the group of a person knows it",
			a.Fragments[len(a.Fragments)-1].Columns[0].Name, alone, all)}, alone > 0
}

// association returns alpha, beta or gamma, Eqs. (3), (5) and (7) of Yao et al. 2021, from all fragments' greatest counts.
func (a *Attempt) association(p anonymize.Promise, groups []greatest) anonymize.Guarantee {
	sensitive, first := len(a.Fragments)-1, 0
	of := func(g greatest) []shares { return []shares{{g.most, g.records}} } // gamma
	switch p.Guarantee {
	case "alpha":
		of = func(g greatest) (each []shares) {
			for _, c := range g.most[:sensitive] {
				each = append(each, shares{[]int64{c}, g.records})
			}
			return each
		}
	case "beta":
		first = sensitive
		of = func(g greatest) []shares { return []shares{{g.most[sensitive:], g.records}} }
	}
	return worstGuarantee(p, groups, of, func(fragment int) string { return a.Fragments[first+fragment].Fragment() })
}

// leastGuarantee returns size, the least number of records of a group; or l, the least quotient of records and the most frequent value's over all
// groups, rounded down as in package privacy (Machanavajjhala et al. 2006 in the simplest form, as in Xiao and Tao 2006, definition 2).
func leastGuarantee(promised anonymize.Promise, groups []greatest) anonymize.Guarantee {
	g := anonymize.Guarantee{Name: promised.Guarantee, Required: &promised.Bound, WorstGroup: -1}
	for _, of := range groups {
		most, detail := int64(1), fmt.Sprintf("the group has %d records", of.records)
		if promised.Guarantee == "l" {
			most = of.most[len(of.most)-1]
			detail = fmt.Sprintf("%d records, %d of one value", of.records, most)
		}
		if figure := float64(of.records / most); g.WorstGroup < 0 || figure < g.Achieved {
			g.Achieved, g.WorstGroup, g.Detail = figure, int(of.gid), detail
		}
	}
	g.Holds = g.WorstGroup >= 0 && g.Achieved >= promised.Bound.Float()
	return g
}
