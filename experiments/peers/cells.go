package peers

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/generalization"
)

// A cellReader reads the generalized cells of one attribute, as tools write them: a value; "*" for every value; a
// node of the hierarchy; an interval of numbers, "20-29", "20 - 29", "[20, 30[", "[20, 30)", "(20, 30]"; or several
// values or nodes, "{a, b}" or "a,b". If a value and a node have the same name, the value wins. A cell stands for the
// values of the table's column that it covers.
type cellReader struct {
	name       string
	dictionary []anonymize.Value // as our own releases publish it
	values     map[string]uint32
	nodes      map[string][]uint32 // members, ascending
	several    map[string]bool     // names of several nodes with different members
	numeric    bool

	number map[string]uint32 // cell numbers by text
	same   map[string]uint32 // cell numbers by members
	cells  []anonymize.Cell
}

func newCellReader(c *anonymize.Column, domain *anonymize.Domain) (*cellReader, error) {
	dictionary, err := published(c, domain)
	if err != nil {
		return nil, err
	}
	c = &anonymize.Column{Name: c.Name, Dictionary: dictionary}
	r := &cellReader{name: c.Name, dictionary: dictionary, values: valuesOf(c), nodes: make(map[string][]uint32),
		several: make(map[string]bool), numeric: c.IsNumeric(), number: make(map[string]uint32), same: make(map[string]uint32)}
	if domain != nil {
		r.addNodes(domain.Taxonomy)
	}
	r.nodes["*"], r.several["*"] = anonymize.Indices(len(dictionary)), false
	return r, nil
}

// published returns the dictionary of an attribute in our own releases: the leaves of its hierarchy, all whole
// numbers from the least to the greatest, or the values that occur.
func published(c *anonymize.Column, domain *anonymize.Domain) ([]anonymize.Value, error) {
	in := &anonymize.Input{Rows: c.Rows()}
	if domain != nil {
		in.Domains = map[string]*anonymize.Domain{c.Name: domain}
	}
	a, err := generalization.NewAttribute(c, in.Domain(c))
	if err != nil {
		return nil, err
	}
	of, err := a.Generalize(context.Background(), bucketization.NewPartition(anonymize.Indices(c.Rows()), make([]uint32, c.Rows()), 1))
	if err != nil {
		return nil, err
	}
	return of.Dictionary, nil
}

func (r *cellReader) addNodes(t *anonymize.Taxonomy) {
	for node := range t.Nodes() {
		var members []uint32
		first, end := t.LeafRange(node)
		for _, v := range t.Leaves()[first:end] {
			if code, ok := r.values[v.String()]; ok {
				members = append(members, code)
			}
		}
		slices.Sort(members)
		label := t.Label(node)
		if before, known := r.nodes[label]; known && !slices.Equal(before, members) {
			r.several[label] = true
		}
		r.nodes[label] = members
	}
}

// read returns the number of a cell. Cells with the same members have one number.
func (r *cellReader) read(text string) (uint32, error) {
	if n, known := r.number[text]; known {
		return n, nil
	}
	members, err := r.members(strings.TrimSpace(text))
	if err != nil {
		return 0, err
	}
	key := fmt.Sprint(members)
	n, known := r.same[key]
	if !known {
		n = uint32(len(r.cells))
		r.same[key] = n
		r.cells = append(r.cells, anonymize.Cell{Label: text, Members: members})
	}
	r.number[text] = n
	return n, nil
}

// members returns the codes that a cell stands for, ascending, at least one.
func (r *cellReader) members(text string) ([]uint32, error) {
	if members, err := r.codesOf(text); members != nil || err != nil {
		return members, err
	}
	inner := text
	if strings.HasPrefix(text, "{") && strings.HasSuffix(text, "}") {
		inner = text[1 : len(text)-1]
	}
	var members []uint32
	for _, part := range strings.Split(inner, ",") {
		of, err := r.codesOf(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		if of == nil {
			return nil, fmt.Errorf(
				"column %s: '%s' is neither a value of the table, a node of the hierarchy, an interval with values in it, nor a set of such",
				r.name,
				text,
			)
		}
		members = append(members, of...)
	}
	slices.Sort(members)
	return slices.Compact(members), nil
}

// codesOf returns the codes of a value, a node or an interval; nil for other texts.
func (r *cellReader) codesOf(text string) ([]uint32, error) {
	if code, ok := r.values[text]; ok {
		return []uint32{code}, nil
	}
	if r.several[text] {
		return nil, fmt.Errorf("column %s: '%s' is several nodes of the hierarchy: give every node a name of its own", r.name, text)
	}
	if members := r.nodes[text]; members != nil {
		return members, nil
	}
	if low, high, ok := interval(text); ok && r.numeric {
		return r.codesBetween(low, high), nil
	}
	return nil, nil
}

var intervals = regexp.MustCompile(`^([\[\](]?)\s*(-?[0-9.]+)\s*(-|,|to)\s*(-?[0-9.]+)\s*([\]\[)]?)$`)

// interval returns the inclusive ends of an interval. It moves an open end to the next number inside.
func interval(text string) (low, high float64, ok bool) {
	parts := intervals.FindStringSubmatch(text)
	if parts == nil || parts[3] == "," && parts[1] == "" { // "20,29" is a set
		return 0, 0, false
	}
	low, errLow := strconv.ParseFloat(parts[2], 64)
	high, errHigh := strconv.ParseFloat(parts[4], 64)
	if parts[1] == "]" || parts[1] == "(" {
		low = math.Nextafter(low, math.Inf(1))
	}
	if parts[5] == "[" || parts[5] == ")" {
		high = math.Nextafter(high, math.Inf(-1))
	}
	return low, high, errLow == nil && errHigh == nil
}

func (r *cellReader) codesBetween(low, high float64) (members []uint32) {
	for code, v := range r.dictionary {
		if number, ok := v.Number(); ok && low <= number && number <= high {
			members = append(members, uint32(code))
		}
	}
	return members
}
