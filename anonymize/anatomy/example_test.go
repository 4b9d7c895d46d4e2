package anatomy_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anatomy"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// Eight patients in groups of at least three different diagnoses.
func ExampleMethod() {
	column := func(name string, values ...string) *anonymize.Column {
		v := make([]anonymize.Value, len(values))
		for i := range values {
			v[i] = anonymize.TextValue(values[i])
		}
		return anonymize.NewColumn(name, "TEXT", v)
	}
	table, err := anonymize.NewMicrodata(
		column("age", "30", "30", "40", "40", "50", "50", "60", "60"),
		column("diagnosis", "flu", "flu", "cold", "cold", "cough", "cough", "gout", "gout"))
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := anonymize.NewInput(table, anonymize.Roles{
		QuasiIdentifiers: []string{"age"}, Sensitive: []string{"diagnosis"}},
		rand.NewPCG(1, 2)) // for a publication: seeded from crypto/rand, and forgotten
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := anatomy.Method().Run(context.Background(), in, anonymize.Arguments{"l": "3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	guarantees, err := privacy.Verify(release)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Groups(), "groups")
	for _, g := range guarantees {
		if g.Required != nil {
			fmt.Printf("%s >= %s: %.0f\n", g.Name, g.Required, g.Achieved)
		}
	}
	// Output:
	// 2 groups
	// l >= 3: 4
}
