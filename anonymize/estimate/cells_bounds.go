package estimate

import "slices"

// bound adds what a group allows: low to high records of those in own.
func (w *cellWorker) bound(t *cellTotals, kind Kind, own *cellSums, low, high int) {
	if kind == Count {
		t.low += float64(low)
		t.high += float64(high)
		return
	}
	w.fillSpans(own, low, high)
	w.spanned += 4 * len(w.all.least)
	// The records that surely count in their own fragment are bounded by
	// themselves, where the other fragments leave room for all.
	apart := high == len(w.all.least)
	if kind == Average || w.release.Forged > 0 { // as total.add
		spans := []*span{&w.all}
		if apart {
			spans = []*span{&w.sure, &w.may}
		}
		for _, s := range spans {
			if s.high > 0 {
				t.spans = append(t.spans, span{s.low, s.high, slices.Clone(s.least), slices.Clone(s.greatest)})
			}
		}
		return
	}
	least, greatest := leastSum(w.all.least, low, high), greatestSum(w.all.greatest, low, high)
	if len(w.may.least) > 0 {
		least = max(least, leastSum(w.sure.least, w.sure.low, w.sure.high)+leastSum(w.may.least, 0, w.may.high))
		greatest = min(greatest, greatestSum(w.sure.greatest, w.sure.low, w.sure.high)+greatestSum(w.may.greatest, 0, w.may.high))
	}
	t.low += least
	t.high += greatest
}

// fillSpans lists the values of the records that may count: all, those that
// surely do in their fragment, the others. Of the sure ones at least low count:
// the others' fragments can take no more from them than from all.
func (w *cellWorker) fillSpans(own *cellSums, low, high int) {
	for _, s := range []*span{&w.all, &w.sure, &w.may} {
		s.least, s.greatest = s.least[:0], s.greatest[:0]
	}
	for _, v := range own.valuesFrom {
		w.all.repeat(v.count, v.least, v.greatest)
		if v.sure {
			w.sure.repeat(v.count, v.least, v.greatest)
		} else {
			w.may.repeat(v.count, v.least, v.greatest)
		}
	}
	for _, s := range []*span{&w.all, &w.sure, &w.may} {
		slices.Sort(s.least)
		slices.Sort(s.greatest)
		s.low, s.high = 0, min(high, len(s.least))
	}
	w.all.low, w.sure.low = low, low
}
