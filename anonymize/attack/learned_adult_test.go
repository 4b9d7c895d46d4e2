package attack_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/testsize"
)

// adultReleased publishes the complete records of Adult by a method; the arguments are names
// and values in turn.
func adultReleased(t testing.TB, method string, arguments ...string) (*anonymize.Release, attack.Truth) {
	t.Helper()
	quasi := strings.Fields("age workclass education marital_status relationship race sex hours_per_week native_country")
	in, err := anonymize.NewInput(anontest.AdultComplete(t), anonymize.Roles{QuasiIdentifiers: quasi, Sensitive: []string{"occupation"}}, rand.NewPCG(11, 12))
	if err != nil {
		t.Fatal(err)
	}
	return released(t, in, method, arguments...)
}

// knowing returns a truth whose attacker knows the quasi-identifiers of one fragment only.
func knowing(f *anonymize.Fragment, truth attack.Truth) attack.Truth {
	all := truth.QuasiIdentifiers
	truth.QuasiIdentifiers = nil
	for _, c := range all {
		if f.Column(c.Name) >= 0 {
			truth.QuasiIdentifiers = append(truth.QuasiIdentifiers, c)
		}
	}
	return truth
}

// BenchmarkAdultReleases has the table of docs/measured.md: both learning attackers on the
// releases of Adult, and the second without the quasi-identifiers of other tables than the
// first.
func BenchmarkAdultReleases(b *testing.B) {
	for _, release := range []string{
		"anatomy l=5", "anatomy l=7", "arp l=5", "anatomy l=5 homogeneous=true",
		"slppa beta=0.2 tables=1", "slppa beta=0.2 tables=3", "slppa beta=0.2 tables=3 homogeneous=true",
		"asn beta=0.2", "slicing l=5", "aip l=5",
	} {
		b.Run(strings.ReplaceAll(release, " ", ","), func(b *testing.B) {
			if !testsize.All() && release != "anatomy l=5" {
				b.Skip("takes up to a minute")
			}
			words := strings.FieldsFunc(release, func(r rune) bool { return r == ' ' || r == '=' })
			r, truth := adultReleased(b, words[0], words[1:]...)
			run := func(truth attack.Truth) attack.Result {
				got, err := attack.Learned(b.Context(), r, truth, attack.Options{Sample: 50_000, Random: rand.NewPCG(1, 1)})
				if err != nil {
					b.Fatal(err)
				}
				return got
			}
			var got attack.Result
			for b.Loop() {
				got = run(truth)
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/float64(r.Rows)*float64(time.Second/time.Nanosecond), "ns/record")
			b.ReportMetric(float64(got.Records), "attacked")
			b.ReportMetric(got.Mean, "mean")
			b.ReportMetric(got.Top1, "top1")
			b.ReportMetric(got.Baseline, "baseline")
			b.ReportMetric(got.Own50, "own>.5")
			b.ReportMetric(got.Own90, "own>.9")
			b.ReportMetric(run(knowing(r.Fragments[0], truth)).Mean, "mean-first-table")
			naive, err := attack.DeFinetti(b.Context(), r, truth, attack.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(naive.Mean, "definetti-mean")
			b.ReportMetric(naive.Top1, "definetti-top1")
		})
	}
}
