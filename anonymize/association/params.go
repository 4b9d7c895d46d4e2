package association

import (
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
)

const raw, corrected = "raw", "corrected"

// Bins and Phi are the parameters of methods that measure associations; see [OptionsOf].
var (
	Bins = anonymize.Int("bins", 0, 1<<16,
		"for phi^2, numeric attributes of more values are cut into at most so many bins; 0 is never").
		Default(strconv.Itoa(DefaultBins)).Except(1, "must be 0 (never) or at least 2")
	Phi = anonymize.Choice("phi", []string{raw, corrected}, "phi^2 as printed, or less the bias of many values")
)

// OptionsOf reads them.
func OptionsOf(s anonymize.Settings) Options {
	return Options{Bins: Bins.Read(s), Corrected: Phi.Read(s) == corrected}
}
