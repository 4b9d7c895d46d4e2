package slppa_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
	"github.com/anonsql/anonsql/anonymize/slppa"
)

// Eight patients in groups where no diagnosis has more than half of the records
// and no (age, sex) more than half either.
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
		column("diagnosis", "flu", "flu", "flu", "flu", "cold", "cold", "cough", "gout"))
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
	release, err := slppa.Method().Run(context.Background(), in,
		anonymize.Arguments{"alpha": "0.5", "beta": "0.5", "tables": "2"})
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
	for _, g := range guarantees[:2] {
		fmt.Printf("%s <= %s: %.2f\n", g.Name, g.Required, g.Achieved)
	}
	// Output:
	// 4 groups
	// alpha <= 0.5: 0.50
	// beta <= 0.5: 0.50
}
