package evaluation

import (
	"fmt"
	"slices"
	"strings"
)

// A Claim is a statement of a paper, or an aim, about series. It is checked at every place where the series can be
// compared.
type Claim struct {
	// Says is the statement; it completes the sentence "the paper says that".
	Says string
	// Places is the number of comparisons; a claim without places says nothing.
	Places int
	// Against are the places that contradict it, with the numbers.
	Against []string
}

// Holds reports whether the claim was checked at some place, and no place contradicts it.
func (c Claim) Holds() bool { return c.Places > 0 && len(c.Against) == 0 }

// fails reports whether more than half of the places contradict it.
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

// Conclude sets what the run shows, and derives the verdict from the claims: Agrees if all hold everywhere, Disagrees
// if each fails at more than half of its places, otherwise Partly. It ignores claims without a place. causes are
// measured sentences about the reasons; they are used only if something fails.
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
