package cdt_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/cdt"
)

// Eight employees with two sensitive attributes, in classes in which no disease
// and no salary is more than half of the records. For a publication the source
// must be seeded from crypto/rand.
func ExampleMethod() {
	var ages, diseases, salaries []anonymize.Value
	for i, disease := range []string{"flu", "flu", "cold", "acne", "cold", "flu", "acne", "cold"} {
		ages = append(ages, anonymize.IntegerValue(int64(30+i)))
		diseases = append(diseases, anonymize.TextValue(disease))
		salaries = append(salaries, anonymize.IntegerValue(int64(2000+1000*(i%3))))
	}
	table, _ := anonymize.NewMicrodata(anonymize.NewColumn("age", "INT", ages),
		anonymize.NewColumn("disease", "TEXT", diseases), anonymize.NewColumn("salary", "INT", salaries))
	in, _ := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: []string{"age"}, Sensitive: []string{"disease", "salary"}}, rand.NewPCG(1, 2))
	release, err := cdt.Method().Run(context.Background(), in, anonymize.Arguments{"k": "3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, fact := range release.Facts {
		fmt.Printf("%s: %s\n", fact.Name, fact.Value)
	}
	// Output:
	// equivalence classes: 2 of 4 to 4 records, 4.00 on average
	// discernibility (C_DM): 32
	// normalized certainty penalty: 0.4286
	// utility loss (UL): 0.4286
	// privacy of quasi-identifiers (P(Q)): 0.6667
	// prevention of homogeneity (P(S)): 0.7500
	// privacy of the release (P(D')): 0.7096
	// privacy gain: 0.7096
	// linked sensitive values: records whose value is the only one in their class, so that knowing it reveals their other sensitive values: disease: 50.0 percent, salary: 50.0 percent
}
