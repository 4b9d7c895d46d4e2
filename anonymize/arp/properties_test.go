package arp

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/anontest"
	"github.com/anonsql/anonsql/anonymize/bucketization"
	"github.com/anonsql/anonsql/anonymize/initialpartition"
	"github.com/anonsql/anonsql/anonymize/utility"
)

// The eight properties of the paper. Where one says less than it seems to, deviations_test.go tests the rest.

// partitioned calls test with random tables and their initial partitions.
func partitioned(t *testing.T, test func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, blocks *bucketization.Partition, l int)) {
	t.Helper()
	divided := 0
	for seed := range uint64(1500) {
		random := rand.New(rand.NewPCG(seed, 5))
		in := anontest.RandomTable(2+random.IntN(200), seed)
		l := 2 + random.IntN(3)
		b := bucketization.NewBuckets(in.Sensitive[0], nil)
		if b.CheckDiversity(l) != nil {
			continue
		}
		blocks, err := initialpartition.Divide(context.Background(), in, b,
			initialpartition.Request{L: l, Mondrian: seed%3 == 0, Collapse: initialpartition.Continue}, random)
		if err != nil {
			t.Fatal(err)
		}
		divided++
		test(seed, in, b, blocks.Partition, l)
	}
	if divided < 500 {
		t.Errorf("only %d tables could be divided", divided)
	}
}

// squares returns the sum of c_i^2 over the values of the records.
func squares(value, records []uint32) (sum int) {
	counts := map[uint32]int{}
	for _, record := range records {
		counts[value[record]]++
	}
	for _, n := range counts {
		sum += n * n
	}
	return sum
}

func refineTable(t *testing.T, b *bucketization.Buckets, blocks *bucketization.Partition, l int) *refined {
	t.Helper()
	groups, err := refine(context.Background(), b, blocks, l, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return groups
}

func lossOf(t testing.TB, m anonymize.Method, in *anonymize.Input, arguments anonymize.Arguments) (utility.AttributeLoss, *anonymize.Release) {
	t.Helper()
	var gids []uint32
	in.Assigned = func(gidOf []uint32) { gids = gidOf }
	r, err := m.Run(context.Background(), in, arguments)
	if err != nil {
		t.Fatalf("%v: %v", arguments, err)
	}
	loss, err := utility.Loss(context.Background(), r, in, gids)
	if err != nil {
		t.Fatal(err)
	}
	return loss.Attributes[0], r
}

// Property 1: the mean probability of the actual value in a block is the sum of
// (c_i/n)^2, at most 1/l. Here of the whole release of AIP, whose blocks weigh by
// their records.
func TestProperty1_MeanProbability(t *testing.T) {
	partitioned(t, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, blocks *bucketization.Partition, l int) {
		want := 0.0
		for g := range blocks.Groups() {
			block := blocks.Records(g)
			if squares(b.Value, block)*l > len(block)*len(block) {
				t.Fatalf("seed %d: block %d has a mean above 1/%d", seed, g, l)
			}
			want += float64(squares(b.Value, block)) / float64(len(block))
		}
		random := rand.New(rand.NewPCG(seed, 1))
		var gids []uint32
		in.Assigned = func(gidOf []uint32) { gids = gidOf }
		r, err := publishAnatomy(context.Background(), "aip", in, blocks, random)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := utility.Loss(context.Background(), r, in, gids)
		if err != nil {
			t.Fatal(err)
		}
		if got := loss.Attributes[0].Probability.Mean * float64(in.Rows); math.Abs(got-want) > 1e-9*want {
			t.Fatalf("seed %d: total probability of the actual values %v, want %v", seed, got, want)
		}
	})
}

// Property 2: after the iterations a block has left |B| mod l records, with different values. Property 3: for each of
// them the block made floor(|B|/l) sub-blocks, one of which lacks its value.
func TestProperty2And3_ResidualsOfABlock(t *testing.T) {
	partitioned(t, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, blocks *bucketization.Partition, l int) {
		for g := range blocks.Groups() {
			block := blocks.Records(g)
			r := &refinement{size: l, value: b.Value, random: rand.New(rand.NewPCG(seed, 2)), group: make([]uint32, in.Rows),
				residual: residuals{waiting: make([][]leftover, len(b.Count))}}
			r.divide(0, block, newDealer(len(b.Count)))
			if len(r.residual.values) != len(block)%l {
				t.Fatalf("seed %d: %d values left of %d records, l = %d", seed, len(r.residual.values), len(block), l)
			}
			if int(r.count) != len(block)/l {
				t.Fatalf("seed %d: %d sub-blocks of %d records, l = %d", seed, r.count, len(block), l)
			}
			for _, v := range r.residual.values {
				if len(r.residual.waiting[v]) != 1 {
					t.Fatalf("seed %d: %d records left of value %d", seed, len(r.residual.waiting[v]), v)
				}
				lacking := 0
				for sub := range r.count {
					if !r.groupHasValue(sub, v) {
						lacking++
					}
				}
				if lacking == 0 {
					t.Fatalf("seed %d: no sub-block lacks value %d", seed, v)
				}
			}
		}
	})
}

// Property 4: finally every record is in a sub-block, of its own block or pooled, whose values are all different. A
// sub-block has l records, or at most l-1 more. R_B had fewer than l values left.
func TestProperty4_EveryRecordHasASubBlock(t *testing.T) {
	partitioned(t, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, blocks *bucketization.Partition, l int) {
		groups, blockOf := refineTable(t, b, blocks, l), blocks.GroupOf()
		pooled := 0
		for g := range groups.Groups() {
			records := groups.Records(g)
			if squares(b.Value, records) != len(records) || len(records) < l || len(records) >= 2*l {
				t.Fatalf("seed %d: sub-block %d has records %v, values %v", seed, g, records, anonymize.Gather(b.Value, records))
			}
			for _, record := range records {
				if blockOf[record] != blockOf[records[0]] {
					if len(records) != l {
						t.Fatalf("seed %d: %d records of several blocks", seed, len(records))
					}
					pooled += l
					break
				}
			}
		}
		if pooled != groups.pooled || groups.Groups()*l+groups.inserted != in.Rows {
			t.Fatalf("seed %d: %d records in groups of several blocks, told %d; %d groups and %d inserted for %d",
				seed, pooled, groups.pooled, groups.Groups(), groups.inserted, in.Rows)
		}
	})
}

// Property 5: refining a block separately does not lower its mean probability: sum (c_i/n)^2 <= floor(n/l)/n, the
// value of the sub-blocks.
func TestProperty5_RefiningABlock(t *testing.T) {
	partitioned(t, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, blocks *bucketization.Partition, l int) {
		for g := range blocks.Groups() {
			n := len(blocks.Records(g))
			if squares(b.Value, blocks.Records(g)) > n/l*n {
				t.Fatalf("seed %d: block %d of %d records had %v, has %v", seed, g, n,
					float64(squares(b.Value, blocks.Records(g)))/float64(n*n), float64(n/l)/float64(n))
			}
		}
	})
}

// totals are n times the mean probabilities of Property 6: T_1 of the refining
// partition, T_3 of blocks refined by themselves, T_2 of the blocks.
func totals(b *bucketization.Buckets, blocks *bucketization.Partition, groups *refined, l int) (T1, T3, T2 float64) {
	for g := range groups.Groups() {
		T1 += float64(squares(b.Value, groups.Records(g))) / float64(len(groups.Records(g)))
	}
	for g := range blocks.Groups() {
		T3 += float64(len(blocks.Records(g)) / l)
		T2 += float64(squares(b.Value, blocks.Records(g))) / float64(len(blocks.Records(g)))
	}
	return T1, T3, T2
}

// Property 6: T_1 >= T_3 >= T_2.
func TestProperty6_RefiningTheTable(t *testing.T) {
	partitioned(t, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, blocks *bucketization.Partition, l int) {
		T1, T3, T2 := totals(b, blocks, refineTable(t, b, blocks, l), l)
		if T1 < T3-1e-9 || T3 < T2-1e-9 {
			t.Fatalf("seed %d: %v, %v, %v", seed, T1, T3, T2)
		}
	})
}

// premise is a table for which Property 7's premise holds: the records of each
// sex can be put in groups of two different values, none left. So no group has
// both sexes.
func premise(t *testing.T) *anonymize.Input {
	return anontest.NewInput(t, anontest.Parse(t, `
sex age s
F 20 flu
F 21 flu
F 22 cold
F 23 gout
M 20 gout
M 21 cold
M 22 cough
M 23 cough`), "sex age", "s", rand.NewPCG(1, 2))
}

// Property 7: phi^2 of an attribute that is the same inside every group is that
// of the table.
func TestProperty7_CorrelationsAreRetained(t *testing.T) {
	for _, over := range []string{anatomy, slicing, ranges} {
		loss, _ := lossOf(t, Method(), premise(t), anonymize.Arguments{"l": "2", "over": over, "order": "descending"})
		sex, age := loss.Correlations[0], loss.Correlations[1]
		if sex.Attribute != "sex" || math.Abs(sex.Before-sex.After) > 1e-12 || sex.Before == 0 {
			t.Errorf("over=%s: phi^2(sex, s) was %v, is %v", over, sex.Before, sex.After)
		}
		if age.After >= age.Before {
			t.Errorf("over=%s: phi^2(age, s) was %v, is %v", over, age.Before, age.After)
		}
	}
}

// Property 8: RE = n (1 - 1/l) (1 + r/(n (l-1))), r the records left in R_B in
// the end.
func TestProperty8_ReconstructionError(t *testing.T) {
	partitioned(t, func(seed uint64, in *anonymize.Input, b *bucketization.Buckets, blocks *bucketization.Partition, l int) {
		groups := refineTable(t, b, blocks, l)
		var gids []uint32
		in.Assigned = func(gidOf []uint32) { gids = gidOf }
		r, err := publishAnatomy(context.Background(), "arp", in, groups.Partition, rand.New(rand.NewPCG(seed, 9)))
		if err != nil {
			t.Fatal(err)
		}
		loss, err := utility.Loss(context.Background(), r, in, gids)
		if err != nil {
			t.Fatal(err)
		}
		n, rest, L := float64(in.Rows), float64(groups.inserted), float64(l)
		want := n * (1 - 1/L) * (1 + rest/(n*(L-1)))
		if got := loss.Attributes[0].Probability.Error; math.Abs(got-want) > 1e-9*n {
			t.Fatalf("seed %d: RE is %v, want %v", seed, got, want)
		}
	})
}

// everyone is the partition into one block.
func everyone(rows int) *bucketization.Partition {
	p := &bucketization.Partition{Start: []uint32{0, uint32(rows)}, Member: anonymize.Indices(rows)}
	return p
}

// Two towns that can be divided by themselves: no group has patients of both, and the owner is told so.
func TestFacts(t *testing.T) {
	table := anontest.Parse(t, "town diagnosis\nUlm flu\nUlm flu\nUlm cold\nUlm gout\nBonn cough\nBonn cough\nBonn gout\nBonn flu")
	r := anontest.MustRun(t, Method(), anontest.NewInput(t, table, "town", "diagnosis", rand.NewPCG(1, 2)), anonymize.Arguments{"l": "2"})
	want := "[{initial blocks 2} {largest initial block 4 records} {phi^2 with the sensitive attribute town (0.4167)} " +
		"{refined blocks 4} {residual records 0} {records in groups across blocks 0}]"
	if got := fmt.Sprint(r.Facts); got != want {
		t.Errorf("facts %s, want %s", got, want)
	}
}
