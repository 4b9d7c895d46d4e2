package acceptance

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// A methodRun is what a method was given and what it returned.
type methodRun struct {
	input   *anonymize.Input
	release *anonymize.Release
	gidOf   []uint32
	err     error
}

// An exchange is a publication on two servers: the second one's method returns what
// the first one's did.
type exchange struct {
	runs   []methodRun
	replay bool
	next   int
	// reacted says that the method by itself would have grouped otherwise.
	reacted bool
}

// method finds methods for functions.Environment.
func (x *exchange) method(name string) (anonymize.Method, error) {
	m, err := methods.ByName(name)
	inner := m.Algorithm
	m.Algorithm = func(ctx context.Context, in *anonymize.Input, s anonymize.Settings) (*anonymize.Release, error) {
		own, run := *in, methodRun{input: in}
		own.Assigned = func(gidOf []uint32) { run.gidOf = slices.Clone(gidOf) }
		run.release, run.err = inner(ctx, &own, s)
		if x.replay {
			run = x.replayed(run)
		} else {
			x.runs = append(x.runs, run)
		}
		if run.err == nil && in.Assigned != nil {
			in.Assigned(run.gidOf)
		}
		return run.release, run.err
	}
	return m, err
}

// replayed is the first server's run, unless this one's has the same relations. The
// facts are this one's.
func (x *exchange) replayed(run methodRun) methodRun {
	if x.next >= len(x.runs) {
		return methodRun{err: errors.New("the method runs once more than on the first server")}
	}
	first := x.runs[x.next]
	x.next++
	if (run.err == nil) != (first.err == nil) || run.err == nil && !sameRelations(run.release, first.release) {
		x.reacted = true
		if first.err == nil && run.err == nil {
			release := *first.release
			release.Facts = run.release.Facts
			first.release = &release
		}
		return first
	}
	return run
}

func sameRelations(a, b *anonymize.Release) bool {
	return reflect.DeepEqual(a.GroupSizes, b.GroupSizes) && reflect.DeepEqual(a.Fragments, b.Fragments)
}

// pair picks two records of the first run that may change their sensitive values: the
// values differ, the relations stay the same, and of such pairs these two differ in
// the most quasi-identifiers, so that the owner's figures tell.
func (x *exchange) pair() (a, b int, ok bool) {
	in, most := x.runs[0].input, 0
	for i := range in.Rows {
		for j := range i {
			n := 0
			for _, quasi := range in.QuasiIdentifiers {
				n += min(1, int(quasi.Codes[i]^quasi.Codes[j]))
			}
			if n > most && differ(in.Sensitive, i, j) && x.together(i, j) {
				a, b, most = i, j, n
			}
		}
	}
	if gidOf := x.runs[0].gidOf; most > 0 && x.changePlaces(gidOf[a], gidOf[b]) {
		gidOf[a], gidOf[b] = gidOf[b], gidOf[a]
	}
	return a, b, most > 0
}

func differ(columns []*anonymize.Column, a, b int) bool {
	return slices.ContainsFunc(columns, func(c *anonymize.Column) bool { return c.Codes[a] != c.Codes[b] })
}

// together reports whether the release is as much one of the table in which a and b
// have each other's sensitive values. They are in one group, and agree in what is
// published beside a sensitive value. Or they are groups of their own: then these
// look alike (cross-bucket), and the records change places, or the sensitive cell
// of each has the value of the other (nonhomogeneous).
func (x *exchange) together(a, b int) bool {
	run := x.runs[0]
	r, g, h := run.release, run.gidOf[a], run.gidOf[b]
	if int(max(g, h)) >= r.Groups() {
		return false
	}
	if g == h {
		return !slices.ContainsFunc(run.input.QuasiIdentifiers, func(quasi *anonymize.Column) bool {
			return quasi.Codes[a] != quasi.Codes[b] && besideSensitive(r, quasi, run.input.Sensitive)
		})
	}
	if r.GroupSizes[g] != 1 || r.GroupSizes[h] != 1 {
		return false
	}
	return x.changePlaces(g, h) || !slices.ContainsFunc(run.input.Sensitive, func(s *anonymize.Column) bool {
		return !allows(r, s, g, s.Codes[b]) || !allows(r, s, h, s.Codes[a])
	})
}

func besideSensitive(r *anonymize.Release, quasi *anonymize.Column, sensitive []*anonymize.Column) bool {
	f, _, _ := r.Locate(quasi.Name)
	return slices.ContainsFunc(sensitive, func(s *anonymize.Column) bool { return r.Fragments[f].Column(s.Name) >= 0 })
}

// changePlaces reports whether the records of two groups of one record change places
// with an exchange: their groups show the same quasi-identifiers.
func (x *exchange) changePlaces(g, h uint32) bool {
	r := x.runs[0].release
	if g == h {
		return false
	}
	for _, quasi := range x.runs[0].input.QuasiIdentifiers {
		f, c, _ := r.Locate(quasi.Name)
		codes := r.Fragments[f].Columns[c].Codes
		if codes[r.Fragments[f].GroupStart[g]] != codes[r.Fragments[f].GroupStart[h]] {
			return false
		}
	}
	return true
}

// allows reports whether the sensitive cell of a group of one record has a value.
func allows(r *anonymize.Release, sensitive *anonymize.Column, group, value uint32) bool {
	f, c, _ := r.Locate(sensitive.Name)
	column := r.Fragments[f].Columns[c]
	if column.IsPoint() {
		return false
	}
	cell := column.Cells[column.Codes[r.Fragments[f].GroupStart[group]]]
	return slices.ContainsFunc(cell.Members, func(member uint32) bool { return column.Dictionary[member] == sensitive.Dictionary[value] })
}
