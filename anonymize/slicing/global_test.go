package slicing

import (
	"context"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
)

// sliced is the definition of p(t, s) in rationals, record by record.
type sliced struct {
	columns [][]*anonymize.Column // the last one ends with the sensitive attribute
	value   []uint32              // sensitive value of every record, or its class
	buckets [][]int
}

// p is p(t, s).
func (v *sliced) p(t int, s uint32) *big.Rat {
	last := v.columns[len(v.columns)-1]
	linked := last[:len(last)-1]
	total, share := new(big.Rat), new(big.Rat)
	for _, records := range v.buckets {
		f := big.NewRat(1, 1)
		for _, group := range append(v.columns[:len(v.columns)-1:len(v.columns)-1], linked) {
			f.Mul(f, big.NewRat(int64(alikeIn(group, t, records)), int64(len(records))))
		}
		if f.Sign() == 0 {
			continue
		}
		with := 0
		for _, u := range records {
			if v.value[u] == s && agreeIn(linked, t, u) {
				with++
			}
		}
		total.Add(total, f)
		share.Add(share, f.Mul(f, big.NewRat(int64(with), int64(alikeIn(linked, t, records)))))
	}
	return share.Quo(share, total)
}

func alikeIn(columns []*anonymize.Column, t int, records []int) (n int) {
	for _, u := range records {
		if agreeIn(columns, t, u) {
			n++
		}
	}
	return n
}

func (v *sliced) worst() *big.Rat {
	worst := new(big.Rat)
	for t := range v.value {
		for _, s := range v.value {
			if p := v.p(t, s); p.Cmp(worst) > 0 {
				worst = p
			}
		}
	}
	return worst
}

// tuplePartition is the algorithm of Section 4.3 as printed, over lists.
func tuplePartition(v *naive, s *sliced) [][]int {
	all := anonymize.Ints(v.in.Rows)
	bound := big.NewRat(1, int64(v.l))
	queue, final := [][]int{all}, [][]int(nil)
	for len(queue) > 0 {
		b := queue[0]
		queue = queue[1:]
		kept := false
		order := v.order(b)
		if v.split == widest && len(order) > 1 {
			order = order[:1]
		}
		for _, q := range order {
			left, right := v.median(q, b)
			s.buckets = append(append(append([][]int(nil), queue...), final...), left, right)
			if kept = s.worst().Cmp(bound) <= 0; kept {
				queue = append(queue, left, right)
				break
			}
		}
		if !kept {
			final = append(final, b)
		}
	}
	s.buckets = final
	return final
}

func TestGlobalCheck(t *testing.T) {
	several, released := 0, 0
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 4))
		in := anontest.RandomTable(4+random.IntN(14), seed)
		arguments := drawArguments(random, in, global)
		delete(arguments, "threshold") // for which buckets are united afterwards
		_, groups, err := groupsOf(in, arguments)
		if err != nil {
			continue
		}
		released++
		p, err := readArguments(in, arguments)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := groupColumns(context.Background(), in, &p)
		if err != nil {
			t.Fatal(err)
		}
		s := &sliced{columns: columns, value: in.Sensitive[0].Codes}
		want := anontest.Sorted(tuplePartition(&naive{in: in, arguments: arguments, l: p.l, split: p.split}, s))
		if got := anontest.Sorted(groups); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d, %v: buckets\n%v, naively\n%v", seed, arguments, got, want)
		}
		if len(want) > 2 {
			several++
		}
	}
	if released < 80 || several < 30 {
		t.Errorf("%d tables released, %d in three buckets or more: too few of a kind", released, several)
	}
}

// The buckets of the global check are those of the local one, and p(t, s) is the
// share in the record's own bucket.
func TestGlobalIsLocal(t *testing.T) {
	released := 0
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 5))
		in := anontest.RandomTable(4+random.IntN(40), seed)
		arguments := drawArguments(random, in, global)
		if arguments["split"] == nearest {
			arguments["split"] = every
		}
		_, groups, err := groupsOf(in, arguments)
		if err != nil {
			continue
		}
		released++
		arguments["check"] = local
		in.Random = rand.NewPCG(1, 1)
		_, same, err := groupsOf(in, arguments)
		if err != nil || !reflect.DeepEqual(anontest.Sorted(groups), anontest.Sorted(same)) {
			t.Fatalf("seed %d, %v: global\n%v, local\n%v, %v", seed, arguments, groups, same, err)
		}
		p, err := readArguments(in, arguments)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := groupColumns(context.Background(), in, &p)
		if err != nil {
			t.Fatal(err)
		}
		all := &sliced{columns: columns, value: in.Sensitive[0].Codes, buckets: groups}
		for _, records := range groups {
			own := &sliced{columns: columns, value: all.value, buckets: [][]int{records}}
			for _, record := range records {
				s := all.value[records[random.IntN(len(records))]]
				if got, want := all.p(record, s), own.p(record, s); got.Cmp(want) != 0 {
					t.Fatalf("seed %d, %v: p(%d, %d) is %v, in its bucket %v", seed, arguments, record, s, got, want)
				}
			}
		}
	}
	if released < 100 {
		t.Errorf("only %d tables were released", released)
	}
}
