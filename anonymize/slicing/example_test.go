package slicing_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/slicing"
)

// Eight patients in buckets where no diagnosis has more than half of the records.
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
		column("sex", "F", "M", "F", "M", "F", "M", "F", "M"),
		column("diagnosis", "flu", "cold", "flu", "flu", "cold", "flu", "cough", "gout"))
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := anonymize.NewInput(table, anonymize.Roles{
		QuasiIdentifiers: []string{"age", "sex"}, Sensitive: []string{"diagnosis"}},
		rand.NewPCG(1, 2)) // for a publication: seeded from crypto/rand, and forgotten
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := slicing.Method().Run(context.Background(), in, anonymize.Arguments{"l": "2", "tables": "2"})
	if err != nil {
		fmt.Println(err)
		return
	}
	guarantees, err := privacy.Verify(release)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Groups(), "buckets of", release.Rows, "records")
	for _, g := range guarantees {
		if g.Required != nil {
			fmt.Printf("%s >= %s: %.0f\n", g.Name, g.Required, g.Achieved)
		}
	}
	// Output:
	// 3 buckets of 8 records
	// l >= 2: 2
}
