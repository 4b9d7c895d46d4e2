package mondrian

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/anonymize/generalization"
	"github.com/anonsql/anonsql/anonymize/utility"
	"github.com/anonsql/anonsql/testsize"
)

// Local recoding has no suppress=: the records of the costliest classes, or those that widen
// their classes most, as one class of their own, lose more than they do in theirs, and what
// is left does not lose as much less: the penalty rises with what may be suppressed, though
// the cells of the suppressed are as tight as can be here. So does the error of counts where
// there are enough records to tell (ANONSQL_TESTS=all).
func TestDeviation157_NoSuppression(t *testing.T) {
	rows, queries := 3_000, 300
	if testsize.All() {
		rows, queries = 30_000, 2000
	}
	table := firstRows(anontest.AdultTraining(t), rows)
	in := anontest.NewInput(t, table, "age workclass education marital_status race sex native_country hours_per_week", "occupation", nil)
	attributes, err := generalization.NewSetAttributes(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Condition{{K: 5, L: 1, T: notAsked()}, {K: 5, L: 3, T: notAsked()}} {
		s := newSearch(t.Context(), attributes, in.Sensitive, c)
		_, all := recoded(t, in, c, 1)
		least, answers := s.loss(all), errorOf(t, in, attributes, all, queries)
		text := fmt.Sprintf("k=%d l=%d: penalty %.4f, error %.3f", c.K, c.L, least/float64(rows*len(attributes)), answers)
		for _, costly := range []func(*bucketization.Partition) []uint32{s.byClass, s.byRecord} {
			for _, percent := range []int{1, 2, 5} {
				p := s.without(t, in, c, costly(all)[:rows*percent/100])
				loss, answered := s.loss(p), errorOf(t, in, attributes, p, queries)
				text += fmt.Sprintf("; %d %%: %.4f, %.3f", percent, loss/float64(rows*len(attributes)), answered)
				if loss <= least || testsize.All() && answered < answers-.002 {
					t.Errorf("k=%d l=%d: the penalty is %.4f with %d %% suppressed, %.4f with none", c.K, c.L, loss, percent, least)
				}
			}
		}
		t.Log(text)
	}
}

// firstRows is the beginning of a table.
func firstRows(table *anonymize.Microdata, rows int) *anonymize.Microdata {
	first := &anonymize.Microdata{Rows: rows}
	for _, c := range table.Columns {
		first.Columns = append(first.Columns, &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: c.Codes[:rows]})
	}
	return first
}

// byClass lists the records, those of the costliest classes first.
func (s *search) byClass(p *bucketization.Partition) []uint32 {
	loss := make([]float32, len(p.Member))
	for g := range p.Groups() {
		of := p.Records(g)
		for _, r := range of {
			loss[r] = s.classLoss(of) / float32(len(of))
		}
	}
	return mostFirst(loss)
}

// byRecord lists the records, those first without which their class would lose least.
func (s *search) byRecord(p *bucketization.Partition) []uint32 {
	loss := make([]float32, len(p.Member))
	for g := range p.Groups() {
		of := p.Records(g)
		for i, r := range of {
			loss[r] = s.classLoss(of) - s.classLoss(slices.Delete(slices.Clone(of), i, i+1))
		}
	}
	return mostFirst(loss)
}

func mostFirst(loss []float32) []uint32 {
	records := upTo(0, len(loss))
	slices.SortStableFunc(records, func(x, y uint32) int { return cmp.Compare(loss[y], loss[x]) })
	return records
}

// without recodes the table without some records, which are one class more.
func (s *search) without(t *testing.T, in *anonymize.Input, c Condition, suppressed []uint32) *bucketization.Partition {
	t.Helper()
	out := make([]bool, in.Rows)
	for _, r := range suppressed {
		out[r] = true
	}
	kept := slices.DeleteFunc(upTo(0, in.Rows), func(r uint32) bool { return out[r] })
	rest := *in
	rest.Rows, rest.QuasiIdentifiers, rest.Sensitive = len(kept), gathered(in.QuasiIdentifiers, kept), gathered(in.Sensitive, kept)
	_, p := recoded(t, &rest, c, 1)
	classes := [][]uint32{suppressed}
	for g := range p.Groups() {
		classes = append(classes, anonymize.Gather(kept, p.Records(g)))
	}
	return joined([][][]uint32{classes}, in.Rows)
}

func gathered(columns []*anonymize.Column, records []uint32) (of []*anonymize.Column) {
	for _, c := range columns {
		of = append(of, &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: anonymize.Gather(c.Codes, records)})
	}
	return of
}

// errorOf is the mean relative error of counts over what is published.
func errorOf(t *testing.T, in *anonymize.Input, attributes []*generalization.Attribute, p *bucketization.Partition, queries int) float64 {
	t.Helper()
	r, _, err := generalization.Publish(t.Context(), "mondrian", in, attributes, p, p, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	table := &anonymize.Microdata{Rows: in.Rows, Columns: append(slices.Clone(in.QuasiIdentifiers), in.Sensitive...)}
	e, err := utility.Evaluate(t.Context(), estimate.Prepare(r), table, utility.Workload{Queries: queries, Low: 1, High: 3, Least: .001, Seed: 3}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e.Estimate.Mean
}
