// Package tuner implements `anonsql tune`: a server tries methods on a table, and the package
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
	"github.com/anonsql/anonsql/quoting"
)

// Options say what to try.
type Options struct {
	client.Account
	// Table is database.table.
	Table string
	// Arguments are CALL tune's: "methods=slppa,arp", "l=3", ...
	Arguments []string
	// Risk and Target are the headers of the columns of figures.
	Risk, Target string
	// All also prints dominated choices and the reasons why trials are no choices.
	All bool
	// Progress draws progress, and Drawn removes it before anything is printed; nil is silent.
	Progress func(phase string, done, total int64)
	Drawn    func()
}

// A trial is one row of CALL tune.
type trial struct {
	frontier   bool
	risk, loss float64
	groups     int64
	statement  string
}

// Run runs CALL tune and prints to w. If there is no choice, it prints the reasons and returns
// an error.
func Run(ctx context.Context, w io.Writer, o Options) error {
	db, err := o.Open(ctx)
	if err != nil {
		return err
	}
	defer db.Close()
	stop := func() {}
	if o.Progress != nil {
		watched := client.Watch(ctx, db, "tune", o.Progress)
		stop = func() { watched(); o.Drawn() }
	}
	trials, notes, err := call(ctx, db, o)
	stop()
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
	if o.All {
		arguments = append(arguments, "all=true")
	}
	rows, err := conn.QueryContext(ctx, "CALL tune("+quoting.Texts(arguments...)+")")
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var t trial
		if err := rows.Scan(&t.frontier, &t.risk, &t.loss, &t.groups, &t.statement); err != nil {
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

// barWidth is the width of the longest bar, so that a choice fits a terminal of 120 columns.
const barWidth = 8

func print(w io.Writer, o Options, trials []trial, notes []string) error {
	greatest := 0.0
	for _, t := range trials {
		greatest = math.Max(greatest, t.loss)
	}
	if len(trials) > 0 {
		fmt.Fprint(w, "Safest first; * marks choices that no other one beats.\n\n")
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintf(table, "\t%s\t%s\t\tgroups\tstatement\n", o.Risk, o.Target)
		for _, t := range trials {
			if t.frontier || o.All {
				fmt.Fprintf(table, "%s\t%.3g\t%.3g\t%s\t%d\t%s;\n", map[bool]string{true: "*"}[t.frontier], t.risk, t.loss, bar(t.loss, greatest), t.groups, t.statement)
			}
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	for _, note := range notes {
		fmt.Fprintf(w, "\nnote: %s\n", note)
	}
	if len(trials) == 0 {
		return errors.New("no trial meets what is asked for: ask for less, or try other methods")
	}
	return nil
}

func bar(loss, greatest float64) string {
	if greatest == 0 {
		return ""
	}
	return strings.Repeat("#", int(math.Round(barWidth*loss/greatest)))
}
