package privacy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/anonsql/anonsql/anonymize"
)

// An Option is a promise that an owner may ask for, whatever the method. Its name is that of
// the guarantee.
type Option struct {
	Name string
	// Doc is one line: the promise and the range of its value.
	Doc string
	// read parses the value as the bound, and for recursive also the l.
	read func(o *Option, text string) (bound, threshold anonymize.Ratio, err error)
}

// Options is the complete list.
func Options() []Option {
	return []Option{
		{"size", "at least so many records in every group, or persons where these have several records; a whole number from 2", wholeFrom2},
		{"distinct", "distinct l-diversity: at least so many sensitive values in every group; a whole number from 2", wholeFrom2},
		{"entropy", "entropy l-diversity: the entropy of every group is at least ln l; a number from 1", numberFrom(1)},
		{
			"recursive",
			"recursive (c,l)-diversity: c,l such as 3,2: the most frequent value of a group is less than c times as frequent as those from number l on together",
			tail,
		},
		{"t_equal", "t-closeness with the equal distance; 0 to 1", share},
		{"t_ordered", "t-closeness with the ordered distance, of numbers; 0 to 1", share},
		{"t_hierarchical", "t-closeness with the distances of the attribute's taxonomy; 0 to 1", share},
		{
			"beta_likeness",
			"basic beta-likeness: no value's share of a group is more than 1 + beta times its share of the release; a number from 0",
			numberFrom(0),
		},
		{"enhanced_beta_likeness", "enhanced beta-likeness: nor more than 1 - ln p times, p being its share of the release; a number from 0", numberFrom(0)},
		{
			"delta_disclosure",
			"delta-disclosure privacy: every value's share of every group is within a factor of 2^delta of its share of the release; a number above 0",
			positive,
		},
		{"range", "error bound of (k, e)-anonymity: the numbers of every group span at least so much, dates in days; a number above 0", positive},
	}
}

// OptionNamed finds an option by name; false if there is none.
func OptionNamed(name string) (Option, bool) {
	options := Options()
	if i := slices.IndexFunc(options, func(o Option) bool { return o.Name == name }); i >= 0 {
		return options[i], true
	}
	return Option{}, false
}

// Asked returns the promises among a release's guarantees that are options of every method: what its owner asked for.
func Asked(guarantees []anonymize.Guarantee) (asked []anonymize.Promise) {
	for _, g := range guarantees {
		promise, ok := g.Promise()
		base, _, _ := anonymize.SplitAbout(g.Name)
		if _, option := OptionNamed(base); ok && option {
			asked = AddPromise(asked, promise)
		}
	}
	return asked
}

// Promise parses the owner's value, for certain sensitive attributes or, without any, for all.
// The error is a *anonymize.ParameterError.
func (o *Option) Promise(text string, attributes ...string) (p anonymize.Promise, err error) {
	if len(attributes) > 0 && slices.Contains(withoutSensitive, o.Name) {
		return p, o.refuse(text, "is of groups and of no attribute: say "+o.Name+"="+text)
	}
	p.Guarantee = anonymize.GuaranteeName(o.Name, attributes...)
	p.Bound, p.Threshold, err = o.read(o, strings.TrimSpace(text))
	return p, err
}

func (o *Option) refuse(text, rule string) error {
	return &anonymize.ParameterError{Parameter: o.Name, Value: "'" + text + "'", Rule: rule}
}

func wholeFrom2(o *Option, text string) (bound, _ anonymize.Ratio, err error) {
	if bound, err = anonymize.ParseRatio(text); err != nil || bound.Den != 1 || bound.Num < 2 {
		return bound, bound, o.refuse(text, "must be a whole number of at least 2")
	}
	return bound, anonymize.Ratio{}, nil
}

func numberFrom(least uint64) func(o *Option, text string) (bound, _ anonymize.Ratio, err error) {
	return func(o *Option, text string) (bound, _ anonymize.Ratio, err error) {
		if bound, err = anonymize.ParseRatio(text); err != nil || bound.Cmp(anonymize.NewRatio(least, 1)) < 0 {
			return bound, bound, o.refuse(text, fmt.Sprintf("must be a number of at least %d, such as 1.5 or 7/2", least))
		}
		return bound, anonymize.Ratio{}, nil
	}
}

func positive(o *Option, text string) (bound, _ anonymize.Ratio, err error) {
	if bound, err = anonymize.ParseRatio(text); err != nil || bound.Num == 0 {
		return bound, bound, o.refuse(text, "must be a number above 0, such as 1.5 or 7/2")
	}
	return bound, anonymize.Ratio{}, nil
}

func share(o *Option, text string) (bound, _ anonymize.Ratio, err error) {
	if bound, err = anonymize.ParseRatio(text); err != nil || bound.Num > bound.Den {
		return bound, bound, o.refuse(text, "must be a number from 0 to 1, such as 0.2 or 1/3")
	}
	return bound, anonymize.Ratio{}, nil
}

// tail parses c,l.
func tail(o *Option, text string) (c, l anonymize.Ratio, err error) {
	first, second, two := strings.Cut(text, ",")
	c, wrong := anonymize.ParseRatio(first)
	l, wrongL := anonymize.ParseRatio(second)
	if !two || wrong != nil || wrongL != nil || c.Num == 0 || l.Den != 1 || l.Num < 2 || l.Num > 1<<30 {
		return c, l, o.refuse(text, "must be c,l such as 3,2: a number above 0 and a whole number of at least 2")
	}
	return c, l, nil
}

// AddPromise adds a promise. Of two with one name, the stricter one stays. No method promises
// recursive or t_hierarchical, which have more than a bound.
func AddPromise(promises []anonymize.Promise, asked anonymize.Promise) []anonymize.Promise {
	all := slices.Clone(promises)
	i := slices.IndexFunc(all, func(p anonymize.Promise) bool { return p.Guarantee == asked.Guarantee })
	if i < 0 {
		return append(all, asked)
	}
	if Stricter(asked.Guarantee, asked.Bound, all[i].Bound) {
		all[i] = asked
	}
	return all
}

// Stricter reports whether one bound of a guarantee promises more than another.
func Stricter(guarantee string, bound, other anonymize.Ratio) bool {
	if name, _, _ := anonymize.SplitAbout(guarantee); directionOf(name) == atLeast {
		return bound.Cmp(other) > 0
	}
	return bound.Cmp(other) < 0
}
