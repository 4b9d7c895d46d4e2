package loaddata

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/catalog/tabular"
)

// Match recognises the plan of a LOAD DATA: an insertion whose source is a LoadData, bare or below the analyzer's
// projection and trigger.
func Match(n sql.Node) (*plan.InsertInto, *plan.LoadData, bool) {
	insert, ok := n.(*plan.InsertInto)
	if !ok {
		return nil, nil, false
	}
	source := insert.Source
	for {
		switch s := source.(type) {
		case *plan.LoadData:
			return insert, s, true
		case *plan.Project:
			source = s.Child
		case *plan.TriggerExecutor:
			source = s.Left()
		default:
			return nil, nil, false
		}
	}
}

// RequireInsert makes LOAD DATA LOCAL require INSERT on its table (and DELETE for REPLACE) instead of FILE: the
// client reads the file. The grammar requires FILE for every LOAD DATA, and nothing on the table. RequireInsert
// leaves this unchanged for a file of the server, which is then refused to everybody.
func RequireInsert(load *sqlparser.Load) {
	if !bool(load.Local) {
		return
	}
	load.Auth = sqlparser.AuthInformation{
		AuthType:    sqlparser.AuthType_INSERT,
		TargetType:  sqlparser.AuthTargetType_SingleTableIdentifier,
		TargetNames: []string{load.Table.DbQualifier.String(), load.Table.Name.String()},
	}
	if load.IgnoreOrReplace == sqlparser.ReplaceStr {
		load.Auth.AuthType = sqlparser.AuthType_REPLACE
	}
}

// Exec returns the execution of a matched statement. The first Next does everything and returns one types.OkResult:
// RowsAffected counts inserted and, for REPLACE, deleted rows.
func Exec(ctx *sql.Context, insert *plan.InsertInto, load *plan.LoadData) (sql.RowIter, error) {
	return newStatement(insert, load, open)
}

// ExecText is [Exec] with the given text instead of the statement's file.
func ExecText(insert *plan.InsertInto, load *plan.LoadData, text io.Reader) (sql.RowIter, error) {
	return newStatement(insert, load, func(*sql.Context, *plan.LoadData) (io.ReadCloser, error) {
		return io.NopCloser(text), nil
	})
}

func newStatement(insert *plan.InsertInto, load *plan.LoadData, open opener) (sql.RowIter, error) {
	l, err := newLayout(insert, load)
	if err != nil {
		return nil, err
	}
	return &statement{insert: insert, load: load, layout: l, open: open}, nil
}

// An opener opens the text of a statement.
type opener func(ctx *sql.Context, load *plan.LoadData) (io.ReadCloser, error)

// A statement is one execution of LOAD DATA.
type statement struct {
	insert *plan.InsertInto
	load   *plan.LoadData
	layout *layout
	open   opener
	done   bool
}

func (s *statement) Next(ctx *sql.Context) (sql.Row, error) {
	if s.done {
		return nil, io.EOF
	}
	s.done = true
	counts, err := s.run(ctx)
	if err != nil {
		return nil, err
	}
	ctx.SetLastQueryInfoInt(sql.RowCount, int64(counts.inserted+counts.deleted))
	return sql.NewRow(types.OkResult{
		RowsAffected: uint64(counts.inserted + counts.deleted),
		InsertID:     uint64(counts.insertID),
		Info:         counts,
	}), nil
}

func (s *statement) Close(*sql.Context) error { return nil }

// counts are the numbers in the OK packet.
type counts struct {
	inserted, deleted, skipped, warnings int64
	insertID                             int64
}

// String returns MySQL's status line for LOAD DATA.
func (c counts) String() string {
	return fmt.Sprintf("Records: %d  Deleted: %d  Skipped: %d  Warnings: %d",
		c.inserted+c.skipped, c.deleted, c.skipped, c.warnings)
}

// run opens the text, then the table, and loads. It closes the text before it returns: until then the connection of a
// LOCAL statement carries the text.
func (s *statement) run(ctx *sql.Context) (counts, error) {
	// Find a wrong clause before asking the client for the file.
	decode, err := decoder(s.load.Charset)
	if err != nil {
		return counts{}, err
	}
	if _, err := delimited.NewReader(nil, s.layout.format); err != nil {
		return counts{}, notSupported("LOAD DATA: " + err.Error())
	}
	if err := s.keepsBytes(); err != nil {
		return counts{}, err
	}
	l := &loader{layout: s.layout, checks: s.insert.Checks(), ignore: s.load.IsIgnore}
	if err := l.prepare(ctx, s.insert); err != nil {
		return counts{}, err
	}
	file, err := s.open(ctx, s.load)
	if err != nil {
		return counts{}, err
	}
	if l.to, err = newSink(ctx, s.insert); err != nil {
		file.Close()
		return counts{}, err
	}
	if err := s.pass(ctx, l, file, decode); err != nil {
		l.to.abort(ctx, err)
		return counts{}, err
	}
	return l.counts, l.to.close(ctx)
}

// keepsBytes refuses columns of bytes in a text that is converted from latin1: its bytes would change.
func (s *statement) keepsBytes() error {
	names, binary := s.layout.columnNames()
	if i := slices.Index(binary, true); i >= 0 && strings.EqualFold(s.load.Charset, "latin1") {
		return notSupported("LOAD DATA: CHARACTER SET latin1 would change the bytes of column '" + names[i] +
			"': write the column as hexadecimal digits, and read it with (@x) SET " + names[i] + " = UNHEX(@x)")
	}
	return nil
}

// pass sends the whole text through the parser to the loader, and closes the text.
func (s *statement) pass(ctx *sql.Context, l *loader, file io.ReadCloser, decode func(io.Reader) io.Reader) error {
	reader, err := delimited.NewReader(decode(tabular.Plain(file)), s.layout.format)
	if err != nil {
		file.Close()
		return err
	}
	stop, cancel := context.WithCancel(ctx)
	defer cancel()
	from := startParsing(stop, reader, s.layout, s.load.IgnoreNum)
	err = l.load(ctx, from)
	cancel()
	closeErr := file.Close() // unblocks the parser, drains what the client still sends
	from.wait()
	if err == nil {
		err = closeErr
	}
	return err
}
