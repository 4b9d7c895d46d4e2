package crossbucket_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/crossbucket"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// The eight patients of the paper's Fig. 1b: nobody is shown apart from at least
// one other, and nobody's disease is likelier than a quarter.
func ExampleMethod() {
	numbers := func(name string, values ...int64) *anonymize.Column {
		v := make([]anonymize.Value, len(values))
		for i, n := range values {
			v[i] = anonymize.IntegerValue(n)
		}
		return anonymize.NewColumn(name, "INT", v)
	}
	texts := func(name string, values ...string) *anonymize.Column {
		v := make([]anonymize.Value, len(values))
		for i, s := range values {
			v[i] = anonymize.TextValue(s)
		}
		return anonymize.NewColumn(name, "TEXT", v)
	}
	table, err := anonymize.NewMicrodata(
		numbers("age", 16, 22, 24, 26, 29, 31, 34, 35),
		texts("sex", "F", "M", "F", "M", "M", "F", "F", "M"),
		numbers("zip", 43307, 43302, 43306, 43307, 43309, 43312, 43312, 43309),
		texts("disease", "flu", "dyspepsia", "hepatitis", "bronchitis", "bronchitis", "pneumonia", "gastritis", "dyspepsia"))
	if err != nil {
		fmt.Println(err)
		return
	}
	in, err := anonymize.NewInput(table, anonymize.Roles{
		QuasiIdentifiers: []string{"age", "sex", "zip"}, Sensitive: []string{"disease"}},
		rand.NewPCG(1, 2)) // for a publication: seeded from crypto/rand, and forgotten
	if err != nil {
		fmt.Println(err)
		return
	}
	release, err := crossbucket.Method().Run(context.Background(), in, anonymize.Arguments{"k": "2", "l": "4"})
	if err != nil {
		fmt.Println(err)
		return
	}
	guarantees, err := privacy.Verify(release)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(release.Groups(), "buckets")
	for _, g := range guarantees {
		if g.Required != nil {
			fmt.Printf("%s: required %s, reached %.2f\n", g.Name, g.Required, g.Achieved)
		}
	}
	// Output:
	// 4 buckets
	// k: required 2, reached 2.00
	// breach: required 0.25, reached 0.25
}
