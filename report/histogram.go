package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// plotHeight is a drawing's height in CSS pixels; its width is the reader's.
const plotHeight = 200.0

// A tick is a label at a position of an axis.
type tick struct{ At, Text string }

// A bar of a histogram: positions in percent horizontally, in pixels vertically.
type bar struct{ X, Width, Y, Height, Title string }

// A histogram shows the number of groups by size.
type histogram struct {
	Bars   []bar
	X, Y   []tick
	Title  string // in words
	Middle []measure
	Same   string // replaces the drawing if all groups have one size
}

// A measure is a named figure.
type measure struct {
	Name   string
	Figure Figure
	Detail string
}

// A bin has the sizes from first to last.
type bin struct{ first, last, groups int }

func newHistogram(r *anonymize.Release) *histogram {
	sizes := utility.SizesOf(r)
	if sizes.Groups == 0 {
		return nil
	}
	h := &histogram{Middle: []measure{
		{"smallest", number(sizes.Least), ""}, {"lower quartile", number(sizes.Lower), ""}, {"median", number(sizes.Median), ""},
		{"upper quartile", number(sizes.Upper), ""}, {"largest", number(sizes.Greatest), ""}, {"mean", number(math.Round(1000*sizes.Mean) / 1000), ""}}}
	if sizes.Least == sizes.Greatest {
		h.Same = fmt.Sprintf("Every group has %s.", plural(int(sizes.Least), "record", "records"))
		return h
	}
	bins := binsOf(r.GroupSizes, int(sizes.Least), int(sizes.Greatest))
	most := slices.MaxFunc(bins, func(a, b bin) int { return a.groups - b.groups })
	top, step := niceTop(float64(most.groups))
	h.Title = fmt.Sprintf("Groups by number of records: %s of %s to %s records, the median is %s.",
		plural(sizes.Groups, "group", "groups"), grouped(sizes.Least), grouped(sizes.Greatest), trimmed(sizes.Median, 1))
	h.Y = ticksDown(top, max(1, step), grouped)
	width := 100 / float64(len(bins))
	gap := max(min(0.18*width, 1.2), width-12) // keep a few wide bars apart
	// As many labels as fit on a telephone.
	every := (len(bins) + 5) / 6
	for i, b := range bins {
		high := plotHeight * float64(b.groups) / top
		if b.groups > 0 {
			high = max(high, 1) // keep one group among thousands visible
		}
		left := width * float64(i)
		h.Bars = append(h.Bars, bar{decimal(left + gap/2), decimal(width - gap), decimal(plotHeight - high), decimal(high),
			fmt.Sprintf("%s of %s records", plural(b.groups, "group", "groups"), b.text())})
		if i%every == 0 {
			h.X = append(h.X, tick{decimal(left + width/2), b.text()})
		}
	}
	return h
}

func (b bin) text() string {
	if b.first == b.last {
		return strconv.Itoa(b.first)
	}
	return fmt.Sprintf("%d–%d", b.first, b.last)
}

// maxBins is the number of bars that a telephone can show.
const maxBins = 24

// binsOf makes bins: one per size if there are few sizes, bins of equal width if the largest
// size is within 30 times the smallest, else doubling bins.
func binsOf(sizes []uint32, least, greatest int) []bin {
	var bins []bin
	switch width := (greatest-least)/maxBins + 1; {
	case greatest <= 30*least || greatest-least < maxBins:
		for first := least; first <= greatest; first += width {
			bins = append(bins, bin{first: first, last: first + width - 1})
		}
	default:
		for first := least; first <= greatest; first *= 2 {
			bins = append(bins, bin{first: first, last: 2*first - 1})
		}
	}
	for _, size := range sizes {
		i, _ := slices.BinarySearchFunc(bins, int(size), func(b bin, size int) int {
			if b.last < size {
				return -1
			}
			return 1
		})
		bins[i].groups++
	}
	return bins
}

// ticksDown returns a vertical axis's ticks, in pixels from the top.
func ticksDown(top, step float64, text func(float64) string) []tick {
	return ticks(top, step, func(x float64) string { return decimal(plotHeight * (1 - x/top)) }, text)
}

// ticksAcross returns a horizontal axis's ticks, in percent.
func ticksAcross(top, step float64, text func(float64) string) []tick {
	return ticks(top, step, func(x float64) string { return position(x, top) }, text)
}

func ticks(top, step float64, place, text func(float64) string) (list []tick) {
	for i := 0; float64(i)*step <= top*(1+1e-9); i++ {
		x := float64(i) * step
		list = append(list, tick{place(x), text(x)})
	}
	return list
}

func decimal(x float64) string { return trimmed(x, 3) }
