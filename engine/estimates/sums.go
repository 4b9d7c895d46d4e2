package estimates

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
)

// addUp adds to a fragment's query, by group and class, the sum s of its records' worths and the sum q of their squares; it returns these sums' totals.
func (s *Store) addUp(one *counted, of estimate.Worth) string {
	exact := func(expression string) string { return expression }
	if s.isWide(of) {
		exact = func(expression string) string { return s.Dialect.CastDecimal(expression, 38, 0) }
	}
	groups := strings.Join(append([]string{"gid"}, one.columns...), ", ")
	one.grouped = fmt.Sprintf("SELECT %s, sum(n) AS n, sum(n * w) AS s, sum(%s * w * w) AS q FROM (%s) AS t GROUP BY %s", groups, exact("n"), one.inner, groups)
	return fmt.Sprintf(", sum(%s), sum(%s * s), sum(q)", exact("s"), exact("s"))
}

// weighted adds n, the number r of valuable records, and their worth s to a fragment's query;
// it returns these times the numbers of the other fragments' records.
func (s *Store) weighted(counted []*counted, of estimate.Worth) string {
	s.tuples(counted)
	one, others := counted[of.Fragment], ""
	columns := strings.Join(append([]string{"gid"}, one.columns...), ", ")
	if one.grouped == "" {
		one.grouped = fmt.Sprintf(
			"SELECT %s, sum(n) AS n, sum(CASE WHEN w IS NULL THEN 0 ELSE n END) AS r, sum(coalesce(n * w, 0)) AS s FROM (%s) AS t GROUP BY %s",
			columns,
			one.inner,
			columns,
		)
	} else {
		one.grouped = fmt.Sprintf("SELECT %s, n, CASE WHEN w IS NULL THEN 0 ELSE n END AS r, coalesce(n * w, 0) AS s FROM (%s) AS t", columns, one.inner)
	}
	for i := range counted {
		if i != of.Fragment {
			others += fmt.Sprintf(" * f%d.n", i)
		}
	}
	own := fmt.Sprintf("f%d.", of.Fragment)
	sum := own + "s"
	if s.bits(of, 1, len(counted)) > 62 {
		sum = s.Dialect.CastDecimal(sum, 38, 0)
	}
	return fmt.Sprintf("%sn%s AS n, %sr%s AS r, %s%s AS s", own, others, own, others, sum, others)
}

// isWide reports whether sums of squares may overflow BIGINT.
func (s *Store) isWide(of estimate.Worth) bool { return s.bits(of, 2, 1) > 62 }

// bits bounds the bits of a sum over all groups of a power of a group's total worth, times the numbers of records of the other fragments.
func (s *Store) bits(of estimate.Worth, power, fragments int) int {
	size, groups, worth := uint32(0), uint64(0), uint64(0)
	for _, at := range s.Sizes {
		size, groups = max(size, at.Size), groups+at.Groups
	}
	for _, w := range of.Of {
		worth = max(worth, uint64(max(w, -w)))
	}
	return bits.Len64(groups) + power*(bits.Len32(size)+bits.Len64(worth)) + (fragments-1)*bits.Len32(size)
}

// Takes implements [estimate.Elsewhere]. It sorts records of a class and a group by worth;
// below and above are the numbers of records worth less and more.
func (s *Store) Takes(ctx context.Context, fragments []estimate.Classes, of estimate.Worth) (list []estimate.Take, err error) {
	counted, err := s.countAll(fragments, &of)
	if err != nil {
		return nil, err
	}
	one := counted[of.Fragment]
	groups := strings.Join(append([]string{"gid"}, one.columns...), ", ")
	one.grouped = fmt.Sprintf(
		"SELECT %s, w, n, sum(n) OVER (PARTITION BY %s ORDER BY w ROWS UNBOUNDED PRECEDING) - n AS below, sum(n) OVER (PARTITION BY %s) AS total "+
			"FROM (SELECT %s, w, sum(n) AS n FROM (%s) AS t GROUP BY %s, w) AS v",
		groups,
		groups,
		groups,
		groups,
		one.inner,
		groups,
	)
	counts := make([]string, len(counted))
	for i := range counted {
		counts[i] = fmt.Sprintf("f%d.n", i)
	}
	own := fmt.Sprintf("f%d.", of.Fragment)
	counts[of.Fragment] = own + "total"
	low := strings.Join(counts, " + ")
	if len(counted) > 1 {
		low = fmt.Sprintf("greatest(0, %s - %d * %s)", low, len(counted)-1, s.groupSize())
	}
	high := counts[0]
	if len(counted) > 1 {
		high = "least(" + strings.Join(counts, ", ") + ")"
	}
	asked := fmt.Sprintf(
		"%sw AS w, %sn AS n, %sbelow AS below, %stotal - %sbelow - %sn AS above, %s AS low, %s AS high",
		own,
		own,
		own,
		own,
		own,
		own,
		low,
		high,
	)
	by := strings.Join(append(classNames(counted), "w"), ", ")
	text := "SELECT " + by
	for _, among := range []string{"low - below", "high - below", "low - above", "high - above"} {
		text += fmt.Sprintf(", sum(greatest(0, least(n, %s)))", among)
	}
	text += fmt.Sprintf(" FROM (%s) AS j GROUP BY %s", s.joined(counted, asked), by)
	err = s.ask(ctx, text, combinations, func(row []any) error {
		t := estimate.Take{}
		err := take(row, &t, counted)
		list = append(list, t)
		return err
	})
	return list, err
}

// take reads a row of Takes.
func take(row []any, t *estimate.Take, fragments []*counted) (err error) {
	t.Classes = make([]uint32, len(fragments))
	rest, err := classesOf(row, t.Classes, fragments)
	if err != nil {
		return err
	}
	w, ok := rest[0].(int64)
	if !ok {
		return fmt.Errorf("the engine returned %v (%T) for what a record is worth", rest[0], rest[0])
	}
	t.Worth = w
	for i, to := range []*uint64{&t.LeastOfLow, &t.LeastOfHigh, &t.GreatestOfLow, &t.GreatestOfHigh} {
		if *to, err = readCount(rest[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// worthExpression returns the expression of a record's worth by its values of a unit: the value itself, times a power of ten, or a choice.
func (s *Store) worthExpression(c *chooser, fragment int, of estimate.Worth, unit *estimate.ClassUnit) (string, error) {
	variables := s.variables(fragment, unit)
	if power, ok := powerOf(unit, of); ok {
		return scaled(s.Dialect, variables[0], power), nil
	}
	table, known := make([]uint32, len(unit.Class)), make(map[int64]uint32)
	var worths []int64
	for code := range table {
		if table[code] = estimate.NoClass; unit.Class[code] == estimate.NoClass || of.None != nil && of.None[code] {
			continue
		}
		n, ok := known[of.Of[code]]
		if !ok {
			n = uint32(len(worths))
			known[of.Of[code]], worths = n, append(worths, of.Of[code])
		}
		table[code] = n
	}
	worth, err := c.choose(variables, table, func(entry uint32) string { return fmt.Sprint(worths[entry]) })
	return s.Dialect.Cast(worth, dialect.BigInt), err
}

// powerOf returns the power of ten that turns a unit's only column into the worth; false if there is none.
func powerOf(unit *estimate.ClassUnit, of estimate.Worth) (power int, ok bool) {
	if len(unit.Columns) > 1 {
		return 0, false
	}
	for power = range 16 {
		scale := math.Pow10(power)
		ok = true
		for code, class := range unit.Class {
			v, none := unit.Dictionaries[0][code], of.None != nil && of.None[code]
			if class == estimate.NoClass || none && v.IsNull() {
				continue
			}
			if n, isNumber := v.Number(); none || !isNumber || v.Kind == anonymize.Instant || math.Abs(n*scale) >= 1<<53 ||
				math.Round(n*scale) != float64(of.Of[code]) {
				ok = false
				break
			}
		}
		if ok {
			return power, true
		}
	}
	return 0, false
}

// scaled returns a variable times a power of ten, an integer.
func scaled(d *dialect.Dialect, v variable, power int) string {
	kind := anonymize.Integer
	for _, value := range v.values {
		kind = max(kind, value.Kind)
	}
	switch {
	case kind == anonymize.Real:
		return d.Cast(fmt.Sprintf("round(%s * %s)", v.expression, d.Double(math.Pow10(power))), dialect.BigInt)
	case power == 0:
		return d.Cast(v.expression, dialect.BigInt)
	case kind == anonymize.Decimal:
		return d.Cast(fmt.Sprintf("%s * %d", v.expression, int64(math.Pow10(power))), dialect.BigInt)
	}
	return fmt.Sprintf("%s * %d", d.Cast(v.expression, dialect.BigInt), int64(math.Pow10(power)))
}

// readSum converts a sum.
func readSum(v any) (*big.Int, error) {
	switch v := v.(type) {
	case int64:
		return big.NewInt(v), nil
	case string:
		if n, ok := new(big.Int).SetString(v, 10); ok {
			return n, nil
		}
	}
	return nil, fmt.Errorf("the engine returned %v (%T) for a whole number", v, v)
}
