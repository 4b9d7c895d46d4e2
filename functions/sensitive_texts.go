package functions

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/mysql"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/detection"
	"github.com/anonsql/anonsql/catalog/coding"
)

// unpadded is a table without trailing spaces of sensitive texts: 'hiv ' counts as 'hiv', under any collation, since a group of both reveals one disease.
// blank are the attributes that lost some.
func unpadded(table *anonymize.Microdata, sensitive []string) (bare *anonymize.Microdata, blank []string) {
	bare = &anonymize.Microdata{Rows: table.Rows, Columns: slices.Clone(table.Columns)}
	for i, c := range table.Columns {
		if typ, err := coding.ParseType(c.Type); err != nil || !types.IsTextOnly(typ) || !slices.Contains(sensitive, c.Name) {
			continue
		}
		column := &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: slices.Clone(c.Dictionary), Codes: slices.Clone(c.Codes)}
		if coding.Unpad(column); !slices.Equal(column.Dictionary, c.Dictionary) {
			bare.Columns[i], blank = column, append(blank, c.Name)
		}
	}
	return bare, blank
}

// warnOfTexts warns if different texts of a sensitive attribute may be the same secret, so that promises that count values mean less than they say.
func (p *publication) warnOfTexts(ctx *sql.Context) {
	if len(p.blank) > 0 {
		ctx.Warn(mysql.ERUnknownError, "texts of %s are published without the blanks at their end, which make no other value; your table still tells them apart, and so does ANON_ACTUAL: "+
			"UPDATE it with TRIM", strings.Join(p.blank, ", "))
	}
	for _, f := range p.release.Fragments {
		for _, c := range f.Columns {
			if !slices.Contains(p.Record.Sensitive, c.Name) {
				continue
			}
			if separator := detection.Separator(c.Dictionary); separator != "" && !p.countsCodes() {
				ctx.Warn(mysql.ERUnknownError, "cells of %s hold several codes, and two that share one count as different values: 'sa_sets=%s' counts them as one", c.Name, separator)
			}
			if detection.AreSentences(c.Dictionary) {
				ctx.Warn(mysql.ERUnknownError, "%s is written freely: its texts may name people, and texts that differ may say the same, "+
					"which no rule of diversity sees; publish a code of what they say instead", c.Name)
			} else if blanks := detection.Blanks(c.Name, c.Dictionary); blanks != "" {
				ctx.Warn(mysql.ERUnknownError, "%s; rules of diversity count them as different", blanks)
			}
		}
	}
}

// countsCodes reports whether the release promises a bound on the frequency of codes.
func (p *publication) countsCodes() bool {
	return slices.ContainsFunc(p.release.Promises, func(promise anonymize.Promise) bool { return promise.Separator != "" })
}
