package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/anonsql/anonsql/catalog/delimited"
	"github.com/anonsql/anonsql/catalog/tabular"
	"github.com/anonsql/anonsql/cmd/progress"
	"github.com/anonsql/anonsql/quoting"
)

// A connection is the database to which an import writes, in a server or in a data directory.
type connection interface {
	// columns returns a table's columns, nil for no such table.
	columns(ctx context.Context, database, table string) ([]column, error)
	// create creates the table, and the database if necessary.
	create(ctx context.Context, o Options, table string, inf *delimited.Inference) error
	// lost returns the lines of [Options.lost] for the table o.Table.
	lost(ctx context.Context, o Options) ([]string, error)
	// empty deletes the rows of the table o.Table. Its transaction stays open for the load.
	empty(ctx context.Context, o Options) error
	// load runs a LOAD DATA LOCAL of the file name on text and returns the number of inserted
	// rows. Its transaction stays open.
	load(ctx context.Context, statement, name string, text io.Reader) (int64, error)
	commit(ctx context.Context) error
	// finish commits and renames the table from to o.Table, replacing the table of that name if
	// replaces is set.
	finish(ctx context.Context, o Options, from string, replaces bool) error
	// undo rolls back, and drops the created table; created is "" if there is none.
	undo(ctx context.Context, o Options, created string) error
}

// A column of an existing table.
type column struct {
	name string
	kind kind
}

// A kind of column decides what becomes of a file's fields.
type kind uint8

const (
	typed     kind = iota // numbers and times: fields are written as SQL does, and an empty one is NULL
	texts                 // and bytes: fields stay as they are
	documents             // fields stay, and an empty one, which is no document, is NULL
	bits                  // fields are numbers, which LOAD DATA reads as bytes, and an empty one is NULL
)

// kindOf knows the names of types that the driver and the engine use.
func kindOf(name string) kind {
	switch {
	case name == "JSON" || name == "GEOMETRY":
		return documents
	case name == "BIT":
		return bits
	case name == "ENUM" || name == "SET":
		return texts
	}
	for _, part := range []string{"CHAR", "TEXT", "BINARY", "BLOB"} {
		if strings.Contains(name, part) {
			return texts
		}
	}
	return typed
}

// An importing is one import in progress.
type importing struct {
	Options
	to        connection
	inference *delimited.Inference
	existing  []column
	created   bool     // the table is new
	notes     []string // about how the file was read
}

// run does the steps that all connections share.
func run(ctx context.Context, to connection, o Options) (*Result, error) {
	start := time.Now()
	i := &importing{Options: o, to: to}
	var err error
	if i.existing, err = to.columns(ctx, o.Database, o.Table); err != nil {
		return nil, err
	}
	if i.existing != nil && o.Policy == Create {
		return nil, fmt.Errorf("table %s.%s exists already: append to it with --append, or replace it with --replace", o.Database, o.Table)
	}
	if i.inference, err = i.infer(ctx); err != nil {
		return nil, err
	}
	switch {
	case i.existing == nil:
		err = i.intoNew(ctx)
	case o.Policy == Replace:
		err = i.replace(ctx)
	default:
		err = i.append(ctx)
	}
	if err != nil {
		// A driver may report a bad connection when its context ends.
		if ended := context.Cause(ctx); ended != nil && !errors.Is(err, ended) {
			err = fmt.Errorf("%w: %v", ended, err)
		}
		return nil, err
	}
	return i.result(start), nil
}

// infer reads the file once.
func (i *importing) infer(ctx context.Context) (*delimited.Inference, error) {
	file, err := tabular.Open(i.File, i.file())
	if err != nil {
		return nil, i.named(err, false)
	}
	defer file.Close()
	i.notes = append(i.notes, file.Notes...)
	bar := progress.Bytes(i.Progress, "reading", file.Size)
	inf, err := delimited.Infer(ctx, file, file.Format, delimited.InferOptions{
		Nulls: delimited.NewNulls(i.NullTokens...), KeepEmpty: i.KeepEmpty, Dates: i.dates(), Decimal: i.decimal(), NoHeader: file.NoHeader, Names: i.Names,
		NameEmpty: i.NameEmpty, TypedTexts: file.TypedTexts,
		Progress: func(int64) { bar.Set(file.Done()) },
	})
	bar.Finish(err == nil)
	if err != nil {
		return nil, i.named(err, file.TypedTexts)
	}
	return inf, nil
}

// named adds the file's name to an error, and a hint. typed says that the file is Parquet or a workbook.
func (i *importing) named(err error, typed bool) error {
	wrong, ok := errors.AsType[*delimited.Error](err)
	switch inBytes := ok && wrong.Kind == delimited.Encoding; {
	case inBytes && typed:
		err = fmt.Errorf("%w. The column has bytes that are no text: write it as hexadecimal digits, or the file without it", err)
	case inBytes && i.Charset == "":
		err = fmt.Errorf("%w. If the text is of a Windows program, say --charset latin1", err)
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return err
	}
	return fmt.Errorf("%s: %w", i.File, err)
}

// intoNew creates a table and loads it. The table has another name until it is complete, so an
// interruption leaves no half table.
func (i *importing) intoNew(ctx context.Context) error {
	table := i.Table + "__importing"
	if err := i.to.create(ctx, i.Options, table, i.inference); err != nil {
		return i.failed(err, table) // the server may have created it anyway
	}
	if err := i.load(ctx, table, nil); err != nil {
		return i.failed(err, table)
	}
	if err := i.to.finish(ctx, i.Options, table, i.existing != nil); err != nil {
		return i.failed(err, table)
	}
	i.created = true
	return nil
}

func (i *importing) append(ctx context.Context) error {
	if err := i.fits(); err != nil {
		return err
	}
	return i.intoExisting(ctx, func() error { return nil })
}

// replace replaces the old table by a new one. If dropping the old table would lose something,
// it stays, and the file's rows replace its rows.
func (i *importing) replace(ctx context.Context) error {
	lost, err := i.to.lost(ctx, i.Options)
	if err != nil {
		return err
	}
	if len(lost) == 0 {
		return i.intoNew(ctx)
	}
	because := strings.Join(lost, ", and ")
	wayOut := fmt.Sprintf("Import into a table of another name; or, if that may be lost, DROP TABLE %s first (CALL drop_release drops a release)",
		i.quoted(i.Table))
	var differ []string
	missing, left := i.differences()
	if len(missing) > 0 {
		differ = append(differ, "it has no column "+strings.Join(missing, ", ")+", which "+i.File+" has")
	}
	if len(left) > 0 {
		differ = append(differ, i.File+" has no column "+strings.Join(left, ", ")+", which it has")
	}
	if len(differ) > 0 {
		return fmt.Errorf("table %s.%s is not replaced: %s, and %s. %s", i.Database, i.Table, because, strings.Join(differ, ", and "), wayOut)
	}
	i.notes = append(i.notes, fmt.Sprintf("table %s.%s stays, and the file's rows take the place of its rows, because %s: "+
		"its keys and the types of its columns stay, too", i.Database, i.Table, because))
	if err := i.intoExisting(ctx, func() error { return i.to.empty(ctx, i.Options) }); err != nil {
		return fmt.Errorf("%w. Table %s.%s was to stay, because %s. %s", err, i.Database, i.Table, because, wayOut)
	}
	return nil
}

// intoExisting loads in one transaction, which prepare begins.
func (i *importing) intoExisting(ctx context.Context, prepare func() error) error {
	i.adapt()
	err := prepare()
	if err == nil {
		err = i.load(ctx, i.Table, i.existing)
	}
	if err == nil {
		err = i.to.commit(ctx)
	}
	if err != nil {
		return i.failed(err, "")
	}
	return nil
}

// adapt decides by the table's columns how fields are read: their own types may be others.
func (i *importing) adapt() {
	for k := range i.inference.Columns {
		c := &i.inference.Columns[k]
		there, _ := find(i.existing, c.Name)
		c.EmptyNull = there.kind != texts && c.Empty > 0 && !i.KeepEmpty
		if there.kind != typed {
			c.Boolean, c.Notation, c.Doubt = false, delimited.AsSQL, delimited.NoDoubt
		}
	}
}

// fits checks that the table has all columns of the file.
func (i *importing) fits() error {
	missing, left := i.differences()
	if len(missing) > 0 {
		return fmt.Errorf("table %s.%s has no column %s, which %s has: say --names if the table calls it otherwise, or ALTER TABLE %s ADD COLUMN first",
			i.Database, i.Table, strings.Join(missing, ", "), i.File, i.quoted(i.Table))
	}
	if len(left) > 0 {
		i.notes = append(i.notes, fmt.Sprintf("the file has no column %s: these rows have its default there, NULL unless the table says otherwise",
			strings.Join(left, ", ")))
	}
	return nil
}

// differences returns the file's columns that the table lacks, and the table's columns that the file lacks.
func (i *importing) differences() (missing, left []string) {
	for _, c := range i.inference.Columns {
		if _, ok := find(i.existing, c.Name); !ok {
			missing = append(missing, c.Name)
		}
	}
	for _, c := range i.existing {
		if !slices.ContainsFunc(i.inference.Columns, func(in delimited.Column) bool { return strings.EqualFold(in.Name, c.name) }) {
			left = append(left, c.name)
		}
	}
	return missing, left
}

func find(columns []column, name string) (column, bool) {
	for _, c := range columns {
		if strings.EqualFold(c.name, name) {
			return c, true
		}
	}
	return column{}, false
}

// failed undoes an import, even if its context has ended.
func (i *importing) failed(cause error, created string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := i.to.undo(ctx, i.Options, created); err != nil {
		return fmt.Errorf("%w (and it could not be undone: %v)", cause, err)
	}
	return cause
}

// load sends the file's records and compares the counts. existing is nil for a newly created
// table.
func (i *importing) load(ctx context.Context, table string, existing []column) error {
	file, err := tabular.Open(i.File, i.file())
	if err != nil {
		return i.named(err, false)
	}
	defer file.Close()
	bar := progress.Bytes(i.Progress, "loading", file.Size)
	text, err := newEncoder(ctx, file, i, existing, func(int64) { bar.Set(file.Done()) })
	if err != nil {
		return err
	}
	names := make([]string, len(i.inference.Columns))
	for k, c := range i.inference.Columns {
		names[k] = quoting.Name(c.Name)
	}
	name := "anonsql-import"
	statement := "LOAD DATA LOCAL INFILE '%s' INTO TABLE " + i.quoted(table) + " CHARACTER SET utf8mb4 (" + strings.Join(names, ", ") + ")"
	rows, err := i.to.load(ctx, statement, name, text)
	bar.Finish(err == nil)
	switch {
	case text.err != nil && text.err != io.EOF:
		return fmt.Errorf("%s: %w", i.File, text.err)
	case err != nil:
		return fmt.Errorf("%s: %w", i.File, err)
	case text.r.Row() != i.inference.Rows:
		return fmt.Errorf("%s changed while it was imported: it had %d rows, then %d", i.File, i.inference.Rows, text.r.Row())
	case rows < i.inference.Rows:
		return fmt.Errorf("%d of the %d rows have keys that table %s.%s or the file has already: leave these rows out, or import the file into a table of another name",
			i.inference.Rows-rows, i.inference.Rows, i.Database, i.Table)
	case rows > i.inference.Rows:
		return errors.New("the server loaded more rows than the file has")
	}
	return nil
}

func (i *importing) result(start time.Time) *Result {
	r := &Result{
		Rows: i.inference.Rows, Bytes: i.inference.Bytes, Columns: i.inference.Columns,
		Created: i.created, Elapsed: time.Since(start), Notes: slices.Clone(i.notes),
	}
	for _, c := range i.inference.Columns {
		if c.Name != strings.TrimSpace(c.Header) {
			r.Renamed = append(r.Renamed, Rename{c.Header, c.Name})
		}
		if note := whyText(c); note != "" && r.Created {
			r.Notes = append(r.Notes, note)
		}
	}
	r.Notes = append(r.Notes, notationNotes(r.Columns, r.Created)...)
	if note := i.otherDelimiter(); note != "" {
		r.Notes = append(r.Notes, note)
	}
	return r
}

// otherDelimiter returns a hint if the only column's name looks like a whole header.
func (i *importing) otherDelimiter() string {
	if len(i.inference.Columns) != 1 || i.NoHeader {
		return ""
	}
	header := i.inference.Columns[0].Header
	at := strings.IndexAny(header, ",;|\t#:~^")
	if at < 0 {
		return ""
	}
	sign := strings.ReplaceAll(header[at:at+1], "\t", `\t`)
	return fmt.Sprintf("the table has one column, since the header %q was not split: say --delimiter '%s' if that separates the fields", header, sign)
}
