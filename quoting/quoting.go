// Package quoting writes names and texts into statements of MySQL's, and reads names back out of them. Every room that makes such a
// statement writes them here; SQL of distributed engines is written by engine/dialect.
//
// A name or a text ends where it should whatever the session's sql_mode says, so that nothing in it becomes SQL. Text means the same text
// where a backslash escapes, as it does unless NO_BACKSLASH_ESCAPES is set; Hex does everywhere.
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
