package functions

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// An update that breaks a promise, or forgets a record, is not accepted.
func TestRefreshIsNotBelieved(t *testing.T) {
	for name, spoil := range map[string]func(*anonymize.Release){
		"k": func(r *anonymize.Release) {
			r.Promises = append(slices.Clone(r.Promises), anonymize.Promise{Guarantee: "k", Bound: anonymize.Ratio{Num: 100, Den: 1}})
		},
		"malformed": func(r *anonymize.Release) { r.Rows++ },
		"disease":   func(r *anonymize.Release) { r.Fragments = slices.Clone(r.Fragments[:1]) },
	} {
		b := newBench(t)
		b.ward()
		b.run("root", "DELETE FROM hospital.ward WHERE id = 1")
		ctx := b.context(context.Background(), "root", "")
		pending, err := b.environment.Releases.Changes(ctx, "ward")
		if err != nil {
			t.Fatal(err)
		}
		r := &refresh{environment: b.environment, name: "ward", seed: "1", progress: func(string, int, int) {}}
		o, err := r.update(ctx, pending)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.verify(ctx, pending, o); err != nil {
			t.Errorf("%s, before it is spoilt: %v", name, err)
		}
		spoil(o.Release)
		_, err = r.verify(ctx, pending, o)
		if err == nil || !strings.HasPrefix(err.Error(), "the refresh of ward was not accepted, the last version stays: ") || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
