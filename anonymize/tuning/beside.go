package tuning

import (
	"maps"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Beside are the options that a trial of any method may have beside the method's parameters,
// named as in CALL anonymize, in the order of a statement.
var Beside = []anonymize.Parameter{{Name: "size", Default: none}, {Name: "t_equal", Default: none},
	{Name: "enhanced_beta_likeness", Default: none}, {Name: model, Default: none}}

const (
	// none omits an option.
	none = "none"
	// counts selects the model of package contingency.
	counts = "counts"
	// model is the only option that is no promise.
	model = "model"
)

// parameters returns the method's parameters, then Beside.
func parameters(m anonymize.Method) []anonymize.Parameter {
	return append(slices.Clone(m.Parameters), Beside...)
}

// ofMethod returns the arguments that the method reads.
func ofMethod(arguments anonymize.Arguments) anonymize.Arguments {
	own := maps.Clone(arguments)
	for _, p := range Beside {
		delete(own, p.Name)
	}
	return own
}

// promisedBeside returns the additional promises to try.
func promisedBeside(arguments anonymize.Arguments) (promises []anonymize.Promise, err error) {
	for _, p := range Beside {
		text, tried := arguments[p.Name]
		if !tried || text == none || p.Name == model {
			continue
		}
		option, _ := privacy.OptionNamed(p.Name) // it is one of privacy.Options
		promise, err := option.Promise(text)
		if err != nil {
			return nil, err
		}
		promises = append(promises, promise)
	}
	return promises, nil
}

// checkBeside refuses what cannot be tried.
func checkBeside(arguments anonymize.Arguments) error {
	if value, tried := arguments[model]; tried && value != none && value != counts {
		return &anonymize.ParameterError{Parameter: model, Value: "'" + value + "'", Rule: "must be none or counts"}
	}
	_, err := promisedBeside(arguments)
	return err
}

// tellModel counts the model of a release from its published records, if the trial has one.
func (t *Trial) tellModel(release *anonymize.Release, published *anonymize.Input) error {
	if t.Arguments[model] != counts {
		return nil
	}
	if len(published.Sensitive) > 1 {
		return &anonymize.DataError{Reason: "a model is of one sensitive attribute, and there are several"}
	}
	options := contingency.Usual
	options.Units = published.Units
	columns := contingency.TabulatedColumns(release, published)
	if len(columns) == 0 {
		return &anonymize.DataError{Reason: "the release keeps the values of no quasi-identifier apart from the sensitive attribute, so that a model has no table"}
	}
	counted, err := contingency.Count(release, columns, published.Sensitive[0], options)
	if err == nil {
		counted.Alone = t.Method.Name == modeled.Name
	}
	release.Model = counted
	return err
}
