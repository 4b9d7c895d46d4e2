package console

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/csv"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/anonsql/anonsql/console/asking"
)

// Bounds of an exported answer.
const (
	maxFileRows  = 200_000
	maxFileBytes = 32 << 20
)

// export runs a question and sends its answer as CSV: all rows, and for every figure the ends of its interval and its hard bounds.
func (c *console) export(w http.ResponseWriter, r *http.Request, s *session) {
	var t *table
	var items []asking.Item
	var err error
	var rows bytes.Buffer
	asked := s.inTurn(func() {
		failed := s.withConnection(r.Context(), s.runs, func(conn *sql.Conn) {
			t, items, err = readWidest(r.Context(), r.PostForm.Get("statement"), func(way string) (*table, error) {
				return readInto(r.Context(), conn, way, &rows)
			})
		})
		if failed != nil {
			err = failed
		}
	})
	if !asked {
		showProblem(w, r, s, &problem{Text: "Three questions of this session run already: wait for them, or stop them."})
		return
	}
	switch {
	case err != nil:
		showProblem(w, r, s, problemOf(err))
		return
	case t.Cut:
		showProblem(w, r, s, &problem{Text: "The result has more than 200,000 rows or makes more than 32 MiB, too much for this file: use a client of MySQL."})
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": "answer.csv"}))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
	file := csv.NewWriter(w)
	header := headerOf(t, items)
	for i, name := range header {
		header[i] = notFormula(name)
	}
	_ = file.Write(header) // a client that has left needs no file
	file.Flush()
	c.sendRows(w, &rows)
}

// sendRows gives a client writeTime for each MiB.
func (c *console) sendRows(w http.ResponseWriter, rows *bytes.Buffer) {
	for err := error(nil); err == nil && rows.Len() > 0; {
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTime))
		_, err = w.Write(rows.Next(1 << 20))
	}
}

// readInto runs a statement and writes its rows to file, which it empties first: quoted texts,
// NULL as in LOAD DATA. Written rows need no other memory than the file.
func readInto(ctx context.Context, q querier, statement string, file *bytes.Buffer) (*table, error) {
	file.Reset()
	count := 0
	return readEach(ctx, q, func(t *table, row []sql.NullString) (more bool) {
		if count == maxFileRows || file.Len() > maxFileBytes {
			return false
		}
		count++
		for i, v := range row {
			if i > 0 {
				file.WriteByte(',')
			}
			switch {
			case !v.Valid:
				file.WriteString("NULL")
			case t.Numeric[i]:
				file.WriteString(v.String)
			default:
				file.WriteString(`"` + strings.ReplaceAll(notFormula(v.String), `"`, `""`) + `"`)
			}
		}
		file.WriteByte('\n')
		return true
	}, statement)
}

// notFormula prefixes a quote to a text that a spreadsheet would run as a formula. Numbers stay.
func notFormula(text string) string {
	if text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}

// headerOf names the columns. An added column is named after its figure: n_low; n_2_low if that is the second column and not the first named n.
func headerOf(t *table, items []asking.Item) []string {
	names := slices.Clone(t.Columns)
	for i, item := range items {
		name := names[i]
		if slices.Contains(names[:i], name) {
			name += "_" + strconv.Itoa(i+1)
		}
		if ends := item.Interval; ends[1] > 0 {
			names[ends[0]], names[ends[1]] = name+"_low", name+"_high"
		}
		if ends := item.Bounds; ends[1] > 0 {
			names[ends[0]], names[ends[1]] = name+"_least", name+"_most"
		}
	}
	return names
}
