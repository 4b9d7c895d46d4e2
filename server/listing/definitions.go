package listing

import (
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/quoting"
	"github.com/anonsql/anonsql/server/answers"
)

// Definitions formats SHOW CREATE TABLE so that its text creates the same table. The engine writes the defaults of
// ENUM and SET as numbers, and does not escape quotes in members and comments.
type Definitions struct{ sql.MySqlSchemaFormatter }

var _ sql.SchemaFormatter = (*Definitions)(nil)

// GenerateCreateTableStatement implements sql.SchemaFormatter.
func (d *Definitions) GenerateCreateTableStatement(table string, columns []string, temporary, next, charset, collation, comment string) string {
	comment = strings.ReplaceAll(comment, `\`, `\\`) // the engine doubles quotes here
	return d.MySqlSchemaFormatter.GenerateCreateTableStatement(table, columns, temporary, next, charset, collation, comment)
}

// GenerateCreateTableColumnDefinition implements sql.SchemaFormatter.
func (d *Definitions) GenerateCreateTableColumnDefinition(c *sql.Column, given, onUpdate string, table sql.CollationID) string {
	shown := *c
	shown.Comment = escaped(c.Comment)
	if t, ok := c.Type.(sql.TypeWithCollation); ok && answers.HasMembers(c.Type) {
		shown.Type = quotedMembers{c.Type, t}
	}
	return d.MySqlSchemaFormatter.GenerateCreateTableColumnDefinition(&shown, memberDefault(c, given), onUpdate, table)
}

// GenerateCreateTableIndexDefinition implements sql.SchemaFormatter.
func (d *Definitions) GenerateCreateTableIndexDefinition(unique, spatial, fullText, vector bool, name string, columns []string, comment string) (string, bool) {
	return d.MySqlSchemaFormatter.GenerateCreateTableIndexDefinition(unique, spatial, fullText, vector, name, columns, escaped(comment))
}

// escaped escapes a text for quotes.
func escaped(text string) string {
	literal := quoting.Text(text)
	return literal[1 : len(literal)-1]
}

// memberDefault returns the default of an ENUM or a SET as a text, given its number.
func memberDefault(c *sql.Column, given string) string {
	number, err := strconv.ParseUint(strings.Trim(given, "'"), 10, 64)
	if err != nil || !c.Default.IsLiteral() {
		return given
	}
	switch t := c.Type.(type) {
	case sql.EnumType:
		if member, ok := t.At(int(number)); ok {
			return quoting.Text(member)
		}
	case sql.SetType:
		if members, err := t.BitsToString(number); err == nil {
			return quoting.Text(members)
		}
	}
	return given
}

type engineType = sql.Type // renamed, since a method has the name Type

// quotedMembers escapes the members of a type; the engine does not.
type quotedMembers struct {
	engineType
	sql.TypeWithCollation
}

// StringWithTableCollation implements sql.TypeWithCollation.
func (t quotedMembers) StringWithTableCollation(table sql.CollationID) string {
	return answers.QuotedMembers(t.engineType, t.TypeWithCollation.StringWithTableCollation(table))
}
