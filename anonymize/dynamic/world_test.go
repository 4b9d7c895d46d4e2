package dynamic

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/clustering"
)

// A world is a raw table that changes, kept as naively as can be.
type world struct {
	t       testing.TB
	random  *rand.Rand
	row     map[int64][]anonymize.Value // by key: what is in the table now
	touched map[int64]bool              // since the last refresh
	next    int64
	shrinks bool // more leave than come
	options Options
	live    *anonymize.Live
	release *anonymize.Release
}

var names = []string{"age", "job", "level", "city", "disease"}

func newWorld(t testing.TB, n, k int, method string, seed uint64) *world {
	w := &world{t: t, random: rand.New(rand.NewPCG(seed, 1)), row: map[int64][]anonymize.Value{}, touched: map[int64]bool{}, next: 1}
	levels := []anonymize.Value{anonymize.TextValue("low"), anonymize.TextValue("middle"), anonymize.TextValue("high"), anonymize.TextValue("top")}
	w.options = Options{Method: methodOf(method), Arguments: anonymize.Arguments{"k": fmt.Sprint(k)}, Random: rand.NewPCG(seed, 2),
		Domains: map[string]*anonymize.Domain{
			"level": {Scale: anonymize.Ordinal, Order: levels}, "city": {Scale: anonymize.Semantic, Taxonomy: anontest.Tree(t, "east: Riga", "north: Oslo Bergen", "south: Rome Bari Pisa")}}}
	for range n {
		w.insert(w.next)
	}
	w.start()
	return w
}

// person draws values; few of them, so that records are alike, and now and then
// one that the table never had.
func (w *world) person() []anonymize.Value {
	values := []anonymize.Value{
		anonymize.IntegerValue(int64(20 + w.random.IntN(15))),
		anonymize.TextValue([]string{"smith", "cook", "nurse", "clerk"}[w.random.IntN(4)]),
		w.options.Domains["level"].Order[w.random.IntN(4)],
		w.options.Domains["city"].Taxonomy.Leaves()[w.random.IntN(6)],
		clustering.Diseases().Leaves()[w.random.IntN(32)],
	}
	if w.random.IntN(20) == 0 {
		values[0] = anonymize.IntegerValue(int64(w.random.IntN(1000)))
	}
	if w.random.IntN(50) == 0 {
		values[0] = anonymize.IntegerValue(int64(w.random.IntN(1_000_000))) // beyond what a dictionary lists
	}
	if w.random.IntN(20) == 0 {
		values[1] = anonymize.TextValue(fmt.Sprint("job ", w.random.IntN(1000)))
	}
	if w.random.IntN(10) == 0 {
		values[w.random.IntN(5)] = anonymize.NullValue
	}
	return values
}

func (w *world) insert(key int64) {
	w.row[key], w.touched[key] = w.person(), true
	w.next = max(w.next, key+1)
}

func (w *world) delete(key int64) {
	delete(w.row, key)
	w.touched[key] = true
}

// update changes some columns.
func (w *world) update(key int64, columns ...int) {
	row, other := slices.Clone(w.row[key]), w.person()
	for _, c := range columns {
		row[c] = other[c]
	}
	w.row[key], w.touched[key] = row, true
}

// somebody draws a key of the table; 0 if it is empty.
func (w *world) somebody() int64 {
	keys := slices.Sorted(maps.Keys(w.row))
	if len(keys) == 0 {
		return 0
	}
	return keys[w.random.IntN(len(keys))]
}

func columnsOf(rows [][]anonymize.Value) []*anonymize.Column {
	columns := make([]*anonymize.Column, len(names))
	for i, name := range names {
		values := make([]anonymize.Value, len(rows))
		for r, row := range rows {
			values[r] = row[i]
		}
		columns[i] = anonymize.NewColumn(name, "T"+fmt.Sprint(i), values)
	}
	return columns
}

// start makes the first release.
func (w *world) start() {
	keys := slices.Sorted(maps.Keys(w.row))
	var rows [][]anonymize.Value
	for _, key := range keys {
		rows = append(rows, w.row[key])
	}
	columns := columnsOf(rows)
	in := &anonymize.Input{QuasiIdentifiers: columns[:4], Sensitive: columns[4:], Rows: len(rows), Domains: w.options.Domains, Random: w.options.Random}
	var gidOf []uint32
	in.Assigned = func(of []uint32) { gidOf = of }
	var err error
	if w.release, err = w.options.Method.Run(w.t.Context(), in, w.options.Arguments); err != nil {
		w.t.Fatal(err)
	}
	if w.live, err = Start(in, gidOf, keys); err != nil {
		w.t.Fatal(err)
	}
	clear(w.touched)
}

// changed is what a refresh is given, the records in random order.
func (w *world) changed() *anonymize.Changed {
	c := &anonymize.Changed{Key: slices.Sorted(maps.Keys(w.touched))}
	w.random.Shuffle(len(c.Key), func(i, j int) { c.Key[i], c.Key[j] = c.Key[j], c.Key[i] })
	var rows [][]anonymize.Value
	for _, key := range c.Key {
		row, present := w.row[key]
		if !present {
			c.Row = append(c.Row, -1)
			continue
		}
		c.Row = append(c.Row, len(rows))
		rows = append(rows, row)
	}
	c.Columns = columnsOf(rows)
	return c
}

// describe writes all values of a record of a Live.
func describe(live *anonymize.Live, record int) string {
	values := make([]anonymize.Value, len(live.Columns))
	for i, c := range live.Columns {
		values[i] = c.Value(record)
	}
	return fmt.Sprint(values)
}

// published writes, for every gid, the cells and the values of the release.
func published(r *anonymize.Release) []string {
	groups := make([]string, r.Groups())
	for g := range groups {
		var text strings.Builder
		for _, f := range r.Fragments {
			var tuples []string
			for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
				tuple := fmt.Sprint(f.Count[t], " x")
				for _, c := range f.Columns {
					if c.IsPoint() {
						tuple += " " + c.Dictionary[c.Codes[t]].String()
					} else {
						tuple += " " + c.Cells[c.Codes[t]].Label
					}
				}
				tuples = append(tuples, tuple)
			}
			slices.Sort(tuples)
			fmt.Fprintf(&text, "%s%q ", f.Name, tuples)
		}
		groups[g] = text.String()
	}
	return groups
}
