package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/noise"
)

// labelEpsilon is the accountant's figure for a release that publishes its sensitive attribute through
// noise only: the loss of all tables of the model and of the attribute's own counts if one record's
// value, or all values of a unit, are replaced. It is computed from the published scale of the noise. A
// release cannot prove that the noise was drawn properly; the tests of package noise cover that.
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

// lossOf returns the epsilon of a model's noise: the published one if the noise is wide enough
// for it; otherwise that of the noise, since someone else wrote the model.
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

// leastCell is the least published weight of a model without noise.
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

// OfModel returns what a model guarantees by itself, for a release whose relations are elsewhere.
func OfModel(m *anonymize.Model) []anonymize.Guarantee {
	figures, err := leastCell(&anonymize.Release{Model: m})
	if err != nil {
		return nil
	}
	return []anonymize.Guarantee{figures[0].guarantee(nil)}
}
