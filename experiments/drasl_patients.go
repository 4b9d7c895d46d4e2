package experiments

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// patients is the table of Yan et al. 2021: distinct records of seven quasi-identifiers, with random diseases of the
// catalogue.
type patients struct {
	seed    uint64
	columns []*anonymize.Column
	domains map[string]*anonymize.Domain
	// distinct has the first row of every combination of quasi-identifiers.
	distinct []int
	notes    []string
}

func newPatients(run *evaluation.Run) (*patients, error) {
	columns, err := run.Attributes("drasl", "age", "workclass", "occupation", "education", "capital_gain or income", "race or region", "sex")
	if err != nil {
		return nil, err
	}
	p := &patients{seed: run.Seed, columns: columns, domains: map[string]*anonymize.Domain{}}
	for _, c := range columns {
		p.know(c)
	}
	seen := map[string]bool{}
	for row := range run.Table.Rows {
		key := ""
		for _, c := range columns {
			key += fmt.Sprint(c.Codes[row], " ")
		}
		if !seen[key] {
			seen[key] = true
			p.distinct = append(p.distinct, row)
		}
	}
	p.notes = append(
		p.notes,
		fmt.Sprintf("Quasi-identifiers %v; every combination once, as in the paper, %d of %d records; one of 32 diseases for each, at random.",
			evaluation.Names(columns), len(p.distinct), run.Table.Rows),
	)
	return p, nil
}

// educations are ascending orders, jobs are classes, of Adult and of the sample.
var (
	educations = []string{
		"Preschool 1st-4th 5th-6th 7th-8th 9th 10th 11th 12th HS-grad Some-college Assoc-voc Assoc-acdm Bachelors Masters Prof-school Doctorate",
		"Primary Lower-secondary Upper-secondary Vocational Some-college Bachelors Masters Doctorate",
	}
	jobs = map[string][][]string{
		"workclass": {
			{
				"private: Private",
				"self-employed: Self-emp-not-inc Self-emp-inc",
				"government: Federal-gov Local-gov State-gov",
				"unpaid: Without-pay Never-worked",
			},
			{"working: Private Public Self-employed", "not working: Student Homemaker Unemployed Retired"},
		},
		"occupation": {
			{"office: Exec-managerial Prof-specialty Tech-support Adm-clerical Sales",
				"manual: Craft-repair Machine-op-inspct Handlers-cleaners Transport-moving Farming-fishing",
				"service: Other-service Priv-house-serv Protective-serv Armed-Forces"},
			{"office: Clerical Sales Technical-support Management Professional Teaching",
				"manual: Cleaning Transport Farming Construction Machine-operation Craft-repair",
				"service: Protective-service Care-nursing", "none: None"},
		},
	}
)

// know finds the order or the taxonomy of an attribute whose values are Adult's or the sample's. Otherwise the values
// alone determine the domain, and a note says so.
func (p *patients) know(c *anonymize.Column) {
	var fitting []*anonymize.Domain
	switch name := strings.ToLower(c.Name); name {
	case "education":
		for _, text := range educations {
			fitting = append(fitting, &anonymize.Domain{Scale: anonymize.Ordinal, Order: texts(text)})
		}
	case "workclass", "occupation":
		for _, lines := range jobs[name] {
			fitting = append(fitting, &anonymize.Domain{Scale: anonymize.Semantic, Taxonomy: treeOf(lines)})
		}
	default:
		return
	}
	for _, d := range fitting {
		if d.Check(c) == nil {
			p.domains[c.Name] = d
			return
		}
	}
	p.notes = append(p.notes, fmt.Sprintf("%s has values that neither Adult nor the sample has: it is compared as equal or not.", c.Name))
}

func texts(list string) []anonymize.Value {
	var values []anonymize.Value
	for _, text := range strings.Fields(list) {
		values = append(values, anonymize.TextValue(text))
	}
	return values
}

// treeOf builds a taxonomy from lines "class: leaf leaf ...".
func treeOf(lines []string) *anonymize.Taxonomy {
	edges := []anonymize.Edge{}
	for _, line := range lines {
		class, leaves, _ := strings.Cut(line, ": ")
		edges = append(edges, anonymize.Edge{Node: class, Parent: "*"})
		for _, leaf := range strings.Fields(leaves) {
			edges = append(edges, anonymize.Edge{Node: leaf, Parent: class})
		}
	}
	t, err := anonymize.TaxonomyOfEdges(edges, func(text string) (anonymize.Value, error) { return anonymize.TextValue(text), nil })
	if err != nil {
		panic(err) // a test parses the lines above
	}
	return t
}

// table draws n records, all if there are no more, and their diseases.
func (p *patients) table(n int, seed uint64) *anonymize.Microdata {
	random := rand.New(rand.NewPCG(p.seed, 300+seed))
	rows := make([]int, 0, n)
	for _, i := range random.Perm(len(p.distinct))[:min(n, len(p.distinct))] {
		rows = append(rows, p.distinct[i])
	}
	table := evaluation.These(p.columns, rows)
	diseases := make([]anonymize.Value, len(rows))
	for i := range diseases {
		diseases[i] = disease(random)
	}
	table.Columns = append(table.Columns, anonymize.NewColumn("disease", "TEXT", diseases))
	return table
}

// disease draws a disease of Table 5.
func disease(random *rand.Rand) anonymize.Value {
	leaves := clustering.Diseases().Leaves()
	return leaves[random.IntN(len(leaves))]
}

// input returns a table of n records as input for a method.
func (p *patients) input(n int, seed uint64) (*anonymize.Input, error) {
	return p.inputOf(p.table(n, seed).Columns)
}

func (p *patients) inputOf(columns []*anonymize.Column) (*anonymize.Input, error) {
	last := len(columns) - 1
	table := &anonymize.Microdata{Columns: columns, Rows: columns[last].Rows()}
	in, err := anonymize.NewInput(
		table,
		anonymize.Roles{QuasiIdentifiers: evaluation.Names(columns[:last]), Sensitive: evaluation.Names(columns[last:])},
		rand.NewPCG(p.seed, 1),
	)
	if err != nil {
		return nil, err
	}
	in.Domains = p.domains
	return in, nil
}
