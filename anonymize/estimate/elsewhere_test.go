package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// A distant store answers from a release that it keeps, group by group, and record by record where counts are wanted.
type distant struct {
	release *anonymize.Release
	asked   []string // what it was asked, in short
	// completion has its completed tables, nil for none.
	completion *anonymize.Completion
}

func (d *distant) Values(_ context.Context, fragment, column int) (values []anonymize.Value, records []uint64, err error) {
	d.asked = append(d.asked, "values")
	f := d.release.Fragments[fragment]
	counts := map[anonymize.Value]uint64{}
	for t, code := range f.Columns[column].Codes {
		counts[f.Columns[column].Dictionary[code]] += uint64(f.Count[t])
	}
	for v, n := range counts { // in any order
		values, records = append(values, v), append(records, n)
	}
	return values, records, nil
}

// classOf is the class of a tuple, by its values alone.
func (d *distant) classOf(c *Classes, t uint32) uint32 {
	class, stride := uint32(0), uint32(1)
	for i := range c.Units {
		of := c.Units[i].Class[d.placeOf(c.Fragment, &c.Units[i], t)]
		if of == NoClass {
			return NoClass
		}
		class += of * stride
		stride *= uint32(c.Units[i].Classes)
	}
	if c.Of != nil {
		return c.Of[class]
	}
	return class
}

// placeOf is the number of the combination of values that a tuple has of a unit.
func (d *distant) placeOf(fragment int, u *ClassUnit, t uint32) int {
	f, place, step := d.release.Fragments[fragment], 0, 1
	for i, column := range u.Columns {
		v := f.Columns[column].Dictionary[f.Columns[column].Codes[t]]
		code, ok := slices.BinarySearchFunc(u.Dictionaries[i], v, anonymize.Compare)
		if !ok {
			panic("a value is not in its dictionary")
		}
		place += code * step
		step *= len(u.Dictionaries[i])
	}
	return place
}

// groups visits every combination of classes that a group has, with their numbers of records.
func (d *distant) groups(fragments []Classes, visit func(classes, counts []uint32, m uint32)) {
	for g, m := range d.release.GroupSizes {
		var present []map[uint32]uint32
		for i := range fragments {
			f, counts := d.release.Fragments[fragments[i].Fragment], map[uint32]uint32{}
			for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
				if class := d.classOf(&fragments[i], t); class != NoClass {
					counts[class] += f.Count[t]
				}
			}
			present = append(present, counts)
		}
		classes, counts := make([]uint32, len(fragments)), make([]uint32, len(fragments))
		var combine func(i int)
		combine = func(i int) {
			if i == len(fragments) {
				visit(classes, counts, m)
				return
			}
			for class, n := range present[i] {
				classes[i], counts[i] = class, n
				combine(i + 1)
			}
		}
		combine(0)
	}
}

// Weights come a few groups at a time.
func (d *distant) Weights(_ context.Context, fragments []Classes, of *Worth) (list []Weight, err error) {
	if of != nil {
		return d.weightedSums(fragments, *of), nil
	}
	d.asked = append(d.asked, fmt.Sprint("weights of ", len(fragments)))
	d.groups(fragments, func(classes, counts []uint32, m uint32) {
		w := Weight{Classes: slices.Clone(classes), Size: m, Products: 1}
		if len(fragments) == 1 {
			w.Size = 0
		}
		for _, n := range counts {
			w.Products *= uint64(n)
		}
		list = append(list, w)
	})
	return list, nil
}

func (d *distant) Profiles(_ context.Context, fragments []Classes, of *Worth) ([]Profile, error) {
	if of != nil {
		return d.sums(fragments, *of), nil
	}
	d.asked = append(d.asked, fmt.Sprint("profiles of ", len(fragments)))
	found := map[string]*Profile{}
	d.groups(fragments, func(classes, counts []uint32, m uint32) {
		id := fmt.Sprint(classes, m, counts)
		if found[id] == nil {
			found[id] = &Profile{Classes: slices.Clone(classes), Size: m, Counts: slices.Clone(counts)}
		}
		found[id].Groups++
	})
	var list []Profile
	for _, p := range found {
		list = append(list, *p)
	}
	return list, nil
}

// members visits every combination of classes that a group has, with the sorted worths of its records of the fragment that has them.
func (d *distant) members(fragments []Classes, of Worth, visit func(classes, counts []uint32, m uint32, worths []int64)) {
	for g, m := range d.release.GroupSizes {
		one := &distant{release: &anonymize.Release{GroupSizes: []uint32{m}}}
		for _, f := range d.release.Fragments {
			part := *f
			part.GroupStart = f.GroupStart[g : g+2]
			one.release.Fragments = append(one.release.Fragments, &part)
		}
		one.groups(fragments, func(classes, counts []uint32, m uint32) {
			c := &fragments[of.Fragment]
			f, worths := one.release.Fragments[c.Fragment], []int64(nil)
			for t := f.GroupStart[0]; t < f.GroupStart[1]; t++ {
				if one.classOf(c, t) == classes[of.Fragment] {
					worths = append(worths, slices.Repeat([]int64{of.Of[one.placeOf(c.Fragment, &c.Units[of.Unit], t)]}, int(f.Count[t]))...)
				}
			}
			slices.Sort(worths)
			visit(classes, counts, m, worths)
		})
	}
}

// weightedSums come group by group, and record by record of the fragment whose records are worth something.
func (d *distant) weightedSums(fragments []Classes, of Worth) (list []Weight) {
	d.asked = append(d.asked, fmt.Sprint("weighted sums of ", len(fragments)))
	one := fragments[of.Fragment]
	places := make([]uint32, len(one.Units[of.Unit].Class))
	for i := range places {
		if places[i] = uint32(i); one.Units[of.Unit].Class[i] == NoClass {
			places[i] = NoClass
		}
	}
	// A class for every value of the unit, behind those that are asked.
	apart := slices.Clone(fragments)
	apart[of.Fragment].Units = append(slices.Clone(one.Units), ClassUnit{Columns: one.Units[of.Unit].Columns, Dictionaries: one.Units[of.Unit].Dictionaries, Class: places, Classes: len(places)})
	stride := 1
	for _, u := range one.Units {
		stride *= u.Classes
	}
	d.groups(apart, func(classes, counts []uint32, m uint32) {
		w := Weight{Classes: slices.Clone(classes), Size: m, Products: 1, Sum: new(big.Int)}
		place := int(classes[of.Fragment]) / stride
		w.Classes[of.Fragment] %= uint32(stride)
		if len(fragments) == 1 {
			w.Size = 0
		}
		for _, n := range counts {
			w.Products *= uint64(n)
		}
		if !of.None[place] {
			w.Records = w.Products
			w.Sum.SetInt64(of.Of[place] * int64(w.Products))
		}
		list = append(list, w)
	})
	return list
}

// sums come group by group.
func (d *distant) sums(fragments []Classes, of Worth) (list []Profile) {
	d.asked = append(d.asked, fmt.Sprint("sums of ", len(fragments)))
	d.members(fragments, of, func(classes, counts []uint32, m uint32, worths []int64) {
		sum, squares := int64(0), int64(0)
		for _, w := range worths {
			sum += w
			squares += w * w
		}
		list = append(list, Profile{Classes: slices.Clone(classes), Size: m, Counts: slices.Clone(counts), Groups: 1, Sum: big.NewInt(sum), SquaredSums: big.NewInt(sum * sum), Squares: big.NewInt(squares)})
	})
	return list
}

// Takes are counted by taking records one by one.
func (d *distant) Takes(_ context.Context, fragments []Classes, of Worth) (list []Take, err error) {
	d.asked = append(d.asked, fmt.Sprint("takes of ", len(fragments)))
	found := map[string]*Take{}
	d.members(fragments, of, func(classes, counts []uint32, m uint32, worths []int64) {
		low, high := -int(m)*(len(counts)-1), int(m)
		for _, n := range counts {
			low, high = low+int(n), min(high, int(n))
		}
		for i, w := range worths {
			id := fmt.Sprint(classes, w)
			if found[id] == nil {
				found[id] = &Take{Classes: slices.Clone(classes), Worth: w}
			}
			for to, is := range map[*uint64]bool{&found[id].LeastOfLow: i < low, &found[id].LeastOfHigh: i < high,
				&found[id].GreatestOfLow: i >= len(worths)-low, &found[id].GreatestOfHigh: i >= len(worths)-high} {
				if is {
					*to++
				}
			}
		}
	})
	for _, t := range found {
		list = append(list, *t)
	}
	return list, nil
}

// ByGroup comes tuple by tuple, in any order.
func (d *distant) ByGroup(_ context.Context, fragment Classes) (list []GroupCount, err error) {
	d.asked = append(d.asked, "groups")
	f := d.release.Fragments[fragment.Fragment]
	for g := range d.release.GroupSizes {
		for t := f.GroupStart[g]; t < f.GroupStart[g+1]; t++ {
			if class := d.classOf(&fragment, t); class != NoClass {
				list = append(list, GroupCount{Group: uint32(g), Class: class, Records: f.Count[t]})
			}
		}
	}
	slices.SortFunc(list, func(a, b GroupCount) int { return int(b.Group*31%17) - int(a.Group*31%17) })
	return list, nil
}

// Tables counts row by row, and tells some numbers in two parts.
func (d *distant) Tables(_ context.Context, fragments []Classes, tables int) (list []TableCount, err error) {
	d.asked = append(d.asked, fmt.Sprint("tables of ", len(fragments)))
	for table := range tables {
		at := 0
		for g, m := range d.release.GroupSizes {
			for row := range int(m) {
				n := TableCount{Classes: make([]uint32, len(fragments)), Table: table, Records: 1}
				for i := range fragments {
					j, place := fragments[i].Fragment, row
					if j > 0 {
						place = int(d.completion.Narrow[table][j-1][at+row])
					}
					f, t := d.release.Fragments[j], int(d.release.Fragments[j].GroupStart[g])
					for ; place >= int(f.Count[t]); t++ {
						place -= int(f.Count[t])
					}
					n.Classes[i] = d.classOf(&fragments[i], uint32(t))
				}
				if !slices.Contains(n.Classes, NoClass) {
					list = append(list, n)
				}
			}
			at += int(m)
		}
	}
	return list, nil
}

// shapeOf is what is known of a release whose relations are elsewhere, but for those with cells that stand for several values.
func shapeOf(r *anonymize.Release) (*anonymize.Release, []GroupSize) {
	shape := &anonymize.Release{Method: r.Method, Rows: r.Rows}
	for _, f := range r.Fragments {
		if slices.ContainsFunc(f.Columns, func(c *anonymize.FragmentColumn) bool { return !c.IsPoint() }) {
			shape.Fragments, shape.GroupSizes = append(shape.Fragments, f), r.GroupSizes
			continue
		}
		fragment := &anonymize.Fragment{Name: f.Name, Role: f.Role}
		for _, c := range f.Columns {
			fragment.Columns = append(fragment.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type})
		}
		shape.Fragments = append(shape.Fragments, fragment)
	}
	counts := map[uint32]uint64{}
	for _, m := range r.GroupSizes {
		counts[m]++
	}
	var sizes []GroupSize
	for m, n := range counts {
		sizes = append(sizes, GroupSize{Size: m, Groups: n})
	}
	return shape, sizes
}

func mustPrepareElsewhere(t testing.TB, r *anonymize.Release) (*Prepared, *distant) {
	t.Helper()
	store := &distant{release: r}
	shape, sizes := shapeOf(r)
	p, err := PrepareElsewhere(shape, sizes, store)
	if err != nil {
		t.Fatal(err)
	}
	return p, store
}

// sameBits describes the first figure that is not the same to the last bit.
func sameBits(got, want *Answer) string {
	if got.Exact != want.Exact || fmt.Sprint(got.Fragments) != fmt.Sprint(want.Fragments) || len(got.Rows) != len(want.Rows) {
		return fmt.Sprintf("%d keys of fragments %v, exact %v; want %d of %v, %v", len(got.Rows), got.Fragments, got.Exact, len(want.Rows), want.Fragments, want.Exact)
	}
	for i, row := range got.Rows {
		if !slices.Equal(row.Keys, want.Rows[i].Keys) {
			return fmt.Sprintf("key %v, want %v", row.Keys, want.Rows[i].Keys)
		}
		for a, figure := range row.Figures {
			if figure != want.Rows[i].Figures[a] {
				return fmt.Sprintf("key %v aggregate %d: %v, want %v", row.Keys, a, figure, want.Rows[i].Figures[a])
			}
		}
	}
	return ""
}

// Answers of relations that are elsewhere are those of the release at hand: to the last bit where its bit planes answer or one
// fragment does, and to nine digits where it adds up group by group.
func TestElsewhereEqualsPrepared(t *testing.T) {
	random := rand.New(rand.NewPCG(71, 72))
	same := map[Path]int{}
	for _, s := range sizings {
		for trial := range trials(30) {
			r := codedRelease(random, 150+random.IntN(500), 1+trial%3, s.draw)
			p, here := Prepare(r), Path("")
			away, _ := mustPrepareElsewhere(t, r)
			for question := range 6 {
				q := codedQuestion(random, r, question >= 2)
				if question == 5 {
					q, _ = randomQuestion(random, r) // conditions across fragments, arguments over several columns
				}
				var err error
				if here, _, err = p.Path(context.Background(), q); err != nil {
					t.Fatal(err)
				}
				got, want := mustAskPrepared(t, away, q), mustAskPrepared(t, p, q)
				diff := different(got, want)
				if here != JoinPath && kept(want).cells == nil {
					diff = sameBits(got, want)
				}
				if diff != "" {
					t.Fatalf("%s, trial %d, question %d, %s: %s", s.name, trial, question, here, diff)
				}
				same[here]++
			}
		}
	}
	t.Logf("questions by the way that the release at hand takes: %v", same)
	if same[KernelPath] < atLeast(300) || same[ExactPath] < atLeast(150) || same[JoinPath] == 0 {
		t.Errorf("questions by the way that the release at hand takes: %v", same)
	}
}

// The oracle of the whole package answers the same: all matchings of small releases, all kinds of aggregates.
func TestElsewhereEqualsEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(73, 74))
	for trial := range trials(400) {
		r := randomRelease(random, false)
		q, plain := randomQuestion(random, r)
		p, _ := mustPrepareElsewhere(t, r)
		if diff := difference(mustAskPrepared(t, p, q), enumerate(r, plain), len(q.Keys) == 0); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
		for _, kind := range []Kind{VarianceSample, Least, Greatest, Distinct} {
			q.Aggregates = []Aggregate{{Kind: Count}, {Kind: kind, Argument: q.Aggregates[len(q.Aggregates)-1].Argument}}
			if q.Aggregates[1].Argument == nil {
				continue
			}
			got, err := p.Ask(context.Background(), q)
			want, wanted := askByGroups(context.Background(), r, q)
			if unanswered := (*UnansweredError)(nil); kind == Distinct && errors.As(err, &unanswered) {
				continue // no product of conditions, as the release at hand mostly says, too
			}
			if err != nil || wanted != nil {
				t.Fatalf("trial %d, kind %d: %v, the release at hand %v", trial, kind, err, wanted)
			}
			if diff := differentOfKind(got, want); diff != "" {
				t.Fatalf("trial %d, kind %d: %s", trial, kind, diff)
			}
		}
	}
}

// differentOfKind compares keys and figures, values as values.
func differentOfKind(got, want *Answer) string {
	if len(got.Rows) != len(want.Rows) {
		return fmt.Sprintf("%d keys, want %d", len(got.Rows), len(want.Rows))
	}
	for i, row := range got.Rows {
		for a, figure := range row.Figures {
			expect := want.Rows[i].Figures[a]
			if figure.Kind != expect.Kind || figure.Int != expect.Int || math.Abs(figure.Float-expect.Float) > 1e-9*max(1, math.Abs(expect.Float)) {
				return fmt.Sprintf("key %v aggregate %d: %v, want %v", row.Keys, a, figure, expect)
			}
		}
	}
	return ""
}

// Where arguments have many values their sums are asked, not the weights of the values: one row a key and size. Answers are those of the release at hand, to nine digits.
func TestElsewhereSumsOfManyValues(t *testing.T) {
	random := rand.New(rand.NewPCG(87, 88))
	asked := map[int]int{}
	for trial := range trials(12) {
		r := generated(random, 6000, 5000, 5)
		fragments := 1 + trial%3
		q := &Question{Leaves: []Leaf{{Columns: []int{0}, Eval: func(v []anonymize.Value) (anonymize.Value, error) {
			if v[0].Int%7 == 0 {
				return anonymize.NullValue, nil
			}
			return anonymize.DecimalValue(fmt.Sprintf("%.2f", float64(v[0].Int-2000)/100)), nil
		}}}}
		argument := &Expression{Leaves: []int{0}}
		for f := range fragments {
			q.Leaves = append(q.Leaves, ValueOf(f, 1), ValueLeaf(f, 1, randomSet(random, 10)))
			q.Keys = append(q.Keys, Expression{Leaves: []int{1 + 2*f}})
			q.Where = append(q.Where, Expression{Leaves: []int{2 + 2*f}})
		}
		q.Keys = q.Keys[:min(len(q.Keys), 2)]
		for _, kind := range []Kind{Count, Sum, Average} {
			q.Aggregates = append(q.Aggregates, Aggregate{Kind: kind, Argument: argument})
		}
		q.Aggregates = append(q.Aggregates, Aggregate{Kind: Count})
		p, store := mustPrepareElsewhere(t, r)
		if diff := different(mustAskPrepared(t, p, q), mustAsk(t, r, q)); diff != "" {
			t.Fatalf("trial %d: %s", trial, diff)
		}
		if slices.Contains(store.asked, fmt.Sprint("weighted sums of ", fragments)) {
			asked[fragments]++
		}
	}
	if t.Logf("sums were asked of so many fragments: %v", asked); asked[1] == 0 || testsize.All() && asked[2] == 0 {
		t.Errorf("sums were asked of so many fragments: %v", asked)
	}
}
