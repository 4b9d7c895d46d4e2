package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/anonsql/anonsql/cmd/version"
)

// newManual prints the manual page anonsql(1): every command with its flags, as in `--help`.
// cobra's own generator would add two modules, and writes one page per command.
func newManual() *cobra.Command {
	return &cobra.Command{
		Use:    "manual",
		Short:  "Print the manual page, in man's format",
		Hidden: true,
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return writeManual(cmd.OutOrStdout(), cmd.Root())
		},
	}
}

func writeManual(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH ANONSQL 1 \"\" \"anonsql %s\" \"User Commands\"\n.SH NAME\nanonsql \\- %s\n", version.Number, roff(lower(root.Short)))
	b.WriteString(".SH SYNOPSIS\n.B anonsql\n.I command\n[\\fIflags\\fR]\n.SH COMMANDS\n")
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		fmt.Fprintf(&b, ".SS anonsql %s\n%s\n", roff(c.Use), roff(orDefault(c.Long, c.Short)))
		if c.Example != "" {
			fmt.Fprintf(&b, ".PP\n.nf\n%s\n.fi\n", roff(c.Example))
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			kind, usage := pflag.UnquoteUsage(f)
			fmt.Fprintf(&b, ".TP\n.B \\-\\-%s\n", roff(strings.TrimSpace(f.Name+" "+kind)))
			b.WriteString(roff(usage))
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" && f.DefValue != "0s" {
				fmt.Fprintf(&b, " (default %s)", roff(f.DefValue))
			}
			b.WriteByte('\n')
		})
	}
	b.WriteString(".SH FILES\n.TP\n.I ./anonsql-data\nThe data directory, unless --data-dir says another. Only one server has it open.\n")
	b.WriteString(".SH SEE ALSO\n/usr/share/doc/anonsql, mariadb(1), mysql(1)\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// roff escapes man's requests, and hyphens, which man would make typographic.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }

func orDefault(text, other string) string {
	if text != "" {
		return text
	}
	return other
}
