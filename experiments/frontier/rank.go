package frontier

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/attack"
	"github.com/anonsql/anonsql/anonymize/locality"
	"github.com/anonsql/anonsql/anonymize/methods"
	"github.com/anonsql/anonsql/anonymize/modeled"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// rank measures an attacker who knows half of the records with their values, and every record's rank in the order of
// quasi-identifiers. Without groups there are no ranks.
func (b *Bench) rank(ctx context.Context, statement string) (Attack, error) {
	words := strings.Fields(statement)
	method, err := methods.ByName(words[0])
	if err != nil || method.Name == modeled.Name {
		return unmeasured, err
	}
	in, err := b.input()
	if err != nil {
		return unmeasured, err
	}
	truth := attack.Truth{QuasiIdentifiers: in.QuasiIdentifiers, Sensitive: in.Sensitive[0]}
	in.Assigned = func(groups []uint32) { truth.GroupOf = groups }
	arguments, asked, err := argumentsOf(method, words[1:])
	if err != nil {
		return unmeasured, err
	}
	in.Asked = asked
	release, err := method.Run(ctx, in, arguments)
	if err != nil {
		return unmeasured, err
	}
	position, err := locality.Order(ctx, in.QuasiIdentifiers)
	if err != nil {
		return unmeasured, err
	}
	found, err := attack.Rank(ctx, release, truth, position, attack.Options{Random: rand.NewPCG(2, 1)})
	return Attack{found.Mean, -1, found.Above90}, err
}

// argumentsOf returns the words that are arguments of the method, and the promises that any method takes. Other
// words, such as model=, do not affect groups.
func argumentsOf(method anonymize.Method, words []string) (anonymize.Arguments, []anonymize.Promise, error) {
	arguments, asked := make(anonymize.Arguments), []anonymize.Promise(nil)
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if slices.ContainsFunc(method.Parameters, func(p anonymize.Parameter) bool { return p.Name == key }) {
			arguments[key] = value
		} else if option, ok := privacy.OptionNamed(key); ok {
			promise, err := option.Promise(value)
			if err != nil {
				return nil, nil, err
			}
			asked = append(asked, promise)
		}
	}
	return arguments, asked, nil
}

// input returns the table as input for a method.
func (b *Bench) input() (*anonymize.Input, error) {
	var columns []*anonymize.Column
	var roles anonymize.Roles
	for i, a := range b.Table.Attributes {
		values := make([]anonymize.Value, b.Table.Rows)
		for row, text := range b.Table.values[i] {
			values[row] = valueOf(text, a.Width > 0)
		}
		columns = append(columns, anonymize.NewColumn(a.Name, "", values))
		if i < b.Table.sensitive() {
			roles.QuasiIdentifiers = append(roles.QuasiIdentifiers, a.Name)
		} else {
			roles.Sensitive = []string{a.Name}
		}
	}
	table, err := anonymize.NewMicrodata(columns...)
	if err != nil {
		return nil, err
	}
	return anonymize.NewInput(table, roles, rand.NewPCG(1, 2))
}

func valueOf(text string, number bool) anonymize.Value {
	if x, err := strconv.ParseFloat(text, 64); number && err == nil {
		return anonymize.RealValue(x)
	}
	return anonymize.TextValue(text)
}
