package privacy

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/anonsql/anonsql/anonymize"
)

// breach is the greatest breach probability. For the class C of all records with the same
// published quasi-identifiers, across groups, and a sensitive value s,
//
//	P_C(s) = sum over groups B of n(C,B)/|C| * Num(s,B)/|B|,
//
// where n(C,B) is the number of records of C in group B and Num(s,B) that of records of B with
// s. If classes are groups, it is the greatest share, beta.
//
// It bounds p(t,s) for every record t (Li et al., cross-bucket generalization, Definition 5),
// even if the cells of several classes cover t. The release says the same of all records of a
// class, so they are exchangeable and
//
//	p(t,s) = sum over C of P(t in C) P_C(s) <= greatest P_C(s),
//
// for any P(t in C), also against an attacker who knows everyone's quasi-identifiers. It does
// not cover attackers who know others' sensitive values or the method's choices.
func breach(r *anonymize.Release) ([]figure, error) {
	qi, err := wholeQuasiIdentifiers(r)
	if err != nil {
		return nil, err
	}
	columns, err := sensitiveColumns(r)
	if err != nil {
		return nil, err
	}
	worst := newFigure("breach")
	classes := newCellClasses(qi)
	for _, column := range columns {
		if !column.column.IsPoint() {
			return nil, fmt.Errorf("the cells of %s are sets: a record has its own", column.column.Name)
		}
		newBreach(r, classes, column).scan(&worst)
	}
	return []figure{worst}, nil
}

// wholeQuasiIdentifiers returns the only fragment with quasi-identifiers, which shows records completely.
func wholeQuasiIdentifiers(r *anonymize.Release) (*anonymize.Fragment, error) {
	var fragment *anonymize.Fragment
	for _, f := range r.Fragments {
		switch {
		case f.Role == anonymize.Sensitive:
		case f.Role == anonymize.Mixed || fragment != nil:
			return nil, errors.New("the quasi-identifiers are not in one fragment of their own")
		default:
			fragment = f
		}
	}
	if fragment == nil {
		return nil, errors.New("no quasi-identifiers are published")
	}
	return fragment, nil
}

// cellClasses are the tuples of a fragment by class: those of class c are
// tuple[start[c]:start[c+1]], ascending.
type cellClasses struct {
	fragment     *anonymize.Fragment
	start, tuple []uint32
	group        []uint32 // by tuple
}

func newCellClasses(f *anonymize.Fragment) *cellClasses {
	number, distinct := tupleNumbers(f)
	c := &cellClasses{fragment: f, start: make([]uint32, distinct+1), tuple: make([]uint32, len(number)), group: make([]uint32, len(number))}
	for _, n := range number {
		c.start[n+1]++
	}
	for n := range distinct {
		c.start[n+1] += c.start[n]
	}
	place := append([]uint32(nil), c.start...)
	for t, n := range number {
		c.tuple[place[n]] = uint32(t)
		place[n]++
	}
	for g := range f.Groups() {
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			c.group[t] = uint32(g)
		}
	}
	return c
}

// A breachScan visits the classes for one sensitive attribute.
type breachScan struct {
	*cellClasses
	sensitiveColumn
	sizes    []uint32
	greatest []uint32 // by group: the greatest Num(s,B)
	sum      []uint64 // by code: sum of n(C,B) Num(s,B) unit/|B| over the groups so far
	touched  []uint32
}

func newBreach(r *anonymize.Release, classes *cellClasses, column sensitiveColumn) *breachScan {
	b := &breachScan{cellClasses: classes, sensitiveColumn: column, sizes: r.GroupSizes,
		greatest: make([]uint32, r.Groups()), sum: make([]uint64, len(column.column.Dictionary))}
	f, records := column.fragment, make([]uint32, len(column.column.Dictionary)) // of a value, in one group
	for g := range b.greatest {
		first, end := f.GroupStart[g], f.GroupStart[g+1]
		for t := first; t < end; t++ { // with several attributes, tuples repeat a value
			code := column.column.Codes[t]
			records[code] += f.Count[t]
			b.greatest[g] = max(b.greatest[g], records[code])
		}
		for t := first; t < end; t++ {
			records[column.column.Codes[t]] = 0
		}
	}
	return b
}

// scan raises worst. A class in one group, or in groups with no share above worst, needs no
// sums, because P_C(s) is a mean of shares.
func (b *breachScan) scan(worst *figure) {
	for c := range len(b.start) - 1 {
		tuples := b.tuple[b.start[c]:b.start[c+1]]
		if worst.group >= 0 && !b.mayExceed(tuples, worst.worst) {
			continue
		}
		p, code := b.largest(tuples)
		if group := int(b.group[tuples[0]]); worst.raise(p, group) {
			worst.detail = fmt.Sprintf("%s of the %d with %s", describeValue(b.column, code),
				b.records(tuples), describeTuple(b.cellClasses.fragment, tuples[0]))
		}
	}
}

func (b *breachScan) mayExceed(tuples []uint32, bound exact) bool {
	for _, t := range tuples {
		g := b.group[t]
		if quotient(uint64(b.greatest[g]), uint64(b.sizes[g])).compare(bound) > 0 {
			return true
		}
	}
	return false
}

func (b *breachScan) records(tuples []uint32) (n uint64) {
	for _, t := range tuples {
		n += uint64(b.cellClasses.fragment.Count[t])
	}
	return n
}

// greatestBreachUnit keeps sums below 2^63, since there are fewer than 2^31 records.
const greatestBreachUnit = 1 << 32

// largest returns the greatest P_C(s) of a class and the code of s. It uses whole multiples of
// 1/(unit |C|), where unit is a multiple of the sizes of the class's groups; if none is below
// 2^32, it uses big rationals.
func (b *breachScan) largest(tuples []uint32) (p exact, code uint32) {
	unit := uint64(1)
	for _, t := range tuples {
		if unit = leastCommonMultiple(unit, uint64(b.sizes[b.group[t]])); unit > greatestBreachUnit {
			return b.largestExactly(tuples)
		}
	}
	b.eachShare(tuples, func(code, records, count, size uint32) {
		if b.sum[code] == 0 {
			b.touched = append(b.touched, code)
		}
		b.sum[code] += uint64(records) * (uint64(count) * (unit / uint64(size)))
	})
	most := uint64(0)
	for _, c := range b.touched {
		if b.sum[c] > most || b.sum[c] == most && c < code {
			most, code = b.sum[c], c
		}
		b.sum[c] = 0
	}
	b.touched = b.touched[:0]
	whole := unit * b.records(tuples) // below 2^63
	return quotient(most, whole), code
}

// eachShare calls add for every sensitive value in the groups of a class, with the number of
// the class's records in the group, the value's count and the group's size.
func (b *breachScan) eachShare(tuples []uint32, add func(code, records, count, size uint32)) {
	f := b.sensitiveColumn.fragment
	for _, t := range tuples {
		g := b.group[t]
		for s := f.GroupStart[g]; s < f.GroupStart[g+1]; s++ {
			add(b.column.Codes[s], b.cellClasses.fragment.Count[t], f.Count[s], b.sizes[g])
		}
	}
}

// largestExactly is largest for classes in groups whose sizes have no small common multiple. It
// adds up exactly only those values that can be the greatest according to floats.
func (b *breachScan) largestExactly(tuples []uint32) (p exact, code uint32) {
	float := make(map[uint32]float64)
	most, terms := 0.0, 0
	b.eachShare(tuples, func(code, records, count, size uint32) {
		float[code] += float64(records) * float64(count) / float64(size)
		most, terms = max(most, float[code]), terms+1
	})
	slack := most * float64(terms+4) * 0x1p-51 // each addition has a smaller error
	sums := make(map[uint32]*big.Rat)
	for code, sum := range float {
		if sum >= most-slack {
			sums[code] = new(big.Rat)
		}
	}
	bySize := make(map[[2]uint32]*big.Int) // by code and size: equal denominators
	b.eachShare(tuples, func(code, records, count, size uint32) {
		if sums[code] == nil {
			return
		}
		key := [2]uint32{code, size}
		if bySize[key] == nil {
			bySize[key] = new(big.Int)
		}
		bySize[key].Add(bySize[key], new(big.Int).SetUint64(uint64(records)*uint64(count)))
	})
	for key, part := range bySize {
		sums[key[0]].Add(sums[key[0]], new(big.Rat).SetFrac(part, big.NewInt(int64(key[1]))))
	}
	greatest := new(big.Rat)
	for c, sum := range sums {
		if d := sum.Cmp(greatest); d > 0 || d == 0 && c < code {
			greatest, code = sum, c
		}
	}
	return exact{large: greatest.Quo(greatest, new(big.Rat).SetInt(new(big.Int).SetUint64(b.records(tuples))))}, code
}
