package datapackage

import (
	"github.com/anonsql/anonsql/anonymize"
)

// tables converts a release to tables and describes how to read it from them.
func (p *Package) tables() ([]*table, *about, error) {
	r := p.Release
	taken := make(map[string]bool)
	prefix := resourceName(p.Name) + "_" // some readers refuse paths with other characters
	groups := groupTable(unique(prefix, "gid", taken), r.GroupSizes, r.Units)
	a := p.describe(groups.name)
	var list, supplements []*table
	for _, f := range r.Fragments {
		t := &table{name: unique(prefix+resourceName(f.Name), "", taken), title: "Fragment " + f.Name, rows: f.Tuples(), groupsKey: a.GroupSizes,
			description: "Tuples of the " + roleText(f.Role) + ", by group. Inside a group nothing links them with those of another fragment."}
		described := fragment{Name: f.Name, Role: string(f.Role), Resource: t.name, Tuples: f.Tuples()}
		t.columns = append(t.columns, tableColumn{name: "gid", description: "group", kind: integerKind, codes: gids(f)})
		for _, c := range f.Columns {
			shown, beside, d, err := attribute(c, t.name+"_"+resourceName(c.Name), taken)
			if err != nil {
				return nil, nil, err
			}
			t.columns, supplements, described.Columns = append(t.columns, shown), append(supplements, beside...), append(described.Columns, d)
		}
		t.columns = append(t.columns, tableColumn{name: "count", description: "records that the tuple stands for", kind: integerKind, codes: f.Count})
		t.primaryKey = t.key()
		if f.Units != nil {
			t.columns = append(t.columns, tableColumn{name: "units", description: "units that have the tuple in any record", kind: integerKind, codes: f.Units})
		}
		a.Fragments = append(a.Fragments, described)
		list = append(list, t)
	}
	return append(append(list, groups), supplements...), a, nil
}

// attribute returns a fragment's column and the tables that describe its cells.
func attribute(c *anonymize.FragmentColumn, base string, taken map[string]bool) (shown tableColumn, beside []*table, d column, err error) {
	d = column{Name: c.Name, Type: c.Type, Constant: c.Constant, Spans: c.Spans}
	if !c.IsPoint() {
		cells, values := unique(base, "_cells", taken), unique(base, "_values", taken)
		d.Cells, d.Values = cells, values
		shown, beside, d.Kind, err = generalized(c, cells, values)
		return shown, beside, d, err
	}
	dictionary, renumbered := usedValues(c)
	k, ok := kindOf(dictionary)
	if !ok {
		return shown, nil, d, unwritable(c)
	}
	d.Kind = k
	shown = tableColumn{name: c.Name, kind: k, values: dictionary, codes: make([]uint32, len(c.Codes))}
	for i, code := range c.Codes {
		shown.codes[i] = renumbered[code]
	}
	return shown, nil, d, nil
}

// key returns all columns before count: tuples are distinct. A key has no missing values.
func (t *table) key() []string {
	var names []string
	for _, c := range t.columns[:len(t.columns)-1] {
		if c.nullable() {
			return nil
		}
		names = append(names, c.name)
	}
	return names
}

func roleText(role anonymize.FragmentRole) string {
	switch role {
	case anonymize.QuasiIdentifying:
		return "quasi-identifiers"
	case anonymize.Sensitive:
		return "sensitive attributes"
	}
	return "quasi-identifiers and the sensitive attribute"
}

// describe describes the release without its fragments.
func (p *Package) describe(groupSizes string) *about {
	r := p.Release
	return &about{FormatVersion: formatVersion, Release: p.Name, Version: p.Version, Method: r.Method, Parameters: p.Parameters,
		QuasiIdentifiers: p.QuasiIdentifiers, Sensitive: p.Sensitive, Unit: p.Unit,
		Weight: p.Weight, WeightDeviation: p.WeightDeviation, WeightShared: p.WeightShared,
		Columns: p.Columns, Records: r.Rows, Groups: r.Groups(), Forged: r.Forged,
		MovedDays: p.MovedDays, Partial: p.Partial, Composed: p.Composed, Published: p.Published, Guarantees: written(p.Guarantees),
		GroupSizes: groupSizes, Model: r.Model, Answers: p.Answers, Calibration: p.Calibration}
}

func written(guarantees []anonymize.Guarantee) []guarantee {
	list := make([]guarantee, len(guarantees))
	for i, g := range guarantees {
		list[i] = guarantee{Name: g.Name, Achieved: g.Achieved, WorstGroup: g.WorstGroup + 1, Holds: g.Holds, Detail: g.Detail}
		if g.Required != nil {
			list[i].Required = g.Required.Text()
		}
		if g.Threshold != nil {
			list[i].Threshold = g.Threshold.Text()
		}
		list[i].NotSensitive, list[i].Relative, list[i].Separator = g.NotSensitive, g.Relative, g.Separator
		if g.Hierarchy != nil {
			list[i].Hierarchy = (*hierarchy)(g.Hierarchy)
		}
	}
	return list
}

func readGuarantees(list []guarantee) ([]anonymize.Guarantee, error) {
	var guarantees []anonymize.Guarantee
	ratio := func(g guarantee, text string) (*anonymize.Ratio, error) {
		if text == "" {
			return nil, nil
		}
		r, err := anonymize.ParseRatio(text)
		if err != nil || r.Den == 0 {
			return nil, errBadPackage("guarantee %q: %q is no ratio such as 1/3", g.Name, text)
		}
		return &r, nil
	}
	for _, g := range list {
		read := anonymize.Guarantee{Name: g.Name, Achieved: g.Achieved, WorstGroup: g.WorstGroup - 1, Holds: g.Holds, Detail: g.Detail,
			Hierarchy: (*anonymize.Hierarchy)(g.Hierarchy), NotSensitive: g.NotSensitive, Relative: g.Relative, Separator: g.Separator}
		var err error
		if read.Required, err = ratio(g, g.Required); err != nil {
			return nil, err
		}
		if read.Threshold, err = ratio(g, g.Threshold); err != nil {
			return nil, err
		}
		if g.WorstGroup < 0 {
			return nil, errBadPackage("guarantee %q: there is no group %d", g.Name, g.WorstGroup)
		}
		guarantees = append(guarantees, read)
	}
	return guarantees, nil
}
