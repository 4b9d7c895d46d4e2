package loaddata

import (
	"context"
	"fmt"
	"io"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/anonsql/anonsql/catalog/delimited"
)

// The parser passes a batch to the writer when it has batchRows rows or batchBytes of text. At most batches wait.
// Together these bound the memory of a statement, whatever the length of its values.
const (
	batchRows  = 512
	batchBytes = 4 << 20
	batches    = 2
)

// A batch has consecutive records, converted. Its rows have the table's width; columns that no field fills are nil.
type batch struct {
	first     int64 // number of the first record
	rows      []sql.Row
	lines     []int64
	variables [][]any // one slice for each record, if the statement has user variables
	err       error   // the error of the record after the last one; io.EOF at the end
}

// A parsing is the goroutine that reads and converts.
type parsing struct {
	out  chan *batch
	done chan struct{}
}

// startParsing reads until the end, the first error or the end of ctx.
func startParsing(ctx context.Context, r *delimited.Reader, l *layout, skip int64) *parsing {
	p := &parsing{out: make(chan *batch, batches), done: make(chan struct{})}
	r.Columns = len(l.fields)
	r.Names, r.Binary = l.columnNames()
	go p.run(ctx, r, l, skip)
	return p
}

func (p *parsing) run(ctx context.Context, r *delimited.Reader, l *layout, skip int64) {
	defer close(p.done)
	// The engine's types convert some values. A panic of theirs on this goroutine would end the process, not only the
	// statement.
	defer func() {
		if v := recover(); v != nil {
			p.send(ctx, &batch{err: fmt.Errorf("LOAD DATA: row %d cannot be converted: %v", r.Row(), v)})
		}
	}()
	if err := r.Skip(skip); err != nil {
		p.send(ctx, &batch{err: readError(err)})
		return
	}
	for {
		b := l.parse(ctx, r)
		if !p.send(ctx, b) || b.err != nil {
			return
		}
	}
}

// send reports whether the writer took the batch.
func (p *parsing) send(ctx context.Context, b *batch) bool {
	select {
	case p.out <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait returns when the goroutine has ended.
func (p *parsing) wait() { <-p.done }

// parse reads one batch. The rows share one allocation for their values.
func (l *layout) parse(ctx context.Context, r *delimited.Reader) *batch {
	b := &batch{
		first: r.Row() + 1,
		rows:  make([]sql.Row, 0, batchRows),
		lines: make([]int64, 0, batchRows),
	}
	start := r.Bytes()
	width := len(l.schema)
	values := make([]any, batchRows*width)
	for len(b.rows) < batchRows && r.Bytes()-start < batchBytes {
		fields, err := r.Read()
		if err != nil {
			if err != io.EOF {
				err = readError(err)
			}
			b.err = err
			return b
		}
		n := len(b.rows)
		row := sql.Row(values[n*width : (n+1)*width : (n+1)*width])
		if b.err = l.fill(ctx, r, fields, row, b); b.err != nil {
			return b
		}
		b.rows = append(b.rows, row)
		b.lines = append(b.lines, r.Line())
	}
	return b
}

// fill converts one record into row, and its variables into b.
func (l *layout) fill(ctx context.Context, r *delimited.Reader, fields []delimited.Field, row sql.Row, b *batch) error {
	var variables []any
	if len(l.variables) > 0 {
		variables = make([]any, len(l.variables))
		b.variables = append(b.variables, variables)
	}
	for i := range fields {
		f, t := fields[i], &l.fields[i]
		switch {
		case f.Null:
		case t.column < 0:
			variables[t.variable] = string(f.Bytes)
		default:
			v, p := t.convert.value(ctx, f.Bytes)
			if p != nil {
				return p.errorAt(l.schema[t.column].Name, f.Bytes, position{r.Row(), r.Line()})
			}
			row[t.column] = v
		}
	}
	return nil
}
