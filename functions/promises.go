package functions

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/functions/options"
)

// An askedPromise is an option of anonymize that is named like a guarantee: distinct=3, or distinct(disease)=3 for one of several sensitive attributes.
type askedPromise struct {
	privacy.Option
	value      string
	attributes []string // as written, in lower case; none for all
}

// takePromises removes the demanded promises from the options.
func takePromises(given options.Given) (asked []askedPromise) {
	for name, value := range given {
		base, attributes, ok := anonymize.SplitAbout(name)
		if option, known := privacy.OptionNamed(base); ok && known {
			asked = append(asked, askedPromise{option, value, attributes})
			delete(given, name)
		}
	}
	slices.SortFunc(asked, func(a, b askedPromise) int {
		return strings.Compare(anonymize.GuaranteeName(a.Name, a.attributes...), anonymize.GuaranteeName(b.Name, b.attributes...))
	})
	return asked
}

// ask reads the values. A promise for all sensitive attributes becomes one for each if they have distances of their own.
func (r *run) ask(asked []askedPromise) error {
	for _, a := range asked {
		about, err := r.aboutOf(a)
		if err != nil {
			return err
		}
		for _, attributes := range about {
			promise, err := a.Promise(a.value, attributes...)
			if err != nil {
				return err
			}
			r.asked = append(r.asked, promise)
		}
	}
	return nil
}

// distances are the promises that need a certain kind of attribute.
var distances = []string{"t_ordered", "t_hierarchical", "range"}

// aboutOf lists the attributes of a promise: nil is every sensitive attribute.
func (r *run) aboutOf(a askedPromise) (about [][]string, err error) {
	if len(a.attributes) > 0 {
		attributes := slices.Clone(a.attributes)
		for i, written := range attributes {
			at := slices.IndexFunc(r.roles.Sensitive, func(name string) bool { return strings.EqualFold(name, written) })
			if at < 0 {
				return nil, &anonymize.ParameterError{Parameter: anonymize.GuaranteeName(a.Name, a.attributes...), Value: "'" + a.value + "'",
					Rule: fmt.Sprintf("but %s is no sensitive attribute; there are %s", written, strings.Join(r.roles.Sensitive, ", "))}
			}
			attributes[i] = r.roles.Sensitive[at]
		}
		return [][]string{attributes}, nil
	}
	if len(r.roles.Sensitive) < 2 || !slices.Contains(distances, a.Name) {
		return [][]string{nil}, nil
	}
	for _, name := range r.roles.Sensitive {
		about = append(about, []string{name})
	}
	return about, nil
}

// promise adds the owner's demands to the method's promises, for verify.
func (r *run) promise(*sql.Context) error {
	for i, p := range r.asked {
		base, attributes, _ := anonymize.SplitAbout(p.Guarantee)
		if len(attributes) == 0 {
			attributes = r.roles.Sensitive
		}
		var err error
		switch base {
		case "t_ordered", "range":
			err = r.checkNumbers(base, attributes)
		case "t_hierarchical":
			r.asked[i].Hierarchy, err = r.hierarchyOf(attributes)
		}
		if err != nil {
			return err
		}
		r.release.Promises = privacy.AddPromise(r.release.Promises, r.asked[i])
	}
	return nil
}

func (r *run) checkNumbers(promise string, attributes []string) error {
	for _, c := range r.input.Sensitive {
		if slices.Contains(attributes, c.Name) && !c.IsNumeric() {
			return &anonymize.DataError{
				Reason: fmt.Sprintf("%s needs numbers, and column %s has other values: distinct and t_equal take any, t_hierarchical those of a taxonomy", promise, c.Name),
			}
		}
	}
	return nil
}

// hierarchyOf is the taxonomy of the promise's attribute.
func (r *run) hierarchyOf(attributes []string) (*anonymize.Hierarchy, error) {
	if len(attributes) != 1 {
		return nil, &anonymize.DataError{
			Reason: fmt.Sprintf("t_hierarchical is about one attribute at a time, not about %s as one value", strings.Join(attributes, ", ")),
		}
	}
	domain := r.input.Domains[attributes[0]]
	if domain == nil || domain.Taxonomy == nil {
		return nil, &anonymize.DataError{Reason: fmt.Sprintf("t_hierarchical needs the distances of a taxonomy, and column %s has none: "+
			"CALL set_taxonomy gives it one, t_equal needs none", attributes[0])}
	}
	return privacy.HierarchyOf(r.release, attributes[0], domain.Taxonomy)
}

// notAccepted says why a release is not published. If only an owner's demand fails, it is no bug of the method, and the error says what to change.
func (r *run) notAccepted(err error) error {
	name, why := "", ""
	var broken *privacy.BrokenError
	var cannot *privacy.CannotCheckError
	switch {
	case errors.As(err, &broken):
		name, why = broken.Name, fmt.Sprintf("the release of %s has %.6g", r.method.Name, broken.Achieved)
		if broken.WorstGroup >= 0 {
			why += fmt.Sprintf(" in group %d", broken.WorstGroup+1)
		}
		why += ": " + broken.Detail
	case errors.As(err, &cannot):
		name, why = cannot.Guarantee, fmt.Sprintf("of the release of %s, %s", r.method.Name, cannot.Reason)
	}
	at := slices.IndexFunc(r.asked, func(p anonymize.Promise) bool {
		return p.Guarantee == name && (broken == nil || *broken.Required == p.Bound)
	})
	if at < 0 {
		return fmt.Errorf("the release of %s was not accepted: %w", r.method.Name, err)
	}
	return &anonymize.InfeasibleError{Parameter: name, Given: r.asked[at].Bound, Obstacle: why + ". Nothing is published. " + r.largerGroups()}
}

// largerGroups says how to meet a demand with a method that does not merge groups for it (package demand).
func (r *run) largerGroups() string {
	has := func(name string) bool {
		return slices.ContainsFunc(r.method.Parameters, func(p anonymize.Parameter) bool { return p.Name == name })
	}
	var ways []string
	for _, name := range []string{"l", "k"} {
		if has(name) {
			ways = append(ways, "a larger "+name)
		}
	}
	if len(ways) == 0 && has("beta") {
		ways = append(ways, "a smaller beta")
	}
	if len(ways) == 0 {
		return "Make the sensitive values coarser, or ask for less"
	}
	return fmt.Sprintf("Larger groups keep more (%s): make them larger, make the sensitive values coarser, or ask for less", strings.Join(ways, ", "))
}

// refuseFollowed refuses promises that cannot be checked for later versions, whose values may be missing in the hierarchy.
func (p *publication) refuseFollowed() error {
	for _, asked := range p.asked {
		if base, _, _ := anonymize.SplitAbout(asked.Guarantee); p.follows() && base == "t_hierarchical" {
			return &anonymize.ParameterError{Parameter: asked.Guarantee, Value: asked.Bound.Text(),
				Rule: "which a release that follows its table cannot promise: its later versions may have values that are not in the hierarchy. Say updates=none, or take t_equal"}
		}
	}
	return nil
}
