package coding

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/sqlite"
)

// Guarantees count values, and the column's collation says which texts are one value: under
// utf8mb4_0900_ai_ci 'Flu' and 'flu' are the same disease. A release that separated them would
// bound each alone, and every second record of a group could have that disease.

// Spellings returns the collation that compares texts of a column; false if equal texts have
// equal bytes.
func Spellings(typeText string) (sql.CollationID, bool) {
	typ, err := ParseType(typeText)
	if err != nil {
		return 0, false
	}
	text, isText := typ.(sql.StringType)
	if CollationOf(typ) == "BINARY" && (!isText || !Pads(text.Collation())) {
		return 0, false
	}
	return typ.(sql.TypeWithCollation).Collation(), true
}

// IsDates reports whether a type has days or moments.
func IsDates(typeText string) bool {
	typ, err := ParseType(typeText)
	return err == nil && types.IsTime(typ)
}

// Pads reports whether a collation is PAD SPACE, which ignores trailing spaces.
func Pads(collation sql.CollationID) bool { return collation.PadAttribute() == "PAD SPACE" }

// Unpadded returns a text without trailing spaces.
func Unpadded(text string) string { return strings.TrimRight(text, " ") }

// comparison returns MySQL's comparison of texts under a collation. The engine and SQLite never
// ignore trailing spaces.
func comparison(collation sql.CollationID) func(a, b string) int {
	compare := sqlite.Comparison(collation)
	if !Pads(collation) {
		return compare
	}
	return func(a, b string) int { return compare(Unpadded(a), Unpadded(b)) }
}

// Unpad removes trailing spaces from a column's texts, whose collation ignores them; the
// engine's comparison would not. Texts that become equal get one code.
func Unpad(c *anonymize.Column) {
	values := slices.Clone(c.Dictionary)
	for code, v := range values {
		if v.Kind == anonymize.Text {
			values[code] = anonymize.TextValue(Unpadded(v.Text))
		}
	}
	if !slices.Equal(values, c.Dictionary) {
		SortDictionary(c, values)
	}
}

// UnifySpellings merges dictionary entries that are equal under the collation, and keeps the
// most frequent spelling, without trailing spaces if the collation pads. Cost: a sort of the
// dictionary by the collation, and a pass over the rows if anything is merged.
func UnifySpellings(c *anonymize.Column, collation sql.CollationID) {
	compare := comparison(collation)
	compareValues := func(a, b uint32) int {
		x, y := c.Dictionary[a], c.Dictionary[b]
		if x.Kind != anonymize.Text || y.Kind != anonymize.Text {
			return anonymize.Compare(x, y)
		}
		return compare(x.Text, y.Text)
	}
	unify(c, compareValues)
	if Pads(collation) {
		Unpad(c)
	}
}

// unify merges equal dictionary entries and keeps the most frequent.
func unify(c *anonymize.Column, compare func(a, b uint32) int) {
	order := anonymize.Indices(len(c.Dictionary))
	slices.SortStableFunc(order, compare)
	chosen, merged := chooseSpellings(c.Histogram(), order, compare)
	if merged {
		renumber(c, chosen)
	}
}

// chooseSpellings returns for every code the code that replaces it: the most frequent of equal
// ones, the first on a tie.
func chooseSpellings(counts []int, order []uint32, compare func(a, b uint32) int) (chosen []uint32, merged bool) {
	chosen = make([]uint32, len(order))
	for begin := 0; begin < len(order); {
		best, end := order[begin], begin+1
		for ; end < len(order) && compare(order[begin], order[end]) == 0; end++ {
			merged = true
			if counts[order[end]] > counts[best] {
				best = order[end]
			}
		}
		for ; begin < end; begin++ {
			chosen[order[begin]] = best
		}
	}
	return chosen, merged
}

// renumber drops the replaced entries.
func renumber(c *anonymize.Column, chosen []uint32) {
	codes := make([]uint32, len(chosen))
	var dictionary []anonymize.Value
	for code, stands := range chosen {
		if uint32(code) == stands {
			codes[code] = uint32(len(dictionary))
			dictionary = append(dictionary, c.Dictionary[code])
		}
	}
	for row, code := range c.Codes {
		c.Codes[row] = codes[chosen[code]]
	}
	c.Dictionary = dictionary
}

// AsSpelled gives a column the name of another column of the same type, and its spellings of
// texts that are equal under the collation. Other texts stay. Cost: a sort of the other
// dictionary by the collation, and a search per distinct text.
func AsSpelled(c, known *anonymize.Column) *anonymize.Column {
	c.Name = known.Name
	collation, ok := Spellings(c.Type)
	if !ok || len(c.Dictionary) == 0 {
		return c
	}
	compare := comparison(collation)
	texts := make([]string, 0, len(known.Dictionary))
	for _, v := range known.Dictionary {
		if v.Kind == anonymize.Text {
			texts = append(texts, v.Text)
		}
	}
	slices.SortStableFunc(texts, compare)
	spelled := make([]anonymize.Value, len(c.Dictionary))
	for code, v := range c.Dictionary {
		spelled[code] = v
		if v.Kind != anonymize.Text {
			continue
		}
		at, found := slices.BinarySearchFunc(texts, v.Text, compare)
		if !found { // releases publish sensitive texts without trailing spaces
			at, found = slices.BinarySearchFunc(texts, Unpadded(v.Text), compare)
		}
		if found {
			spelled[code] = anonymize.TextValue(texts[at])
		}
	}
	values := make([]anonymize.Value, len(c.Codes))
	for row, code := range c.Codes {
		values[row] = spelled[code]
	}
	return anonymize.NewColumn(c.Name, c.Type, values)
}

// UnifyClasses merges dictionary entries of one class and keeps the most frequent spelling. Values
// without a class stay. Cost: a sort of the dictionary, and a pass over the rows if anything is merged.
func UnifyClasses(c *anonymize.Column, class map[anonymize.Value]int64) {
	compare := func(a, b uint32) int {
		x, inClass := class[c.Dictionary[a]]
		y, alike := class[c.Dictionary[b]]
		switch {
		case inClass && alike:
			return cmp.Compare(x, y)
		case inClass:
			return 1
		case alike:
			return -1
		}
		return anonymize.Compare(c.Dictionary[a], c.Dictionary[b])
	}
	unify(c, compare)
}

// SortDictionary sets a column's sorted dictionary. The column's codes number values, which may be unsorted and repeated.
func SortDictionary(c *anonymize.Column, values []anonymize.Value) {
	order := anonymize.Indices(len(values))
	slices.SortFunc(order, func(a, b uint32) int { return anonymize.Compare(values[a], values[b]) })
	rank := make([]uint32, len(values))
	c.Dictionary = c.Dictionary[:0]
	for _, appeared := range order {
		if n := len(c.Dictionary); n == 0 || c.Dictionary[n-1] != values[appeared] {
			c.Dictionary = append(c.Dictionary, values[appeared])
		}
		rank[appeared] = uint32(len(c.Dictionary) - 1)
	}
	for row, code := range c.Codes {
		c.Codes[row] = rank[code]
	}
}
