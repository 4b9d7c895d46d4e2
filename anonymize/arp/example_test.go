package arp_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/arp"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Eight patients of two towns in groups of two different diagnoses: both towns
// can be divided by themselves, so that no group has patients of both.
func ExampleMethod() {
	column := func(name string, values ...string) *anonymize.Column {
		v := make([]anonymize.Value, len(values))
		for i := range values {
			v[i] = anonymize.TextValue(values[i])
		}
		return anonymize.NewColumn(name, "TEXT", v)
	}
	table, err := anonymize.NewMicrodata(
		column("town", "Ulm", "Ulm", "Ulm", "Ulm", "Bonn", "Bonn", "Bonn", "Bonn"),
		column("diagnosis", "flu", "flu", "cold", "gout", "cough", "cough", "gout", "flu"))
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := anonymize.NewInput(table, anonymize.Roles{
		QuasiIdentifiers: []string{"town"}, Sensitive: []string{"diagnosis"}},
		rand.NewPCG(1, 2)) // for a publication: seeded from crypto/rand, and forgotten
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := arp.Method().Run(context.Background(), in, anonymize.Arguments{"l": "2"})
	if err != nil {
		fmt.Println(err)
		return
	}
	guarantees, err := privacy.Verify(release)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range release.Facts {
		fmt.Printf("%s: %s\n", f.Name, f.Value)
	}
	for _, g := range guarantees {
		if g.Required != nil {
			fmt.Printf("%s >= %s: %.0f\n", g.Name, g.Required, g.Achieved)
		}
	}
	// Output:
	// initial blocks: 2
	// largest initial block: 4 records
	// phi^2 with the sensitive attribute: town (0.4167)
	// refined blocks: 4
	// residual records: 0
	// records in groups across blocks: 0
	// l >= 2: 2
}
