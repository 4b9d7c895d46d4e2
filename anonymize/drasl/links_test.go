package drasl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// With links=none, a division of a small table is a release if and only if its groups have k records and no value
// twice: the battery's tables have few values, and each is its own class.
func TestBatteryLinkFree(t *testing.T) {
	for _, improve := range []string{"false", "true"} {
		t.Run("improve="+improve, func(t *testing.T) {
			anontest.Battery(t, Method(), anontest.Options{
				Easy: anonymize.Arguments{"k": "2", "links": "none", "improve": improve},
				Meets: func(in *anonymize.Input, arguments anonymize.Arguments, groups [][]int) bool {
					k, err := strconv.Atoi(arguments["k"])
					return err == nil && k > 1 && !slices.ContainsFunc(groups, func(g []int) bool { return len(g) < k || linked(in, g) })
				},
				Arguments: func(random *rand.Rand, _ *anonymize.Input) anonymize.Arguments {
					return anonymize.Arguments{"k": fmt.Sprint(1 + random.IntN(3)), "links": "none", "improve": improve,
						"search": []string{"fast", "exact"}[random.IntN(2)]}
				},
			})
		})
	}
}

// linked reports whether records have a value twice.
func linked(in *anonymize.Input, records []int) bool {
	seen := map[uint32]bool{}
	for _, r := range records {
		code := in.Sensitive[0].Codes[r]
		if seen[code] {
			return true
		}
		seen[code] = true
	}
	return false
}

// links=none is not the paper's, which minimizes linkage and bounds nothing: on
// Adult with K = 7 its groups have links, with links=none they have none, at the
// price of loss, or there is no release, and the class is named that stands in the
// way.
func TestDeviation93_NoLinks(t *testing.T) {
	in := patients(t, 3000, true, 1)
	loss := map[string]float64{}
	for _, improve := range []string{"false", "true"} {
		for _, links := range []string{"any", "none"} {
			in.Random = rand.NewPCG(1, 1)
			r, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "7", "links": links, "improve": improve})
			if err != nil {
				t.Fatal(err)
			}
			catalogue, err := clustering.NewCatalogue(in)
			if err != nil {
				t.Fatal(err)
			}
			found, _ := clustering.CheckLinks(r, "disease", catalogue)
			none := links == "none"
			if (found == 0) != none || (anontest.Fact(r, "synonymous links") == "0") != none {
				t.Errorf("links = %s, improve = %s: %d links", links, improve, found)
			}
			promised := slices.ContainsFunc(r.Promises, func(p anonymize.Promise) bool {
				return p.Guarantee == "l" && p.Bound == anonymize.NewRatio(7, 1)
			})
			if promised != none {
				t.Errorf("links = %s: the promises are %v", links, r.Promises)
			}
			text, x := anontest.Fact(r, "information loss (Average_IL)"), 0.0
			if _, err := fmt.Sscanf(text, "%f,", &x); err != nil {
				t.Fatal(text, err)
			}
			loss[links+" "+improve] = x
			t.Logf("links = %s, improve = %s: %d links, Average_IL %s", links, improve, found, text)
		}
	}
	if !(loss["none true"] < 0.9*loss["none false"]) {
		t.Errorf("the losses are %v", loss)
	}
	_, err := Method().Run(context.Background(), in, anonymize.Arguments{"k": "9", "links": "none"})
	var infeasible *anonymize.InfeasibleError
	if !errors.As(err, &infeasible) || !strings.Contains(err.Error(), "k = 9 cannot be met: with links = none a group has one record of a class of synonyms at most, and ") ||
		!strings.Contains(err.Error(), " of 3000 records; the largest feasible k is 7") {
		t.Error(err)
	}
}
