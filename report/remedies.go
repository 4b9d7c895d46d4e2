package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// A Situation describes a release, so that its owner is told of no remedy that is already in use or that anonymize would refuse.
type Situation struct {
	Rows int
	// Sensitive is the number of sensitive attributes: a model has only one.
	Sensitive int
	// Model says that the release has one.
	Model bool
	// Share has each sensitive attribute's greatest share of a value, 0 if it is missing. Above 1/2 no group can be diverse.
	Share map[string]float64
}

func situationOf(r *anonymize.Release) Situation {
	s := Situation{Rows: r.Rows, Model: r.Model != nil, Share: map[string]float64{}}
	for _, f := range r.Fragments {
		if f.Role != anonymize.Sensitive {
			continue
		}
		s.Sensitive += len(f.Columns)
		for _, c := range f.Columns {
			if c.IsPoint() {
				s.Share[c.Name] = greatestShare(c.Codes, f.Count)
			}
		}
	}
	return s
}

func greatestShare(codes, count []uint32) float64 {
	records, all, greatest := make(map[uint32]float64), 0.0, 0.0
	for t, code := range codes {
		records[code] += float64(count[t])
		all += float64(count[t])
		greatest = max(greatest, records[code])
	}
	return greatest / max(1, all)
}

// diversity suggests how to leave fewer records with a single value of an attribute, "" if the
// release already requires diversity of all values, or of the sensitive ones.
func (s Situation) diversity(attribute string, guarantees []anonymize.Guarantee) string {
	share := s.Share[attribute]
	switch {
	case slices.ContainsFunc(guarantees, func(g anonymize.Guarantee) bool {
		return promises(g) && slices.Contains([]string{"l", "beta", "breach"}, g.Name)
	}):
		return ""
	case share >= .9:
		return fmt.Sprintf("%s of the records have one value, which no group can hide: if it is no secret, take a method with l or beta, and name it in not_sensitive=", percent(share))
	case share > .5:
		return fmt.Sprintf("%s of the records have one value, so that no group can hold it to a half: "+
			"larger groups (size= or k=) help, or not_sensitive= if that value is no secret", percent(share))
	}
	return "Ask for diversity (l, beta or breach, as the method has them)"
}

// largeGroups is the average size from which on groups are not small.
const largeGroups = 10

// betterAnswers returns what would improve answers and the release does not use yet, "" for nothing.
func (s Situation) betterAnswers(r *anonymize.Release) string {
	quasi, exact := 0, true
	for _, f := range r.Fragments {
		exact = exact && allPoints(f)
		if f.Role != anonymize.Sensitive {
			quasi += len(f.Columns)
		}
	}
	var ways []string
	if s.Sensitive > 1 {
		ways = append(ways, "fewer sensitive attributes")
	}
	if quasi > 1 {
		ways = append(ways, "fewer quasi-identifiers")
	}
	if !s.Model && s.Sensitive == 1 && exact {
		ways = append(ways, "a model (model=counts)")
	}
	if r.Groups() > 0 && r.Rows/r.Groups() >= largeGroups {
		ways = append(ways, "smaller groups")
	}
	if len(ways) == 0 {
		return ""
	}
	return capital(strings.Join(ways, " or ")) + " may give better ones"
}

// againstReaders suggests how to reveal less to a reader: larger groups hide more, and a model makes up for the answers.
func (s Situation) againstReaders(attribute string, large bool) string {
	if large || s.Model || s.Sensitive > 1 || s.Share[attribute] > .5 {
		return "Fewer or coarser quasi-identifiers tell a reader less"
	}
	return "Large groups with a model (anatomy, size=50, model=counts) tell a reader less"
}
