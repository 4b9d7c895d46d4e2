package anontest

import (
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// AdultHierarchies returns hierarchies for attributes of Adult, as papers commonly use them: ages in intervals of 5,
// 10, 20 and 40 years, only "*" for race, sex and income, and two or three levels for the others. White space
// separates the names. Attributes without a hierarchy are left out.
func AdultHierarchies(t testing.TB, table *anonymize.Microdata, names string) map[string]*anonymize.Domain {
	t.Helper()
	domains := make(map[string]*anonymize.Domain)
	for _, name := range strings.Fields(names) {
		c := table.Column(name)
		if c.IsNumeric() {
			paths, err := anonymize.IntervalPaths(c, []string{"5", "10", "20", "40"}, "0", anonymize.Value.String)
			if err != nil {
				t.Fatal(err)
			}
			domains[name] = Semantic(t, paths)
			continue
		}
		var paths [][]string
		for _, v := range c.Dictionary {
			paths = append(paths, append([]string{v.String()}, aboveAdult(name, v.String())...))
		}
		domains[name] = Semantic(t, paths)
	}
	return domains
}

// Semantic returns the domain of the taxonomy with these paths. A path has a value and the nodes above it.
func Semantic(t testing.TB, paths [][]string) *anonymize.Domain {
	t.Helper()
	taxonomy, err := anonymize.TaxonomyOfPaths(paths, func(text string) (anonymize.Value, error) { return Value(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: taxonomy}
}

// aboveAdult returns the nodes above a value of an attribute of Adult.
func aboveAdult(name, value string) []string {
	switch name {
	case "education":
		group := groupOf(value, schooling)
		if group == "Primary" || group == "Secondary" {
			return []string{group, "School", "*"}
		}
		return []string{group, "Higher", "*"}
	case "marital_status":
		if strings.HasPrefix(value, "Married") && value != "Married-spouse-absent" {
			return []string{"Spouse present", "*"}
		}
		return []string{"Spouse not present", "*"}
	case "workclass":
		switch {
		case strings.HasPrefix(value, "Self"):
			return []string{"Self-employed", "*"}
		case strings.HasSuffix(value, "gov"):
			return []string{"Government", "*"}
		}
		return []string{"Other", "*"}
	case "native_country":
		return []string{groupOf(value, continents), "*"}
	}
	return []string{"*"}
}

// A valueGroup has values; a group without values takes all others.
type valueGroup struct {
	name   string
	values []string
}

func groupOf(value string, groups []valueGroup) string {
	for _, g := range groups {
		if len(g.values) == 0 || slices.Contains(g.values, value) {
			return g.name
		}
	}
	return ""
}

var schooling = []valueGroup{
	{"Primary", []string{"Preschool", "1st-4th", "5th-6th", "7th-8th"}},
	{"Secondary", []string{"9th", "10th", "11th", "12th", "HS-grad"}},
	{"College", []string{"Some-college", "Assoc-voc", "Assoc-acdm"}},
	{"University", nil},
}

var continents = []valueGroup{
	{"Asia", []string{"Cambodia", "China", "Hong", "India", "Iran", "Japan", "Laos", "Philippines", "Taiwan", "Thailand", "Vietnam", "South"}},
	{"Europe", []string{"England", "France", "Germany", "Greece", "Holand-Netherlands", "Hungary", "Ireland", "Italy", "Poland", "Portugal",
		"Scotland", "Yugoslavia"}},
	{"North America", []string{"United-States", "Canada", "Outlying-US(Guam-USVI-etc)"}},
	{"Latin America", nil},
}
