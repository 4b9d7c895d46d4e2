package chart

import (
	"math"
	"slices"
)

// A heat is a map over two keys: darker cells have greater figures.
type heat struct {
	down, across []string
	cells        map[[2]string]Row
	low, high    float64
}

// mapOf returns nil if a key has one value, or too many.
func mapOf(rows []Row) *heat {
	m := &heat{cells: make(map[[2]string]Row)}
	for _, r := range rows {
		if !slices.Contains(m.down, r.Keys[0]) {
			m.down = append(m.down, r.Keys[0])
		}
		if !slices.Contains(m.across, r.Keys[1]) {
			m.across = append(m.across, r.Keys[1])
		}
		m.cells[[2]string{r.Keys[0], r.Keys[1]}] = r
	}
	if len(m.cells) != len(rows) || len(m.down) < 2 || len(m.across) < 2 || len(m.down) > maxCells || len(m.across) > maxCells {
		return nil
	}
	m.low, m.high = math.Inf(1), math.Inf(-1)
	for _, r := range rows {
		m.low, m.high = min(m.low, r.Figure.Value, 0), max(m.high, r.Figure.Value)
	}
	return m
}

// darkest bounds the darkness of a cell, to keep its text readable.
const darkest = 0.5

func (m *heat) draw(s size) Drawing {
	left, head, height := float64(s.label), 26.0, 36.0
	width := (float64(s.width) - left) / float64(len(m.across))
	slanted := slices.ContainsFunc(m.across, func(name string) bool { return cut(name, width-4) != name })
	if slanted {
		head = 84
		width = (float64(s.width) - left - 40) / float64(len(m.across))
	}
	crowded := width < 46
	if crowded {
		height = 26
	}
	d, room := Drawing{Width: s.width, Height: int(head + height*float64(len(m.down)))}, m.fits(width)
	for i, name := range m.across {
		x := left + width*(float64(i)+.5)
		if !slanted {
			d.text("tick", x, head-8, "middle", name)
			continue
		}
		if i > 0 && width < 14 && i%2 == 1 {
			continue
		}
		d.text("tick", x+4, head-6, "start", cut(name, 84)).Rotate = "rotate(-60 " + px(x+4) + " " + px(head-6) + ")"
	}
	for j, name := range m.down {
		y := head + height*float64(j)
		d.text("key", left-8, y+height/2+4, "end", cut(name, left-8))
		for i, across := range m.across {
			r, ok := m.cells[[2]string{name, across}]
			if !ok {
				continue
			}
			x, share := left+width*float64(i), 0.0
			if m.high > m.low {
				share = (r.Figure.Value - m.low) / (m.high - m.low)
			}
			d.rect("cell", x+1, y+1, width-2, height-2, r.tip()).Opacity = px(100*darkest*share) + "%"
			if room {
				write(&d, r.Figure, x+width/2, y, width, crowded)
			}
		}
	}
	return d
}

// fits reports whether all figures fit into cells of a width.
func (m *heat) fits(width float64) bool {
	for _, r := range m.cells {
		if value, _ := r.Figure.parts(); characterWidth*float64(len([]rune(value))) > width {
			return false
		}
	}
	return true
}

// write writes the figure into its cell, and its error below if there is room.
func write(d *Drawing, f Figure, x, y, width float64, crowded bool) {
	value, wrong := f.parts()
	if crowded || wrong == "" || smallWidth*float64(len([]rune(wrong))) > width {
		d.text("said", x, y+map[bool]float64{true: 17, false: 22}[crowded], "middle", value)
		return
	}
	d.text("said", x, y+16, "middle", value)
	d.text("error", x, y+30, "middle", wrong)
}

// parts returns the value and its error separately: ±140, or 1,730–1,990 if the interval is wider on one side.
func (f Figure) parts() (value, wrong string) {
	if !f.Known() || f.Exact() {
		return f.Said(), ""
	}
	decimals := f.decimals()
	if value = rounded(f.Value, decimals); f.skewed() {
		return value, rounded(f.Low, decimals) + "–" + rounded(f.High, decimals)
	}
	return value, "±" + rounded((f.High-f.Low)/2, decimals)
}
