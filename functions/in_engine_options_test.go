package functions

import (
	"testing"

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
