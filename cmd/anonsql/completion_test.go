package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What the program completes for bash, zsh and fish, and what the shells then add: files, directories, or nothing.
func TestShellsAreOfferedWhatMayFollow(t *testing.T) {
	const files, directories, nothing = ":0", ":16", ":4"
	for _, c := range []struct {
		line, first, then string
	}{
		{"im", "import\t", nothing},
		{"serve --lis", "--listen\t", nothing},
		{"serve --listen ", "", nothing},
		{"serve --log-format ", "text", nothing},
		{"serve --log-format=", "text", nothing},
		{"serve --data-dir ", "", directories},
		{"serve --tls-cert ", "", files},
		{"serve ", "", nothing},
		{"import ", "", files},
		{"import f.csv --charset ", "utf8", nothing},
		{"import-release ", "", directories},
		{"report adult --out ", "", files},
		{"report ", "", nothing},
		{"backup ", "", files},
	} {
		arguments := strings.Split(c.line, " ")
		out, errs, code := play(t, append([]string{cobra.ShellCompNoDescRequestCmd}, arguments...)...)
		first, _, _ := strings.Cut(out, "\n")
		if c.first == "" {
			c.first = c.then
		}
		if code != 0 || first != strings.TrimSpace(c.first) || !strings.HasSuffix(strings.TrimSpace(out), c.then) {
			t.Errorf("%q: exit %d, got\n%s%s\nwant %q first, and %s", c.line, code, out, errs, c.first, c.then)
		}
	}
}

// The lists name only existing commands and flags, so that a renamed flag is noticed.
func TestWhatShellsAreOfferedIsThere(t *testing.T) {
	flags, commands := map[string]*pflag.Flag{}, map[string]bool{}
	for _, cmd := range newRoot().Commands() {
		commands[cmd.Name()] = true
		cmd.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = f })
	}
	for _, name := range append(directoryFlags, fileFlags...) {
		if flags[name] == nil {
			t.Errorf("no command has a flag --%s", name)
		}
	}
	for _, name := range append(directoryCommands, fileCommands...) {
		if !commands[name] {
			t.Errorf("there is no command %s", name)
		}
	}
	for name, values := range valuesOf {
		for _, value := range values {
			if f := flags[name]; f == nil || !strings.Contains(f.Usage, value) {
				t.Errorf("--%s: its help does not name the value %q", name, value)
			}
		}
	}
}
