package misfit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
)

// Encode returns m as JSON for Decode.
func (m *Misfit) Encode() []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // numbers and texts always have a JSON form
	}
	return text
}

// Decode reads the output of Encode and refuses everything else.
func Decode(text []byte) (*Misfit, error) {
	m := new(Misfit)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(m); err != nil {
		return nil, fmt.Errorf("the misfit cannot be read: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is more than a misfit")
	}
	if !bytes.Equal(m.Encode(), text) {
		return nil, fmt.Errorf("the misfit is not as it was written")
	}
	return m, m.check()
}

func (m *Misfit) check() error {
	if m.Records < 1 || m.Cells < 0 {
		return fmt.Errorf("the misfit is one of %d records and %d cells", m.Records, m.Cells)
	}
	for i, p := range m.Pairs {
		switch {
		case p.A >= p.B, i > 0 && comparePairs(m.Pairs[i-1], p) >= 0:
			return fmt.Errorf("the misfit has %s and %s out of order", p.A, p.B)
		case !slices.Contains(Ratios(), p.Ratio):
			return fmt.Errorf("%s and %s have the ratio %g, must have one of %g", p.A, p.B, p.Ratio, Ratios())
		case !slices.Contains(Lucks(), p.Luck):
			return fmt.Errorf("%s and %s have the luck %g, must have one of %g", p.A, p.B, p.Luck, Lucks())
		case p.Cells < 0 || p.Cells > m.Cells:
			return fmt.Errorf("%s and %s have %d cells of %d", p.A, p.B, p.Cells, m.Cells)
		}
		for _, x := range []float64{p.Invented, p.Associated} {
			if x < 0 || x != rounded(x) {
				return fmt.Errorf("%s and %s have the error %g, must be at least 0 and have three digits", p.A, p.B, x)
			}
		}
	}
	return errors.Join(m.checkTriples(), m.checkAverages())
}

func (m *Misfit) checkAverages() error {
	for i, a := range m.Averages {
		switch {
		case a.Of == a.By, i > 0 && compareAverages(m.Averages[i-1], a) >= 0:
			return fmt.Errorf("the misfit has averages of %s by %s out of order", a.Of, a.By)
		case !slices.Contains(Ratios(), a.Ratio):
			return fmt.Errorf("averages of %s by %s have the ratio %g, must have one of %g", a.Of, a.By, a.Ratio, Ratios())
		case !(a.Drawn >= 0 && a.Drawn <= maxDrawn) || a.Drawn != rounded(a.Drawn):
			return fmt.Errorf("averages of %s by %s are drawn by %g, must be from 0 to %d and have three digits", a.Of, a.By, a.Drawn, maxDrawn)
		case !(a.Distance >= 0) || math.IsInf(a.Distance, 0) || a.Distance != rounded(a.Distance):
			return fmt.Errorf("averages of %s by %s have the distance %g, must be at least 0 and have three digits", a.Of, a.By, a.Distance)
		}
	}
	for i, u := range m.Unseen {
		switch {
		case i > 0 && m.Unseen[i-1].Attribute >= u.Attribute:
			return fmt.Errorf("the misfit has the categories of %s out of order", u.Attribute)
		case u.Categories < 1:
			return fmt.Errorf("%s has %d categories, must have at least 1", u.Attribute, u.Categories)
		case !(u.Share >= 0) || math.IsInf(u.Share, 0) || u.Share != rounded(u.Share):
			return fmt.Errorf("the categories of %s hide the share %g, must be at least 0 and have three digits", u.Attribute, u.Share)
		}
	}
	return nil
}

func (m *Misfit) checkTriples() error {
	for i, t := range m.Triples {
		switch {
		case t.A >= t.B, t.B >= t.C, i > 0 && compareTriples(m.Triples[i-1], t) >= 0:
			return fmt.Errorf("the misfit has %s, %s and %s out of order", t.A, t.B, t.C)
		case t.Ratio == 0 || !slices.Contains(Ratios(), t.Ratio):
			return fmt.Errorf("%s, %s and %s have the ratio %g, must have one of %g", t.A, t.B, t.C, t.Ratio, Ratios()[1:])
		}
	}
	return nil
}

// rounded keeps three decimal places.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
