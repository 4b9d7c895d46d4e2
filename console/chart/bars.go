package chart

// bars draws one line per group: its label, a bar from zero, a whisker over its interval, and the figure in digits.
func bars(s size, rows []Row) Drawing {
	rowHeight, barAt := 28.0, 7.0
	left, right := float64(s.label), float64(s.width-s.side)
	ticks := 6
	if s.narrow {
		rowHeight, barAt, left, ticks = 44, 23, 0, 3
		right -= 8
	}
	low, high := span(rows)
	a := axisOf(low, high, ticks, true)
	x := func(v float64) float64 { return left + 4 + a.position(v)*(right-left-4) }
	d := Drawing{Width: s.width, Height: int(rowHeight)*len(rows) + 28}
	bottom := rowHeight * float64(len(rows))
	for i, t := range a.ticks {
		d.line("grid", x(t), 0, x(t), bottom)
		anchor := "middle"
		if s.narrow && i == len(a.ticks)-1 {
			anchor = "end"
		} else if s.narrow && i == 0 {
			anchor = "start"
		}
		d.text("tick", x(t), bottom+18, anchor, a.written(i))
	}
	for i, r := range rows {
		top := rowHeight * float64(i)
		said := r.Figure.Said()
		if s.narrow {
			d.text("key", 0, top+16, "start", cut(r.label(), float64(s.width)-characterWidth*float64(len([]rune(said))+2)))
			d.text("said", right, top+16, "end", said)
		} else {
			d.text("key", left-8, top+19, "end", cut(r.label(), left-8))
			d.text("said", right+14, top+19, "start", said)
		}
		from, to := x(min(0, r.Figure.Value)), x(max(0, r.Figure.Value))
		d.rect("bar", from, top+barAt, max(to-from, 1), 14, r.tip())
		whisker(&d, r.Figure, x, top+barAt+7)
	}
	return d
}

// whisker draws the interval of a figure along a line.
func whisker(d *Drawing, f Figure, x func(float64) float64, y float64) {
	if !f.Known() || f.Exact() {
		return
	}
	d.line("whisker", x(f.Low), y, x(f.High), y)
	d.line("whisker", x(f.Low), y-4, x(f.Low), y+4)
	d.line("whisker", x(f.High), y-4, x(f.High), y+4)
}

// columns draws columns side by side, for more groups than bars can show. Some have a label; pointers get the others from tips.
func columns(s size, rows []Row) Drawing {
	low, high := span(rows)
	d, plot := frame(s, axisOf(low, high, 5, true))
	step := (plot.right - plot.left) / float64(len(rows))
	labelled := 1 + len(rows)*90/int(plot.right-plot.left)
	for i, r := range rows {
		x := plot.left + step*float64(i)
		y0, y1 := plot.y(0), plot.y(r.Figure.Value)
		d.rect("bar", x+step*.1, min(y0, y1), max(step*.8, .5), max(y0-y1, y1-y0, 1), r.tip())
		if r.Figure.Known() && !r.Figure.Exact() {
			d.line("whisker", x+step/2, plot.y(r.Figure.Low), x+step/2, plot.y(r.Figure.High))
		}
		if i%labelled == 0 && x < plot.right-40 {
			d.text("tick", x+step/2, plot.bottom+18, "start", cut(r.label(), 84))
		}
	}
	return d
}
