package demo

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// A transcript prints the session in readable form.
type transcript struct {
	out io.Writer
	figures
}

func (t *transcript) title(text string) {
	fmt.Fprintf(t.out, "\n== %s ==\n\n", text)
}

func (t *transcript) printf(format string, arguments ...any) {
	fmt.Fprintf(t.out, format+"\n", arguments...)
}

// show runs a statement of the owner and prints it with its rows.
func (t *transcript) show(ctx context.Context, db *sql.DB, statement string) error {
	return t.showLong(ctx, db, statement, func() (stop func()) { return func() {} })
}

// showLong is show for long statements with progress.
func (t *transcript) showLong(ctx context.Context, db *sql.DB, statement string, watch func() (stop func())) error {
	fmt.Fprintf(t.out, "owner> %s;\n", statement)
	started, stop := time.Now(), watch()
	header, rows, err := fetch(ctx, db, statement)
	stop()
	if err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	t.table(header, rows)
	fmt.Fprintf(t.out, "(%s)\n\n", time.Since(started).Round(time.Millisecond))
	return nil
}

// table prints rows below their header; a single wide row is printed vertically.
func (t *transcript) table(header []string, rows [][]string) {
	if len(header) == 0 {
		return
	}
	if len(rows) == 1 && widthOf(header, rows[0]) > 110 {
		w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
		for i, name := range header {
			fmt.Fprintf(w, "  %s\t%s\n", name, strings.ReplaceAll(roundDecimals(rows[0][i]), "; ", "\n  \t"))
		}
		w.Flush()
		return
	}
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  %s\n", strings.Join(header, "\t"))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = roundDecimals(cell)
		}
		fmt.Fprintf(w, "  %s\n", strings.Join(cells, "\t"))
	}
	w.Flush()
}

func widthOf(header, row []string) int {
	width := 0
	for i := range header {
		width += max(len(header[i]), len(row[i])) + 2
	}
	return width
}

// fetch runs a statement and returns everything as text.
func fetch(ctx context.Context, db *sql.DB, statement string) (header []string, table [][]string, err error) {
	rows, err := db.QueryContext(ctx, statement)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	if header, err = rows.Columns(); err != nil {
		return nil, nil, err
	}
	values := make([]sql.NullString, len(header))
	targets := make([]any, len(header))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return nil, nil, err
		}
		row := make([]string, len(values))
		for i, v := range values {
			if row[i] = "NULL"; v.Valid {
				row[i] = v.String
			}
		}
		table = append(table, row)
	}
	return header, table, rows.Err()
}

// roundDecimals rounds long decimals for readers.
func roundDecimals(text string) string {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !strings.ContainsAny(text, ".e") {
		return text
	}
	if math.Abs(f) >= 1000 {
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'g', 5, 64)
}
