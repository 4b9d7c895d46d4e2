package acceptance

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/methods"
)

// A methodRun is the input and the result of a method.
type methodRun struct {
	input   *anonymize.Input
	release *anonymize.Release
	gidOf   []uint32
	err     error
}

// An exchange is a publication on two servers. The second server's method returns the result of the first's.
type exchange struct {
	runs   []methodRun
	replay bool
	next   int
	// reacted means that the method itself would have grouped differently.
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

// replayed returns the first server's run, unless this server's has the same relations. The facts are this server's.
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

// pair picks two records of the first run that may exchange their sensitive values: the values differ, and the
// relations stay the same. Of such pairs it picks the one with the most different quasi-identifiers, so that the
// owner's figures show the exchange.
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

// together reports whether the release also fits the table in which a and b have exchanged their sensitive values.
// Either they are in one group, and agree in the columns published with a sensitive value. Or each is a group by
// itself: then these groups show the same cells (cross-bucket), and the records change places, or the sensitive cell
// of each includes the value of the other (nonhomogeneous).
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

// changePlaces reports whether the records of two groups of one record change places in an exchange: their groups
// show the same quasi-identifiers.
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

// allows reports whether the sensitive cell of a group of one record includes a value.
func allows(r *anonymize.Release, sensitive *anonymize.Column, group, value uint32) bool {
	f, c, _ := r.Locate(sensitive.Name)
	column := r.Fragments[f].Columns[c]
	if column.IsPoint() {
		return false
	}
	cell := column.Cells[column.Codes[r.Fragments[f].GroupStart[group]]]
	return slices.ContainsFunc(cell.Members, func(member uint32) bool { return column.Dictionary[member] == sensitive.Dictionary[value] })
}
