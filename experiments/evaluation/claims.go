package evaluation

import (
	"fmt"
	"slices"
	"strings"
)

// A Claim is a statement of a paper, or an aim, about series, checked at every place where
// they can be compared.
type Claim struct {
	// Says is the statement, in words that may follow "the paper says that".
	Says string
	// Places is the number of comparisons; a claim with none says nothing.
	Places int
	// Against are the places where it does not hold, with the numbers.
	Against []string
}

// Holds reports whether the claim was checked at a place, and nothing speaks against it.
func (c Claim) Holds() bool { return c.Places > 0 && len(c.Against) == 0 }

// fails reports whether more than half of the places speak against it.
func (c Claim) fails() bool { return 2*len(c.Against) > c.Places }

// shown is the greatest number of places that a sentence lists.
const shown = 3

func (c Claim) String() string {
	list := c.Against[:min(shown, len(c.Against))]
	text := strings.Join(list, "; ")
	if more := len(c.Against) - len(list); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Sprintf("%q does not hold at %d of %d places (%s)", c.Says, len(c.Against), c.Places, text)
}

// Conclude fills in what the run shows, and of the claims the verdict: Agrees if
// all hold everywhere, Disagrees if every one fails at more than half of its
// places, else Partly. Claims without a place are left out. causes are
// measured sentences about why; they are told only where something fails.
func (f *Figure) Conclude(shows string, claims []Claim, causes ...string) {
	claims = slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return c.Places == 0 })
	f.RunShows, f.Why = shows, ""
	if len(claims) == 0 {
		f.Verdict, f.Why = Infeasible, "The run has no two series that the paper's statement compares."
		return
	}
	var broken []string
	failed := 0
	for i := range claims {
		if !claims[i].Holds() {
			broken = append(broken, claims[i].String())
		}
		if claims[i].fails() {
			failed++
		}
	}
	switch {
	case len(broken) == 0:
		f.Verdict = Agrees
		return
	case failed == len(claims):
		f.Verdict = Disagrees
	default:
		f.Verdict = Partly
	}
	for _, text := range append(broken, causes...) {
		if text != "" {
			f.Why += " " + strings.TrimSuffix(text, ".") + "."
		}
	}
	f.Why = strings.TrimSpace(f.Why)
}
