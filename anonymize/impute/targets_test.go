package impute

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/testsize"
)

// modelled is a release with two-way tables of all quasi-identifiers, with noise of a scale (0: rounded and pooled).
func (s source) modelled(t testing.TB, r *anonymize.Release, scale float64) *anonymize.Release {
	t.Helper()
	o := contingency.Usual
	if scale > 0 {
		random := rand.New(rand.NewPCG(5, 6))
		o.Scale = scale
		o.Noise = func() (int64, error) {
			return int64(math.Round((random.ExpFloat64() - random.ExpFloat64()) * scale)), nil
		}
	}
	var columns []*anonymize.Column
	for _, name := range s.roles.QuasiIdentifiers {
		columns = append(columns, s.table.Column(name))
	}
	model, err := contingency.Count(r, columns, s.table.Column(s.roles.Sensitive[0]), o)
	if err != nil {
		t.Fatal(err)
	}
	told := *r
	told.Model = model
	return &told
}

// Two-way tables that a release tells are in its completed tables: of the diet by the disease, which the groups say within .1, they say it
// within .03, also where quasi-identifiers are in several relations. Noise is covered by the intervals. Single ages are finer than the tables.
func TestModelIsMet(t *testing.T) {
	s, larger := made(testsize.Of(8_000, 20_000), 1), testsize.Of(math.Sqrt(20./8), 1) // errors fall with the root of the number of records
	type model struct {
		name      string
		method    string
		arguments []string
		scale     float64
		most      float64 // error
	}
	for _, c := range testsize.Some(2, []model{
		{"groups of 4", "anatomy", []string{"l", "4"}, 0, 0.025},
		{"noise", "anatomy", []string{"l", "4"}, 10, 0.035},
		{"three tables", "slppa", []string{"beta", "0.25", "tables", "3"}, 0, 0.025},
	}) {
		t.Run(c.name, func(t *testing.T) {
			r := s.modelled(t, s.released(t, c.method, c.arguments...), c.scale)
			completion, err := Complete(context.Background(), r, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var all []quality
			for _, q := range qualities(r, completion, s.table) {
				if t.Log(q); strings.HasSuffix(q.pair, ", disease") && q.pair != "age, disease" {
					all = append(all, q)
				}
			}
			total, _ := pooled(all)
			if total.imputed > c.most*larger || total.covered < 0.92 {
				t.Errorf("error %.3f, want at most %.3f; %.3f covered", total.imputed, c.most*larger, total.covered)
			}
		})
	}
}

// The gradient of a line of a table: what is told takes the place of what the completed table has, the rest is shared as the completed table
// does, and the sum stays.
func TestLine(t *testing.T) {
	target := &target{weight: []float32{50, 30, untold, untold}, records: []float32{100}}
	m := &meeting{target, []float32{20, 20, 6, 4}, nil, nil, make([]float32, 4)}
	l := line{m, 0, 1, 4, 50, 100}
	gradient := []float32{20 - 22, 20 - 18, 6 - 5, 4 - 5} // the model expects 22, 18, 5, 5
	l.meet(gradient)
	for i, want := range []float32{25 - 22, 15 - 18, 6 - 5, 4 - 5} {
		if math.Abs(float64(gradient[i]-want)) > 1e-4 {
			t.Errorf("cell %d: %v, want %v", i, gradient[i], want)
		}
	}
	// With noise, a distance counts by how much of it the noise leaves.
	target.weight, target.variance = []float32{60, 40, 0, 0}, 400
	gradient = []float32{0, 0, 0, 0} // the model expects 20, 20, 6, 4
	l.meet(gradient)
	sum := float32(0)
	for i, e := range []float32{20, 20, 6, 4} {
		seen := target.weight[i] / 2 // half of the release's records
		whole := seen - e
		if got := gradient[i]; math.Abs(float64(got)) > math.Abs(float64(whole))/2+1 || math.Abs(float64(whole)) > 2 && got*whole < 0 {
			t.Errorf("cell %d: %v of a distance of %v", i, got, whole)
		}
		sum += gradient[i]
	}
	if math.Abs(float64(sum)) > 1e-3 {
		t.Errorf("the line has %v records more", sum)
	}
}

// Tables of another model have another digest, and so has a release with a model.
func TestModelIsDigested(t *testing.T) {
	s := made(400, 1)
	r := s.released(t, "anatomy", "l", "4")
	one := s.modelled(t, r, 0)
	other := *one
	changed := *one.Model
	changed.Tables = append([]anonymize.TwoWay(nil), changed.Tables...)
	changed.Tables[0].Weight = append([]int64(nil), changed.Tables[0].Weight...)
	changed.Tables[0].Weight[0]++
	other.Model = &changed
	if Digest(r) == Digest(one) || Digest(one) == Digest(&other) {
		t.Error("different releases have one digest")
	}
}
