package functions

import (
	"crypto/rand"
	"fmt"
	"math/big"
	mathrand "math/rand/v2"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/anonymize/noise"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/catalog"
	"github.com/anonsql/anonsql/functions/options"
	"github.com/anonsql/anonsql/functions/texts"
)

// A modelAsked has the options of a release's model.
type modelAsked struct {
	wanted  bool
	alone   bool            // there are no groups beside it: package modeled
	epsilon anonymize.Ratio // zero: no noise
	delta   anonymize.Ratio // zero: Laplace noise
	least   int
}

// readModel reads the options of a model.
func (p *publication) readModel(given anonymize.Settings) (err error) {
	p.model, p.Spends, err = p.askedModel(given)
	if err != nil || p.model.epsilon.Num == 0 {
		return err
	}
	p.hidden = p.roles.Sensitive
	if p.model.alone {
		return p.hideLabels()
	}
	return p.model.refuseLimit(p.maxAttack)
}

// refuseLimit refuses max_attack together with noise.
func (m *modelAsked) refuseLimit(maxAttack *anonymize.Ratio) error {
	if m.epsilon.Num == 0 || maxAttack == nil {
		return nil
	}
	return &anonymize.ParameterError{Parameter: options.MaxAttack.Name(), Value: maxAttack.Text(), Rule: "must be left out beside " +
		options.ModelEpsilon.Name() + ": whether there is a release would tell of sensitive values without noise"}
}

// askedModel reads the options of a model and its privacy loss, nil for no model, and refuses contradictory options.
func (r *run) askedModel(given anonymize.Settings) (m modelAsked, spends *catalog.Spending, err error) {
	m.least = options.ModelLeast.Read(given)
	_, noisy := options.ModelEpsilon.Given(given)
	if noisy {
		m.epsilon = options.ModelEpsilon.Read(given)
	}
	if text, ok := options.ModelDelta.Given(given); ok {
		if m.delta = options.ModelDelta.Read(given); !noisy {
			return m, nil, &anonymize.ParameterError{Parameter: options.ModelDelta.Name(), Value: text,
				Rule: "must be left out without " + options.ModelEpsilon.Name() + ": it is of its noise"}
		}
	}
	m.alone = r.method.Alone
	m.wanted = noisy || m.alone || options.Model.Read(given) == options.ModelCounts
	text, said := options.Model.Given(given)
	if said && m.alone && text == options.NoModel {
		return m, nil, &anonymize.ParameterError{Parameter: options.Model.Name(), Value: "'" + text + "'",
			Rule: "must be left out, or the method be anatomy: " + r.method.Name + " publishes no groups that would tell anything without a model"}
	}
	if said && noisy && text == options.NoModel {
		return m, nil, &anonymize.ParameterError{Parameter: options.ModelEpsilon.Name(), Value: "'" + m.epsilon.Text() + "'",
			Rule: "must be left out beside model=" + options.NoModel + ": it is the noise of a model"}
	}
	if !m.wanted {
		return m, nil, nil
	}
	if len(r.roles.Sensitive) == 0 {
		return m, nil, &anonymize.ParameterError{Parameter: options.Model.Name(), Value: "'" + options.ModelCounts + "'",
			Rule: "must be left out where there is no sensitive attribute: a model tells how quasi-identifiers go with one. Name one with sa="}
	}
	if len(r.roles.Sensitive) > 1 {
		return m, nil, &anonymize.ParameterError{Parameter: options.Model.Name(), Value: "'" + options.ModelCounts + "'",
			Rule: "must be left out where there are several sensitive attributes: a model is of one. Name one with sa="}
	}
	if noisy {
		if err := r.boundUnits(given, m.epsilon); err != nil {
			return m, nil, err
		}
		spends = &catalog.Spending{Sensitive: r.roles.Sensitive[0], Epsilon: m.epsilon, Delta: m.delta, Unit: catalog.UnitName(r.unit.columns)}
	}
	return m, spends, nil
}

// boundUnits refuses noise for units without a bound on their records, and noise if records may be omitted: which ones depends on sensitive values
// (package units).
func (r *run) boundUnits(given anonymize.Settings, epsilon anonymize.Ratio) error {
	if len(r.unit.columns) > 0 && r.maxRecords == 0 {
		return &anonymize.ParameterError{Parameter: options.ModelEpsilon.Name(), Value: "'" + epsilon.Text() + "'", Rule: fmt.Sprintf(
			"must have %s= beside it, since %s=%s is given: noise that hides all records of a unit together is as many times as wide as these may be, "+
				"and one long history would make it so for all. %[1]s=5 publishes at most 5 records of each",
			options.MaxRecords.Name(), options.Unit.Name(), texts.JoinNames(r.unit.columns))}
	}
	if text, said := options.LeftOut.Given(given); said && r.leftOut.Num > 0 {
		return &anonymize.ParameterError{Parameter: options.LeftOut.Name(), Value: text, Rule: "must be left out beside " + options.ModelEpsilon.Name() +
			": which records a method leaves out depends on sensitive values without noise. " + options.MaxRecords.Name() + "= draws them without looking"}
	}
	return nil
}

// hideLabels ensures that readers get nothing that depends on sensitive values except through noise: no widths of intervals, which a
// calibration chooses with the raw table, and no publication that depends on them.
func (p *publication) hideLabels() error {
	for _, other := range []struct {
		is          bool
		name, value string
	}{{p.calibrate == "true", options.Calibrate.Name(), p.calibrate}, {p.maxAttack != nil, options.MaxAttack.Name(), "given"},
		{len(p.asked) > 0, "a promise of classes", "asked for"}} {
		if other.is {
			return &anonymize.ParameterError{Parameter: other.name, Value: other.value,
				Rule: "must be left out beside " + options.ModelEpsilon.Name() + ", which promises to hide sensitive values: it looks at them without noise"}
		}
	}
	p.calibrate = "false"
	if p.attacks == "" {
		p.attacks = "false" // figures of attacks depend on sensitive values without noise
	}
	p.hidesLabels = true
	return nil
}

// tellModel counts the model of the release, if the owner wants one, from the published records, by quasi-identifiers that are published exactly
// and in no relation with the sensitive attribute.
func (p *publication) tellModel(*sql.Context) error {
	if !p.model.wanted || p.release.Model != nil {
		return nil
	}
	if p.Record.Live != nil {
		return p.refuse(&anonymize.ParameterError{Parameter: options.Model.Name(), Value: "'" + options.ModelCounts + "'",
			Rule: "must be left out of a release that follows its table, whose groups change: say updates=" + options.NoUpdates + ", or leave model out"})
	}
	if err := p.model.refuseUnread(p.release); err != nil {
		return err
	}
	sensitive := p.input.Sensitive[0]
	columns := contingency.TabulatedColumns(p.release, p.input)
	if len(columns) == 0 {
		return &anonymize.DataError{Reason: "the release keeps the values of no quasi-identifier apart from " + sensitive.Name +
			", so that a model of it has no table: leave model out, or take a method that publishes values as they are, such as anatomy"}
	}
	tables := len(columns)
	if p.model.alone {
		tables++ // the attribute's own counts
	}
	o, err := p.model.toCount(tables, p.maxRecords, p.release.Rows)
	if err != nil {
		return err
	}
	o.Units = p.input.Units
	if err := p.blur(&o); err != nil {
		return err
	}
	model, err := contingency.Count(p.release, columns, sensitive, o)
	if err != nil {
		return err
	}
	p.release.Model, model.Alone = model, p.model.alone
	p.release.Facts = append(p.release.Facts, contingency.Facts(model)...)
	return p.release.Check()
}

// refuseUnread refuses a model for a release that is not completed.
func (m *modelAsked) refuseUnread(r *anonymize.Release) error {
	if err := impute.Refuse(r); err != nil {
		return &anonymize.DataError{Reason: "no answer would read a model: " + err.Error() + ". Leave model out, or take a method that publishes values as they are, such as anatomy"}
	}
	return nil
}

// tellModel lets the engine count the model, if the owner wants one, as [publication.tellModel] does here.
func (p *enginePublication) tellModel(ctx *sql.Context) error {
	if !p.model.wanted {
		return nil
	}
	p.report("count the model", 0, 1)
	if err := p.model.refuseUnread(p.written.Shape()); err != nil {
		return err
	}
	o, err := p.model.toCount(len(p.roles.QuasiIdentifiers), 0, p.written.Rows)
	if err != nil {
		return err
	}
	model, err := p.attempt.Model(ctx, o)
	if err != nil {
		return err
	}
	r := &p.Record
	r.Model, r.Facts = model, append(r.Facts, contingency.Facts(model)...)
	r.Guarantees = append(r.Guarantees, privacy.OfModel(model)...)
	return nil
}

// blur adds noise to the counts of the sensitive attribute, if they are published only as such beside the model.
func (p *publication) blur(o *contingency.Options) (err error) {
	if !p.model.alone || o.Noise == nil {
		return nil
	}
	sensitive := p.input.Sensitive[0]
	if n := len(sensitive.Dictionary); n > maxHidden {
		return &anonymize.DataError{Reason: fmt.Sprintf("%s has %d values, and each of them gets noise by itself, so that little would be left of their counts, "+
			"and which values there are is told: make it coarser, such as a column of bands with at most %d values", sensitive.Name, n, maxHidden)}
	}
	p.release, err = modeled.Blur(p.release, sensitive.Name, o.Noise, dealer())
	if err == nil {
		p.release.Promises = append(p.release.Promises, anonymize.Promise{Guarantee: "label_epsilon", Bound: p.model.epsilon})
	}
	return err
}

// dealer is a random source that cannot be reproduced.
func dealer() *mathrand.Rand {
	var seed [32]byte
	rand.Read(seed[:]) // it never fails (crypto/rand)
	return mathrand.New(mathrand.NewChaCha8(seed))
}

// maxHidden is the maximum number of values whose counts get noise.
const maxHidden = 256

// toCount are the options for counting some tables of a number of rows, with the noise of the owner's epsilon, if units have at most the given
// number of records, 0 if records are units.
func (m *modelAsked) toCount(tables, records, rows int) (o contingency.Options, err error) {
	o.Least, o.Base = m.least, contingency.Usual.Base
	if m.epsilon.Num == 0 {
		return o, nil
	}
	o.Epsilon, o.Delta, o.Records = m.epsilon, m.delta, records
	counts := noise.Counts{Tables: tables, Records: max(1, records)}
	if m.delta.Num > 0 {
		if new(big.Rat).Mul(m.delta.Rat(), big.NewRat(int64(rows), 1)).Cmp(big.NewRat(1, 1)) >= 0 {
			return o, &anonymize.ParameterError{Parameter: options.ModelDelta.Name(), Value: m.delta.Text(), Rule: fmt.Sprintf(
				"must be less than 1 / %d, the number of records, since that probability could be one record's in full: say a smaller one", rows)}
		}
		err = m.addGaussian(&o, counts)
		return o, err
	}
	scale, err := counts.Scale(o.Epsilon)
	if err != nil {
		return o, err
	}
	laplace, err := noise.NewLaplace(scale, rand.Reader)
	if err != nil {
		return o, fmt.Errorf("noise of epsilon %s: %w", o.Epsilon.Text(), err)
	}
	o.Noise, o.Scale = laplace.Draw, scale.Float()
	return o, nil
}

func (m *modelAsked) addGaussian(o *contingency.Options, counts noise.Counts) (err error) {
	if o.Variance, err = counts.Variance(o.Epsilon, o.Delta); err != nil {
		return &anonymize.DataError{Reason: err.Error()}
	}
	gaussian, err := noise.NewGaussian(o.Variance, rand.Reader)
	if err == nil {
		o.Noise = gaussian.Draw
	}
	return err
}
