package chart

import (
	"math"
	"strings"
)

// A field is the area of lines and columns.
type field struct {
	left, right, top, bottom float64
	axis                     axis
}

func (f field) y(v float64) float64 { return f.bottom - f.axis.position(v)*(f.bottom-f.top) }

// frame draws the vertical axis with its grid.
func frame(s size, a axis) (Drawing, field) {
	d := Drawing{Width: s.width, Height: 340}
	left := 0.0
	for i := range a.ticks {
		left = max(left, characterWidth*float64(len([]rune(a.written(i))))+10)
	}
	f := field{left, float64(s.width) - 12, 10, 306, a}
	for i, t := range a.ticks {
		d.line("grid", f.left, f.y(t), f.right, f.y(t))
		d.text("tick", f.left-8, f.y(t)+4, "end", a.written(i))
	}
	return d, f
}

// lines draws lines over a number or a date, each in the band of its intervals.
func lines(s size, all []series) Drawing {
	low, high := math.Inf(1), math.Inf(-1)
	first, last := math.Inf(1), math.Inf(-1)
	for _, one := range all {
		for _, p := range one.points {
			low, high = min(low, p.low()), max(high, p.high())
			first, last = min(first, p.x), max(last, p.x)
		}
	}
	d, plot := frame(s, axisOf(low, high, 5, false))
	x := func(v float64) float64 { return plot.left + 12 + (v-first)/(last-first)*(plot.right-plot.left-24) }
	labels(&d, all, plot, x)
	beside := func(i int) func(v float64) float64 { // shifts intervals of different lines apart
		shift := 5 * (float64(i) - float64(len(all)-1)/2)
		return func(v float64) float64 { return x(v) + shift }
	}
	for i, one := range all {
		x := beside(i)
		if band := bandOf(one, plot, x); band != "" {
			d.path("band", band).Series = seriesClass(i)
		}
	}
	for i, one := range all {
		var path strings.Builder
		x := beside(i)
		for at, p := range one.points {
			path.WriteString(map[bool]string{true: "M", false: "L"}[at == 0] + px(x(p.x)) + " " + px(plot.y(p.Value)))
		}
		d.path("curve", path.String()).Series = seriesClass(i)
	}
	for i, one := range all {
		radius, x := 3.5, beside(i)
		if len(one.points) > 80 {
			radius = 2
		}
		for _, p := range one.points {
			if p.Known() && !p.Exact() && len(one.points) <= 40 {
				d.line("whisker", x(p.x), plot.y(p.Low), x(p.x), plot.y(p.High)).Series = seriesClass(i)
			}
			label := p.label
			if one.name != "" {
				label = one.name + ", " + label
			}
			d.circle("dot", x(p.x), plot.y(p.Value), radius, tipOf(label, p.Figure)).Series = seriesClass(i)
		}
	}
	return d
}

// seriesClass returns the style class of a line's colour.
func seriesClass(i int) string { return []string{"s1", "s2", "s3", "s4", "s5"}[i] }

// bandOf returns the area between the ends of all intervals; "" if one is unknown.
func bandOf(one series, plot field, x func(float64) float64) string {
	var up, down strings.Builder
	for i, p := range one.points {
		if !p.Known() {
			return ""
		}
		up.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + px(x(p.x)) + " " + px(plot.y(p.High)))
		back := one.points[len(one.points)-1-i]
		down.WriteString("L" + px(x(back.x)) + " " + px(plot.y(back.Low)))
	}
	return up.String() + down.String() + "Z"
}

// labels writes some of the values below the axis, with enough distance.
func labels(d *Drawing, all []series, plot field, x func(float64) float64) {
	free := math.Inf(-1)
	longest := all[0]
	for _, one := range all {
		if len(one.points) > len(longest.points) {
			longest = one
		}
	}
	for _, p := range longest.points {
		at, half := x(p.x), characterWidth*float64(len([]rune(p.label)))/2
		if at-half < max(free, 0) || at+half > float64(d.Width) {
			continue
		}
		d.line("grid", at, plot.bottom, at, plot.bottom+5)
		d.text("tick", at, plot.bottom+20, "middle", p.label)
		free = at + half + 14
	}
}
