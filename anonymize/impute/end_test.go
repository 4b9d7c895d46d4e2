package impute

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// A watched context measures how much the process works between two looks at it.
type watched struct {
	context.Context
	looks                int
	ended                bool
	first, last, longest time.Duration // processor time
}

func (w *watched) Err() error {
	now := testsize.ProcessorTime()
	if w.looks++; w.looks == 1 {
		w.first = now
	} else {
		w.longest = max(w.longest, now-w.last)
	}
	w.last = now
	if w.ended {
		return context.Canceled
	}
	return nil
}

// No two looks at the context are further apart than a small part of the work, inside a
// large group too: so its end is seen. The least of some runs counts, since the
// collector works beside.
func TestLargeGroupsEnd(t *testing.T) {
	const part = 10
	records := testsize.Of[uint32](20_000, 50_000)
	r := Grouped(records)
	for _, c := range []struct {
		name string
		work func(*watched) error
	}{
		{"fitting", func(ctx *watched) error {
			f, err := newFitter(ctx, r, Options{Workers: 1, Progress: func(_ string, done, _ int) { ctx.ended = done == 3 }})
			if err != nil {
				return err
			}
			if _, err := f.models(ctx); err == nil {
				return errors.New("it did not end")
			}
			return nil
		}},
		{"completing", func(ctx *watched) error {
			f, err := newFitter(ctx, r, Options{Workers: 1})
			if err != nil {
				return err
			}
			_, err = f.draw(ctx, []*model{newModel(f.sample, f.schema.weakPrior())})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var longest, all time.Duration
			for range 5 {
				ctx := &watched{Context: context.Background()}
				if err := c.work(ctx); err != nil {
					t.Fatal(err)
				}
				longest, all = ctx.longest, ctx.last-ctx.first
				if part*longest < all && ctx.looks > 100 {
					return
				}
			}
			t.Errorf("%v of %v between two looks at the context, want less than a part in %d", longest, all, part)
		})
	}
}

// Before the fit and after it, a million records are looked at without two looks at the
// context that are far apart, and its end is an error.
func TestManyRecordsEnd(t *testing.T) {
	r := Grouped(slices.Repeat([]uint32{20}, 50_000)...)
	blank := anonymize.BlankCompletion(r, 8)
	order := make([]uint16, 20)
	for i := range order {
		order[i] = uint16(i)
	}
	for first := 0; first < r.Rows; first += len(order) {
		for d := range blank.Tables {
			blank.Put(d, 1, first, order)
			blank.Put(d, 2, first, order)
		}
	}
	for name, work := range map[string]func(context.Context) error{
		"before":     func(ctx context.Context) error { _, err := newFitter(ctx, r, Options{}); return err },
		"categories": func(ctx context.Context) error { _, err := Categories(ctx, r); return err },
		"after":      func(ctx context.Context) error { return blank.Check(ctx, r) },
	} {
		longest := time.Hour
		for range 5 {
			ctx := &watched{Context: context.Background()}
			if err := work(ctx); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if ctx.looks < 3 {
				t.Fatalf("%s: %d looks at the context", name, ctx.looks)
			}
			longest = min(longest, ctx.longest)
		}
		if longest > 200*time.Millisecond {
			t.Errorf("%s: %v between two looks at the context", name, longest)
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if err := work(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v after the end of the context", name, err)
		}
	}
}
