package crossbucket

import (
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

func factNumber(t testing.TB, r *anonymize.Release, name string) float64 {
	t.Helper()
	for _, f := range r.Facts {
		if f.Name == name {
			x, err := strconv.ParseFloat(strings.Fields(f.Value)[0], 64)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}
	}
	t.Fatalf("there is no fact %q", name)
	return 0
}
