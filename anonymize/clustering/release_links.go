package clustering

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// CheckLinks counts the synonymous links of a release (Definition 9, summed over
// groups) from what is published: the values of every group, whatever method made
// it. worst is a gid with the most, -1 if there are none. Values that the
// catalogue does not know are synonyms of themselves only; a counterfeit counts as
// a record. links is -1, which is not none, if the release does not publish the
// attribute value by value. O(tuples).
func CheckLinks(r *anonymize.Release, sensitive string, catalogue *Catalogue) (links, worst int) {
	at, column, ok := r.Locate(sensitive)
	if !ok || !r.Fragments[at].Columns[column].IsPoint() {
		return -1, -1
	}
	f, c := r.Fragments[at], r.Fragments[at].Columns[column]
	class := catalogue.classesFor(c.Dictionary)
	worst, most := -1, 0
	for g := range f.Groups() {
		values, classes := make(map[uint32]int), make(map[uint32]int)
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			values[c.Codes[t]] += int(f.Count[t])
			classes[class[c.Codes[t]]] += int(f.Count[t])
		}
		own := pairs(values) + pairs(classes)
		if links += own; own > most {
			worst, most = g, own
		}
	}
	return links, worst
}

// pairs returns the number of pairs of equal values.
func pairs(count map[uint32]int) (n int) {
	for _, c := range count {
		n += c * (c - 1) / 2
	}
	return n
}

// classesFor returns the classes of another dictionary's values.
func (k *Catalogue) classesFor(dictionary []anonymize.Value) []uint32 {
	known := make(map[anonymize.Value]uint32, len(k.Values))
	for code, v := range k.Values {
		known[v] = k.Class[code]
	}
	class, next := make([]uint32, len(dictionary)), uint32(k.Classes)
	for code, v := range dictionary {
		if own, ok := known[v]; ok {
			class[code] = own
			continue
		}
		class[code] = next
		next++
	}
	return class
}

// promiseLinkFree adds the promise of l to a release without links. Links are an error of this
// package.
func (t *Task) promiseLinkFree(r *anonymize.Release, sensitive string) error {
	if links, worst := CheckLinks(r, sensitive, t.Catalogue); links != 0 {
		return fmt.Errorf("the release has %d synonymous links of %s, the most of them in group %d, and shall have none", links, sensitive, worst+1)
	}
	r.Promises = append(r.Promises, anonymize.Promise{Guarantee: "l", Bound: anonymize.NewRatio(uint64(t.K), 1)})
	r.Facts = append(r.Facts, anonymize.Fact{Name: "synonymous links", Value: "0"})
	return nil
}
