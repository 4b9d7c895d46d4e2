package bucketization

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// Buckets are the records by sensitive value, or by class of values that count as one.
type Buckets struct {
	// Value is the sensitive value of every record: a code of the column, or a
	// class.
	Value []uint32
	// Count has the number of records of every value.
	Count []uint32
	// List has the occurring values, the most frequent first, ties by value.
	List []uint32
	// Start has len(List)+1 entries: in the order of List, the records of List[i] have
	// positions Start[i] .. Start[i+1]-1.
	Start []int

	column  *anonymize.Column
	classes anonymize.Classes
}

// NewBuckets counts the values of the sensitive attribute; with classes, those of a class
// together. O(rows).
func NewBuckets(sensitive *anonymize.Column, classes anonymize.Classes) *Buckets {
	b := &Buckets{Value: sensitive.Codes, column: sensitive, classes: classes,
		Count: make([]uint32, classes.Count(len(sensitive.Dictionary)))}
	if classes != nil {
		b.Value = anonymize.Gather(classes, sensitive.Codes)
	}
	for _, v := range b.Value {
		b.Count[v]++
	}
	for v, n := range b.Count {
		if n > 0 {
			b.List = append(b.List, uint32(v))
		}
	}
	slices.SortStableFunc(b.List, func(x, y uint32) int { return cmp.Compare(b.Count[y], b.Count[x]) })
	b.Start = make([]int, len(b.List)+1)
	for i, v := range b.List {
		b.Start[i+1] = b.Start[i] + int(b.Count[v])
	}
	return b
}

// BucketsOf counts the values of a sensitive attribute of in. Values that should count as one are in classes,
// so that a group with different classes seldom has close values; package demand repairs the others.
func BucketsOf(in *anonymize.Input, sensitive *anonymize.Column) *Buckets {
	return NewBuckets(sensitive, in.ClosenessOf(sensitive).Classes(sensitive))
}

// ByClass returns the table with classes for values if nothing is asked except that values count as one: a
// method that cuts or grows classes of records then keeps l of them as it goes. Otherwise it returns in.
func ByClass(in *anonymize.Input) *anonymize.Input {
	by := *in
	by.Sensitive, by.Asked = nil, nil
	for _, p := range in.Asked {
		if name, _, _ := anonymize.SplitAbout(p.Guarantee); name != anonymize.LThreshold && name != anonymize.LSets {
			return in
		}
	}
	for _, c := range in.Sensitive {
		if classes := in.ClosenessOf(c).Classes(c); classes != nil {
			c = &anonymize.Column{Name: c.Name, Type: c.Type,
				Codes: anonymize.Gather(classes, c.Codes), Dictionary: c.Dictionary[:classes.Count(len(c.Dictionary))]}
		}
		by.Sensitive = append(by.Sensitive, c)
	}
	return &by
}

// Rows returns the number of records.
func (b *Buckets) Rows() int { return len(b.Value) }

// MostFrequent returns the first value with the greatest count: H in the papers.
func (b *Buckets) MostFrequent() (value, count uint32) {
	return b.List[0], b.Count[b.List[0]]
}

// Describe returns "disease = 'Flu'" for a value, "wage from 10 to 14" for a class.
func (b *Buckets) Describe(value uint32) string {
	if b.classes == nil {
		return b.column.Name + " = " + quoted(b.column.Dictionary[value])
	}
	first, end := slices.Index(b.classes, value), len(b.classes)
	for b.classes[end-1] != value {
		end--
	}
	low, high := b.column.Dictionary[first], b.column.Dictionary[end-1]
	if low == high {
		return b.column.Name + " = " + quoted(low)
	}
	if !b.column.IsNumeric() {
		return fmt.Sprintf("%s like %s and %s", b.column.Name, quoted(low), quoted(high))
	}
	return fmt.Sprintf("%s from %s to %s", b.column.Name, low, high)
}

// Shuffled returns the records bucket by bucket in the order of List, in random order within a
// bucket. The papers say "pick out one individual"; in file order, groups would follow the file
// and reveal their members.
func (b *Buckets) Shuffled(random *rand.Rand) []uint32 {
	records := b.InOrder()
	for i := range b.List {
		Shuffle(records[b.Start[i]:b.Start[i+1]], random)
	}
	return records
}

// InOrder returns the records bucket by bucket in the order of List, in table order within a
// bucket.
func (b *Buckets) InOrder() []uint32 {
	place := make([]uint32, len(b.Count))
	for i, v := range b.List {
		place[v] = uint32(b.Start[i])
	}
	records := make([]uint32, b.Rows())
	for record, v := range b.Value {
		records[place[v]] = uint32(record)
		place[v]++
	}
	return records
}
