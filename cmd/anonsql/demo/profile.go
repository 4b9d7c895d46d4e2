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

// A profile says how the demonstration uses a table: roles, parameters, and values for
// questions.
type profile struct {
	identifiers, quasi []string
	sensitive          string
	unit               string  // the column that identifies persons with several rows, "" for none
	topShare           float64 // of the most frequent sensitive value
	bundled            bool    // the bundled sample, whose columns are known
	small              bool    // intervals must be requested
}

// fewestMeasured is the least number of records at which CALL anonymize measures intervals by itself.
const fewestMeasured = 1000

// A columnFact is a row of ANON_DETECT.
type columnFact struct {
	name             string
	distinct         int
	unique, topShare float64
	role, reason     string
	text             bool // the column holds text
}

// maxQuasi bounds the quasi-identifiers chosen for a user's file.
const maxQuasi = 8

// profile examines the loaded table with ANON_DETECT.
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
		return nil, notPublishable(facts)
	}
	return p, nil
}

// notPublishable returns an error with the reason why each column was not chosen.
func notPublishable(facts []columnFact) error {
	reasons := make([]string, len(facts))
	for i, f := range facts {
		switch {
		case f.distinct == 0:
			reasons[i] = f.name + " has no values"
		case f.role == "other":
			reasons[i] = f.name + " has one value only"
		case f.role == "ei":
			reasons[i] = f.name + " looks like an identifier (" + f.reason + ")"
		default:
			reasons[i] = fmt.Sprintf("%s has %d values", f.name, f.distinct)
		}
	}
	return fmt.Errorf(
		"the file has no sensitive attribute (a column of %d to %d values) beside a quasi-identifier: %s. Name them with --sa and --qi, or take a file with more rows and columns",
		fewestSensitive,
		maxSensitive,
		strings.Join(reasons, "; "),
	)
}

func detect(ctx context.Context, owner *sql.DB) ([]columnFact, error) {
	rows, err := owner.QueryContext(
		ctx,
		"SELECT `column`, distinct_values, uniqueness, top_share, suggested_role, reason FROM ANON_DETECT("+database+"."+table+")",
	)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var facts []columnFact
	for rows.Next() {
		var f columnFact
		if err := rows.Scan(&f.name, &f.distinct, &f.unique, &f.topShare, &f.role, &f.reason); err != nil {
			return nil, err
		}
		facts = append(facts, f)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return facts, findText(ctx, owner, facts)
}

// findText records which columns hold text.
func findText(ctx context.Context, owner *sql.DB, facts []columnFact) error {
	rows, err := owner.QueryContext(ctx, "SELECT * FROM "+database+"."+table+" LIMIT 0")
	if err != nil {
		return err
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	for _, t := range types {
		for i := range facts {
			if facts[i].name == t.Name() {
				facts[i].text = strings.Contains(t.DatabaseTypeName(), "CHAR") || strings.Contains(t.DatabaseTypeName(), "TEXT")
			}
		}
	}
	return rows.Err()
}

// Bounds of the number of values of the chosen sensitive attribute.
const (
	fewestSensitive = 5
	maxSensitive    = 50
)

// sensitiveFact returns the attribute with a suitable number of values whose most frequent one
// is rarest: first among ANON_DETECT's suggestions, then among texts, because numbers such as
// age have rare values but are rarely secret.
func sensitiveFact(o Options, facts []columnFact) string {
	for _, likely := range []func(columnFact) bool{
		func(f columnFact) bool { return f.role == "sa" },
		func(f columnFact) bool { return f.text },
		func(columnFact) bool { return true },
	} {
		best, name := math.Inf(1), ""
		for _, f := range facts {
			if likely(f) && (f.role == "qi" || f.role == "sa") && f.distinct >= fewestSensitive && f.distinct <= maxSensitive &&
				f.topShare < best && !slices.Contains(o.QuasiIdentifiers, f.name) {
				best, name = f.topShare, f.name
			}
		}
		if name != "" {
			return name
		}
	}
	return ""
}

// choose selects a sensitive attribute, and the columns with the fewest values as
// quasi-identifiers, unless the user named them.
func (p *profile) choose(o Options, facts []columnFact) {
	p.sensitive = cmp.Or(o.Sensitive, sensitiveFact(o, facts))
	for _, f := range facts {
		if f.role == "ei" && f.name != p.sensitive && !slices.Contains(o.QuasiIdentifiers, f.name) {
			p.identifiers = append(p.identifiers, f.name)
		}
	}
	for _, f := range facts {
		if f.role == "unit" && f.name != p.sensitive && !slices.Contains(o.QuasiIdentifiers, f.name) {
			p.unit = f.name
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
	if p.unit != "" {
		statement += fmt.Sprintf(", 'unit=%s'", p.unit)
	}
	return statement + ")"
}

// anonymize returns the statements to try in order, until the table meets the bound: no
// sensitive value has more than a fifth of a group, or than the next unit fraction above the
// most frequent value's share. Large groups with a model of the association are the best known
// trade-off of error against attack (docs/attacks.md). A model of few records has hardly a
// publishable cell; then groups are small and intervals are requested.
//
// Few units have equally many records, so for units it tries anatomy's l.
func (p *profile) anonymize() []string {
	call := fmt.Sprintf("CALL anonymize('%s.%s', 'anatomy', 'publish=%s', ", database, table, table)
	switch {
	case p.unit != "":
		call += "'left_out=0.05', "
		return []string{call + "'l=3')", call + "'l=2')"}
	case p.small:
		call += "'calibrate=true', "
	case p.modeled():
		call += "'size=50', 'model=counts', "
	}
	var statements []string
	for l := int(min(5, 0.95/p.topShare)); l >= 2; l-- {
		statements = append(statements, fmt.Sprintf("%s'l=%d')", call, l))
	}
	return append(statements, fmt.Sprintf("%s'beta=%.4g')", strings.Replace(call, "'anatomy'", "'slppa', 'tables=1'", 1), twentieth(p.topShare)))
}

// modeled reports whether the release publishes the association of quasi-identifiers and sensitive attribute.
func (p *profile) modeled() bool { return p.unit == "" && !p.small }

// twentieth rounds a share up to twentieths, with some margin.
func twentieth(share float64) float64 { return min(1, math.Ceil(share*21)/20) }
