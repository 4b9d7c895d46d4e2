// Package methods is the only list of anonymization methods. Procedures, table functions and
// documentation read it; a new method is one line.
package methods

import (
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/arp"
	"github.com/anonsql/anonsql/anonymize/asn"
	"github.com/anonsql/anonsql/anonymize/cdt"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/anonymize/crossbucket"
	"github.com/anonsql/anonsql/anonymize/drasl"
	"github.com/anonsql/anonsql/anonymize/fulldomain"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/anonymize/mondrian"
	"github.com/anonsql/anonsql/anonymize/nonhomogeneous"
	"github.com/anonsql/anonsql/anonymize/slicing"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// All returns every method, in display order.
func All() []anonymize.Method {
	return []anonymize.Method{
		slppa.Method(),
		slicing.Method(),
		asn.Method(),
		anatomy.Method(),
		arp.Method(),
		arp.InitialMethod(),
		nonhomogeneous.Method(),
		mondrian.Method(),
		crossbucket.Method(),
		fulldomain.Method(),
		drasl.Method(),
		clustering.OKA(),
		clustering.IKA(),
		clustering.DPP(),
		cdt.Method(),
		modeled.Method(),
	}
}

// ByName returns the method of that name (case-insensitive). An unknown name is an
// *anonymize.ParameterError that lists the names.
func ByName(name string) (anonymize.Method, error) {
	var names []string
	for _, m := range All() {
		if strings.EqualFold(m.Name, name) {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return anonymize.Method{}, &anonymize.ParameterError{
		Parameter: "method", Value: "'" + name + "'", Rule: "must be one of " + strings.Join(names, ", ") + anonymize.DidYouMean(name, names)}
}
