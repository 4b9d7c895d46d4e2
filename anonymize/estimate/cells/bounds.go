package cells

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize/estimate/figures"
	"github.com/anonsql/anonsql/anonymize/estimate/question"
)

// bound adds a group's bounds to t: between low and high records of own count.
func (w *cellWorker) bound(t *cellTotals, kind question.Kind, own *cellSums, low, high int) {
	if kind == question.Count {
		t.Low += float64(low)
		t.High += float64(high)
		return
	}
	w.fillSpans(own, low, high)
	w.spanned += 4 * len(w.all.Least)
	// Records that surely satisfy their own fragment are bounded separately if the other
	// fragments leave room for all.
	apart := high == len(w.all.Least)
	if kind == question.Average || w.release.Forged > 0 { // each span by itself
		spans := []*figures.Span{&w.all}
		if apart {
			spans = []*figures.Span{&w.sure, &w.may}
		}
		for _, s := range spans {
			if s.High > 0 {
				t.Total.Add(kind, s, figures.ThinningOf(w.release))
			}
		}
		return
	}
	least, greatest := figures.LeastSum(w.all.Least, low, high), figures.GreatestSum(w.all.Greatest, low, high)
	if len(w.may.Least) > 0 {
		least = max(least, figures.LeastSum(w.sure.Least, w.sure.Low, w.sure.High)+figures.LeastSum(w.may.Least, 0, w.may.High))
		greatest = min(greatest, figures.GreatestSum(w.sure.Greatest, w.sure.Low, w.sure.High)+figures.GreatestSum(w.may.Greatest, 0, w.may.High))
	}
	t.Low += least
	t.High += greatest
}

// fillSpans lists the values of the records that may count: all, those that surely satisfy
// their fragment, and the others. At least low of the sure records count, because the other
// fragments exclude no more of them than of all.
func (w *cellWorker) fillSpans(own *cellSums, low, high int) {
	for _, s := range []*figures.Span{&w.all, &w.sure, &w.may} {
		s.Least, s.Greatest = s.Least[:0], s.Greatest[:0]
	}
	for _, v := range own.valuesFrom {
		w.all.Repeat(v.count, v.least, v.greatest)
		if v.sure {
			w.sure.Repeat(v.count, v.least, v.greatest)
		} else {
			w.may.Repeat(v.count, v.least, v.greatest)
		}
	}
	for _, s := range []*figures.Span{&w.all, &w.sure, &w.may} {
		slices.Sort(s.Least)
		slices.Sort(s.Greatest)
		s.Low, s.High = 0, min(high, len(s.Least))
	}
	w.all.Low, w.sure.Low = low, low
}
