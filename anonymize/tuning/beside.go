package tuning

import (
	"maps"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// What a trial of any method may have beside the method's parameters, by the names that CALL anonymize
// gives them, in the order of a statement.
var Beside = []anonymize.Parameter{{Name: "size", Default: none}, {Name: "model", Default: none}}

const (
	// none is the value that leaves one out.
	none = "none"
	// counts is the model of package contingency.
	counts = "counts"
)

// parameters are those of the method, and then what any may have beside them.
func parameters(m anonymize.Method) []anonymize.Parameter {
	return append(slices.Clone(m.Parameters), Beside...)
}

// ofMethod are the arguments that the method reads.
func ofMethod(arguments anonymize.Arguments) anonymize.Arguments {
	own := maps.Clone(arguments)
	for _, p := range Beside {
		delete(own, p.Name)
	}
	return own
}

// promisedBeside is the size of groups that is tried; none or one promise.
func promisedBeside(arguments anonymize.Arguments) ([]anonymize.Promise, error) {
	text, tried := arguments["size"]
	if !tried || text == none {
		return nil, nil
	}
	option, _ := privacy.OptionNamed("size") // it is one of privacy.Options
	promise, err := option.Promise(text)
	return []anonymize.Promise{promise}, err
}

// checkBeside refuses what cannot be tried.
func checkBeside(arguments anonymize.Arguments) error {
	if model, tried := arguments["model"]; tried && model != none && model != counts {
		return &anonymize.ParameterError{Parameter: "model", Value: "'" + model + "'", Rule: "must be none or counts"}
	}
	_, err := promisedBeside(arguments)
	return err
}

// tellModel counts the model of a release, where the trial has one: from the records that it publishes.
func (t *Trial) tellModel(release *anonymize.Release, published *anonymize.Input) error {
	if t.Arguments["model"] != counts {
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
	model, err := contingency.Count(release, columns, published.Sensitive[0], options)
	if err == nil {
		model.Alone = t.Method.Name == modeled.Name
	}
	release.Model = model
	return err
}
