package initialpartition

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A Request is what a method asks of the partition.
type Request struct {
	// L is the l of l-diversity, at least 2. Required.
	L int
	// Threshold is how far apart the sensitive values of a class may be, and
	// Classes which ones do. Default to none.
	Threshold anonymize.Ratio
	Classes   anonymize.Classes
	// Mondrian halves blocks instead of following Algorithm 1.
	Mondrian bool
	// Ascending starts with the attribute of least phi^2, as Section 5.3 has
	// it, not of the greatest, as Section 4.1 has it.
	Ascending bool
	// Collapse is what Algorithm 1 does with merged blocks. Defaults to Stop.
	Collapse Collapse
	// Bins is as in association.Options. Defaults to 0, never.
	Bins int
}

// A Collapse says which merged blocks Algorithm 1 divides further.
type Collapse int

const (
	Stop     Collapse = iota // none, as printed
	Skip                     // those in which all parts of a level were merged: the attribute is skipped
	Continue                 // all
)

const (
	diversity, partition, order, onCollapse, bins, threshold = "l", "partition", "order", "on_collapse", "bins", "threshold"

	byPhi, byMedian       = "correlation", "mondrian"
	descending, ascending = "descending", "ascending"
	goOn, skip, stop      = "continue", "skip", "stop"
)

// Diversity declares l, the positional parameter of the three methods.
func Diversity() anonymize.Parameter {
	return anonymize.Parameter{Name: diversity, Form: anonymize.WholeForm(2, bucketization.MaxRows), Positional: true,
		Doc: "at least l sensitive values are possible for a record, none with a probability above 1/l; at least 2"}
}

// Parameters declares what Read reads besides l.
func Parameters() []anonymize.Parameter {
	return []anonymize.Parameter{
		{Name: partition, Default: byPhi, Choices: []string{byPhi, byMedian},
			Doc: "initial blocks: level by level along phi^2 (Algorithm 1), or halves at medians while both are l-diverse"},
		{Name: order, Default: descending, Choices: []string{descending, ascending},
			Doc: "for partition=correlation, the quasi-identifiers by phi^2 with the sensitive attribute: greatest first, or least first"},
		{Name: onCollapse, Default: goOn, Choices: []string{goOn, skip, stop},
			Doc: "for partition=correlation, what to do with merged blocks: continue dividing them; skip the attribute if all its blocks were merged, else stop; stop, as printed"},
		{Name: bins, Form: anonymize.WholeForm(0, 1<<16), Default: fmt.Sprint(association.DefaultBins),
			Doc: "for phi^2, numeric attributes of more values are cut into at most so many bins; 0 is never"},
		{Name: threshold, Form: anonymize.Number(0), Default: "0",
			Doc: "diversity is that of classes of numeric sensitive values, each from its least value to so far above it; " +
				"values of neighbouring classes may be closer; 0: of the values"},
	}
}

// Read reads the parameters, resolved against the declaration of their method.
func Read(method string, in *anonymize.Input, arguments anonymize.Arguments) (r Request, err error) {
	if r.L, err = arguments.Integer(diversity, 2, bucketization.MaxRows); err != nil {
		return r, err
	}
	if r.Bins, err = arguments.Integer(bins, 0, 1<<16); err != nil {
		return r, err
	}
	if r.Bins == 1 {
		return r, &anonymize.ParameterError{Parameter: bins, Value: "1", Rule: "must be 0 (never) or at least 2"}
	}
	r.Mondrian = arguments[partition] == byMedian
	r.Ascending = arguments[order] == ascending
	r.Collapse = map[string]Collapse{skip: Skip, stop: Stop, goOn: Continue}[arguments[onCollapse]]
	if r.Threshold, err = readThreshold(arguments[threshold]); err != nil {
		return r, err
	}
	if err := bucketization.CheckInput(method, in); err != nil {
		return r, err
	}
	sensitive := in.Sensitive[0]
	r.Classes, err = anonymize.ThresholdClasses(sensitive.Name, sensitive.Dictionary, r.Threshold)
	return r, err
}

// readThreshold reads a distance, which unlike other ratios may exceed 1.
func readThreshold(text string) (anonymize.Ratio, error) {
	apart, err := anonymize.ParseRatio(text)
	if err != nil {
		err = &anonymize.ParameterError{Parameter: threshold, Value: "'" + text + "'",
			Rule: "must be a number of at least 0, such as 0.5 or 1000"}
	}
	return apart, err
}

// Promises are what l and the threshold mean, for package privacy.
func (r *Request) Promises() []anonymize.Promise {
	return bucketization.Promises(r.L, r.Threshold)
}

// Facts say what the threshold made of the sensitive values; nothing without one.
func (r *Request) Facts(b *bucketization.Buckets) []anonymize.Fact {
	if r.Threshold.Num == 0 {
		return nil
	}
	return []anonymize.Fact{{Name: threshold, Value: fmt.Sprintf(
		"%d classes of values at most %s apart; diversity holds for them, and values of neighbouring classes may be closer", len(b.List), r.Threshold)}}
}
