package initialpartition

import (
	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/association"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// A Request has a method's requirements on the partition.
type Request struct {
	// L is the l of l-diversity, at least 2. Required.
	L int
	// Mondrian halves blocks instead of following Algorithm 1.
	Mondrian bool
	// Ascending starts with the attribute of least phi^2, as in Section 5.3, instead of the
	// greatest, as in Section 4.1.
	Ascending bool
	// Collapse says what Algorithm 1 does with merged blocks. Defaults to Stop.
	Collapse Collapse
	// Bins is as in association.Options. Defaults to 0, no bins.
	Bins int
}

// A Collapse says which merged blocks Algorithm 1 divides further.
type Collapse int

const (
	Stop     Collapse = iota // none, as printed
	Skip                     // those in which all parts of a level were merged: skip the attribute
	Continue                 // all
)

const (
	byPhi, byMedian       = "correlation", "mondrian"
	descending, ascending = "descending", "ascending"
	goOn, skip, stop      = "continue", "skip", "stop"
)

// Diversity is l, the positional parameter of the three methods.
var Diversity = anonymize.Int("l", 2, bucketization.MaxRows,
	"at least l sensitive values are possible for a record, none with a probability above 1/l; at least 2").Positional()

var (
	paramPartition = anonymize.Choice("partition", []string{byPhi, byMedian},
		"how initial blocks are made: correlation, level by level along phi^2 (Algorithm 1); mondrian, by cuts at medians while both halves are "+
			"l-diverse")
	paramOrder = anonymize.Choice("order", []string{descending, ascending},
		"for partition=correlation: order of the quasi-identifiers by phi^2 with the sensitive attribute, greatest first or least first")
	paramOnCollapse = anonymize.Choice("on_collapse", []string{goOn, skip, stop},
		"for partition=correlation, what to do with merged blocks: continue to divide them; skip an attribute that merges all blocks, and stop "+
			"otherwise; stop, as printed")
)

// Parameters are the parameters of Read other than l.
func Parameters() []anonymize.Parameter {
	return anonymize.Declare(paramPartition, paramOrder, paramOnCollapse, association.Bins, anonymize.Threshold)
}

// Read checks the settings of a method against the table.
func Read(method string, in *anonymize.Input, s anonymize.Settings) (Request, error) {
	r := Request{
		L:         Diversity.Read(s),
		Mondrian:  paramPartition.Read(s) == byMedian,
		Ascending: paramOrder.Read(s) == ascending,
		Collapse:  map[string]Collapse{skip: Skip, stop: Stop, goOn: Continue}[paramOnCollapse.Read(s)],
		Bins:      association.Bins.Read(s),
	}
	return r, bucketization.CheckInput(method, in)
}

// Promises returns the promises of l, for package privacy.
func (r *Request) Promises() []anonymize.Promise { return bucketization.Promises(r.L) }
