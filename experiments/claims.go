package experiments

import (
	"fmt"
	"slices"
	"strings"
)

// A claim is a statement of a paper about series, checked at every place where
// they can be compared.
type claim struct {
	says   string
	places int
	// against are the places where it does not hold, with the numbers.
	against []string
}

// holds reports whether nothing speaks against the claim.
func (c *claim) holds() bool { return len(c.against) == 0 }

// fails reports whether more than half of the places speak against it.
func (c *claim) fails() bool { return 2*len(c.against) > c.places }

// shown is the greatest number of places that a sentence lists.
const shown = 3

func (c *claim) String() string {
	list := c.against[:min(shown, len(c.against))]
	text := strings.Join(list, "; ")
	if more := len(c.against) - len(list); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Sprintf("%q does not hold at %d of %d places (%s)", c.says, len(c.against), c.places, text)
}

// conclude fills in what the run shows, and of the claims the verdict: Agrees if
// all hold everywhere, Disagrees if every one fails at more than half of its
// places, else Partly. Claims without a place are left out. causes are
// measured sentences about why; they are told only where something fails.
func (f *Figure) conclude(shows string, claims []claim, causes ...string) {
	claims = slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return c.places == 0 })
	f.RunShows, f.Why = shows, ""
	if len(claims) == 0 {
		f.Verdict, f.Why = Infeasible, "The run has no two series that the paper's statement compares."
		return
	}
	var broken []string
	failed := 0
	for i := range claims {
		if !claims[i].holds() {
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
