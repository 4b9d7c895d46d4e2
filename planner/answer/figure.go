package answer

import (
	"math"
	"strconv"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/shopspring/decimal"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/catalog/coding"
)

// settle rounds exact figures: the joint computation adds rounding errors to an aggregate that one fragment decides if others beside it are
// estimated. It sets their standard errors to 0 and their bounds to the figures.
func (a *answered) settle(aggregates []Aggregate) {
	for i := range a.Rows {
		for j, asked := range aggregates {
			figure, isNumber := a.Rows[i].Figures[j].Number()
			if !asked.exact || !isNumber || asked.IsExtreme() {
				continue
			}
			a.rounded = a.rounded || !asked.IsCount() && hasMoreDigits(a.Rows[i].Size(j), asked.SQLType)
			if asked.countsWhole {
				figure = math.Round(figure)
				a.Rows[i].Figures[j] = anonymize.RealValue(figure)
			}
			if s := a.spread; s != nil && s.Deviations != nil {
				s.Deviations[i][j] = anonymize.RealValue(0)
			}
			if s := a.spread; s != nil && s.Bounds != nil { // known, even if those of the answer are not
				s.Bounds[i][j] = estimate.Bound{Low: a.Rows[i].Figures[j], High: a.Rows[i].Figures[j]}
			}
		}
	}
}

// hasMoreDigits reports whether a number of such a size, with the places of a type, has more than the 15 digits of a DOUBLE.
func hasMoreDigits(size float64, typ sql.Type) bool {
	decimals := 0
	if t, ok := typ.(sql.DecimalType); ok {
		decimals = int(t.Scale())
	} else if !types.IsInteger(typ) {
		return false
	}
	return size*math.Pow10(decimals) >= 1e15
}

// value converts a figure of the aggregate to an SQL type.
func (a *Aggregate) value(v anonymize.Value, typ sql.Type) (any, error) {
	if a.IsExtreme() {
		return coding.SQLValue(typ, v)
	}
	number, ok := v.Number()
	if !ok {
		return nil, nil
	}
	switch {
	case math.IsInf(number, 0) || math.IsNaN(number):
		return nil, mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "DOUBLE value is out of range in '%s'", a)
	case types.IsInteger(typ):
		if number = math.Round(number); math.Abs(number) >= 1<<63 {
			return nil, mysql.NewSQLError(mysql.ERDataOutOfRange, "22003", "BIGINT value is out of range in '%s'", a)
		}
		return int64(number), nil
	case types.IsDecimal(typ):
		return a.decimal(number, typ.(sql.DecimalType).Scale()), nil
	case a.countsWhole:
		return settled(number), nil
	}
	return number, nil
}

// decimal rounds a figure to a scale. A sum has that scale except for rounding errors. An average may lie half-way between two numbers of
// the scale, where such an error would decide; so it is rounded to 15 digits first.
func (a *Aggregate) decimal(number float64, scale uint8) decimal.Decimal {
	if a.Kind == estimate.Average {
		if rounded, err := strconv.ParseFloat(strconv.FormatFloat(number, 'e', 14, 64), 64); err == nil {
			number = rounded
		}
	}
	return decimal.NewFromFloat(number).Round(int32(scale))
}

// settled rounds x to an integer if it equals one to 12 digits: a tool that truncates
// 4351.999999999993 would show 4351.
func settled(x float64) float64 {
	if whole := math.Round(x); math.Abs(x-whole) <= 1e-12*math.Abs(whole) {
		return whole
	}
	return x
}

// bound converts the end of a range to an SQL type. Ends of integer ranges are integers; inwards rounds those that differ from one by more
// than a rounding error.
func (a *Aggregate) bound(v anonymize.Value, typ sql.Type, inwards func(float64) float64) (any, error) {
	if number, ok := v.Number(); ok && types.IsInteger(typ) {
		v = anonymize.RealValue(inwards(settled(number)))
	}
	return a.value(v, typ)
}
