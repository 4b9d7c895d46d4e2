package releases

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/engine/publication"
)

// A method is one that the engine has.
type method struct {
	name string
	// takes are the parameters that mean something there.
	takes []string
	// request says what is wanted in the words of package publication.
	request func(w *source.Wanted, r *publication.Request) error
}

// methods is the one list of them.
var methods = []method{
	{publication.Anatomy, []string{"l", "homogeneous"}, anatomy},
	{publication.Slppa, []string{"alpha", "beta", "gamma", "delta", "tables"}, slppa},
}

// neighbours is how many records a block of neighbours has at least, for homogeneous=true.
const neighbours = 200

func anatomy(w *source.Wanted, r *publication.Request) (err error) {
	if r.L, err = strconv.Atoi(w.Parameters["l"]); err != nil {
		return &anonymize.ParameterError{Parameter: "l", Value: "'" + w.Parameters["l"] + "'", Rule: "must be a whole number, 2 or more"}
	}
	if w.Parameters["homogeneous"] == "true" {
		r.Block = max(neighbours, 2*int64(r.L))
	}
	return nil
}

func slppa(w *source.Wanted, r *publication.Request) (err error) {
	for name, to := range map[string]*anonymize.Ratio{"alpha": &r.Alpha, "beta": &r.Beta, "gamma": &r.Gamma, "delta": &r.Delta} {
		if *to, err = anonymize.ParseRatio(w.Parameters[name]); err != nil {
			return &anonymize.ParameterError{Parameter: name, Value: "'" + w.Parameters[name] + "'", Rule: "must be a number from 0 to 1"}
		}
	}
	if tables := w.Parameters["tables"]; tables != "auto" {
		if r.Fragments, err = strconv.Atoi(tables); err != nil {
			return &anonymize.ParameterError{Parameter: "tables", Value: "'" + tables + "'", Rule: "must be auto or a whole number, 1 or more"}
		}
	}
	return nil
}

// Methods implements source.Publisher.
func (*Home) Methods() []string {
	names := make([]string, len(methods))
	for i, m := range methods {
		names[i] = m.name
	}
	return names
}

// methodFor is the method that is wanted, and refuses parameters that it does not have in the engine.
func methodFor(w *source.Wanted) (*method, error) {
	at := slices.IndexFunc(methods, func(m method) bool { return m.name == w.Method })
	if at < 0 {
		return nil, &anonymize.ParameterError{Parameter: "method", Value: "'" + w.Method + "'", Rule: "which the engine does not have: there it must be " + strings.Join((*Home)(nil).Methods(), ", ")}
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
