package sequence

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/privacy"
)

// A sealedTable is a naive model of sealed updates.
type sealedTable struct {
	k      int
	random *rand.Rand
	rows   []row
	next   int64
}

func (s *sealedTable) disease() string { return fmt.Sprint("disease", s.random.IntN(32)) }

func newSealedTable(n int, seed uint64) *sealedTable {
	s := &sealedTable{k: 8, random: rand.New(rand.NewPCG(seed, 6)), next: int64(n) + 1}
	for i := range n {
		s.rows = append(s.rows, row{int64(i) + 1, uint32(min(i/s.k, n/s.k-1)), int64(i % 90), s.disease()})
	}
	return s
}

// change makes n deletions, updates and insertions each, and then the next version.
func (s *sealedTable) change(n int) (from []int) {
	touched := make(map[int]bool)
	for len(touched) < 3*n {
		i := s.random.IntN(len(s.rows))
		if s.rows[i].key != 0 {
			touched[i] = true
		}
	}
	order := make([]int, 0, len(touched))
	for i := range touched {
		order = append(order, i)
	}
	slices.Sort(order)
	gone := make(map[int]bool)
	for at, i := range order {
		again := s.rows[i]
		if again.group == anonymize.Waiting {
			gone[i] = true
		} else {
			s.rows[i].key = 0
		}
		again.group = anonymize.Waiting
		switch at % 3 {
		case 0:
			continue
		case 1:
			again.age++
		case 2:
			for old := again.disease; again.disease == old; {
				again.disease = s.disease()
			}
		}
		s.rows = append(s.rows, again)
	}
	for range n {
		s.rows = append(s.rows, row{s.next, anonymize.Waiting, s.random.Int64N(90), s.disease()})
		s.next++
	}
	return s.publish(gone)
}

// publish drops groups without persons, groups the waiting records, and draws all gids anew.
func (s *sealedTable) publish(gone map[int]bool) (from []int) {
	persons, groups, waiting := make(map[uint32]int), uint32(0), 0
	for i, r := range s.rows {
		if r.group != anonymize.Waiting {
			groups = max(groups, r.group+1)
			if r.key != 0 {
				persons[r.group]++
			}
		} else if !gone[i] {
			waiting++
		}
	}
	fresh := waiting / s.k
	var rows []row
	nth := 0
	for i, r := range s.rows {
		switch {
		case r.group != anonymize.Waiting && persons[r.group] == 0 || gone[i]:
			continue
		case r.group == anonymize.Waiting && fresh > 0:
			r.group = groups + uint32(min(nth/s.k, fresh-1))
			nth++
		}
		rows = append(rows, r)
	}
	number := make(map[uint32]uint32)
	for g := range groups + uint32(fresh) {
		if persons[g] > 0 || g >= groups {
			number[g] = 0
			from = append(from, -1)
		}
	}
	deal, at := s.random.Perm(len(from)), 0
	for g := range groups + uint32(fresh) {
		if _, ok := number[g]; ok {
			number[g] = uint32(deal[at])
			if g < groups {
				from[deal[at]] = int(g)
			}
			at++
		}
	}
	for i := range rows {
		if rows[i].group != anonymize.Waiting {
			rows[i].group = number[rows[i].group]
		}
	}
	// Records are in no order.
	s.random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	s.rows = rows
	return from
}

// transition makes one refresh with n deletions, updates of either kind and insertions.
func (s *sealedTable) transition(t testing.TB, n int) *Transition {
	tr := &Transition{K: s.k}
	tr.BeforeLive, tr.Before = sideOf(t, s.rows)
	tr.From = s.change(n)
	tr.AfterLive, tr.After = sideOf(t, s.rows)
	return tr
}

func TestSealedSequence(t *testing.T) {
	const refreshes, changes = 15, 20
	s := newSealedTable(2000, 1)
	var h *History
	for range refreshes {
		tr := s.transition(t, changes)
		guarantees, next, err := Verify(context.Background(), tr, h, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := privacy.FirstBroken(guarantees); err != nil {
			t.Fatal(err)
		}
		h = next
	}
	if len(h.Narrowed)+len(h.Cohorts) > 0 || h.Deleted.Persons < refreshes*changes || h.Deleted.One+h.GoneInserted.One+h.GoneGained > 0 {
		t.Errorf("%+v", h)
	}
	one, two := 0, 0
	for _, f := range h.Followed {
		switch len(f.Candidates) {
		case 1:
			one++
		case 2:
			two++
		}
	}
	t.Logf("updated and followed: %d, %d left with one value, %d with two", len(h.Followed), one, two)
	text, err := json.Marshal(h)
	if err != nil || len(text) > 20_000 {
		t.Errorf("a history of %d bytes, %v", len(text), err)
	}
}

// A counterfeit of another value than the departed record's breaks the seal.
func TestBrokenSeal(t *testing.T) {
	s := newSealedTable(400, 2)
	tr := s.transition(t, 10)
	for i, r := range s.rows {
		if r.key == 0 && tr.From[r.group] >= 0 {
			s.rows[i].disease = "another"
			break
		}
	}
	tr.AfterLive, tr.After = sideOf(t, s.rows)
	guarantees, _, err := Verify(context.Background(), tr, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range guarantees {
		if broken := g.Name == "m_invariance" || g.Name == "sequence_gain"; g.Holds == broken {
			t.Errorf("%+v", g)
		}
	}
	// Promised or not, the figures are the same.
	reported, _, err := Verify(context.Background(), tr, nil, false)
	if err != nil || privacy.FirstBroken(reported) != nil {
		t.Error(err, privacy.FirstBroken(reported))
	}
	for i, g := range reported {
		if g.Achieved != guarantees[i].Achieved || (g.Required != nil) != (g.Name == "k_real") {
			t.Errorf("%+v", g)
		}
	}
}
