package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/noise"
)

// labelEpsilon is the accountant's figure for a release of whose sensitive attribute nothing is told but through noise: the loss of all
// tables of the model and of the attribute's own counts, when one record's value, or all values of a unit, are replaced by others. It is
// computed from the scale of the noise, which is published. That the noise was drawn, and not read off, nobody sees in a release: package
// noise is tested for that.
func labelEpsilon(r *anonymize.Release) ([]figure, error) {
	m := r.Model
	if m == nil || !m.Hides(m.Sensitive) || r.Units != nil {
		return nil, errors.New("the release tells sensitive values of records without noise, or numbers of units")
	}
	counts := noise.Counts{Tables: len(m.Tables) + 1, Records: max(1, m.Records)}
	f := newFigure("label_epsilon")
	var err error
	if f.worst, err = lossOf(m, counts); err != nil {
		return nil, err
	}
	f.detail = fmt.Sprintf("of %s: %d tables with %s, and its own counts, with %s noise of standard deviation %.6g; quasi-identifiers, and which values %s has, are taken as known",
		m.Protected(), len(m.Tables), m.Sensitive, m.NoiseName(), math.Sqrt(m.NoiseVariance()), m.Sensitive)
	if m.Delta.Num > 0 {
		f.detail = fmt.Sprintf("with delta %s: %s", m.Delta.Text(), f.detail)
	}
	return []figure{f}, nil
}

// lossOf is the epsilon of a model's noise: the one it tells where the noise is as wide as that needs, else that of the noise, as the model
// was written by somebody else.
func lossOf(m *anonymize.Model, counts noise.Counts) (loss exact, err error) {
	if m.Variance > 0 {
		if m.Delta.Num == 0 {
			return loss, errors.New("the model tells Gaussian noise and no delta")
		}
		if needed, err := counts.Variance(m.Epsilon, m.Delta); err == nil && m.Variance == needed {
			return exact{ratio: m.Epsilon}, nil
		}
		return exact{large: new(big.Rat).SetFloat64(counts.EpsilonOf(m.Variance, m.Delta.Float()))}, nil
	}
	scale, err := counts.Scale(m.Epsilon)
	if err != nil || scale.Float() == m.Scale {
		return exact{ratio: m.Epsilon}, err
	}
	sensitivity, err := counts.Sensitivity()
	if err != nil {
		return loss, err
	}
	all := new(big.Rat).SetInt(new(big.Int).SetUint64(sensitivity))
	return exact{large: all.Quo(all, new(big.Rat).SetFloat64(m.Scale))}, nil
}

// leastCell is the least weight that a model without noise tells.
func leastCell(r *anonymize.Release) ([]figure, error) {
	if r.Model == nil || r.Model.IsNoisy() {
		return nil, errors.New("the release tells no counts beside its groups, or with noise")
	}
	f := newFigure("least_cell")
	least := int64(-1)
	for _, t := range r.Model.Tables {
		for _, w := range t.Weight {
			if w != anonymize.Pooled && w >= 0 && (least < 0 || w < least) {
				least, f.detail = w, fmt.Sprintf("in the model's table of %s by %s", t.Attribute, r.Model.Sensitive)
			}
		}
	}
	if least < 0 {
		return nil, errors.New("all cells of the model are pooled")
	}
	f.worst = quotient(uint64(least), 1)
	return []figure{f}, nil
}

// OfModel is what a model tells by itself, whatever the release beside it is: of one that is elsewhere.
func OfModel(m *anonymize.Model) []anonymize.Guarantee {
	figures, err := leastCell(&anonymize.Release{Model: m})
	if err != nil {
		return nil
	}
	return []anonymize.Guarantee{figures[0].guarantee(nil)}
}
