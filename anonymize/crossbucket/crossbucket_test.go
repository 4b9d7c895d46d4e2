package crossbucket

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

func mustRun(t testing.TB, in *anonymize.Input, arguments anonymize.Arguments) *anonymize.Release {
	t.Helper()
	r, err := Method().Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	if err := anontest.Publishable(r, in); err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	return r
}

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
