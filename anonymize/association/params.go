package association

import (
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
)

const raw, corrected = "raw", "corrected"

// Bins and Phi are the parameters of methods that measure associations; see [OptionsOf].
var (
	Bins = anonymize.Int("bins", 0, 1<<16,
		"for phi^2: a numeric attribute with more values than this is cut into at most this many bins; 0: it is never cut").
		Default(strconv.Itoa(DefaultBins)).Except(1, "must be 0 (never) or at least 2")
	Phi = anonymize.Choice("phi", []string{raw, corrected}, "raw: phi^2 as printed; corrected: without the bias that many values cause")
)

// OptionsOf reads them.
func OptionsOf(s anonymize.Settings) Options {
	return Options{Bins: Bins.Read(s), Corrected: Phi.Read(s) == corrected}
}
