package experiments

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

func (s *study) figures() []evaluation.Figure {
	figure := func(name, printed, title, y string, t *evaluation.Tally, shows string) evaluation.Figure {
		return evaluation.Figure{
			Name:       "cdt-" + name,
			Printed:    printed,
			Title:      title,
			X:          "records",
			Y:          y,
			Series:     t.Series(),
			PaperShows: shows,
			Notes:      slices.Clone(s.notes),
		}
	}
	loss := figure("fig07", "Fig. 7", "Utility loss by records", "utility loss (percent)", s.of["UL"],
		"The loss is approximately 47 percent, from 42.5 at 100 records to 51.9 at 500; utility loss has been minimized.")
	quasi := figure("fig08a", "Fig. 8, quasi-identifiers", "Privacy of generalized quasi-identifiers by records", "P(Q) (percent)", s.of["P(Q)"],
		"P(Q) rises, from 58.6 percent at 100 records to 75.3 at 500.")
	sensitive := figure("fig08b", "Fig. 8, homogeneity", "Prevention of the homogeneity attack by records", "P(S) (percent)", s.of["P(S)"],
		"P(S) is 58.8 to 76.7 percent: prevention of the homogeneity attack has been maximized.")
	gain := figure("fig08c", "Fig. 8, privacy gain", "Privacy gain by records", "privacy gain (percentage points)", s.of["gain"],
		"The gain is between 40 and 60 percent, without significant change.")
	last := s.atLast()
	times := figure(
		"fig10",
		"Fig. 10",
		"Time by records",
		"seconds",
		s.of["time"],
		"The time rises, from 3.6 s at 100 records to 157.7 s at 500 (R, another machine).",
	)
	times.LogX, times.LogY = true, true
	times.Notes = append(
		times.Notes,
		"Seconds on different machines and in different languages are not compared: the shapes are. The paper tries every number of clusters, this run up to 20.",
	)
	attack := figure(
		"homogeneous",
		"Table 9 (not drawn in the paper)",
		"Records open to the homogeneity attack",
		"records in classes of one value of some sensitive attribute (percent)",
		&s.homogeneous,
		"\"Every equivalence class has different sensitive values because every cluster has been formed of dissimilar tuples.\"",
	)
	judgeUtility(&loss, s.differs(), s.made())
	judgeQuasi(&quasi, s.differs(), s.made())
	judgeSensitive(&sensitive, s.differs(), s.made())
	judgeGain(&gain, s.differs())
	judgeTimes(&times)
	judgeHomogeneous(&attack, s.made())
	return []evaluation.Figure{loss, quasi, sensitive, gain, last, times, attack}
}

// differs describes how the paper's records differ from the run's.
func (s *study) differs() string {
	return fmt.Sprintf(
		"The paper's records have an attribute Place, which Adult has not, and are one sample; these have %s, from %s",
		s.roles.QuasiIdentifiers[2],
		s.Source,
	)
}

// made describes the classes.
func (s *study) made() string {
	classes, least := s.classes.Read("records"), s.least.Read("records")
	return "Classes. " + classes.Ends(cdtPrinted, cdtMerged, cdtBounded) + " Records of the least class. " + least.Ends(cdtPrinted, cdtMerged, cdtBounded)
}

// atLast makes Fig. 9, with bars at the greatest number of records.
func (s *study) atLast() evaluation.Figure {
	n := s.sizes[len(s.sizes)-1]
	f := evaluation.Figure{
		Name: "cdt-fig09", Printed: "Fig. 9", Title: fmt.Sprintf("Utility loss, P(Q) and P(S) of %s records", evaluation.Number(float64(n))), Y: "percent",
		X: "measure", Categories: []string{"UL", "P(Q)", "P(S)"}, Notes: slices.Clone(s.notes),
		PaperShows: "Of 1,000 records UL is 62.28 percent, P(Q) 79.84 and P(S) 69.41.",
	}
	if n != 1000 {
		f.Notes = append(f.Notes, fmt.Sprintf("The paper's are 1,000 records. A quick run has %d and is compared with the paper's figures for as many.", n))
	}
	for _, label := range []string{inPaper, cdtPrinted, cdtRandom, cdtMerged, cdtBounded} {
		bars := evaluation.Series{Label: label}
		for place, measure := range f.Categories {
			for _, series := range s.of[measure].Series() {
				if p, ok := series.PointAt(float64(n)); ok && series.Label == label {
					p.X = float64(place)
					bars.Points = append(bars.Points, p)
				}
			}
		}
		f.Series = append(f.Series, bars)
	}
	judgeLast(&f, s.differs(), s.made())
	return f
}

// points is the tolerance against the paper's figures, in percentage points.
const points = 10

func judgeUtility(f *evaluation.Figure, causes ...string) {
	r := f.Read("records")
	random, least := r.ClaimBelow(cdtPrinted, cdtRandom, 0), r.ClaimBelow(cdtPrinted, cdtBounded, 0)
	least.Says = "the loss is minimal, below that of " + cdtBounded
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{r.Close(cdtPrinted, inPaper, points), random, least}, causes...)
}

func judgeQuasi(f *evaluation.Figure, causes ...string) {
	r := f.Read("records")
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{r.Close(cdtPrinted, inPaper, points), r.Rises(cdtPrinted, 0.02)}, causes...)
}

func judgeSensitive(f *evaluation.Figure, causes ...string) {
	r := f.Read("records")
	random := r.ClaimBelow(cdtRandom, cdtPrinted, 0)
	random.Says = "prevention is maximal, above that of " + cdtRandom
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{r.Close(cdtPrinted, inPaper, points), random}, causes...)
}

func judgeGain(f *evaluation.Figure, causes ...string) {
	r := f.Read("records")
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{r.ClaimWithin(cdtPrinted, 40, 60)}, causes...)
}

func judgeLast(f *evaluation.Figure, causes ...string) {
	r := f.Read(f.X)
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{r.Close(cdtPrinted, inPaper, points)}, causes...)
}

func judgeTimes(f *evaluation.Figure) {
	r := f.Read("records")
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{r.Rises(cdtPrinted, 0)})
}

func judgeHomogeneous(f *evaluation.Figure, causes ...string) {
	r := f.Read("records")
	none := r.ClaimWithin(cdtPrinted, 0, 0)
	none.Says = "no class has one value only"
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{none, r.ClaimBelow(cdtPrinted, cdtRandom, 0)}, causes...)
}
