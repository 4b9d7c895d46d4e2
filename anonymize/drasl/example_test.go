package drasl_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/drasl"
)

// Six patients in two groups of three: one pair of synonyms, anemia, leukemia and
// lymphoma, comes together, for there are three of them. For a publication the
// source must be seeded from crypto/rand.
func ExampleMethod() {
	var ages, diseases []anonymize.Value
	for i, disease := range []string{"anemia", "leukemia", "lymphoma", "enteritis", "gastritis", "acne"} {
		ages = append(ages, anonymize.IntegerValue(int64(30+i)))
		diseases = append(diseases, anonymize.TextValue(disease))
	}
	table, _ := anonymize.NewMicrodata(anonymize.NewColumn("age", "INT", ages), anonymize.NewColumn("disease", "TEXT", diseases))
	in, _ := anonymize.NewInput(table, anonymize.Roles{QuasiIdentifiers: []string{"age"}, Sensitive: []string{"disease"}}, rand.NewPCG(1, 2))
	release, err := drasl.Method().Run(context.Background(), in, anonymize.Arguments{"k": "3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, fact := range release.Facts {
		fmt.Printf("%s: %s\n", fact.Name, fact.Value)
	}
	// Output:
	// equivalence classes: 2 of 3 to 3 records, 3.00 on average
	// discernibility (C_DM): 18
	// normalized certainty penalty: 0.7000
	// synonym catalogue: the bundled catalogue, 32 values in 8 classes
	// synonymous linkage (Total_Pr_SA): 0.1667 over 2 groups, 0.0833 of a record's group on average
	// information loss (Average_IL): 0.088889, 0.2667 of a record on average
	// greatest frequency: disease = leukemia is 0.3333 (1/3) of a group; nothing bounds it, l-diversity is not promised
}
