package functions

import (
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/units"
	"github.com/anonsql/anonsql/catalog/source"
)

// maxOtherColumns bounds the columns that are read only to recognise a copy.
const maxOtherColumns = 24

// refuseCopy collects the columns by which copies of the table will be recognised, and
// refuses the publication if the table is a copy of a published one.
func (p *publication) refuseCopy(ctx *sql.Context) (err error) {
	if p.Records, err = p.records(ctx); err != nil {
		return err
	}
	p.report("compare with other releases", 0, 1)
	return p.refuse(p.admission.CompareRecords(ctx))
}

// records returns the columns by which a copy of the table will be recognised: the released ones, and others of the table, which nobody sees.
// Long texts are omitted, and unreleased columns if the table has changed.
func (p *publication) records(ctx *sql.Context) ([]*anonymize.Column, error) {
	released := slices.Clone(p.notWeight(p.microdata.Columns)) // weights are compared as they are
	for i, c := range released {
		if p.isMoved(c.Name) {
			released[i] = p.asBefore(c)
		}
	}
	if p.Record.Private || !source.Counted(p.table) { // a second read of another server may find other rows
		return released, nil
	}
	var beside []string
	for _, c := range p.table.Schema() {
		named := func(r *anonymize.Column) bool { return strings.EqualFold(r.Name, c.Name) }
		if !slices.ContainsFunc(released, named) && !slices.Contains(p.unit.columns, c.Name) && isShort(c.Type) && len(beside) < maxOtherColumns {
			beside = append(beside, c.Name)
		}
	}
	if len(beside) == 0 {
		return released, nil
	}
	data, err := p.table.Microdata(ctx, beside, func(done, total int) { p.report("read the other columns", done, total) })
	if err != nil {
		return nil, err
	}
	if data.Rows != p.whole.Rows || p.table.Version() != p.version {
		return released, nil
	}
	rows := p.drawn
	if rows == nil {
		rows = p.published
	} else if p.published != nil {
		rows = anonymize.Gather(rows, p.published)
	}
	kept := (&units.Result{Records: rows}).Published(&anonymize.Input{QuasiIdentifiers: data.Columns})
	return slices.Concat(released, kept.QuasiIdentifiers), nil
}

// isShort reports whether values of a type have at most a line.
func isShort(typ sql.Type) bool {
	if types.IsJSON(typ) {
		return false
	}
	if text, ok := typ.(sql.StringType); ok {
		return text.MaxByteLength() <= 4*255
	}
	return true
}
