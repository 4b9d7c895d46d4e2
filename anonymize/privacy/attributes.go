package privacy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// Several sensitive attributes in one fragment have three kinds of guarantees, which names
// distinguish (anonymize.GuaranteeName):
//
//	l                of every attribute: the worst of them
//	l(race)          of that attribute, whatever the others are
//	l(race,disease)  of the tuple as one value
//
// A tuple occurs at most as often as each of its values. So l(race,disease) >= l(race) >= l,
// and beta reversed. The converse does not hold: different tuples may share a disease.
//
// All are recomputed from a release whose sensitive attributes are replaced by the one in
// question: see viewOf.

// ofEach are the guarantees that are reported for each of several attributes and for their
// tuple, promised or not.
var ofEach = []string{"beta", "delta", "l", "distinct"}

// withoutSensitive are the guarantees that do not depend on sensitive attributes.
var withoutSensitive = []string{"k", "size", "alpha"}

// subjects returns the attributes, and the tuple of all, of a release with several sensitive
// attributes in one fragment; then the other subjects of promises.
func subjects(r *anonymize.Release, promised []anonymize.Promise) [][]string {
	var all [][]string
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive || len(f.Columns) < 2 || pointsOnly(f) != nil {
			continue
		}
		tuple := make([]string, len(f.Columns))
		for i, c := range f.Columns {
			tuple[i] = c.Name
			all = append(all, []string{c.Name})
		}
		all = append(all, tuple)
	}
	for _, p := range promised {
		_, attributes, _ := anonymize.SplitAbout(p.Guarantee)
		if attributes != nil && !slices.ContainsFunc(all, func(s []string) bool { return slices.Equal(s, attributes) }) {
			all = append(all, attributes)
		}
	}
	return all
}

// guaranteesAbout recomputes what is reported about certain attributes.
func guaranteesAbout(r *anonymize.Release, attributes []string, promised map[string]anonymize.Promise) ([]anonymize.Guarantee, error) {
	own := make(map[string]anonymize.Promise)
	for _, line := range reported {
		p, ok := promised[anonymize.GuaranteeName(line.name, attributes...)]
		if !ok {
			continue
		}
		if slices.Contains(withoutSensitive, line.name) {
			return nil, &CannotCheckError{Guarantee: p.Guarantee, Reason: line.name + " is not about sensitive attributes"}
		}
		own[line.name] = p
	}
	view, err := viewOf(r, attributes)
	var guarantees []anonymize.Guarantee
	for _, c := range checkers(own) {
		wanted := slices.DeleteFunc(slices.Clone(c.names), func(name string) bool {
			_, ok := own[name]
			return !ok && !slices.Contains(ofEach, name)
		})
		if len(wanted) == 0 {
			continue
		}
		figures, failure := []figure(nil), err
		if failure == nil {
			figures, failure = c.check(view)
		}
		for _, name := range wanted {
			if p, ok := own[name]; ok && failure != nil {
				return nil, &CannotCheckError{Guarantee: p.Guarantee, Reason: failure.Error()}
			}
		}
		for _, f := range figures {
			if slices.Contains(wanted, f.name) {
				g := f.guarantee(own)
				g.Name = anonymize.GuaranteeName(f.name, attributes...)
				guarantees = append(guarantees, g)
			}
		}
	}
	return guarantees, nil
}

// viewOf returns the release with certain attributes, as one value, as its only sensitive
// attribute. Cost: O(tuples x attributes), and a sort within groups.
func viewOf(r *anonymize.Release, attributes []string) (*anonymize.Release, error) {
	columns, err := sensitiveColumns(r)
	if err != nil {
		return nil, err
	}
	if len(columns) == 1 && len(attributes) == 1 && columns[0].column.Name == attributes[0] {
		return r, nil
	}
	view := *r
	view.Fragments = nil
	var from *anonymize.Fragment
	for _, f := range r.Fragments {
		switch {
		case f.Role == anonymize.QuasiIdentifying:
			view.Fragments = append(view.Fragments, f)
		case f.Role != anonymize.Sensitive:
			return nil, fmt.Errorf("fragment %s links a sensitive attribute to quasi-identifiers", f.Name)
		case !slices.ContainsFunc(attributes, func(name string) bool { return f.Column(name) < 0 }):
			from = f
		}
	}
	if from == nil {
		return nil, fmt.Errorf("no fragment has the sensitive attributes %s together", strings.Join(attributes, ", "))
	}
	sensitive, err := onlyOf(from, attributes)
	if err != nil {
		return nil, err
	}
	view.Fragments = append(view.Fragments, sensitive)
	return &view, nil
}

// onlyOf returns the fragment with the given columns combined into one; tuples that agree in
// them are added up.
func onlyOf(f *anonymize.Fragment, attributes []string) (*anonymize.Fragment, error) {
	some := &anonymize.Fragment{Name: f.Name, Role: f.Role, GroupStart: f.GroupStart, Count: f.Count}
	for _, name := range attributes {
		some.Columns = append(some.Columns, f.Columns[f.Column(name)])
	}
	column := *some.Columns[0]
	if len(attributes) > 1 {
		if err := pointsOnly(some); err != nil {
			return nil, errors.Join(errors.New("a tuple of sets is no value"), err)
		}
		column = tupleColumn(some)
	}
	one := &anonymize.Fragment{Name: f.Name, Role: f.Role, GroupStart: make([]uint32, 1, len(f.GroupStart))}
	var codes []uint32
	var order []uint32 // tuples of the current group, by their code in the combined column
	for g := range f.Groups() {
		first := len(codes)
		order = order[:0]
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			order = append(order, t)
		}
		slices.SortFunc(order, func(a, b uint32) int { return int(column.Codes[a]) - int(column.Codes[b]) })
		for _, t := range order {
			if len(codes) > first && codes[len(codes)-1] == column.Codes[t] {
				one.Count[len(codes)-1] += f.Count[t]
				continue
			}
			codes, one.Count = append(codes, column.Codes[t]), append(one.Count, f.Count[t])
		}
		one.GroupStart = append(one.GroupStart, uint32(len(codes)))
	}
	column.Codes = codes
	one.Columns = []*anonymize.FragmentColumn{&column}
	return one, nil
}

// tupleColumn numbers the tuples of a fragment of points. Its values are texts, for details.
func tupleColumn(f *anonymize.Fragment) anonymize.FragmentColumn {
	number, distinct := tupleNumbers(f)
	column := anonymize.FragmentColumn{Codes: number, Dictionary: make([]anonymize.Value, distinct)}
	names := make([]string, len(f.Columns))
	for i, c := range f.Columns {
		names[i] = c.Name
	}
	column.Name = "(" + strings.Join(names, ", ") + ")"
	for t, n := range number {
		if column.Dictionary[n] != (anonymize.Value{}) {
			continue
		}
		values := make([]string, len(f.Columns))
		for i, c := range f.Columns {
			values[i] = c.Dictionary[c.Codes[t]].String()
		}
		column.Dictionary[n] = anonymize.TextValue(strings.Join(values, ", "))
	}
	return column
}
