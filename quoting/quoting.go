// Package quoting quotes names and texts for statements of MySQL, and reads quoted names. Every package that makes such a statement
// uses it; engine/dialect writes SQL of distributed engines.
//
// A quoted name or text ends at its last quote in every sql_mode, so no part of it becomes SQL. The output of Text keeps its value only
// where a backslash escapes, that is without NO_BACKSLASH_ESCAPES; the output of Hex keeps it everywhere.
//
// It takes any bytes and refuses nothing. It imports the standard library only.
package quoting

import (
	"fmt"
	"strings"
)

// Name is a path of names in backquotes, such as `shop`.`sales`. MySQL, the server's own grammar and SQLite read it.
func Name(path ...string) string {
	quoted := make([]string, len(path))
	for i, name := range path {
		quoted[i] = "`" + strings.ReplaceAll(name, "`", "``") + "`"
	}
	return strings.Join(quoted, ".")
}

// Unquoted is a name as Name writes it, or one without backquotes.
func Unquoted(name string) string {
	if len(name) > 1 && name[0] == '`' && name[len(name)-1] == '`' {
		return strings.ReplaceAll(name[1:len(name)-1], "``", "`")
	}
	return name
}

// List joins names with commas. In backquotes are names that are empty or have a comma, a backquote, or blanks at an end.
func List(names []string) string {
	written := make([]string, len(names))
	for i, name := range names {
		if written[i] = name; name == "" || strings.ContainsAny(name, ",`") || strings.TrimSpace(name) != name {
			written[i] = Name(name)
		}
	}
	return strings.Join(written, ",")
}

var escapes = strings.NewReplacer(`\`, `\\`, `'`, `''`)

// Text is a literal that people read, with quotes doubled.
func Text(text string) string { return "'" + escapes.Replace(text) + "'" }

// Texts are literals with commas between, such as the arguments of a CALL.
func Texts(texts ...string) string {
	literals := make([]string, len(texts))
	for i, text := range texts {
		literals[i] = Text(text)
	}
	return strings.Join(literals, ",")
}

// Hex is a literal of UTF-8 whatever the session's sql_mode and character set are.
func Hex(text string) string { return fmt.Sprintf("_utf8mb4 X'%x'", text) }
