package dynamic_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/drasl"
	"github.com/anonsql/anonsql/anonymize/dynamic"
)

// patients are ages and diseases, as columns.
func patients(ages []int64, diseases []string) []*anonymize.Column {
	a, d := make([]anonymize.Value, len(ages)), make([]anonymize.Value, len(ages))
	for i := range ages {
		a[i], d[i] = anonymize.IntegerValue(ages[i]), anonymize.TextValue(diseases[i])
	}
	return []*anonymize.Column{anonymize.NewColumn("age", "INT", a), anonymize.NewColumn("disease", "TEXT", d)}
}

// show prints the groups in the order of their ages.
func show(r *anonymize.Release) {
	var lines []string
	qi, sa := r.Fragments[0], r.Fragments[1]
	for g := range r.Groups() {
		line := qi.Columns[0].Cells[qi.Columns[0].Codes[qi.GroupStart[g]]].Label
		for t := sa.GroupStart[g]; t < sa.GroupStart[g+1]; t++ {
			line += " " + sa.Columns[0].Dictionary[sa.Columns[0].Codes[t]].String()
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
}

// Ten patients in groups of three, at least. One leaves, and the release does not
// show it. Two come, and wait; with a third they are a group. For a publication the
// source must be seeded from crypto/rand.
func ExampleSealed() {
	columns := patients([]int64{21, 22, 24, 25, 38, 41, 44, 60, 63, 67},
		[]string{"acne", "anemia", "malaria", "GERD", "stroke", "COPD", "acne", "leukemia", "gastritis", "psoriasis"})
	options := dynamic.Options{Method: drasl.Method(), Arguments: anonymize.Arguments{"k": "3"}, Random: rand.NewPCG(1, 2)}
	in := &anonymize.Input{QuasiIdentifiers: columns[:1], Sensitive: columns[1:], Rows: 10, Random: options.Random}
	var live *anonymize.Live
	in.Assigned = func(gidOf []uint32) {
		live, _ = dynamic.Start(in, gidOf, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	}
	release, err := drasl.Method().Run(context.Background(), in, options.Arguments)
	if err != nil {
		fmt.Println(err)
		return
	}
	show(release)
	options.Promises = release.Promises
	for _, changed := range []*anonymize.Changed{
		{Key: []int64{6}, Row: []int{-1}, Columns: patients(nil, nil)},
		{Key: []int64{11, 12}, Row: []int{0, 1}, Columns: patients([]int64{30, 33}, []string{"rosacea", "lymphoma"})},
		{Key: []int64{13}, Row: []int{0}, Columns: patients([]int64{35}, []string{"emphysema"})},
	} {
		options.Before = release
		o, err := dynamic.Sealed(context.Background(), live, changed, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("inserted %d, deleted %d: %d counterfeits, %d wait\n", o.Inserted, o.Deleted, o.Release.Forged, o.Waiting)
		show(o.Release)
		live, release = o.Live, o.Release
	}
	// Output:
	// [21-25] GERD acne anemia malaria
	// [38-44] COPD acne stroke
	// [60-67] gastritis leukemia psoriasis
	// inserted 0, deleted 1: 1 counterfeits, 0 wait
	// [21-25] GERD acne anemia malaria
	// [38-44] COPD acne stroke
	// [60-67] gastritis leukemia psoriasis
	// inserted 2, deleted 0: 1 counterfeits, 2 wait
	// [21-25] GERD acne anemia malaria
	// [38-44] COPD acne stroke
	// [60-67] gastritis leukemia psoriasis
	// inserted 1, deleted 0: 1 counterfeits, 0 wait
	// [21-25] GERD acne anemia malaria
	// [30-35] emphysema lymphoma rosacea
	// [38-44] COPD acne stroke
	// [60-67] gastritis leukemia psoriasis
}
