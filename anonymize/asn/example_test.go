package asn_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/asn"
)

// Six patients: a table for age, one for sex, one for the diagnosis.
func ExampleMethod() {
	column := func(name string, values ...string) *anonymize.Column {
		v := make([]anonymize.Value, len(values))
		for i := range values {
			v[i] = anonymize.TextValue(values[i])
		}
		return anonymize.NewColumn(name, "TEXT", v)
	}
	table, err := anonymize.NewMicrodata(
		column("age", "30", "30", "40", "40", "50", "50"),
		column("sex", "F", "M", "F", "M", "F", "M"),
		column("diagnosis", "flu", "flu", "cold", "cold", "cough", "cough"))
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
	release, err := asn.Method().Run(context.Background(), in, anonymize.Arguments{"beta": "1/3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Groups(), "groups")
	for _, f := range release.Fragments {
		fmt.Println(f.Name, f.Columns[0].Name)
	}
	// Output:
	// 2 groups
	// qi1 age
	// qi2 sex
	// sa diagnosis
}
