package impute

import (
	"cmp"
	"slices"
)

// A joint attribute stands for several attributes: one table look-up replaces a look-up for
// each of them.
type joint struct {
	attributes []int
	// Its values have rows first .. end-1 of a table.
	first, end int
	// values has len(attributes) categories per row, from row first on.
	values []uint16
}

// joints partition attributes. Their tables have a row per value and a column per response.
type joints struct {
	all []joint
	// offset[category]: the sum over the categories of a joint attribute is its row in a table.
	offset []int32
	rows   int
	// of[attribute] is its joint attribute.
	of []int
}

// maxJoined is the greatest size of a table of joint attributes, so that it fits a core's
// cache; a table of single attributes may be larger.
const maxJoined = 1 << 16

// join joins the attributes of each list as far as maxJoined allows.
func (s *schema) join(lists ...[]int) *joints {
	for most := 1024; ; most /= 2 {
		var all [][]int
		for _, list := range lists {
			all = append(all, s.packed(list, most)...)
		}
		if j := s.joints(all); j.rows*(s.categories-s.responses) <= maxJoined || most == 1 {
			return j
		}
	}
}

// packed packs attributes into joint ones with a limited number of values: first-fit, the
// attribute with the most categories first.
func (s *schema) packed(list []int, most int) [][]int {
	count := func(i int) int { return s.attributes[i].end - s.attributes[i].first }
	list = slices.SortedStableFunc(slices.Values(list), func(i, k int) int { return cmp.Compare(count(k), count(i)) })
	var packs [][]int
	var values []int
next:
	for _, i := range list {
		for p := range packs {
			if values[p]*count(i) <= most {
				packs[p], values[p] = append(packs[p], i), values[p]*count(i)
				continue next
			}
		}
		packs, values = append(packs, []int{i}), append(values, count(i))
	}
	return packs
}

// joints numbers the values of joint attributes; the last attribute is the fastest digit.
func (s *schema) joints(lists [][]int) *joints {
	j := &joints{offset: make([]int32, s.categories), of: make([]int, len(s.attributes))}
	for _, list := range lists {
		one := joint{attributes: list, first: j.rows}
		count := 1
		for k := len(list) - 1; k >= 0; k-- {
			a := &s.attributes[list[k]]
			j.of[list[k]] = len(j.all)
			for v := a.first; v < a.end; v++ {
				j.offset[v] = int32((v - a.first) * count)
				if k == 0 {
					j.offset[v] += int32(one.first)
				}
			}
			count *= a.end - a.first
		}
		one.end = one.first + count
		for value := range count {
			at := len(one.values)
			one.values = append(one.values, make([]uint16, len(list))...)
			for k := len(list) - 1; k >= 0; k-- {
				a := &s.attributes[list[k]]
				one.values[at+k] = uint16(a.first + value%(a.end-a.first))
				value /= a.end - a.first
			}
		}
		j.all, j.rows = append(j.all, one), one.end
	}
	return j
}

// row returns the row of a joint attribute's value.
func (j *joints) row(one *joint, categories []uint16) int {
	at := 0
	for _, i := range one.attributes {
		at += int(j.offset[categories[i]])
	}
	return at
}

// factors are a model in product form: e^theta, with a row per value of joint attributes and a
// column per response.
type factors struct {
	*model
	// rates has e^bias of every response, scaled so that the greatest of an attribute is 1.
	rates []float32
	// over the joint attributes of whole rows, and of those within fragments
	whole, inside []float32
	pair          []float32 // over single categories
	// least and most bound the entries of a row of whole, and 1.
	least, most []float32
}

func (m *model) newFactors() *factors {
	n := len(m.bias)
	return &factors{model: m, rates: make([]float32, n), whole: make([]float32, m.schema.whole.rows*n),
		inside: make([]float32, m.schema.inside.rows*n), pair: make([]float32, m.categories*n),
		least: make([]float32, m.schema.whole.rows), most: make([]float32, m.schema.whole.rows)}
}

// refresh recomputes the factors from the model.
func (f *factors) refresh() {
	n := len(f.bias)
	for u := range f.categories {
		to, theta := f.pair[u*n:][:n], f.theta[u*f.categories+f.responses:][:n]
		for v, x := range theta {
			to[v] = antilogarithm(x)
		}
	}
	for i := range f.attributes {
		a := &f.attributes[i]
		if a.first < f.responses || a.first == a.end {
			continue
		}
		bias := f.bias[a.first-f.responses : a.end-f.responses]
		most := bias[0]
		for _, x := range bias[1:] {
			most = max(most, x)
		}
		for v, x := range bias {
			f.rates[a.first-f.responses+v] = exponential(x - most)
		}
	}
	f.multiply(f.whole, f.schema.whole)
	f.multiply(f.inside, f.schema.inside)
	for row := range f.least {
		f.least[row], f.most[row] = bounds(f.whole[row*n:][:n])
	}
}

// bounds returns bounds of the numbers and of 1.
func bounds(numbers []float32) (least, most float32) {
	least, most = 1, 1
	for _, x := range numbers {
		if x < least {
			least = x
		}
		if x > most {
			most = x
		}
	}
	return least, most
}

// multiply computes the table of the joint attributes.
func (f *factors) multiply(table []float32, j *joints) {
	n := len(f.bias)
	for i := range j.all {
		one := &j.all[i]
		values := one.values
		for row := one.first; row < one.end; row++ {
			to := table[row*n:][:n]
			copy(to, f.pair[int(values[0])*n:][:n])
			for _, u := range values[1:len(one.attributes)] {
				from := f.pair[int(u)*n:][:n]
				for v := range to {
					to[v] *= from[v]
				}
			}
			values = values[len(one.attributes):]
		}
	}
}
