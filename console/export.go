package console

import (
	"database/sql"
	"encoding/csv"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/anonsql/anonsql/console/asking"
)

// inFile is what a file of an answer has at most.
var inFile = limit{200_000, 32 << 20}

// export asks a question and sends its answer as CSV: all of its rows, and of every figure the ends of its interval and its hard bounds.
func (c *console) export(w http.ResponseWriter, r *http.Request, s *session) {
	var t *table
	var items []asking.Item
	var err error
	select {
	case s.asking <- struct{}{}:
		failed := s.withConnection(r.Context(), s.runs, func(conn *sql.Conn) {
			t, items, err = readWidest(r.Context(), conn, inFile, r.PostForm.Get("statement"))
		})
		<-s.asking
		if failed != nil {
			err = failed
		}
	default:
		showProblem(w, r, s, &problem{Text: "Three questions of this session run already: wait for them, or stop them."})
		return
	}
	switch {
	case err != nil:
		showProblem(w, r, s, problemOf(err))
		return
	case t.Cut:
		showProblem(w, r, s, &problem{Text: "The result has more than 200,000 rows or 32 MiB, too many for this file: use a client of MySQL."})
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
	_ = file.Write(header) // who has left needs no file
	for _, row := range t.Rows {
		var texts []string
		for _, cell := range row {
			texts = append(texts, notFormula(cell.Value))
		}
		_ = file.Write(texts)
	}
	file.Flush()
}

// notFormula puts a quote before a text that a spreadsheet would take for a formula, and run. Numbers stay.
func notFormula(text string) string {
	if _, err := strconv.ParseFloat(text, 64); err == nil || text == "" || !strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return text
	}
	return "'" + text
}

// headerOf names the columns, those that were added after their figure.
func headerOf(t *table, items []asking.Item) []string {
	names := append([]string(nil), t.Columns...)
	for i, item := range items {
		if ends := item.Interval; ends[1] > 0 {
			names[ends[0]], names[ends[1]] = names[i]+"_low", names[i]+"_high"
		}
		if ends := item.Bounds; ends[1] > 0 {
			names[ends[0]], names[ends[1]] = names[i]+"_least", names[i]+"_most"
		}
	}
	return names
}
