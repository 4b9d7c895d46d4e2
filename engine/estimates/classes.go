package estimates

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/estimate"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A variable is an expression with the values that it may have, ascending.
type variable struct {
	expression string
	column     Column // how values are written
	values     []anonymize.Value
}

// numbers is a variable whose values are the whole numbers below n.
func numbers(expression string, n int) variable {
	v := variable{expression: expression, values: make([]anonymize.Value, n)}
	for i := range v.values {
		v.values[i] = anonymize.IntegerValue(int64(i))
	}
	return v
}

// A chooser writes expressions that choose by values.
type chooser struct {
	dialect *dialect.Dialect
	// entries are what the entries of tables stand for; nil: for themselves.
	entries []int64
	// branches counts the ways that it has written.
	branches int
}

// mostBranches bounds the ways of all CASE expressions of a statement: engines compile them.
const mostBranches = 1000

// choose is the entry of a table by the values of variables, the first one counting fastest; NULL for NoClass. Values with equal parts of the
// table are one way of a CASE.
func (c *chooser) choose(variables []variable, table []uint32) (string, error) {
	if len(variables) == 0 {
		if table[0] == estimate.NoClass {
			return c.dialect.Null(), nil
		}
		if c.entries != nil {
			return fmt.Sprint(c.entries[table[0]]), nil
		}
		return fmt.Sprint(table[0]), nil
	}
	last := variables[len(variables)-1]
	parts, codes := partsOf(table, len(last.values))
	if len(parts) == 1 {
		return c.choose(variables[:len(variables)-1], parts[0])
	}
	var b strings.Builder
	b.WriteString("CASE")
	for i, part := range parts {
		if isNowhere(part) {
			continue
		}
		if c.branches++; c.branches > mostBranches {
			return "", &estimate.UnansweredError{What: fmt.Sprintf("a question whose conditions, keys and arguments tell values apart in more than %d ways", mostBranches)}
		}
		condition, err := c.among(last, codes[i])
		if err != nil {
			return "", err
		}
		then, err := c.choose(variables[:len(variables)-1], part)
		if err != nil {
			return "", err
		}
		b.WriteString(" WHEN " + condition + " THEN " + then)
	}
	return b.String() + " END", nil
}

// partsOf cuts a table into n parts, and returns the different ones in the order of their first, each with the numbers of the equal ones.
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

// among is the condition that a variable has one of the values with the given codes, ascending: ranges of neighbours, a list of others.
func (c *chooser) among(v variable, codes []int) (string, error) {
	var conditions, list []string
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
	for len(codes) > 0 {
		n := 1
		for n < len(codes) && codes[n] == codes[0]+n {
			n++
		}
		first, err := v.column.literal(c.dialect, v.values[codes[0]])
		if err != nil {
			return "", err
		}
		last, err := v.column.literal(c.dialect, v.values[codes[n-1]])
		if err != nil {
			return "", err
		}
		switch n {
		case 1:
			list = append(list, first)
		case 2:
			list = append(list, first, last)
		default:
			conditions = append(conditions, fmt.Sprintf("%s BETWEEN %s AND %s", v.expression, first, last))
		}
		codes = codes[n:]
	}
	switch {
	case len(list) == 1:
		conditions = append(conditions, v.expression+" = "+list[0])
	case len(list) > 1:
		conditions = append(conditions, v.expression+" IN ("+strings.Join(list, ", ")+")")
	}
	if len(conditions) == 1 {
		return conditions[0], nil
	}
	return "(" + strings.Join(conditions, " OR ") + ")", nil
}

// lives is the condition that the values of a unit have a class; "" where all have, and where several columns decide between several classes.
func (c *chooser) lives(variables []variable, unit *estimate.ClassUnit) (string, error) {
	if !slices.Contains(unit.Class, estimate.NoClass) {
		return "", nil
	}
	if len(variables) > 1 {
		if unit.Classes > 1 {
			return "", nil
		}
		class, err := c.choose(variables, unit.Class)
		return class + " = 0", err
	}
	var codes []int
	for code, class := range unit.Class {
		if class != estimate.NoClass {
			codes = append(codes, code)
		}
	}
	return c.among(variables[0], codes)
}
