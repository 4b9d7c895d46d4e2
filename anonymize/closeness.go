package anonymize

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// LThreshold and LSets name the guarantees that bound the share of several values together, as l bounds the share of one.
const (
	LThreshold = "l_threshold" // numbers within Promise.Threshold of each other
	LSets      = "l_sets"      // cells that share a code
)

// A Width is the greatest distance of two numbers that count as one.
type Width struct {
	Ratio
	// Relative: the width is a part of the number nearer to 0. Then only 0 is close to 0, and numbers of different signs are never close.
	Relative bool
}

func (w Width) String() string {
	if w.Relative {
		return NewRatio(w.Num, w.Den).percent() + "%"
	}
	return w.Text()
}

// percent returns a hundred times the ratio, in the form that ParseRatio reads.
func (r Ratio) percent() string {
	hundred := new(big.Rat).Mul(r.Rat(), big.NewRat(100, 1))
	return NewRatio(hundred.Num().Uint64(), hundred.Denom().Uint64()).Text()
}

const widths = "must be a number of at least 0, such as 500, or a part of the number itself, such as 1%"

// Threshold and Sets are parameters of every method that bounds the share of a sensitive value: see [Method.Share].
var (
	Threshold = NewParam(Parameter{Name: "threshold", Doc: "numbers that differ by at most this much count as one value: the bound on a sensitive " +
		"value's share then holds for all values in any interval of this width; 500 (for dates, days) or 1% (of the number); 0: each value counts by " +
		"itself"},
		func(text string) (Width, error) {
			number, relative := strings.CutSuffix(strings.TrimSpace(text), "%")
			r, err := ParseRatio(number)
			if relative && err == nil {
				r, err = ParseRatio(new(big.Rat).Quo(r.Rat(), big.NewRat(100, 1)).String())
			}
			if err != nil {
				return Width{}, &ParameterError{"threshold", quote(text), widths}
			}
			return Width{r, relative}, nil
		}).Default("0")
	Sets = NewParam(Parameter{Name: "sa_sets", Doc: "separator of the codes in a sensitive cell that holds several, such as ; in I10;E11: the bound on " +
		"a sensitive value's share then holds for all cells that share a code; none: a cell is one value"},
		func(text string) (string, error) {
			if text == noSets {
				return "", nil
			}
			if text = strings.TrimSpace(text); text == "" || strings.ContainsFunc(text, isOfCodes) {
				return "", &ParameterError{"sa_sets", quote(text), "must be what stands between codes, such as ; or |, and have no letter or digit, or be none"}
			}
			return text, nil
		}).Default(noSets)
)

const noSets = "none"

func isOfCodes(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// closePromises returns the promises that the parameters threshold and sa_sets add to a method that bounds the share of a sensitive value.
func (m Method) closePromises(in *Input, settings Settings) (promises []Promise, err error) {
	width, separator := Threshold.Read(settings), Sets.Read(settings)
	if width.Num == 0 && separator == "" {
		return nil, nil
	}
	share := m.Share(settings)
	if share.Num >= share.Den {
		return nil, &ParameterError{closeParameter(width), quote(closeValue(width, separator)),
			"but no bound on the share of a sensitive value is given that it could be about: say l=, such as l=2"}
	}
	bound := NewRatio(share.Den, share.Num)
	for _, c := range in.Sensitive {
		p := Promise{Guarantee: LSets, Bound: bound, Separator: separator}
		if c.IsNumeric() {
			p = Promise{Guarantee: LThreshold, Bound: bound, Threshold: width.Ratio, Relative: width.Relative}
		}
		if p.Threshold.Num == 0 && p.Separator == "" {
			continue
		}
		if isDay := func(v Value) bool { return v.Kind == Instant }; p.Relative && slices.ContainsFunc(c.Dictionary, isDay) {
			return nil, &DataError{"threshold: " + c.Name + " has dates, of which there is no percentage: say days, such as threshold=30"}
		}
		if len(in.Sensitive) > 1 {
			p.Guarantee = GuaranteeName(p.Guarantee, c.Name)
		}
		if err := p.feasible(in, c, m.shareParameter(settings)); err != nil {
			return nil, err
		}
		promises = append(promises, p)
	}
	for _, needs := range []struct {
		asked     bool
		guarantee string
		what      string
	}{{width.Num > 0, LThreshold, "threshold: no sensitive attribute is numeric, and others have no distance to each other"},
		{separator != "", LSets, "sa_sets: no sensitive attribute is of texts, which alone hold several codes"}} {
		if needs.asked && !slices.ContainsFunc(promises, func(p Promise) bool { return strings.HasPrefix(p.Guarantee, needs.guarantee) }) {
			return nil, &DataError{needs.what}
		}
	}
	return promises, nil
}

// shareParameter returns the name of the parameter that bounds the share.
func (m Method) shareParameter(settings Settings) string {
	for _, name := range []string{"beta", "max_share"} {
		if r, err := ParseRatio(settings.Text[name]); err == nil && r == m.Share(settings) {
			return name
		}
	}
	return "l"
}

// feasible checks the promise on the whole table. The share in a union of groups is a mean of the shares in the groups,
// so if the table breaks the promise, every grouping does. parameter names the source of the bound, for the error.
func (p *Promise) feasible(in *Input, c *Column, parameter string) error {
	codes, records, closeness := Indices(len(c.Dictionary)), c.Histogram(), p.Closeness(c.Dictionary)
	most := closeness.LargestSet(codes, func(i int) uint64 { return uint64(records[i]) })
	if most.Records == 0 || (Ratio{p.Bound.Den, p.Bound.Num}).Admits(int(most.Records), in.Rows) {
		return nil
	}
	infeasible := &InfeasibleError{Parameter: parameter,
		Obstacle: fmt.Sprintf("%s is %d of %d records, and %s", most.Describe(c.Name), most.Records, in.Rows, closeness)}
	if parameter == "l" {
		infeasible.Given, infeasible.Largest = p.Bound, NewRatio(uint64(in.Rows)/most.Records, 1)
	} else {
		infeasible.Given, infeasible.Smallest = Ratio{p.Bound.Den, p.Bound.Num}, NewRatio(most.Records, uint64(in.Rows))
	}
	return infeasible
}

func closeParameter(width Width) string {
	if width.Num > 0 {
		return Threshold.Name()
	}
	return Sets.Name()
}

func closeValue(width Width, separator string) string {
	if width.Num > 0 {
		return width.String()
	}
	return separator
}

// A Closeness says which values of a sensitive attribute count as one. It need not be a partition: every interval of
// the width is a set of values, and so are all cells that share a code. It is safe for concurrent use.
type Closeness struct {
	// For numbers, by rank in ascending order: reach is the rank of the greatest close number; code maps ranks to codes, rank maps codes to ranks.
	reach, code, rank []uint32
	// For cells: codes has the codes in each cell, names has their texts.
	codes [][]uint32
	names []string

	dictionary []Value
	within     string
	scratch    sync.Pool
}

// A CloseSet is the set of values that count as one and together have the most records.
type CloseSet struct {
	Records uint64
	of      *Closeness
	first   uint32 // numbers: first and last are the least and the greatest rank that occur; cells: first is the code
	last    uint32
}

// Closeness returns which values count as one under the promise; nil if every value counts by itself.
func (p *Promise) Closeness(dictionary []Value) *Closeness {
	switch name, _, _ := SplitAbout(p.Guarantee); {
	case name == LThreshold && p.Threshold.Num > 0:
		return closeNumbers(dictionary, Width{p.Threshold, p.Relative})
	case name == LSets && p.Separator != "":
		return closeCells(dictionary, p.Separator)
	}
	return nil
}

// ClosenessOf returns which values of a sensitive attribute count as one under the promises in Asked; nil if no promise says so.
func (in *Input) ClosenessOf(c *Column) *Closeness {
	for _, p := range in.Asked {
		if _, about, _ := SplitAbout(p.Guarantee); about != nil && !slices.Equal(about, []string{c.Name}) {
			continue
		}
		if closeness := p.Closeness(c.Dictionary); closeness != nil {
			return closeness
		}
	}
	return nil
}

// closeNumbers computes the reaches exactly. A value that is no number is close to itself alone.
func closeNumbers(dictionary []Value, width Width) *Closeness {
	c := &Closeness{dictionary: dictionary, code: Indices(len(dictionary)), rank: make([]uint32, len(dictionary)), reach: make([]uint32, len(dictionary)),
		within: fmt.Sprintf("numbers within %s of each other count as one", width)}
	slices.SortFunc(c.code, func(a, b uint32) int { return Compare(dictionary[a], dictionary[b]) })
	numbers := make([]*big.Rat, len(dictionary))
	for rank, code := range c.code {
		c.rank[code] = uint32(rank)
		numbers[rank], _ = exactNumber(dictionary[code])
	}
	last := 0
	for rank, from := range numbers {
		last = max(last, rank)
		if from != nil {
			to := width.upperEnd(from)
			for last+1 < len(numbers) && numbers[last+1] != nil && numbers[last+1].Cmp(to) <= 0 {
				last++
			}
		}
		c.reach[rank] = uint32(last)
	}
	return c
}

// upperEnd returns the greatest number that is close to x: x + w. For a relative width it is x (1 + w)
// above 0, and x / (1 + w) below 0, because there the upper number is the one nearer to 0.
func (w Width) upperEnd(x *big.Rat) *big.Rat {
	if !w.Relative {
		return new(big.Rat).Add(x, w.Rat())
	}
	factor := new(big.Rat).Add(big.NewRat(1, 1), w.Rat())
	if x.Sign() < 0 {
		return factor.Quo(x, factor)
	}
	return factor.Mul(x, factor)
}

// closeCells splits cells at the separator. Case and surrounding blanks do not distinguish codes. A cell without a separator is one code, and
// cells of nothing but separators share the code of the empty text.
func closeCells(dictionary []Value, separator string) *Closeness {
	c := &Closeness{dictionary: dictionary, within: fmt.Sprintf("cells that share a code count as one, and %q stands between codes", separator)}
	number := make(map[string]uint32)
	for _, v := range dictionary {
		parts := []string{v.String()}
		if v.Kind == Text {
			parts = slices.DeleteFunc(strings.Split(v.Text, separator), func(part string) bool { return strings.TrimSpace(part) == "" })
		}
		if len(parts) == 0 {
			parts = []string{""}
		}
		var codes []uint32
		for _, part := range parts {
			name := strings.TrimSpace(part)
			n, known := number[strings.ToLower(name)]
			if !known {
				n = uint32(len(c.names))
				number[strings.ToLower(name)] = n
				c.names = append(c.names, name)
			}
			if !slices.Contains(codes, n) {
				codes = append(codes, n)
			}
		}
		c.codes = append(c.codes, codes)
	}
	return c
}

// LargestSet returns the set of close values with the most records; count(i) is the number of records with codes[i].
func (c *Closeness) LargestSet(codes []uint32, count func(i int) uint64) CloseSet {
	if c.reach == nil {
		return c.mostFrequentCode(codes, count)
	}
	s := c.take()
	defer c.scratch.Put(s)
	for i, code := range codes {
		if n := count(i); n > 0 {
			s.occurring = append(s.occurring, occurrence{c.rank[code], n})
		}
	}
	byRank := func(a, b occurrence) int { return cmp.Compare(a.rank, b.rank) }
	if !slices.IsSortedFunc(s.occurring, byRank) {
		slices.SortFunc(s.occurring, byRank)
	}
	most, end, sum := CloseSet{of: c}, 0, uint64(0)
	for _, from := range s.occurring {
		for end < len(s.occurring) && s.occurring[end].rank <= c.reach[from.rank] {
			sum += s.occurring[end].records
			end++
		}
		if sum > most.Records {
			most = CloseSet{sum, c, from.rank, s.occurring[end-1].rank}
		}
		sum -= from.records
	}
	return most
}

// An occurrence is a value, by rank, and the number of its records.
type occurrence struct {
	rank    uint32
	records uint64
}

type closeScratch struct {
	occurring []occurrence
	records   []uint64 // by code; zero between uses
}

func (c *Closeness) take() *closeScratch {
	s, _ := c.scratch.Get().(*closeScratch)
	if s == nil {
		s = &closeScratch{records: make([]uint64, len(c.names))}
	}
	s.occurring = s.occurring[:0]
	return s
}

func (c *Closeness) mostFrequentCode(cells []uint32, count func(i int) uint64) CloseSet {
	s := c.take()
	defer c.scratch.Put(s)
	most := CloseSet{of: c}
	for i, cell := range cells {
		n := count(i)
		for _, code := range c.codes[cell] {
			if s.records[code] += n; s.records[code] > most.Records {
				most.Records, most.first = s.records[code], code
			}
		}
	}
	for _, cell := range cells {
		for _, code := range c.codes[cell] {
			s.records[code] = 0
		}
	}
	return most
}

// Describe returns "wage from 10 to 14" for numbers, "codes with I10" for cells.
func (m CloseSet) Describe(column string) string {
	c := m.of
	switch {
	case c.reach == nil:
		return fmt.Sprintf("%s with %s", column, c.names[m.first])
	case m.first == m.last:
		return fmt.Sprintf("%s = %s", column, c.dictionary[c.code[m.first]])
	}
	return fmt.Sprintf("%s from %s to %s", column, c.dictionary[c.code[m.first]], c.dictionary[c.code[m.last]])
}

// String describes, as a sentence, which values count as one.
func (c *Closeness) String() string { return c.within }

// Classes partitions the values for methods that group by value: the values of a class are all close to each other. The
// least number without a class opens a class, and all numbers close to it join. The class of a cell is its most
// frequent code. Values of two classes may be close, too, so no promise is about classes. A nil Closeness returns nil.
func (c *Closeness) Classes(column *Column) Classes {
	if c == nil {
		return nil
	}
	classes := make(Classes, len(c.dictionary))
	if c.reach == nil {
		return c.classesOfCells(column)
	}
	class, until := uint32(0), uint32(0)
	for rank, code := range c.code {
		if rank == 0 {
			until = c.reach[0]
		} else if uint32(rank) > until {
			class, until = class+1, c.reach[rank]
		}
		classes[code] = class
	}
	return classes
}

// classesOfCells assigns each cell to its most frequent code, the one whose bound is hardest to keep.
func (c *Closeness) classesOfCells(column *Column) Classes {
	records := make([]int, len(c.names))
	for cell, n := range column.Histogram() {
		for _, code := range c.codes[cell] {
			records[code] += n
		}
	}
	number, classes := make(map[uint32]uint32), make(Classes, len(c.codes))
	for cell, codes := range c.codes {
		of := slices.MaxFunc(codes, func(a, b uint32) int { return cmp.Or(cmp.Compare(records[a], records[b]), cmp.Compare(b, a)) })
		n, known := number[of]
		if !known {
			n = uint32(len(number))
			number[of] = n
		}
		classes[cell] = n
	}
	return classes
}

// IsOrdered reports whether close values are neighbours in the order of the values, so that dealing records in that order separates them.
func (c *Closeness) IsOrdered() bool { return c != nil && c.reach != nil }
