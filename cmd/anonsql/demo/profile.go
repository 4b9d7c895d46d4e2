package demo

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/cmd/anonsql/sample"
)

// A profile is what the demonstration does with a table: roles, parameters,
// and values to ask for.
type profile struct {
	identifiers, quasi []string
	sensitive          string
	topShare           float64 // of the most frequent sensitive value
	bundled            bool    // the sample, whose columns are known
}

// A columnFact is a row of ANON_DETECT.
type columnFact struct {
	name             string
	distinct         int
	unique, topShare float64
	role             string
}

// maxQuasi bounds the quasi-identifiers that are chosen for a user's file.
const maxQuasi = 8

// profile looks at the loaded table through ANON_DETECT.
func (o Options) profile(ctx context.Context, owner *sql.DB) (*profile, error) {
	facts, err := detect(ctx, owner)
	if err != nil {
		return nil, err
	}
	p := &profile{}
	if o.CSV == "" {
		p.bundled = true
		for _, c := range sample.Columns() {
			switch c.Role {
			case "ei":
				p.identifiers = append(p.identifiers, c.Name)
			case "qi":
				p.quasi = append(p.quasi, c.Name)
			case "sa":
				p.sensitive = c.Name
			}
		}
	} else {
		p.choose(o, facts)
	}
	for _, f := range facts {
		if f.name == p.sensitive {
			p.topShare = f.topShare
		}
	}
	if p.sensitive == "" || len(p.quasi) == 0 {
		return nil, fmt.Errorf("no column of the file looks like a sensitive attribute beside quasi-identifiers: name them with --sa and --qi")
	}
	return p, nil
}

func detect(ctx context.Context, owner *sql.DB) ([]columnFact, error) {
	rows, err := owner.QueryContext(ctx, "SELECT `column`, distinct_values, uniqueness, top_share, suggested_role FROM ANON_DETECT("+database+"."+table+")")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var facts []columnFact
	for rows.Next() {
		var f columnFact
		if err := rows.Scan(&f.name, &f.distinct, &f.unique, &f.topShare, &f.role); err != nil {
			return nil, err
		}
		facts = append(facts, f)
	}
	return facts, rows.Err()
}

// choose takes as sensitive the attribute of 5 to 50 values whose most
// frequent one is rarest, and as quasi-identifiers those with the fewest
// values, unless the user named them.
func (p *profile) choose(o Options, facts []columnFact) {
	p.sensitive = o.Sensitive
	if p.sensitive == "" {
		best := math.Inf(1)
		for _, f := range facts {
			if f.role == "qi" && f.distinct >= 5 && f.distinct <= 50 && f.topShare < best && !slices.Contains(o.QuasiIdentifiers, f.name) {
				best, p.sensitive = f.topShare, f.name
			}
		}
	}
	for _, f := range facts {
		if f.role == "ei" {
			p.identifiers = append(p.identifiers, f.name)
		}
	}
	if p.quasi = o.QuasiIdentifiers; len(p.quasi) > 0 {
		return
	}
	slices.SortStableFunc(facts, func(a, b columnFact) int { return cmp.Compare(a.distinct, b.distinct) })
	for _, f := range facts {
		if f.role == "qi" && f.name != p.sensitive && len(p.quasi) < maxQuasi {
			p.quasi = append(p.quasi, f.name)
		}
	}
}

func (p *profile) setAttributes() string {
	statement := fmt.Sprintf("CALL set_attributes('%s.%s', 'qi=%s', 'sa=%s'", database, table, strings.Join(p.quasi, ","), p.sensitive)
	if len(p.identifiers) > 0 {
		statement += fmt.Sprintf(", 'ei=%s'", strings.Join(p.identifiers, ","))
	}
	return statement + ")"
}

// anonymize bounds what an attacker may believe of a sensitive value at 0.2,
// or at the next twentieth above the most frequent value's share.
func (p *profile) anonymize() string {
	bound := min(1, max(0.2, math.Ceil(p.topShare*21)/20))
	return fmt.Sprintf("CALL anonymize('%s.%s', 'slppa', 'alpha=0.5', 'beta=%.4g', 'gamma=%.4g', 'delta=%.4g', 'tables=%d', 'publish=%s')",
		database, table, bound, bound/2, bound, min(3, len(p.quasi)), table)
}
