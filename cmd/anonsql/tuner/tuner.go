// Package tuner is `anonsql tune`: it lets a server try methods on a table and
// prints the risk-utility frontier with the statement of each of its points.
package tuner

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/anonsql/anonsql/cmd/anonsql/client"
)

// Options say what is tried.
type Options struct {
	client.Account
	// Table is database.table.
	Table string
	// Arguments are those of CALL tune: "methods=slppa,arp", "l=3", ...
	Arguments []string
	// Risk and Target head the columns of figures.
	Risk, Target string
	// All prints also what is no choice, or is dominated.
	All bool
	// Progress draws; nil is silent.
	Progress func(phase string, done, total int64)
}

// A trial is one row of CALL tune.
type trial struct {
	frontier                       bool
	method, parameters, guarantees string
	risk, loss                     dbsql.NullFloat64
	groups                         dbsql.NullInt64
	seconds                        float64
	failure, statement             dbsql.NullString
}

// Run asks the server and prints to w. That nothing is a choice is an error, with
// the reasons printed.
func Run(ctx context.Context, w io.Writer, o Options) error {
	db, err := o.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	if o.Progress != nil {
		defer client.Watch(ctx, db, "tune", o.Progress)()
	}
	trials, notes, err := call(ctx, db, o)
	if err != nil {
		return err
	}
	return print(w, o, trials, notes)
}

// call runs the procedure; notes are its warnings.
func call(ctx context.Context, db *dbsql.DB, o Options) (trials []trial, notes []string, err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer conn.Close()
	arguments := append([]string{o.Table}, o.Arguments...)
	for i, a := range arguments {
		arguments[i] = "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(a) + "'"
	}
	rows, err := conn.QueryContext(ctx, "CALL tune("+strings.Join(arguments, ", ")+")")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t trial
		if err := rows.Scan(&t.frontier, &t.method, &t.parameters, &t.risk, &t.loss, &t.groups, &t.guarantees, &t.seconds, &t.failure, &t.statement); err != nil {
			return nil, nil, err
		}
		trials = append(trials, t)
	}
	if err := rows.Err(); err != nil {
		return nil, nil, err
	}
	rows.Close()
	notes, err = warnings(ctx, conn)
	return trials, notes, err
}

func warnings(ctx context.Context, conn *dbsql.Conn) (notes []string, err error) {
	rows, err := conn.QueryContext(ctx, "SHOW WARNINGS")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var level, message string
		var code int
		if err := rows.Scan(&level, &code, &message); err != nil {
			return nil, err
		}
		notes = append(notes, message)
	}
	return notes, rows.Err()
}

// barWidth is the width of the longest bar.
const barWidth = 20

func print(w io.Writer, o Options, trials []trial, notes []string) error {
	choices, greatest := 0, 0.0
	for _, t := range trials {
		if !t.failure.Valid {
			choices++
			greatest = math.Max(greatest, t.loss.Float64)
		}
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\t%s\t%s\t\tmethod\tgroups\tguarantees\n", o.Risk, o.Target)
	for _, t := range trials {
		mark := "*"
		if !t.frontier {
			mark = ""
		}
		if t.failure.Valid || !t.frontier && !o.All {
			continue
		}
		bar := ""
		if greatest > 0 {
			bar = strings.Repeat("#", int(math.Round(barWidth*t.loss.Float64/greatest)))
		}
		fmt.Fprintf(table, "%s\t%.3g\t%.3g\t%s\t%s %s\t%d\t%s\n", mark, t.risk.Float64, t.loss.Float64, bar, t.method, t.parameters, t.groups.Int64, t.guarantees)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%d of %d trials meet what is asked for.", choices, len(trials))
	if choices > 0 {
		fmt.Fprint(w, " On the frontier, safest first:\n\n")
	} else {
		fmt.Fprint(w, "\n\n")
	}
	for _, t := range trials {
		if t.frontier {
			fmt.Fprintf(w, "%s;\n", t.statement.String)
		}
	}
	if o.All || choices == 0 {
		printFailures(w, trials)
	}
	for _, note := range notes {
		fmt.Fprintf(w, "\nnote: %s\n", note)
	}
	if choices == 0 {
		return errors.New("no trial meets what is asked for: ask for less, or try other methods")
	}
	return nil
}

func printFailures(w io.Writer, trials []trial) {
	fmt.Fprintln(w)
	for _, t := range trials {
		if t.failure.Valid {
			fmt.Fprintf(w, "no choice: %s %s: %s\n", t.method, t.parameters, t.failure.String)
		}
	}
}
