package experiments

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/clustering"
	"github.com/anonsql/anonsql/anonymize/drasl"
	"github.com/anonsql/anonsql/anonymize/dynamic"
	"github.com/anonsql/anonsql/experiments/evaluation"
)

// A changeKind is a kind of updates.
type changeKind string

const (
	insertions    changeKind = "insertions"
	deletions     changeKind = "deletions"
	modifications changeKind = "modifications" // half of them of quasi-identifiers
)

var kinds = []changeKind{insertions, deletions, modifications}

// A follower is a way to update a release after changes of its table.
type follower struct {
	label  string
	method anonymize.Method
	update func(context.Context, *anonymize.Live, *anonymize.Changed, dynamic.Options) (*dynamic.Outcome, error)
}

func followers() []follower {
	return []follower{
		{draslArm, drasl.Method(), dynamic.Printed}, {dppArm, clustering.DPP(), dynamic.Printed},
		{draslSealed, drasl.Method(), dynamic.Sealed}, {dppSealed, clustering.DPP(), dynamic.Sealed},
	}
}

// A clinic is a table and its release. columns also has the records that will be inserted later.
type clinic struct {
	*patients
	follower
	random  *rand.Rand
	columns []*anonymize.Column // all records; the first n are in the first release
	next    int                 // the first record that is not inserted yet
	options dynamic.Options
	live    *anonymize.Live
	release *anonymize.Release
}

// open makes the first release, from the first n records.
func (p *patients) open(ctx context.Context, f follower, columns []*anonymize.Column, n int, seed uint64) (*clinic, error) {
	c := &clinic{patients: p, follower: f, random: rand.New(rand.NewPCG(seed, 3)), columns: columns, next: n, options: dynamic.Options{
		Method: f.method, Arguments: anonymize.Arguments{"k": evaluation.Number(updateSize)}, Domains: p.domains, Random: rand.NewPCG(seed, 4)}}
	rows, keys := make([]int, n), make([]int64, n)
	for i := range keys {
		rows[i], keys[i] = i, int64(i+1)
	}
	in, err := p.inputOf(evaluation.These(columns, rows).Columns)
	if err != nil {
		return nil, err
	}
	in.Random = c.options.Random
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	if c.release, err = f.method.Run(ctx, in, c.options.Arguments); err != nil {
		return nil, err
	}
	c.options.Promises = c.release.Promises
	c.live, err = dynamic.Start(in, gidOf, keys)
	return c, err
}

// changes makes n changes of a kind, to randomly drawn persons.
func (c *clinic) changes(kind changeKind, n int) *anonymize.Changed {
	changed, rows := &anonymize.Changed{}, [][]anonymize.Value{}
	last := len(c.columns) - 1
	persons := c.recordsWhere(func(i int) bool { return c.live.Kind[i] == anonymize.Person })
	c.random.Shuffle(len(persons), func(i, j int) { persons[i], persons[j] = persons[j], persons[i] })
	if kind != insertions {
		n = min(n, len(persons))
	}
	for i := range n {
		if kind == deletions {
			changed.Key, changed.Row = append(changed.Key, c.live.Key[persons[i]]), append(changed.Row, -1)
			continue
		}
		key, values := int64(c.next+1), valuesOf(c.columns, min(c.next, c.columns[0].Rows()-1))
		switch {
		case kind == insertions:
			c.next++
		case i%2 == 0: // a person's quasi-identifiers become those of another record
			key, values[last] = c.live.Key[persons[i]], c.live.Columns[last].Value(persons[i])
			c.next++
		default:
			key, values = c.live.Key[persons[i]], valuesOf(c.live.Columns, persons[i])
			for was := values[last]; values[last] == was; {
				values[last] = disease(c.random)
			}
		}
		changed.Key, changed.Row = append(changed.Key, key), append(changed.Row, len(rows))
		rows = append(rows, values)
	}
	for i, column := range c.columns {
		values := make([]anonymize.Value, len(rows))
		for r := range rows {
			values[r] = rows[r][i]
		}
		changed.Columns = append(changed.Columns, anonymize.NewColumn(column.Name, column.Type, values))
	}
	return changed
}

func valuesOf(columns []*anonymize.Column, row int) []anonymize.Value {
	values := make([]anonymize.Value, len(columns))
	for i, c := range columns {
		values[i] = c.Value(row)
	}
	return values
}

// recordsWhere lists the records of the live release that want accepts.
func (c *clinic) recordsWhere(want func(record int) bool) []int {
	var records []int
	for i := range c.live.Records() {
		if want(i) {
			records = append(records, i)
		}
	}
	return records
}

// refresh updates the release.
func (c *clinic) refresh(ctx context.Context, changed *anonymize.Changed) (*dynamic.Outcome, error) {
	c.options.Before = c.release
	o, err := c.update(ctx, c.live, changed, c.options)
	if err != nil {
		return nil, err
	}
	c.live, c.release = o.Live, o.Release
	return o, nil
}

// measure measures the published groups, including counterfeits.
func (c *clinic) measure() (m clustering.Measures, err error) {
	published := c.recordsWhere(func(i int) bool { return c.live.Group[i] != anonymize.Waiting })
	in, err := c.inputOf(evaluation.These(c.live.Columns, published).Columns)
	if err != nil {
		return m, err
	}
	task, err := clustering.NewTask(in, updateSize, false, false, c.random)
	if err != nil {
		return m, err
	}
	records, gids := make([]uint32, len(published)), make([]uint32, len(published))
	for i, p := range published {
		records[i], gids[i] = uint32(i), c.live.Group[p]
	}
	groups := bucketization.NewPartition(records, gids, c.release.Groups())
	return clustering.Measure(task.Space, task.Catalogue, task.Value, groups), nil
}

// updating has the measures by the number of changes, and the counterfeits.
type updating struct {
	linkage
	forged, largest evaluation.Tally
}

// updates makes changes of a kind, 100 at a time, and measures after each hundred. OKA and IKA cannot follow a table,
// so it makes new releases with them.
func (w *ward) updates(ctx context.Context, kind changeKind) (*updating, error) {
	of := &updating{}
	for repetition := range w.repetitions {
		columns := w.table(w.records+updateStep*len(w.steps), uint64(repetition)).Columns
		for _, f := range followers() {
			if err := w.follow(ctx, of, f, columns, kind, uint64(repetition)); err != nil {
				return nil, err
			}
		}
	}
	return of, nil
}

func (w *ward) follow(ctx context.Context, of *updating, f follower, columns []*anonymize.Column, kind changeKind, repetition uint64) error {
	c, err := w.open(ctx, f, columns, w.records, w.Seed+repetition)
	if err != nil {
		return err
	}
	spent := 0.0
	for _, step := range w.steps {
		changed, x := c.changes(kind, updateStep), float64(step*updateStep)
		started := time.Now()
		o, err := c.refresh(ctx, changed)
		if err != nil {
			return err
		}
		spent += time.Since(started).Seconds()
		m, err := c.measure()
		if err != nil {
			return err
		}
		of.add(f.label, x, m, spent)
		of.forged.Add(f.label, x, float64(o.Release.Forged))
		of.largest.Add(f.label, x, float64(slices.Max(o.Release.GroupSizes)))
		w.step()
		if f.label == draslArm {
			if err := w.republish(ctx, of, c, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// republish makes new releases of the persons who are in the table at that point.
func (w *ward) republish(ctx context.Context, of *updating, c *clinic, x float64) error {
	in, err := c.inputOf(evaluation.These(c.live.Columns, c.recordsWhere(func(i int) bool { return c.live.Kind[i] == anonymize.Person })).Columns)
	if err != nil {
		return err
	}
	for _, g := range groupings()[2:4] {
		m, seconds, err := g.run(ctx, in, updateSize, true, rand.New(rand.NewPCG(w.Seed, 9)))
		if err != nil {
			return err
		}
		of.add(g.label, x, m, seconds)
		w.step()
	}
	return nil
}
