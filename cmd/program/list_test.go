package program

import (
	"slices"
	"testing"

	"github.com/spf13/pflag"
)

// TestListVar: commas separate, quotes protect them, and an empty element is an element.
func TestListVar(t *testing.T) {
	for _, c := range []struct{ given, want []string }{
		{nil, []string{"default"}},
		{[]string{"a,b"}, []string{"a", "b"}},
		{[]string{"a", "b,c"}, []string{"a", "b", "c"}},
		{[]string{""}, []string{""}},
		{[]string{"a,,c"}, []string{"a", "", "c"}},
		{[]string{","}, []string{"", ""}},
		{[]string{`"income, in euro",b`}, []string{"income, in euro", "b"}},
		{[]string{`a,"b ""c"", d"`}, []string{"a", `b "c", d`}},
		{[]string{`""`}, []string{""}},
		{[]string{`"a`, `5"`, `"a"b,c`}, []string{`"a`, `5"`, `"a"b`, "c"}},
	} {
		flags, got := pflag.NewFlagSet("", pflag.ContinueOnError), []string{"default"}
		ListVar(flags, &got, "names", "")
		var arguments []string
		for _, g := range c.given {
			arguments = append(arguments, "--names", g)
		}
		if err := flags.Parse(arguments); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, %v, want %q", c.given, got, err, c.want)
		}
	}
}
