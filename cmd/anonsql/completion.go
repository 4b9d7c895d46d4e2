package main

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Completions of flags' values, by the flag's name, which means the same in every command. For a flag in no
// list the shell offers nothing, because it cannot guess the value and would otherwise offer files.
var (
	valuesOf = map[string][]string{
		"charset":      {"utf8", "utf16", "utf16le", "latin1"},
		"log-format":   {"text", "json"},
		"risk":         {"breach", "definetti", "learned"},
		"target":       {"relative_error", "median_relative_error", "p95_relative_error", "glp", "imputed_error"},
		"tls":          {"true", "skip-verify", "preferred"},
		"upstream-tls": {"required", "verify-ca", "off"},
	}
	directoryFlags = []string{"data-dir", "export-dir"}
	fileFlags      = []string{"csv", "engine-ca", "engine-password-file", "engine-token-file", "file", "out", "tls-cert", "tls-key", "upstream-ca"}
	// Commands whose arguments are files or directories.
	fileCommands, directoryCommands = []string{"import", "taxonomy", "backup", "restore"}, []string{"import-release"}
)

// offer registers completions for the flags and arguments of root's commands.
func offer(root *cobra.Command) *cobra.Command {
	for _, cmd := range root.Commands() {
		switch {
		case slices.Contains(fileCommands, cmd.Name()):
		case slices.Contains(directoryCommands, cmd.Name()):
			cmd.ValidArgsFunction = directories
		default:
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if then := offered(f); then != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, then) // fails for a missing flag, or one that has a completion
			}
		})
	}
	return root
}

// offered returns the completion of a flag's values; nil for files.
func offered(f *pflag.Flag) cobra.CompletionFunc {
	switch {
	case slices.Contains(fileFlags, f.Name):
		return nil
	case slices.Contains(directoryFlags, f.Name):
		return directories
	}
	return cobra.FixedCompletions(valuesOf[f.Name], cobra.ShellCompDirectiveNoFileComp)
}

func directories(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
