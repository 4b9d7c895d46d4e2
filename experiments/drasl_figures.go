package experiments

import (
	"fmt"
	"slices"

	"github.com/anonsql/anonsql/experiments/evaluation"
)

const fallsWithGroups = "The printed measure is a sum over groups and falls when there are fewer of them: the figure of records does not."

// notesOf returns the experiment's notes and more.
func (w *ward) notesOf(more ...string) []string {
	all := append(slices.Clone(w.notes), fmt.Sprintf("%d records (the paper does not say how many), median of %d tables of them.", w.records, w.repetitions))
	return append(all, more...)
}

// staticFigures makes Figs. 5, 9 and 13.
func (w *ward) staticFigures(of, bySize *linkage) []evaluation.Figure {
	const k = "K, least records of a group"
	figures := []evaluation.Figure{
		{Name: "drasl-fig05a", Printed: "Fig. 5", Title: "Synonymous linkage of a static release", X: k, Y: "Total_Pr_SA, sum over groups",
			Series: of.totalPr.Series(), Notes: w.notesOf(fallsWithGroups), PaperShows: "With growing K, DRASL is superior to the other algorithms in almost all cases."},
		{
			Name:       "drasl-fig05b",
			Printed:    "Fig. 5, of a record",
			Title:      "Synonymous linkage of a record's group, static release",
			X:          k,
			Y:          "Pr_SA, mean over records",
			Series:     of.meanPr.Series(),
			Notes:      w.notesOf(),
			PaperShows: "With growing K, DRASL is superior to the other algorithms in almost all cases.",
		},
		{Name: "drasl-fig09a", Printed: "Fig. 9", Title: "Information loss of a static release", X: k, Y: "Average_IL, groups' means by the records",
			Series: of.averageIL.Series(), Notes: w.notesOf("Eq. (17) divides a sum of means by the number of records: it falls with K where the distance of a record rises. See the figure of records."),
			PaperShows: "DRASL outperforms the other algorithms in average information loss under all situations."},
		{
			Name:       "drasl-fig09b",
			Printed:    "Fig. 9, of a record",
			Title:      "Information loss of a record, static release",
			X:          k,
			Y:          "distance to the centroid, mean over records",
			Series:     of.meanIL.Series(),
			Notes:      w.notesOf(),
			PaperShows: "DRASL outperforms the other algorithms in average information loss under all situations.",
		},
		{Name: "drasl-fig13a", Printed: "Fig. 13", Title: "Time of a static release by K, all records looked at", X: k, Y: "seconds", LogY: true,
			Series: of.seconds.Series(), Notes: w.notesOf("The paper's are seconds of Python; compare shapes. The improved variant (improve=true) has an index."),
			PaperShows: "In most cases DRASL's time is close to DPP's and second only to OKA's."},
		{
			Name:    "drasl-fig13b",
			Printed: "Fig. 13, by records",
			Title:   fmt.Sprintf("Time of a static release by records, K = %d", updateSize),
			X:       "records",
			Y:       "seconds",
			LogX:    true,
			LogY:    true,
			Series:  bySize.seconds.Series(),
			Notes: append(
				slices.Clone(w.notes),
				fmt.Sprintf("As printed, all four look at all records for the best one: up to %d records here. The index is ours.", maxExact),
			),
			PaperShows: "All four take O(n^2): DRASL and DPP about as long, OKA least (section 6.3).",
		},
	}
	for i := range figures[:2] {
		judgeLinkage(&figures[i], "K", figures[i].Read("K").Beats(draslOurs, rivals...))
	}
	for i := range figures[2:4] {
		judgeLoss(&figures[2+i], "K", of, figures[2+i].Read("K").Beats(draslOurs, rivals...))
	}
	judgeTime(&figures[4], "K")
	judgeGrowth(&figures[5])
	return figures
}

// judgeLinkage and judgeLoss compare DRASL with its rivals, with a tolerance of one percent.
func judgeLinkage(f *evaluation.Figure, x string, causes ...string) {
	r := f.Read(x)
	var claims []evaluation.Claim
	for _, rival := range rivals {
		claims = append(claims, r.ClaimBelow(draslArm, rival, 0.01))
	}
	f.Conclude(r.Ends(f.Labels()...), claims, causes...)
}

func judgeLoss(f *evaluation.Figure, x string, of *linkage, causes ...string) {
	judgeLinkage(f, x, append([]string{price(of, x)}, causes...)...)
}

// price describes what DRASL gains for its loss: DPP is DRASL with gamma = 0.
func price(of *linkage, x string) string {
	return "DPP is DRASL without the weight of linkage. Distance of a record. " + of.meanIL.Read(x).Ends(draslArm, dppArm) +
		" Linkage of a record's group. " + of.meanPr.Read(x).Ends(draslArm, dppArm)
}

// judgeTime takes times as close if they differ by at most half.
func judgeTime(f *evaluation.Figure, x string) {
	r := f.Read(x)
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{
		r.ClaimNear(draslArm, dppArm, 0.5),
		r.ClaimBelow(okaArm, draslArm, 0),
		r.ClaimBelow(draslArm, ikaArm, 0),
	})
}

// judgeGrowth takes growth between n^1.5 and n^2.5 as quadratic.
func judgeGrowth(f *evaluation.Figure) {
	r := f.Read("records")
	claims := []evaluation.Claim{r.ClaimNear(draslArm, dppArm, 0.5), r.ClaimBelow(okaArm, draslArm, 0)}
	for _, label := range []string{draslArm, dppArm, okaArm, ikaArm} {
		claims = append(claims, r.Order(label, 1.5, 2.5))
	}
	f.Conclude(r.Ends(f.Labels()...), claims)
}

// updateFigures makes the figures of one kind of updates: one of Figs. 6 to 8, 10 to 12 and 14 to 16, and a part of
// Table 9.
func (w *ward) updateFigures(kind changeKind, of *updating) []evaluation.Figure {
	i := slices.Index(kinds, kind)
	x := fmt.Sprintf("%s after the first release", kind)
	kept := w.notesOf(
		fmt.Sprintf(
			"K = %d, %d %s at a time. OKA and IKA cannot follow a table: their releases are made anew, and their time is that of the last one; that of the others is the sum over all updates so far. Sealed updates are ours: nobody moves, and no sequence of versions tells more than each.",
			updateSize,
			updateStep,
			kind,
		),
	)
	name := func(number int, part string) (file, printed string) {
		return fmt.Sprintf("drasl-fig%02d%s", number+i, part), fmt.Sprintf("Fig. %d", number+i)
	}
	var figures []evaluation.Figure
	add := func(number int, part, more, title, y string, t *evaluation.Tally, shows string, judge func(*evaluation.Figure)) {
		f := evaluation.Figure{X: x, Y: y, Title: title + " after " + string(kind), Series: inOrder(t.Series()), Notes: kept, PaperShows: shows}
		f.Name, f.Printed = name(number, part)
		f.Printed += more
		judge(&f)
		figures = append(figures, f)
	}
	s := string(kind)
	sealed := func(f *evaluation.Figure) string { return f.Read(s).Beats(draslSealed, dppSealed, okaArm, ikaArm) }
	linked := func(f *evaluation.Figure) { judgeLinkage(f, s, groupCounts(of, s), sealed(f)) }
	lost := func(f *evaluation.Figure) { judgeLoss(f, s, &of.linkage, groupCounts(of, s)) }
	add(6, "a", "", "Synonymous linkage", "Total_Pr_SA, sum over groups", &of.totalPr, "DRASL has a lower total linkage than the other algorithms.", linked)
	add(6, "b", ", of a record", "Synonymous linkage of a record's group", "Pr_SA, mean over records", &of.meanPr,
		"DRASL has a lower total linkage than the other algorithms.", linked)
	add(10, "a", "", "Information loss", "Average_IL, groups' means by the records", &of.averageIL,
		"DRASL outperforms the other algorithms in average information loss.", lost)
	add(10, "b", ", of a record", "Information loss of a record", "distance to the centroid, mean over records", &of.meanIL,
		"DRASL outperforms the other algorithms in average information loss.", lost)
	add(14, "", "", "Time", "seconds", &of.seconds,
		"In most cases DRASL's time is close to DPP's and second only to OKA's.", func(f *evaluation.Figure) { judgeTime(f, s) })
	return append(figures, w.table9(kind, i, of))
}

// inOrder sorts series as in the static figures: first the paper's four, then ours.
func inOrder(series []evaluation.Series) []evaluation.Series {
	order := []string{draslArm, dppArm, okaArm, ikaArm, draslSealed, dppSealed}
	slices.SortStableFunc(series, func(a, b evaluation.Series) int { return slices.Index(order, a.Label) - slices.Index(order, b.Label) })
	return series
}

// groupCounts describes the number of groups that the measures sum over.
func groupCounts(of *updating, x string) string {
	return "Groups. " + of.groups.Read(x).Ends(draslArm, dppArm, okaArm, draslSealed) +
		" Records of the largest group. " + of.largest.Read(x).Ends(draslArm, dppArm, draslSealed)
}

// table9 has Table 9 of the paper: DPP, then DRASL, after 100 to 500 changes.
var table9 = map[changeKind][2][]float64{
	insertions:    {{6, 6, 10, 16, 21}, {3, 5, 7, 8, 6}},
	deletions:     {{6, 6, 6, 6, 6}, {5, 4, 3, 2, 2}},
	modifications: {{6, 6, 9, 9, 14}, {5, 4, 4, 4, 4}},
}

const (
	dppInPaper   = "DPP in the paper"
	draslInPaper = "DRASL in the paper"
)

// table9 makes a part of Table 9: the number of counterfeits.
func (w *ward) table9(kind changeKind, i int, of *updating) evaluation.Figure {
	f := evaluation.Figure{
		Name: "drasl-table9" + string(rune('a'+i)), Printed: "Table 9, " + string(kind), Title: "Forged records by " + string(kind),
		X: string(kind), Y: "forged records in the release",
		PaperShows: "DRASL forges obviously fewer records than DPP.",
		Notes: w.notesOf(
			"The paper's numbers are those of Table 9. A sealed deletion or modification leaves one counterfeit with the departed person's value, until its group is dropped: that is what makes versions tell nothing, and the number is published so that estimates correct by it.",
		),
	}
	for _, step := range w.steps {
		f.Categories = append(f.Categories, fmt.Sprint(step*updateStep))
	}
	for i, label := range []string{dppInPaper, draslInPaper} {
		s := evaluation.Series{Label: label}
		for place := range w.steps {
			y := table9[kind][i][place]
			s.Points = append(s.Points, evaluation.Point{X: float64(place), Y: y, Low: y, Top: y, Repetitions: 1})
		}
		f.Series = append(f.Series, s)
	}
	for _, label := range []string{dppArm, draslArm, dppSealed, draslSealed} {
		s := evaluation.Series{Label: label}
		for _, measured := range of.forged.Series() {
			if measured.Label == label {
				s.Points = measured.Points
			}
		}
		for place := range s.Points {
			s.Points[place].X = float64(place)
		}
		f.Series = append(f.Series, s)
	}
	judgeForged(&f, groupCounts(of, string(kind)))
	return f
}

func judgeForged(f *evaluation.Figure, causes ...string) {
	r := f.Read(f.X)
	c := r.ClaimBelow(draslArm, dppArm, 0)
	c.Says = "DRASL forges no more than DPP"
	as := r.ClaimNear(draslArm, draslInPaper, 1)
	as.Says = "DRASL forges at most twice as many as in Table 9"
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{c, as}, causes...)
}

// disclosureFigure measures a claim of the paper about versions, which the paper does not measure.
func (w *ward) disclosureFigure(t *evaluation.Tally) *evaluation.Figure {
	f := &evaluation.Figure{
		Name: "drasl-disclosure", Printed: "Section 5.2 (not drawn in the paper)", Title: "Inserted persons whose value the versions give away, a release for each insertion",
		X: "insertions", Y: "share of the inserted persons", Series: t.Series(),
		PaperShows: "With counterfeits that are no synonyms of the newcomer, who compares versions is no longer able to infer the newcomer's sensitive value.",
		Notes: append(
			slices.Clone(w.notes),
			fmt.Sprintf(
				"%d records, K = %d, one table, without %s; an observer of all versions who knows everybody's quasi-identifiers. Counted are those of whom one value is left.",
				w.records,
				updateSize,
				w.widest(),
			),
		),
	}
	judgeDisclosure(f)
	return f
}

// fewDisclosed is the share of disclosed persons up to which the claim holds.
const fewDisclosed = 0.05

func judgeDisclosure(f *evaluation.Figure) {
	r := f.Read("insertions")
	f.Conclude(r.Ends(f.Labels()...), []evaluation.Claim{r.ClaimWithin(draslArm, 0, fewDisclosed)}, describeLast(r))
}

// describeLast compares the printed updates with the sealed ones at the last place.
func describeLast(r evaluation.Reading) string {
	s := r.Label(draslSealed)
	if s == nil || len(s.Points) == 0 {
		return ""
	}
	last := s.Points[len(s.Points)-1]
	printed, ok := r.Value(draslArm, last.X)
	if !ok || printed <= last.Y {
		return ""
	}
	return fmt.Sprintf(
		"On the same insertions in batches of new groups, with nobody moved, it is %s percent in the place of %s: what tells is that groups change by one record at a time and that a counterfeit's value is drawn again",
		evaluation.Number(100*last.Y),
		evaluation.Number(100*printed),
	)
}
