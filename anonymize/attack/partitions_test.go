package attack_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/bucketization"
)

// anatomy is largest-first: l of the fullest buckets give a random record each,
// ties at random; each record left over goes to a group that lacks its value.
func anatomy(sensitive *anonymize.Column, l int, random *rand.Rand) []uint32 {
	buckets := make([][]uint32, len(sensitive.Dictionary))
	for _, record := range random.Perm(sensitive.Rows()) {
		code := sensitive.Codes[record]
		buckets[code] = append(buckets[code], uint32(record))
	}
	groupOf, groups := make([]uint32, sensitive.Rows()), 0
	order := anonymize.Ints(len(buckets))
	take := func(code int, group uint32) {
		last := len(buckets[code]) - 1
		groupOf[buckets[code][last]] = group
		buckets[code] = buckets[code][:last]
	}
	for ; ; groups++ {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(buckets[b]), len(buckets[a])) })
		if len(buckets[order[l-1]]) == 0 {
			break
		}
		for _, code := range order[:l] {
			take(code, uint32(groups))
		}
	}
	has := make(map[[2]uint32]bool)
	for record, g := range groupOf {
		has[[2]uint32{g, sensitive.Codes[record]}] = true
	}
	for code := range buckets {
		for len(buckets[code]) > 0 {
			if g := random.Uint32N(uint32(groups)); !has[[2]uint32{g, uint32(code)}] {
				has[[2]uint32{g, uint32(code)}] = true
				take(code, g)
			}
		}
	}
	return groupOf
}

// neighbours takes records in the order of position. For every group it takes the values that it must take now,
// because as many of their records are left as groups, and then the values whose next record comes first.
func neighbours(sensitive *anonymize.Column, l int, position []uint32) []uint32 {
	queues := make([][]uint32, len(sensitive.Dictionary))
	for _, record := range bucketization.InOrder(position) {
		code := sensitive.Codes[record]
		queues[code] = append(queues[code], record)
	}
	groupOf, groups := make([]uint32, len(position)), len(position)/l
	left := len(position)
	for g := range groups {
		size := (left + groups - g - 1) / (groups - g)
		left -= size
		var heads []int
		for code := range queues {
			if len(queues[code]) > 0 {
				heads = append(heads, code)
			}
		}
		slices.SortFunc(heads, func(a, b int) int {
			must := func(code int) int {
				if len(queues[code]) == groups-g {
					return 0
				}
				return 1
			}
			return cmp.Or(cmp.Compare(must(a), must(b)), cmp.Compare(position[queues[a][0]], position[queues[b][0]]))
		})
		for _, code := range heads[:size] {
			groupOf[queues[code][0]] = uint32(g)
			queues[code] = queues[code][1:]
		}
	}
	return groupOf
}

// kdOrder orders records by splitting at the median of the column in which a
// part is widest.
func kdOrder(columns []*anonymize.Column) []uint32 {
	rows := columns[0].Rows()
	part := anonymize.Indices(rows)
	var split func(part []uint32)
	split = func(part []uint32) {
		widest, span := -1, 0.0
		for i, c := range columns {
			low, high := c.Codes[part[0]], c.Codes[part[0]]
			for _, record := range part {
				low, high = min(low, c.Codes[record]), max(high, c.Codes[record])
			}
			if s := float64(high-low) / float64(len(c.Dictionary)); s > span {
				widest, span = i, s
			}
		}
		if widest < 0 || len(part) < 2 {
			return
		}
		codes := columns[widest].Codes
		slices.SortStableFunc(part, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
		split(part[:len(part)/2])
		split(part[len(part)/2:])
	}
	split(part)
	position := make([]uint32, rows)
	for place, record := range part {
		position[record] = uint32(place)
	}
	return position
}

// release publishes the sensitive column alone, which is all that the attacks
// read of a release without mixed fragments.
func release(sensitive *anonymize.Column, groupOf []uint32) *anonymize.Release {
	groups := slices.Max(groupOf) + 1
	counts := make([]map[uint32]uint32, groups)
	r := &anonymize.Release{Rows: len(groupOf), GroupSizes: make([]uint32, groups)}
	for record, g := range groupOf {
		if counts[g] == nil {
			counts[g] = make(map[uint32]uint32)
		}
		counts[g][sensitive.Codes[record]]++
		r.GroupSizes[g]++
	}
	c := &anonymize.FragmentColumn{Name: sensitive.Name, Dictionary: sensitive.Dictionary}
	f := &anonymize.Fragment{Name: "sa", Role: anonymize.Sensitive, Columns: []*anonymize.FragmentColumn{c}, GroupStart: []uint32{0}}
	for g := range groups {
		for code := range uint32(len(sensitive.Dictionary)) {
			if n := counts[g][code]; n > 0 {
				c.Codes, f.Count = append(c.Codes, code), append(f.Count, n)
			}
		}
		f.GroupStart = append(f.GroupStart, uint32(len(f.Count)))
	}
	r.Fragments = []*anonymize.Fragment{f}
	return r
}

// adult returns, for SA occupation and the seven non-sensitive attributes of the
// Zhu et al. 2015's Table 1, the first rows records of the 30,718 of adult.data whose
// occupation is known.
func adult(t testing.TB, rows int) attack.Truth {
	table := anontest.Adult(t)
	occupation := table.Column("occupation")
	var keep []int
	for row := 0; row < 32561 && len(keep) < rows; row++ {
		if occupation.Value(row).Text != "?" {
			keep = append(keep, row)
		}
	}
	columns, err := table.Select("age", "workclass", "education", "marital_status", "relationship", "race", "sex", "occupation")
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range columns {
		values := make([]anonymize.Value, len(keep))
		for j, row := range keep {
			values[j] = c.Value(row)
		}
		columns[i] = anonymize.NewColumn(c.Name, c.Type, values)
	}
	return attack.Truth{QuasiIdentifiers: columns[:7], Sensitive: columns[7]}
}

// ranks returns the place of every key among all.
func ranks(keys []int) []uint32 {
	order := anonymize.Indices(len(keys))
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	position := make([]uint32, len(keys))
	for place, record := range order {
		position[record] = uint32(place)
	}
	return position
}
