package estimates

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A variable is an expression with its possible values, ascending.
type variable struct {
	expression string
	column     Column // how values are written
	values     []anonymize.Value
}

// belowVariable returns a variable over the integers below n.
func belowVariable(expression string, n int) variable {
	v := variable{expression: expression, values: make([]anonymize.Value, n)}
	for i := range v.values {
		v.values[i] = anonymize.IntegerValue(int64(i))
	}
	return v
}

// A chooser writes expressions that choose an entry by values.
type chooser struct{ dialect *dialect.Dialect }

// Engines compile a CASE branch by branch. In Trino a hundred branches take seconds, and a thousand exceed its stack. So a choice
// of more than maxWays branches uses a lookup in a map, and so do conditions with too many ranges or values.
const (
	maxWays   = 12
	maxRanges = 12
	maxListed = 1000
)

// For ordered values, a lookup of more than longLookup characters omits the values of the maxHalved longest stretches of equal entries: a model's
// columns have at most 112 stretches (contingency.Finest), and nested CASEs over them cost the engine no more than those of blocks of neighbours.
const (
	longLookup = 20_000
	maxHalved  = 128
)

// maxLookedUp bounds the combinations of the values of several variables.
const maxLookedUp = 1 << 16

// An entryText writes a table's entry in SQL.
type entryText func(entry uint32) string

// classText writes a class.
func classText(entry uint32) string { return fmt.Sprint(entry) }

// choose returns the entry of a table by the values of variables, the first one varying
// fastest; NULL for NoClass. Values with equal parts of the table share a branch.
func (c *chooser) choose(variables []variable, table []uint32, text entryText) (string, error) {
	variables, table = deciding(variables, table)
	switch len(variables) {
	case 0:
		if table[0] == estimate.NoClass {
			return c.dialect.Null(), nil
		}
		return text(table[0]), nil
	case 1:
		return c.chooseByOne(variables[0], table, text)
	}
	ways, stride := 1, 1
	for _, v := range variables {
		parts, _ := partsOf(moved(table, stride, len(v.values)), len(v.values))
		ways *= len(parts)
		stride *= len(v.values)
	}
	if ways > maxWays {
		return c.chooseBySeveral(variables, table, text)
	}
	last := len(variables) - 1
	parts, codes := partsOf(table, len(variables[last].values))
	return c.cases(variables[last], parts, codes, func(part []uint32) (string, error) { return c.choose(variables[:last], part, text) })
}

// deciding leaves out variables that do not affect the entry.
func deciding(variables []variable, table []uint32) ([]variable, []uint32) {
	var kept []variable
	stride := 1
	for _, v := range variables {
		parts, _ := partsOf(moved(table, stride, len(v.values)), len(v.values))
		if len(parts) == 1 {
			table = parts[0]
			continue
		}
		kept = append(kept, v)
		stride *= len(v.values)
	}
	return kept, table
}

// chooseByOne chooses by one variable.
func (c *chooser) chooseByOne(v variable, table []uint32, text entryText) (string, error) {
	parts, codes := partsOf(table, len(table))
	if len(parts) <= maxWays {
		return c.cases(v, parts, codes, func(part []uint32) (string, error) { return text(part[0]), nil })
	}
	null, first := "", 0
	if v.values[0].IsNull() {
		if first = 1; table[0] != estimate.NoClass {
			null = text(table[0])
		}
	}
	all := make([]int, len(table)-first)
	for i := range all {
		all[i] = first + i
	}
	found, err := c.lookUp(v, table, all, text)
	if err == nil && len(found) > longLookup {
		halved, err := c.halve(v, table, first, text)
		if err != nil {
			return "", err
		}
		if halved != "" && len(halved) < len(found) {
			found, null = halved, cmp.Or(null, c.dialect.Null()) // every comparison with NULL ends in the first stretch
		}
	}
	if null != "" {
		found = fmt.Sprintf("CASE WHEN %s IS NULL THEN %s ELSE %s END", v.expression, null, found)
	}
	return found, err
}

// lookUp writes a lookup of the entries of some codes.
func (c *chooser) lookUp(v variable, table []uint32, codes []int, text entryText) (string, error) {
	var keys, entries []string
	for _, code := range codes {
		if table[code] == estimate.NoClass {
			continue
		}
		key, err := v.column.literal(c.dialect, v.values[code])
		if err != nil {
			return "", err
		}
		keys, entries = append(keys, key), append(entries, text(table[code]))
	}
	return c.dialect.Lookup(v.expression, keys, entries), nil
}

// halve chooses among the longest stretches of equal entries, from a code on, by nested CASEs, and looks up the other values. It
// returns "" if such a value has no class, because the lookup could not distinguish it from the values of a stretch.
func (c *chooser) halve(v variable, table []uint32, first int, text entryText) (string, error) {
	stretches, single := longest(stretchesOf(table, first), maxHalved)
	if len(stretches) == 0 || slices.ContainsFunc(single, func(code int) bool { return table[code] == estimate.NoClass }) {
		return "", nil
	}
	// The lookup covers the codes between two stretches, so adjacent stretches with the same entry are merged.
	stretches = slices.CompactFunc(stretches, func(a, b [2]int) bool { return table[a[0]] == table[b[0]] })
	var over func(of [][2]int) (string, error)
	over = func(of [][2]int) (string, error) {
		if len(of) == 1 {
			if entry := table[of[0][0]]; entry != estimate.NoClass {
				return text(entry), nil
			}
			return c.dialect.Null(), nil
		}
		middle := len(of) / 2
		cut, err := v.column.literal(c.dialect, v.values[of[middle][0]])
		if err != nil {
			return "", err
		}
		above, err := over(of[middle:])
		if err != nil {
			return "", err
		}
		below, err := over(of[:middle])
		return fmt.Sprintf("CASE WHEN %s >= %s THEN %s ELSE %s END", v.expression, cut, above, below), err
	}
	halved, err := over(stretches)
	if err != nil || len(single) == 0 {
		return halved, err
	}
	found, err := c.lookUp(v, table, single, text)
	return fmt.Sprintf("coalesce(%s, %s)", found, halved), err
}

// stretchesOf returns the stretches of equal entries from a code on, as first and last code.
func stretchesOf(table []uint32, first int) (all [][2]int) {
	for code := first; code < len(table); code++ {
		if code > first && table[code] == table[code-1] {
			all[len(all)-1][1] = code
			continue
		}
		all = append(all, [2]int{code, code})
	}
	return all
}

// chooseBySeveral numbers the choices of each variable and looks up the combination of numbers.
func (c *chooser) chooseBySeveral(variables []variable, table []uint32, text entryText) (string, error) {
	var numbers []string
	stride, step := 1, 1
	for _, v := range variables {
		parts, codes := partsOf(moved(table, stride, len(v.values)), len(v.values))
		way := make([]uint32, len(v.values))
		var kept [][]uint32
		for i, part := range parts {
			for _, code := range codes[i] {
				if way[code] = uint32(len(kept)); isNowhere(part) {
					way[code] = estimate.NoClass
				}
			}
			if !isNowhere(part) {
				kept = append(kept, part)
			}
		}
		number, err := c.chooseByOne(v, way, func(entry uint32) string { return fmt.Sprint(int(entry) * step) })
		if err != nil {
			return "", err
		}
		numbers = append(numbers, number)
		table = joinParts(kept, stride)
		stride *= len(kept)
		if step *= len(kept); step > maxLookedUp {
			return "", &estimate.UnansweredError{
				What: fmt.Sprintf("an expression over several columns that tells more than %d combinations of values apart. Ask about one column each", maxLookedUp),
			}
		}
	}
	return c.chooseByOne(belowVariable(strings.Join(numbers, " + "), step), table, text)
}

// cases writes a CASE and omits its branches to NoClass.
func (c *chooser) cases(v variable, parts [][]uint32, codes [][]int, then func(part []uint32) (string, error)) (string, error) {
	var b strings.Builder
	b.WriteString("CASE")
	for i, part := range parts {
		if isNowhere(part) {
			continue
		}
		condition, err := c.isAmong(v, codes[i])
		if err != nil {
			return "", err
		}
		text, err := then(part)
		if err != nil {
			return "", err
		}
		b.WriteString(" WHEN " + condition + " THEN " + text)
	}
	return b.String() + " END", nil
}

// partsOf cuts a table into n parts and returns the distinct ones in order of appearance, each with the numbers of its equals.
func partsOf(table []uint32, n int) (parts [][]uint32, codes [][]int) {
	known, size := make(map[string]int), len(table)/max(1, n)
	for code := range n {
		part := table[code*size : (code+1)*size]
		text := make([]byte, 0, 4*size)
		for _, entry := range part {
			text = binary.LittleEndian.AppendUint32(text, entry)
		}
		i, ok := known[string(text)]
		if !ok {
			i = len(parts)
			known[string(text)] = i
			parts, codes = append(parts, part), append(codes, nil)
		}
		codes[i] = append(codes[i], code)
	}
	return parts, codes
}

func isNowhere(table []uint32) bool {
	return !slices.ContainsFunc(table, func(entry uint32) bool { return entry != estimate.NoClass })
}

// isAmong writes the condition that a variable has one of the values with these ascending codes: ranges for consecutive ones, a list for others.
func (c *chooser) isAmong(v variable, codes []int) (string, error) {
	var conditions []string
	null := 0
	if len(v.values) > 0 && v.values[0].IsNull() {
		null = 1
	}
	if codes[0] < null {
		conditions, codes = append(conditions, v.expression+" IS NULL"), codes[1:]
	}
	if len(codes) > 1 && len(codes) == len(v.values)-null {
		conditions, codes = append(conditions, v.expression+" IS NOT NULL"), nil
	}
	literals := make([]string, len(codes))
	for i, code := range codes {
		var err error
		if literals[i], err = v.column.literal(c.dialect, v.values[code]); err != nil {
			return "", err
		}
	}
	ranges, single := runsOf(codes)
	var list []string
	for _, r := range ranges {
		conditions = append(conditions, fmt.Sprintf("%s BETWEEN %s AND %s", v.expression, literals[r[0]], literals[r[1]]))
	}
	for _, i := range single {
		list = append(list, literals[i])
	}
	switch {
	case len(list) == 1:
		conditions = append(conditions, v.expression+" = "+list[0])
	case len(list) > maxListed:
		conditions = append(conditions, c.dialect.Lookup(v.expression, list, slices.Repeat([]string{"1"}, len(list)))+" = 1")
	case len(list) > 1:
		conditions = append(conditions, v.expression+" IN ("+strings.Join(list, ", ")+")")
	}
	if len(conditions) == 1 {
		return conditions[0], nil
	}
	return "(" + strings.Join(conditions, " OR ") + ")", nil
}

// runsOf returns the longest runs of at least three consecutive codes, as places of their first and last; and the places of the other codes.
func runsOf(codes []int) (ranges [][2]int, single []int) {
	var all [][2]int
	for i := 0; i < len(codes); {
		last := i
		for last+1 < len(codes) && codes[last+1] == codes[last]+1 {
			last++
		}
		all = append(all, [2]int{i, last})
		i = last + 1
	}
	return longest(all, maxRanges)
}

// longest returns the longest stretches of places, at most most of them and each of at least three places; single has the other places.
func longest(all [][2]int, most int) (ranges [][2]int, single []int) {
	length := func(r [2]int) int { return r[1] - r[0] + 1 }
	kept := make(map[[2]int]bool)
	for _, r := range slices.SortedStableFunc(slices.Values(all), func(a, b [2]int) int { return length(b) - length(a) })[:min(len(all), most)] {
		kept[r] = length(r) > 2
	}
	for _, r := range all {
		if kept[r] {
			ranges = append(ranges, r)
			continue
		}
		for i := r[0]; i <= r[1]; i++ {
			single = append(single, i)
		}
	}
	return ranges, single
}

// lives returns the condition that the values of a unit have a class; "" if all have, and if several columns decide between several classes.
func (c *chooser) lives(variables []variable, unit *estimate.ClassUnit) (string, error) {
	if !slices.Contains(unit.Class, estimate.NoClass) {
		return "", nil
	}
	if len(variables) > 1 {
		if unit.Classes > 1 {
			return "", nil
		}
		class, err := c.choose(variables, unit.Class, classText)
		return class + " = 0", err
	}
	var codes []int
	for code, class := range unit.Class {
		if class != estimate.NoClass {
			codes = append(codes, code)
		}
	}
	return c.isAmong(variables[0], codes)
}

// Chosen returns an expression that maps a column's value, in an ascending dictionary, to the number at its place.
func Chosen(d *dialect.Dialect, column Column, dictionary []anonymize.Value, numbers []uint32) (string, error) {
	return (&chooser{d}).choose([]variable{{column.read(d), column, dictionary}}, numbers, classText)
}
