package clustering

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"github.com/anonsql/anonsql/anonymize"
)

// diseases has one line per class with its diseases: Table 5 as printed, down the left column
// first.
//
//go:embed diseases.txt
var diseases string

// Diseases returns the predefined catalogue of Table 5 as a taxonomy: 32 diseases
// in 8 classes below "Disease". "Lung cancer" is a class and one of its diseases.
var Diseases = sync.OnceValue(func() *anonymize.Taxonomy {
	labels, parents := []string{"Disease"}, []int{-1}
	for text := range strings.Lines(diseases) {
		class, leaves, _ := strings.Cut(strings.TrimSpace(text), ": ")
		at := len(labels)
		labels, parents = append(labels, class), append(parents, 0)
		for _, leaf := range strings.Split(leaves, ", ") {
			labels, parents = append(labels, leaf), append(parents, at)
		}
	}
	t, err := anonymize.NewTaxonomy(labels, parents, func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		panic(err) // the embedded text, which a test reads
	}
	return t
})

// A Catalogue says which values of the sensitive attribute are synonyms: those with a common
// node below the root of a taxonomy.
type Catalogue struct {
	// Class has the synonym class of every code of the column.
	Class   []uint32
	Classes int
	// Values are the values of the codes, Names the classes' taxonomy nodes, or their only
	// values.
	Values []anonymize.Value
	Names  []string
	// Source names the origin of the classes; "" without a taxonomy: then every value is its
	// own class.
	Source string
}

// NewCatalogue uses the taxonomy of the sensitive attribute's domain, else the bundled one if
// it has all values, else none. O(values x height).
func NewCatalogue(in *anonymize.Input) (*Catalogue, error) {
	c := in.Sensitive[0]
	d := in.Domain(c)
	if err := d.Check(c); err != nil {
		return nil, err
	}
	switch {
	case d.Taxonomy != nil:
		return classesOf(c, d.Taxonomy, "the taxonomy of "+c.Name), nil
	case Diseases().Check(c) == nil:
		return classesOf(c, Diseases(), "the bundled catalogue"), nil
	}
	k := &Catalogue{Class: make([]uint32, len(c.Dictionary)), Classes: len(c.Dictionary), Values: c.Dictionary}
	for code, v := range c.Dictionary {
		k.Class[code] = uint32(code)
		k.Names = append(k.Names, v.String())
	}
	return k, nil
}

// Unknown returns the fact that there is no catalogue of synonyms, nothing if there is one.
func (k *Catalogue) Unknown(sensitive *anonymize.Column) []anonymize.Fact {
	if k.Source != "" {
		return nil
	}
	return []anonymize.Fact{{Name: "synonyms", Value: fmt.Sprintf(
		"none known: a taxonomy of %s says which values are synonyms, and the bundled one of %d diseases does not fit: %v",
		sensitive.Name, len(Diseases().Leaves()), Diseases().Check(sensitive))}}
}

// classesOf puts values below one child of the root into one class. NULL and values that are no
// leaves are alone.
func classesOf(c *anonymize.Column, t *anonymize.Taxonomy, source string) *Catalogue {
	k := &Catalogue{Class: make([]uint32, len(c.Dictionary)), Values: c.Dictionary}
	number := make(map[int]uint32)
	for code, v := range c.Dictionary {
		node := t.Leaf(v)
		for node > 0 && t.Parent(node) > 0 {
			node = t.Parent(node)
		}
		class, known := number[node]
		if !known || node < 0 {
			class = uint32(k.Classes)
			k.Classes++
			number[node] = class
			name := v.String()
			if node >= 0 {
				name = t.Label(node)
			}
			k.Names = append(k.Names, name)
		}
		k.Class[code] = class
	}
	k.Source = fmt.Sprintf("%s, %d values in %d classes", source, len(t.Leaves()), children(t))
	return k
}

func children(t *anonymize.Taxonomy) int {
	n := 0
	for node := range t.Nodes() {
		if t.Parent(node) == 0 {
			n++
		}
	}
	return n
}
