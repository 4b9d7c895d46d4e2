package functions

import (
	"context"
	"slices"
	"testing"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/source"
	"github.com/anonsql/anonsql/functions/options"
)

// An option is refused in an engine for what it says, however it is spelled.
func TestOptionsInTheEngine(t *testing.T) {
	for _, c := range []struct {
		refused bool
		values  []string
	}{
		{false, []string{"fit=no", "fit=OFF", "fit=0", "fit=yes", "fit=on", "calibrate=no", "calibrate=0", "updates=None", "auto_refresh=00", "auto_refresh= 0", "attacks=no"}},
		{true, []string{"fit=async", "fit=ASYNC", "calibrate=yes", "calibrate=1", "updates=sealed", "auto_refresh=1", "max_records=3", "shift=7", "seed=hunter2"}},
	} {
		for _, value := range c.values {
			given, err := options.Anonymize.Read([]string{value})
			if err != nil {
				t.Errorf("%s: %v", value, err)
				continue
			}
			err = new(enginePublication).refuseOptions(given)
			if (err != nil) != c.refused {
				t.Errorf("%s: %v", value, err)
			}
			if value == "seed=hunter2" && err.Error() != "seed is given, but the engine makes a key that nobody knows: leave it out" {
				t.Errorf("%s: %v", value, err)
			}
		}
	}
}

// sampled is a publication in an engine with a sample of its groups, nil for one of ranges.
type sampled struct {
	source.Attempt
	sample *anonymize.Release
}

func (s sampled) Sample(context.Context, *source.Written) (*anonymize.Release, bool, error) {
	return s.sample, true, nil
}

// A dry run in an engine tells why fit=true would be refused, and completes nothing.
func TestRefusedFitInTheEngine(t *testing.T) {
	for want, sample := range map[string]*anonymize.Release{
		"fit is 'true', but mondrian publishes ranges, which are not completed: leave it out":                                                      nil,
		"the release cannot be completed: it has one fragment, which says all of every record: leave fit out, and answers come from its fragments": {},
	} {
		for _, dry := range []bool{true, false} {
			p := &enginePublication{run: &run{method: anonymize.Method{Name: "mondrian"}}, attempt: sampled{sample: sample}, fit: fit{when: "true"}}
			p.dryRun = dry
			err := p.complete(sql.NewEmptyContext())
			if dry && (err != nil || !slices.Equal(p.refusals, []string{want})) || !dry && (err == nil || err.Error() != want) {
				t.Errorf("dry run %v: %v, %q, want %q", dry, err, p.refusals, want)
			}
		}
	}
}
