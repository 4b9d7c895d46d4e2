package publication

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/engine/dialect"
)

// MaxValues is the greatest number of values of a released column. anonsql reads them to plan, and again once the relations are written.
const MaxValues = 100_000

// Limits of what planning reads.
const (
	maxCells = 500_000 // rows of cells and sensitive values, by the engine's estimate
	maxBins  = 64      // of an attribute
	maxHeavy = 1000    // distinguished sensitive values
)

// A Plan says how the engine divides a table into groups.
type Plan struct {
	Request
	Records          int64
	Blocks           int
	largest          int64 // greatest number of records of a block
	mostCells        int64 // about the greatest number of rows of cells and sensitive values to read
	quasiIdentifiers []Column
	sensitive        Column
	identifiers      []Column
	fragments        [][]Column // of quasi-identifiers
	rule             Rule
	values           map[string][]Count // of counted columns, ascending
	bins             []*Bins
	blockOf          [][2]int64 // pairs of a cell's number and its block
	buckets          []bucketed
	pools            int64 // into which the only block is dealt
}

// NewPlan reads counts and plans. A table that cannot be divided as requested is a DataError, an
// InfeasibleError, or a ParameterError. Memory depends on the counts, not on the number of records.
func (e *Engine) NewPlan(ctx context.Context, r Request) (*Plan, error) {
	p := &Plan{Blocks: 1, mostCells: maxCells}
	var err error
	if p.Request, err = r.checked(); err != nil {
		return nil, err
	}
	if err := p.findColumns(); err != nil {
		return nil, err
	}
	if err := e.checkNames(p); err != nil {
		return nil, err
	}
	counts, err := e.sensitiveCounts(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := e.planFragments(ctx, p); err != nil {
		return nil, err
	}
	if err := e.planSize(ctx, p, counts); err != nil {
		return nil, err
	}
	p.largest = p.Records
	if p.Block > 0 {
		if err := e.planBlocks(ctx, p, counts); err != nil {
			return nil, err
		}
	}
	if err := e.limitValues(ctx, p, counts); err != nil {
		return nil, err
	}
	p.buckets = bucketsOf(counts, p.largest, perBucket, p.rule)
	p.pools = p.poolsFor(counts)
	return p, nil
}

// findColumns looks up the columns by name.
func (p *Plan) findColumns() (err error) {
	for _, of := range []struct {
		names []string
		to    *[]Column
	}{{p.QuasiIdentifiers, &p.quasiIdentifiers}, {p.Identifiers, &p.identifiers}} {
		for _, name := range of.names {
			c, err := p.Table.column(name)
			if err != nil {
				return err
			}
			*of.to = append(*of.to, c)
		}
	}
	if p.sensitive, err = p.Table.column(p.Sensitive); err != nil {
		return err
	}
	for _, c := range p.released() {
		if name := strings.ToLower(c.Name); name == "gid" || name == "count" {
			return &anonymize.DataError{Reason: fmt.Sprintf("column %q is called as a column of every relation is: name it otherwise, in a view", c.Name)}
		}
	}
	return nil
}

// checkNames refuses names that the engine's statements cannot hold.
func (e *Engine) checkNames(p *Plan) error {
	names := []string{e.Catalog, e.Private, e.Published, p.Table.Schema, p.Table.Name}
	for _, c := range slices.Concat(p.identifiers, p.released()) {
		names = append(names, c.Name)
	}
	for _, name := range names {
		if err := e.Dialect.CheckName(name); err != nil {
			return &anonymize.DataError{Reason: err.Error()}
		}
	}
	return nil
}

// sensitiveCounts counts the records by sensitive value and refuses what no division into
// groups can protect. It does not distinguish sensitive values if nothing is required of them.
func (e *Engine) sensitiveCounts(ctx context.Context, p *Plan) (counts []Count, err error) {
	if p.Method == Mondrian && p.L == 1 {
		err = e.Conn.Query(ctx, "SELECT count(*) FROM "+e.raw(p.Table), func(row []any) error {
			p.Records, err = readCount(row[0])
			return err
		})
	} else {
		counts, err = e.counts(ctx, p.Table, p.sensitive)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range counts {
		p.Records += c.Records
	}
	return counts, p.check(counts)
}

// check refuses unsatisfiable requests.
func (p *Plan) check(sensitive []Count) error {
	most, asked := mostOf(sensitive), "k"
	if p.Size > p.K {
		asked = "size"
	}
	switch {
	case p.Records == 0:
		return &anonymize.DataError{Reason: fmt.Sprintf("table %s.%s has no records", p.Table.Schema, p.Table.Name)}
	case p.Method == Slppa && len(sensitive) == 1:
		return &anonymize.DataError{Reason: fmt.Sprintf("column %q has one value, %s: there is nothing that groups could hide", p.Sensitive, most.Value)}
	case int64(max(p.K, p.Size)) > p.Records:
		return &anonymize.InfeasibleError{Parameter: asked, Given: anonymize.NewRatio(uint64(max(p.K, p.Size)), 1),
			Largest: anonymize.NewRatio(uint64(p.Records), 1), Obstacle: fmt.Sprintf("the table has %d records", p.Records)}
	case p.Method != Slppa && most.Records > p.Records/int64(p.L):
		return &anonymize.InfeasibleError{Parameter: "l", Given: anonymize.NewRatio(uint64(p.L), 1),
			Largest: anonymize.NewRatio(uint64(p.Records/most.Records), 1), Obstacle: fmt.Sprintf("value %s of column %q has %d of %d records", most.Value, p.Sensitive, most.Records, p.Records)}
	}
	return nil
}

// heavyOf returns the heavy sensitive values. If there are too many to distinguish, it makes blocks larger.
func (p *Plan) heavyOf(sensitive []Count) []Count {
	p.Block = max(p.Block, p.rule.Size)
	for {
		heavy := p.rule.Heavy(sensitive, p.Block)
		if len(heavy) <= maxHeavy || p.Block > p.Records {
			return heavy
		}
		p.Block += p.Block/4 + 1
	}
}

// planBlocks divides the table's combinations of bins into blocks.
func (e *Engine) planBlocks(ctx context.Context, p *Plan, sensitive []Count) error {
	heavy := p.heavyOf(sensitive)
	if p.Block > p.Records {
		return nil // one block
	}
	if err := e.planBins(ctx, p, heavy); err != nil {
		return err
	}
	cells, numbers, err := e.cells(ctx, p, heavy)
	if err != nil {
		return err
	}
	d, err := p.divide(ctx, cells)
	if err != nil {
		return err
	}
	p.Blocks, p.largest = d.Blocks, d.Largest
	for i, b := range d.BlockOf {
		p.blockOf = append(p.blockOf, [2]int64{numbers[i], int64(b)})
	}
	return nil
}

// divide assigns cells to blocks; for mondrian these are classes.
func (p *Plan) divide(ctx context.Context, c *Cells) (*Division, error) {
	if p.Method == Mondrian {
		return Classes(ctx, c, p.rule, p.Block)
	}
	return Divide(ctx, c, p.rule, p.Block)
}

// perBlock is about the number of rows of cells per block, so that a block can be cut along every attribute.
const perBlock = 32

// planBins cuts the attributes into as many bins as possible while the records' combinations of
// bins and heavy values are few enough to read. One query counts them for several numbers of
// bins.
func (e *Engine) planBins(ctx context.Context, p *Plan, heavy []Count) error {
	counts := make([][]Count, len(p.quasiIdentifiers))
	for i, c := range p.quasiIdentifiers {
		var err error
		if counts[i], err = e.valuesOf(ctx, p, c); err != nil {
			return err
		}
	}
	most := min(p.mostCells, perBlock*max(1, p.Records/p.Block))
	tried := p.triedBins(counts, len(heavy), most)
	if p.bins = tried[0]; len(tried) == 1 {
		return nil
	}
	return e.Conn.Query(ctx, e.distinctCells(p, tried, heavy), func(row []any) error {
		for i, v := range row {
			n, err := readCount(v)
			if p.bins = tried[i]; err != nil || n <= most {
				return err
			}
		}
		return nil
	})
}

// triedBins returns divisions into bins, each coarser than the previous one, of which some have
// at most most combinations with heavy heavy values and all others; only the first one if it
// certainly has.
func (p *Plan) triedBins(counts [][]Count, heavy int, most int64) [][]*Bins {
	cells := max(1, most/int64(heavy+1)) // combinations of bins for which that is certain
	if p.Records <= most {
		if p.Method == Mondrian {
			return [][]*Bins{p.binsOf(counts, maxNumbered)}
		}
		return [][]*Bins{p.binsOf(counts, int(cells<<coarser))}
	}
	finest := p.binsOf(counts, int(cells<<coarser))
	tried := [][]*Bins{finest}
	for step := 1; step <= coarser; step++ {
		tried = append(tried, p.coarserBins(finest, counts, int(cells<<(coarser-step))))
	}
	return tried
}

// maxNumbered bounds the number of combinations of bins, including those without records: the engine has 63 bits for a number.
const maxNumbered = 1 << 52

// coarser is the number of coarser divisions to try, each with half of the previous one's combinations.
const coarser = 15

// distinctCells writes a query of the number of occurring combinations of cell and heavy value, for each of several divisions that coarsen the first.
func (e *Engine) distinctCells(p *Plan, tried [][]*Bins, heavy []Count) string {
	finest := make([]string, 0, len(p.quasiIdentifiers)+1)
	for i, c := range p.quasiIdentifiers {
		finest = append(finest, fmt.Sprintf("%s AS b%d", e.bin(c, e.Dialect.Name(c.Name), tried[0][i].Cuts), i))
	}
	finest = append(finest, e.heavy(p, heavy)+" AS value")
	var distinct []string
	for _, bins := range tried {
		cell := e.Dialect.Cast("0", dialect.BigInt)
		for i, b := range bins {
			cell = fmt.Sprintf(
				"(%s) * %d + %s",
				cell,
				b.Number(),
				e.Dialect.Cast(fmt.Sprintf("floor(b%d * %d / %d)", i, b.Number(), tried[0][i].Number()), dialect.BigInt),
			)
		}
		distinct = append(distinct, e.Dialect.ApproximatelyDistinct(fmt.Sprintf("(%s) * %d + value", cell, len(heavy)+1)))
	}
	return fmt.Sprintf("SELECT %s FROM (SELECT %s FROM %s) AS binned", strings.Join(distinct, ", "), strings.Join(finest, ", "), e.raw(p.Table))
}

// cells reads the records of every combination of bins, by heavy sensitive value. numbers are the combinations' numbers.
func (e *Engine) cells(ctx context.Context, p *Plan, heavy []Count) (c *Cells, numbers []int64, err error) {
	c = &Cells{Bins: make([][]uint8, len(p.bins)), Numbers: make([]int, len(p.bins)), Start: []int{0}, Total: recordsOf(heavy)}
	for a, b := range p.bins {
		c.Numbers[a] = b.Number()
	}
	text := fmt.Sprintf("SELECT cell, value, count(*) FROM (SELECT %s AS cell, %s AS value FROM %s AS t) AS records GROUP BY cell, value ORDER BY cell, value",
		e.cell(p, p.bins), e.heavy(p, heavy), e.raw(p.Table))
	err = e.Conn.Query(ctx, text, func(row []any) error {
		number, err := readCount(row[0])
		if err != nil {
			return err
		}
		value, err := readCount(row[1])
		if err != nil {
			return err
		}
		n, err := readCount(row[2])
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
	if err == nil && len(numbers) == 0 {
		err = emptied(p.Table)
	}
	return c, numbers, err
}

// add begins the cell with this number (see Engine.cell).
func (c *Cells) add(number int64) {
	for a := len(c.Bins) - 1; a >= 0; a-- {
		c.Bins[a] = append(c.Bins[a], uint8(number%int64(c.Numbers[a])))
		number /= int64(c.Numbers[a])
	}
	c.Start = append(c.Start, len(c.Sensitive))
}

// cell returns an expression of the number of the combination of bins of a record of t. The bins are its digits. There may be more combinations than
// 32-bit integers.
func (e *Engine) cell(p *Plan, bins []*Bins) string {
	expression := e.Dialect.Cast("0", dialect.BigInt)
	for i, b := range bins {
		expression = fmt.Sprintf("(%s) * %d + %s", expression, b.Number(), e.bin(p.quasiIdentifiers[i], e.Dialect.Name("t", p.quasiIdentifiers[i].Name), b.Cuts))
	}
	return "(" + expression + ")"
}

// bin returns an expression of a record's bin, by nested halving of the cuts. name is the column in the statement.
func (e *Engine) bin(c Column, name string, cuts []anonymize.Value) string {
	var over func(first, end int) string // the bin of a value in one of first..end
	over = func(first, end int) string {
		if first == end {
			return fmt.Sprint(first)
		}
		middle := (first + end) / 2
		return fmt.Sprintf(
			"CASE WHEN %s >= %s THEN %s ELSE %s END",
			name,
			c.literal(e.Dialect, cuts[middle]),
			over(middle+1, end),
			over(first, middle),
		)
	}
	return over(0, len(cuts))
}

// heavy returns an expression of the number of a record's sensitive value, -1 for light ones. It looks the value up, since engines compile a CASE
// branch by branch.
func (e *Engine) heavy(p *Plan, heavy []Count) string {
	name, null := e.Dialect.Name(p.sensitive.Name), ""
	var keys, numbers []string
	for i, c := range heavy {
		if c.Value.IsNull() {
			null = fmt.Sprintf("WHEN %s IS NULL THEN %d ", name, i)
			continue
		}
		keys, numbers = append(keys, p.sensitive.literal(e.Dialect, c.Value)), append(numbers, fmt.Sprint(i))
	}
	number := "-1"
	if keys != nil {
		number = "coalesce(" + e.Dialect.Lookup(name, keys, numbers) + ", -1)"
	}
	if null != "" {
		number = "CASE " + null + "ELSE " + number + " END"
	}
	return number
}
