package publication

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// A Request is what is to be published.
type Request struct {
	Table            *Table
	QuasiIdentifiers []string
	Sensitive        string
	// Identifiers tell records apart that look the same. They are not released.
	Identifiers []string
	// L is how many different sensitive values a group has at least.
	L int
	// Block is how many records a block of neighbours has at least; 0 makes one block of the table.
	Block int64
}

// Limits of what is read to plan with.
const (
	mostValues = 100_000 // of a column
	mostCells  = 200_000 // rows of cells and sensitive values
	mostBins   = 64      // of an attribute
	mostHeavy  = 1000    // sensitive values that are told apart
)

// A Plan says how the engine divides a table into groups.
type Plan struct {
	Request
	Records          int64
	Blocks           int
	quasiIdentifiers []Column
	sensitive        Column
	identifiers      []Column
	bins             []*Bins
	blockOf          [][2]int64 // the number of a cell, and its block
	buckets          int64      // of the records of a value in a block
}

// perBucket is about how many records of a value the engine sorts as one.
const perBucket = 250_000

// buckets is how many parts the records of a value in a block are sorted in.
func buckets(records, blocks int64) int64 { return max(1, records/blocks/perBucket) }

// NewPlan reads counts and plans. A table that cannot be divided into groups of l different sensitive values each is a DataError. Memory is that
// of the counts, whatever the number of records.
func (e *Engine) NewPlan(ctx context.Context, r Request) (*Plan, error) {
	p := &Plan{Request: r, Blocks: 1}
	for _, of := range []struct {
		names []string
		to    *[]Column
	}{{r.QuasiIdentifiers, &p.quasiIdentifiers}, {r.Identifiers, &p.identifiers}} {
		for _, name := range of.names {
			c, err := r.Table.column(name)
			if err != nil {
				return nil, err
			}
			*of.to = append(*of.to, c)
		}
	}
	var err error
	if p.sensitive, err = r.Table.column(r.Sensitive); err != nil {
		return nil, err
	}
	counts, err := e.counts(ctx, r.Table, p.sensitive, mostValues)
	if err != nil {
		return nil, err
	}
	if err := p.check(counts); err != nil {
		return nil, err
	}
	if r.Block > 0 {
		if err := e.planBlocks(ctx, p, counts); err != nil {
			return nil, err
		}
	}
	p.buckets = buckets(p.Records, int64(p.Blocks))
	return p, nil
}

// check refuses what cannot be published, and counts the records.
func (p *Plan) check(sensitive []Count) error {
	if p.L < 2 {
		return &anonymize.ParameterError{Parameter: "l", Value: fmt.Sprint(p.L), Rule: "must be 2 or more"}
	}
	most := Count{}
	for _, c := range sensitive {
		p.Records += c.Records
		if c.Records > most.Records {
			most = c
		}
	}
	if most.Records > p.Records/int64(p.L) {
		return &anonymize.DataError{Reason: fmt.Sprintf("value %s of column %q has %d of %d records, more than 1 in %d: no groups of %d different values can be formed",
			most.Value, p.Sensitive, most.Records, p.Records, p.L, p.L)}
	}
	if p.Records == 0 {
		return &anonymize.DataError{Reason: fmt.Sprintf("table %s.%s has no records", p.Table.Schema, p.Table.Name)}
	}
	return nil
}

// heavyOf are the heavy sensitive values. Where there are too many to be told apart, blocks are larger.
func (p *Plan) heavyOf(sensitive []Count) []Count {
	heavy := Heavy(sensitive, p.L, p.Block)
	if len(heavy) <= mostHeavy {
		return heavy
	}
	slices.SortFunc(heavy, func(a, b Count) int { return cmp.Compare(b.Records, a.Records) })
	p.Block = int64(p.L) * (heavy[mostHeavy].Records + 1)
	return Heavy(sensitive, p.L, p.Block)
}

// planBlocks divides the combinations of bins that the table has.
func (e *Engine) planBlocks(ctx context.Context, p *Plan, sensitive []Count) error {
	heavy := p.heavyOf(sensitive)
	blocks := int(p.Records / p.Block)
	wanted := make([]int, len(p.quasiIdentifiers))
	counts := make([][]Count, len(wanted))
	for i, c := range p.quasiIdentifiers {
		var err error
		if counts[i], err = e.counts(ctx, p.Table, c, mostValues); err != nil {
			return err
		}
		wanted[i] = min(len(counts[i]), mostBins)
	}
	// Some 32 cells a block let it be cut along every attribute.
	given := Shrink(wanted, min(32*max(1, blocks), mostCells/(len(heavy)+1)))
	for i, c := range p.quasiIdentifiers {
		p.bins = append(p.bins, NewBins(c.Name, counts[i], given[i]))
	}
	cells, numbers, err := e.cells(ctx, p, heavy)
	if err != nil {
		return err
	}
	blockOf, n, err := Divide(ctx, cells, p.L, p.Block)
	if err != nil {
		return err
	}
	p.Blocks = n
	for i, b := range blockOf {
		p.blockOf = append(p.blockOf, [2]int64{numbers[i], int64(b)})
	}
	return nil
}

// cells reads how many records every combination of bins has, by heavy sensitive value. numbers are those of the combinations.
func (e *Engine) cells(ctx context.Context, p *Plan, heavy []Count) (c *Cells, numbers []int64, err error) {
	c = &Cells{Bins: make([][]uint8, len(p.bins)), Numbers: make([]int, len(p.bins)), Start: []int{0}}
	for a, b := range p.bins {
		c.Numbers[a] = b.Number()
	}
	text := fmt.Sprintf("SELECT cell, value, count(*) FROM (SELECT %s AS cell, %s AS value FROM %s) AS records GROUP BY cell, value ORDER BY cell, value",
		e.cell(p), e.heavy(p, heavy), e.raw(p.Table))
	err = e.Conn.Query(ctx, text, func(row []any) error {
		number, err := whole(row[0])
		if err != nil {
			return err
		}
		value, err := whole(row[1])
		if err != nil {
			return err
		}
		n, err := whole(row[2])
		if err != nil {
			return err
		}
		if len(numbers) == 0 || numbers[len(numbers)-1] != number {
			numbers = append(numbers, number)
			c.add(number)
		}
		v := light
		if value >= 0 {
			v = uint32(value)
		}
		c.Sensitive = append(c.Sensitive, v)
		c.Records = append(c.Records, n)
		c.Start[len(c.Start)-1] = len(c.Sensitive)
		return nil
	})
	return c, numbers, err
}

// add begins the cell with a number (see Engine.cell).
func (c *Cells) add(number int64) {
	for a := len(c.Bins) - 1; a >= 0; a-- {
		c.Bins[a] = append(c.Bins[a], uint8(number%int64(c.Numbers[a])))
		number /= int64(c.Numbers[a])
	}
	c.Start = append(c.Start, len(c.Sensitive))
}

// cell is the number of a record's combination of bins, as an expression: the bins are its digits.
func (e *Engine) cell(p *Plan) string {
	expression := "0"
	for i, b := range p.bins {
		expression = fmt.Sprintf("(%s) * %d + %s", expression, b.Number(), e.bin(p.quasiIdentifiers[i], b.Cuts))
	}
	return e.Dialect.Cast("("+expression+")", dialect.BigInt)
}

// bin is the bin of a record's value, as an expression that halves the cuts.
func (e *Engine) bin(c Column, cuts []anonymize.Value) string {
	var over func(first, end int) string // the bin of a value that is in one of first..end
	over = func(first, end int) string {
		if first == end {
			return fmt.Sprint(first)
		}
		middle := (first + end) / 2
		return fmt.Sprintf("CASE WHEN %s >= %s THEN %s ELSE %s END", e.Dialect.Name(c.Name), c.literal(e.Dialect, cuts[middle]), over(middle+1, end), over(first, middle))
	}
	return over(0, len(cuts))
}

// heavy is the number of a record's sensitive value, -1 for light ones, as an expression.
func (e *Engine) heavy(p *Plan, heavy []Count) string {
	name, values := e.Dialect.Name(p.sensitive.Name), slices.Clone(heavy)
	var b strings.Builder
	for i, c := range values {
		if c.Value.IsNull() {
			fmt.Fprintf(&b, " WHEN %s IS NULL THEN %d", name, i)
			continue
		}
		fmt.Fprintf(&b, " WHEN %s = %s THEN %d", name, p.sensitive.literal(e.Dialect, c.Value), i)
	}
	if b.Len() == 0 {
		return "-1"
	}
	return "CASE" + b.String() + " ELSE -1 END"
}
