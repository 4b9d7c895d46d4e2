package experiments

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

// meanFigure is Fig. 5: "the average results for comparison".
func (c *census) meanFigure(t *tallies) evaluation.Figure {
	f := evaluation.Figure{
		Name: "crossbucket-fig05a", Printed: "Fig. 5", Title: "Mean disclosure probability of the sensitive value, k = 3",
		X: "l", Y: "mean p(t,s) of a record", Series: t.mean.Series(), Notes: c.notes,
		PaperShows: "Anatomy keeps to 1/l, Mondrian is below Anatomy, and cross-bucket generalization is far below both.",
	}
	f.Notes = append(slices.Clone(f.Notes), overlap(t))
	judgeMean(&f)
	return f
}

// overlap says what a small mean is made of.
func overlap(t *tallies) string {
	return "A mean can be small because cells are wide and overlap, which is loss of utility; what is promised is the greatest p(t,s), the next figure. Published records that match a record. " +
		t.matches.Read("l").Ends(cbgPrinted, cbgUpwards, mondrianArm) + " " + spans(t)
}

func judgeMean(f *evaluation.Figure) {
	r := f.Read("l")
	f.Conclude(r.Ends(cbgPrinted, cbgTree, cbgUpwards, mondrianArm, anatomyArm), []evaluation.Claim{
		r.ClaimBelow(cbgPrinted, mondrianArm, 0), r.ClaimBelow(mondrianArm, anatomyArm, 0), r.ClaimBelow(anatomyArm, oneOverL, 1e-9),
	})
}

// greatestFigure is what Proposition 2 promises, which the paper does not draw.
func (c *census) greatestFigure(t *tallies) evaluation.Figure {
	f := evaluation.Figure{
		Name: "crossbucket-fig05b", Printed: "Proposition 2 (not drawn in the paper)", Title: "Greatest disclosure probability of a record, k = 3",
		X: "l", Y: "greatest p(t,s)", Series: t.greatest.Series(), Notes: c.notes,
		PaperShows: "\"The possibilities of identity disclosure and attribute disclosure are limited under 1/k and 1/l.\"",
	}
	judgeGreatest(&f)
	return f
}

func judgeGreatest(f *evaluation.Figure) {
	r := f.Read("l")
	var claims []evaluation.Claim
	for _, label := range []string{cbgPrinted, cbgTree, cbgUpwards, mondrianArm, anatomyArm} {
		c := r.ClaimBelow(label, oneOverL, 1e-9)
		c.Says = label + " is at most 1/l"
		claims = append(claims, c)
	}
	f.Conclude(r.Ends(cbgPrinted, cbgTree, cbgUpwards, mondrianArm, anatomyArm, oneOverL), claims)
}

// curveFigure is the distribution behind the mean.
func (c *census) curveFigure(t *tallies) evaluation.Figure {
	f := evaluation.Figure{
		Name: "crossbucket-fig05c", Printed: "Fig. 5, all records", Title: fmt.Sprintf("Records by disclosure probability, k = 3, l = %d", t.middle),
		X: "p(t,s)", Y: "share of the records with at least that", Series: t.curve.Series(), Notes: c.notes,
		PaperShows: "The proportion to which values are exposed is least for cross-bucket generalization, then Mondrian, then Anatomy.",
	}
	judgeCurve(&f)
	return f
}

func judgeCurve(f *evaluation.Figure) {
	r := f.Read("p")
	middle := ""
	if s := f.Label(cbgPrinted); s != nil && len(s.Points) > 0 {
		x := s.Points[len(s.Points)/2].X
		for _, label := range []string{cbgPrinted, cbgTree, cbgUpwards, mondrianArm, anatomyArm} {
			if y, ok := r.Value(label, x); ok {
				middle += fmt.Sprintf(" %s: %s percent;", label, evaluation.Number(100*y))
			}
		}
		middle = fmt.Sprintf("Records with p(t,s) of %s and more.%s.", evaluation.Number(x), strings.TrimSuffix(middle, ";"))
	}
	f.Conclude(middle, []evaluation.Claim{r.ClaimBelow(cbgPrinted, mondrianArm, 0.02), r.ClaimBelow(mondrianArm, anatomyArm, 0.02)})
}

// discernibilityFigure is Fig. 6.
func (c *census) discernibilityFigure(t *tallies) evaluation.Figure {
	f := evaluation.Figure{
		Name: "crossbucket-fig06", Printed: "Fig. 6", Title: "Discernibility metric, k = 3",
		X: "l", Y: "C_DM (records squared)", LogY: true, Series: t.cdm.Series(), Notes: c.notes,
		PaperShows: "The C_DM of cross-bucket generalization is the same for every l; Mondrian's is far above it and grows.",
	}
	judgeDiscernibility(&f)
	return f
}

func judgeDiscernibility(f *evaluation.Figure) {
	r := f.Read("l")
	f.Conclude(r.Ends(cbgPrinted, cbgTree, cbgUpwards, mondrianArm), []evaluation.Claim{
		r.ClaimBelow(cbgPrinted, mondrianArm, 0), r.Flat(cbgPrinted, 0.01), r.Rises(mondrianArm, 0),
	})
}

// sumFigure is Fig. 7: of the mean, as printed, or of the median.
func (c *census) sumFigure(t *tallies, mean bool) evaluation.Figure {
	f := evaluation.Figure{
		Name: "crossbucket-fig07a", Printed: "Fig. 7", Title: "Relative error of the bounds of sums, mean over queries, k = 3",
		X: "l", Y: "(upper - lower) / actual, mean", LogY: true, Series: t.meanError.Series(), Notes: c.notes,
		PaperShows: "Cross-bucket generalization is more effective than Mondrian, and only a little affected by l.",
	}
	if !mean {
		f.Name, f.Printed, f.Title = "crossbucket-fig07b", "Fig. 7, median", "Relative error of the bounds of sums, median over queries, k = 3"
		f.Y, f.Series = "(upper - lower) / actual, median", t.medianError.Series()
	}
	note := "Queries have four conditions, as the text says; the printed form of the query has three. Queries whose actual sum is 0 have no relative error and are left out."
	if mean {
		note += " The mean is that of a few queries with few records: the next figure has the median."
	}
	f.Notes = append(slices.Clone(f.Notes), note)
	judgeSum(&f, spans(t))
	return f
}

// spans tells the penalties of the arms.
func spans(t *tallies) string {
	return "Part of a domain that a cell spans. " + t.penalty.Read("l").Ends(cbgPrinted, cbgUpwards, mondrianArm)
}

func judgeSum(f *evaluation.Figure, causes ...string) {
	r := f.Read("l")
	f.Conclude(r.Ends(cbgPrinted, cbgTree, cbgUpwards, mondrianArm, anatomyArm), []evaluation.Claim{
		r.ClaimBelow(cbgPrinted, mondrianArm, 0), r.Steadier(cbgPrinted, mondrianArm),
	}, causes...)
}

// meanBySize is Fig. 8 (a).
func (c *census) meanBySize(t *tallies) evaluation.Figure {
	f := evaluation.Figure{
		Name: "crossbucket-fig08a", Printed: "Fig. 8 (a)", Title: "Mean disclosure probability by k",
		X: "k, least records of a class", Y: "mean p(t,s) of a record", Series: t.mean.Series(), Notes: c.sizeNotes(),
		PaperShows: "The increase of k improves the protection where the disclosure probability is above about 0.01.",
	}
	judgeMeanBySize(&f)
	return f
}

// sizeNotes are those of all of Fig. 8.
func (c *census) sizeNotes() []string {
	return append(
		slices.Clone(c.notes),
		"One of the samples, and lots by one tree: Algorithm 3 for every k and l takes long. The paper does not say which axis l is on: here k is across, a line for each l.",
	)
}

// worthProtecting is the probability above which k shows, by the paper.
const worthProtecting = 0.01

func judgeMeanBySize(f *evaluation.Figure) {
	r := f.Read("k")
	var claims []evaluation.Claim
	for _, label := range f.Labels() {
		if low, high := r.Span(label); low <= high && high > worthProtecting {
			claims = append(claims, r.Falls(label, 0.02))
		}
	}
	if len(claims) == 0 && len(f.Series) > 0 {
		claims = []evaluation.Claim{{Says: "there is nothing above 0.01 to improve", Places: 1}}
	}
	f.Conclude(r.Ends(f.Labels()...), claims)
}

// discernibilityBySize is Fig. 8 (b).
func (c *census) discernibilityBySize(t *tallies) evaluation.Figure {
	f := evaluation.Figure{
		Name: "crossbucket-fig08b", Printed: "Fig. 8 (b)", Title: "Discernibility metric by k",
		X: "k, least records of a class", Y: "C_DM (records squared)", Series: t.cdm.Series(), Notes: c.sizeNotes(),
		PaperShows: "The lines completely coincide: the sizes of classes are controlled by k alone.",
	}
	judgeCoincide(&f)
	return f
}

func judgeCoincide(f *evaluation.Figure) {
	r := f.Read("k")
	labels := f.Labels()
	var claims []evaluation.Claim
	for _, label := range labels {
		if label != labels[0] {
			claims = append(claims, r.ClaimNear(label, labels[0], 0.01))
		}
	}
	for _, label := range labels {
		claims = append(claims, r.Rises(label, 0))
	}
	f.Conclude(r.Ends(labels...), claims)
}

// sumBySize is Fig. 8 (c), of the median.
func (c *census) sumBySize(t *tallies) evaluation.Figure {
	f := evaluation.Figure{
		Name: "crossbucket-fig08c", Printed: "Fig. 8 (c)", Title: "Relative error of the bounds of sums, median over queries, by k",
		X: "k, least records of a class", Y: "(upper - lower) / actual, median", Series: t.medianError.Series(), Notes: c.sizeNotes(),
		PaperShows: "The relative error rises with k, and by more where k is larger.",
	}
	judgeSumBySize(&f)
	return f
}

func judgeSumBySize(f *evaluation.Figure) {
	r := f.Read("k")
	var claims []evaluation.Claim
	for _, label := range f.Labels() {
		claims = append(claims, r.Rises(label, 0.02), r.Steeper(label))
	}
	f.Conclude(r.Ends(f.Labels()...), claims)
}
