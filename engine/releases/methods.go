package releases

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/publication"
)

// A method is a method that the engine supports.
type method struct {
	name string
	// takes lists the parameters that apply there.
	takes []string
	// request translates w for package publication.
	request func(w *source.Wanted, r *publication.Request) error
}

// methods is the only list of them.
var methods = []method{
	{publication.Anatomy, []string{"l", "homogeneous"}, anatomy},
	{publication.Slppa, []string{"alpha", "beta", "gamma", "delta", "tables"}, slppa},
	{publication.Slicing, []string{"l", "tables"}, slicing},
	{publication.Mondrian, []string{"k", "l"}, mondrian},
}

// write translates w for package publication. Of further promises it supports only size.
func (m *method) write(w *source.Wanted, r *publication.Request) error {
	for _, p := range w.Asked {
		if p.Guarantee != "size" {
			return &anonymize.ParameterError{Parameter: p.Guarantee, Value: "'" + p.Bound.Text() + "'",
				Rule: "but the engine recomputes what the method promises, and size: leave it out, or publish a view of fewer rows here"}
		}
		if p.Bound.Num > math.MaxInt64 {
			return &anonymize.ParameterError{Parameter: "size", Value: "'" + p.Bound.Text() + "'", Rule: "must be at most the number of the table's records"}
		}
		r.Size = int(p.Bound.Num)
	}
	return m.request(w, r)
}

// checkAsked refuses a release whose guarantees lack a promise that was asked for.
func checkAsked(asked []anonymize.Promise, found []anonymize.Guarantee) error {
	for _, p := range asked {
		if !slices.ContainsFunc(found, func(g anonymize.Guarantee) bool {
			return g.Name == p.Guarantee && g.Required != nil && *g.Required == p.Bound && g.Holds
		}) {
			return fmt.Errorf("the release was not accepted: nobody has checked %s = %s, which was asked for", p.Guarantee, p.Bound.Text())
		}
	}
	return nil
}

// neighbours is the least number of records of a block of neighbours, for homogeneous=true.
const neighbours = 200

func anatomy(w *source.Wanted, r *publication.Request) (err error) {
	r.L, err = wholeParameter(w, "l")
	if w.Parameters["homogeneous"] == "true" {
		r.Block = max(neighbours, 2*int64(max(r.L, r.Size)))
	}
	return err
}

func slicing(w *source.Wanted, r *publication.Request) (err error) {
	if r.L, err = wholeParameter(w, "l"); err != nil {
		return err
	}
	return fragments(w, r)
}

func mondrian(w *source.Wanted, r *publication.Request) (err error) {
	if r.K, err = wholeParameter(w, "k"); err != nil {
		return err
	}
	r.L, err = wholeParameter(w, "l")
	return err
}

func slppa(w *source.Wanted, r *publication.Request) (err error) {
	for name, to := range map[string]*anonymize.Ratio{"alpha": &r.Alpha, "beta": &r.Beta, "gamma": &r.Gamma, "delta": &r.Delta} {
		if *to, err = anonymize.ParseRatio(w.Parameters[name]); err != nil {
			return &anonymize.ParameterError{Parameter: name, Value: "'" + w.Parameters[name] + "'", Rule: "must be a number from 0 to 1"}
		}
	}
	return fragments(w, r)
}

// fragments parses the number of relations into which the quasi-identifiers are divided.
func fragments(w *source.Wanted, r *publication.Request) (err error) {
	if w.Parameters["tables"] != "auto" {
		r.Fragments, err = wholeParameter(w, "tables")
	}
	return err
}

// wholeParameter parses an integer parameter that the method has checked.
func wholeParameter(w *source.Wanted, name string) (int, error) {
	n, err := strconv.Atoi(w.Parameters[name])
	if err != nil {
		return 0, &anonymize.ParameterError{Parameter: name, Value: "'" + w.Parameters[name] + "'", Rule: "must be a whole number"}
	}
	return n, nil
}

// Methods implements source.Publisher.
func (*Home) Methods() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// methodFor returns the requested method and refuses parameters that it does not support in the engine.
func methodFor(w *source.Wanted) (*method, error) {
	at := slices.IndexFunc(methods, func(m method) bool { return m.name == w.Method })
	if at < 0 {
		return nil, &anonymize.ParameterError{
			Parameter: "method",
			Value:     "'" + w.Method + "'",
			Rule:      "which the engine does not have: there it must be " + strings.Join((*Home)(nil).Methods(), ", "),
		}
	}
	m := &methods[at]
	for _, name := range w.Given {
		if !slices.Contains(m.takes, name) {
			return nil, &anonymize.ParameterError{Parameter: name, Value: "'" + w.Parameters[name] + "'",
				Rule: fmt.Sprintf("which %s does not have in the engine: leave it out. It has %s there", w.Method, strings.Join(m.takes, ", "))}
		}
	}
	return m, nil
}
