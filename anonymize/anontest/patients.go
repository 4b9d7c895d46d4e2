package anontest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// SevenQI are the quasi-identifiers of Yan et al. 2021, Section 6, of all kinds:
// age and capital gain are continuous, workclass and occupation semantic, education
// ordinal, race and sex nominal.
const SevenQI = "age workclass occupation education capital_gain race sex"

// complete is AdultComplete, read once.
var (
	complete      *anonymize.Microdata
	completeMutex sync.Mutex
)

func adultOnce(t testing.TB) *anonymize.Microdata {
	t.Helper()
	completeMutex.Lock()
	defer completeMutex.Unlock() // a skipped test ends here
	if complete == nil {
		complete = AdultComplete(t)
	}
	return complete
}

// AdultPatients draws n complete records of Adult in random order, all if n is 0, without duplicates among the seven
// quasi-identifiers if distinct. As in Yan et al. 2021, the sensitive attribute "disease" has a random value of
// diseases.
func AdultPatients(t testing.TB, n int, distinct bool, seed uint64, diseases []anonymize.Value) *anonymize.Microdata {
	t.Helper()
	table := adultOnce(t)
	columns, err := table.Select(strings.Fields(SevenQI)...)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(seed, 7))
	seen, values := map[string]bool{}, make([][]anonymize.Value, len(columns)+1)
	for _, row := range random.Perm(table.Rows) {
		if n > 0 && len(values[0]) == n {
			break
		}
		key := ""
		for _, c := range columns {
			key += fmt.Sprint(c.Codes[row], " ")
		}
		if seen[key] && distinct {
			continue
		}
		seen[key] = true
		for i, c := range columns {
			values[i] = append(values[i], c.Value(row))
		}
		values[len(columns)] = append(values[len(columns)], diseases[random.IntN(len(diseases))])
	}
	drawn := &anonymize.Microdata{Rows: len(values[0])}
	for i, c := range columns {
		drawn.Columns = append(drawn.Columns, anonymize.NewColumn(c.Name, c.Type, values[i]))
	}
	drawn.Columns = append(drawn.Columns, anonymize.NewColumn("disease", "TEXT", values[len(columns)]))
	return drawn
}

// AdultDomains returns the domains of SevenQI that are ordinal or semantic.
func AdultDomains(t testing.TB) map[string]*anonymize.Domain {
	t.Helper()
	var order []anonymize.Value
	for _, name := range strings.Fields(`Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college
		Assoc-voc Assoc-acdm Bachelors Masters Prof-school Doctorate`) {
		order = append(order, anonymize.TextValue(name))
	}
	return map[string]*anonymize.Domain{
		"education": {Scale: anonymize.Ordinal, Order: order},
		"workclass": {Scale: anonymize.Semantic, Taxonomy: Tree(t, "private: Private", "self-employed: Self-emp-not-inc Self-emp-inc",
			"government: Federal-gov Local-gov State-gov", "unpaid: Without-pay Never-worked")},
		"occupation": {Scale: anonymize.Semantic, Taxonomy: Tree(t,
			"office: Exec-managerial Prof-specialty Tech-support Adm-clerical Sales",
			"manual: Craft-repair Machine-op-inspct Handlers-cleaners Transport-moving Farming-fishing",
			"service: Other-service Priv-house-serv Protective-serv Armed-Forces")},
	}
}

// Tree builds a taxonomy from lines "class: leaf leaf ...".
func Tree(t testing.TB, lines ...string) *anonymize.Taxonomy {
	t.Helper()
	edges := []anonymize.Edge{}
	for _, line := range lines {
		class, leaves, _ := strings.Cut(line, ": ")
		edges = append(edges, anonymize.Edge{Node: class, Parent: "*"})
		for _, leaf := range strings.Fields(leaves) {
			edges = append(edges, anonymize.Edge{Node: leaf, Parent: class})
		}
	}
	taxonomy, err := anonymize.TaxonomyOfEdges(edges, func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		t.Fatal(err)
	}
	return taxonomy
}
