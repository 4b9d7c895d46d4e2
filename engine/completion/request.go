package completion

import (
	"context"
	"errors"
	"fmt"

	"github.com/anonsql/anonsql/anonymize/impute"
	"github.com/anonsql/anonsql/engine"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/estimates"
)

// A Request says what is completed.
type Request struct {
	// Conn and Dialect, Trino's, are the engine's. Required.
	Conn    engine.Conn
	Dialect *dialect.Dialect
	// Relations are the fragments, in the order of the release, two or more. Required.
	Relations []estimates.Relation
	// Largest is the number of records of the largest group. Required.
	Largest uint32
	// Fitted has the models. Required.
	Fitted *impute.Fitted
	// Table names a table of the way, and Result is the name of what comes of it, both as SQL has them. Required.
	Table  func(name string) string
	Result string
	// Seed is public, and different for every release. Required.
	Seed string
	// Progress is told of finished rounds; nil when nobody listens.
	Progress func(done, total int)
}

// chunkRecords is how many records are matched at once.
const chunkRecords = 8

// Rounds in which every fragment but the first is redrawn.
const (
	roundsSmall = 1 // of two fragments in groups that are one chunk
	roundsLarge = 3 // of two in larger groups
	roundsOfAll = 2 // of three and more: each round costs about as much as all relations, and more would be better
)

// rounds are the fragments that are redrawn, in turn.
func (r *Request) rounds() (fragments []int) {
	times := roundsOfAll
	if len(r.Relations) == 2 {
		times = roundsLarge
		if r.Largest <= chunkRecords {
			times = roundsSmall
		}
	}
	for range times {
		for j := 1; j < len(r.Relations); j++ {
			fragments = append(fragments, j)
		}
	}
	return fragments
}

// draws is the number of completed tables.
func (r *Request) draws() int { return len(r.Fitted.Theta) }

// undrawn is the name of a column before its fragment is drawn.
func undrawn(fragment, column int) string { return fmt.Sprintf("f%dc%d", fragment, column) }

// The tables of the way.
const weightTable = "weights"

// stateTable has what a round leaves.
func stateTable(round int) string { return fmt.Sprintf("drawn%d", round) }

// Draw makes the result.
func Draw(ctx context.Context, r Request) (err error) {
	rounds := r.rounds()
	defer func() { err = errors.Join(err, r.drop(context.WithoutCancel(ctx), rounds)) }()
	if err := r.uploadWeights(ctx); err != nil {
		return err
	}
	s := &state{request: &r, from: "(" + r.start() + ") AS started", drawn: make([]bool, len(r.Relations))}
	for i, fragment := range rounds {
		if r.Progress != nil {
			r.Progress(i, len(rounds))
		}
		last := i == len(rounds)-1
		text, err := s.round(i, fragment, last)
		if err != nil {
			return err
		}
		table := r.Result
		if !last {
			table = r.Table(stateTable(i))
		}
		if _, err := r.Conn.Exec(ctx, r.Dialect.CreateTableAs(table, "", nil, text)); err != nil {
			return err
		}
		if i > 0 {
			if err := r.dropTable(ctx, stateTable(i-1)); err != nil {
				return err
			}
		}
		s.from, s.drawn[fragment] = table, true
	}
	return nil
}

// drop drops what is left of the way.
func (r *Request) drop(ctx context.Context, rounds []int) error {
	failed := []error{r.dropTable(ctx, weightTable)}
	for i := range rounds[1:] {
		failed = append(failed, r.dropTable(ctx, stateTable(i)))
	}
	return errors.Join(failed...)
}

func (r *Request) dropTable(ctx context.Context, name string) error {
	_, err := r.Conn.Exec(ctx, "DROP TABLE IF EXISTS "+r.Table(name))
	return err
}
