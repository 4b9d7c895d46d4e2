package demo

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/cmd/anonsql/importer"
	"github.com/anonsql/anonsql/testsize"
)

// point are the method and the parameters of a CALL anonymize, without names and roles.
func point(t *testing.T, statement string) []string {
	t.Helper()
	var found []string
	for i, text := range regexp.MustCompile(`'([^']*)'`).FindAllStringSubmatch(statement, -1) {
		name, _, _ := strings.Cut(text[1], "=")
		if i > 0 && !slices.Contains([]string{"publish", "replace", "qi", "sa"}, name) {
			found = append(found, text[1])
		}
	}
	if slices.Sort(found); len(found) < 2 {
		t.Fatalf("no CALL anonymize: %s", statement)
	}
	return found
}

// checkBalance: the balance of CALL advise is the recipe. Without a seed, one call in ten or so finds another point that is as near.
func checkBalance(t *testing.T, ask func(statement string) [][]string, recipe string) {
	t.Helper()
	for seed := range testsize.Levels(0, 1, 6) {
		for _, row := range ask(fmt.Sprintf("CALL advise('%s.%s', 'sample=2000', 'seed=%d')", database, table, seed)) {
			if row[0] == "balance" && !slices.Equal(point(t, row[3]), point(t, recipe)) {
				t.Errorf("the balance of seed %d is %s, the README publishes %s", seed, row[3], recipe)
			}
		}
	}
}

// TestRecipe: the README, the demonstration and the balance of CALL advise publish by one method with the same parameters. The README's release keeps
// all its promises, each of which could be broken. No attacker is certain of a value (anonymize/attack tests the one who knows half of the others).
func TestRecipe(t *testing.T) {
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	roles := regexp.MustCompile(`CALL set_attributes\('census.people'.*\);`).FindString(string(readme))
	recipe := regexp.MustCompile(`CALL anonymize\('census.people'.*\);`).FindString(string(readme))
	demo := (&profile{sensitive: "disease", topShare: .13}).anonymize()[0]
	if !slices.Equal(point(t, recipe), point(t, demo)) {
		t.Errorf("the README publishes %s, the demonstration %s", recipe, demo)
	}
	o := Options{Listen: "127.0.0.1:0", Exit: true, people: testsize.Of(2000, 4000)}
	ctx := context.Background()
	h, err := openHouse(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	file, _, err := o.file(h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := importer.ToServer(ctx, h.importOptions(o, file)); err != nil {
		t.Fatal(err)
	}
	ask := func(statement string) [][]string {
		t.Helper()
		_, rows, err := fetch(ctx, h.owner, statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		return rows
	}
	here := strings.NewReplacer("census.people", database+"."+table)
	ask(strings.TrimSuffix(here.Replace(roles), ";"))
	checkBalance(t, ask, recipe)
	// Another draw may have a second red line: an attacker is sure of a few of the 2,000 people.
	ask(strings.TrimSuffix(here.Replace(recipe), ");") + ", 'seed=1')")
	promised := 0
	for _, row := range ask("SELECT guarantee, required, achieved, holds FROM ANON_PRIVACY(people) WHERE required IS NOT NULL") {
		if promised++; row[3] != "1" || row[1] == "1" {
			t.Errorf("promised and not kept, or nothing: %v", row)
		}
	}
	if promised < 2 {
		t.Errorf("%d promises", promised)
	}
	page := fmt.Sprint(ask("CALL report('people', 'part=decision')"))
	if red := regexp.MustCompile(`<li class="bad">.*`).FindAllString(page, -1); len(red) != 1 || !strings.Contains(red[0], "Quasi-identifiers are published as they are") {
		t.Errorf("red lines are %q", red)
	}
	for _, said := range []string{"in one row", "That a person is in the table is no secret", "No sensitive value is more than 1 in 5 of a group"} {
		if !strings.Contains(page, said) {
			t.Errorf("the page does not say %q", said)
		}
	}
}
