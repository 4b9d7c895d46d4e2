package dynamic_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/testsize"
)

// A cohort is the persons of a group when it was made, by their keys, and what versions publish of it: the sensitive values, sorted.
type cohort struct {
	persons  []int64
	versions [][]string
}

// TestSealedWorlds tries every assignment of values to all persons who ever were in small tables: those that agree with all versions of
// the release. The reader knows who is in which group when, so no value may have more than half of the worlds, of anybody, where the
// method promises that of one version.
func TestSealedWorlds(t *testing.T) {
	fresh := 0
	for _, f := range []struct {
		method    string
		arguments anonymize.Arguments
	}{{"anatomy", anonymize.Arguments{"l": "2"}}, {"arp", anonymize.Arguments{"l": "2"}}, {"slppa", anonymize.Arguments{"beta": "0.5", "tables": "2"}},
		{"mondrian", anonymize.Arguments{"k": "2", "l": "2"}}, {"asn", anonymize.Arguments{"beta": "0.5", "alpha": "1"}}} {
		for seed := range testsize.Levels[uint64](4, 8, 60) {
			w := newWardOf(t, f.method, f.arguments, 6, 3, false, seed)
			cohorts := w.cohorts()
			for version := range uint64(2) {
				w.insert(100 + w.next)
				w.insert(100 + w.next)
				if keys := w.live.Key; w.random.IntN(2) == 0 && keys[0] > 0 {
					delete(w.rows, keys[0])
					w.touched[keys[0]] = true
				}
				next := w.refresh(seed + 100*version)
				if next == nil {
					break
				}
				was := cohorts
				w.live, w.release = next.Live, next.Release
				cohorts = w.cohorts()
				for gid, from := range next.From {
					if from < 0 {
						fresh++
						continue
					}
					published := cohorts[gid].versions
					cohorts[gid] = &cohort{was[from].persons, append(slices.Clone(was[from].versions), published...)}
				}
				clear(w.touched)
				w.tryWorlds(cohorts)
			}
		}
	}
	if fresh == 0 {
		t.Error("no group was new")
	}
}

// cohorts are those of the groups of the version, as if all were made in it.
func (w *ward) cohorts() []*cohort {
	all := make([]*cohort, w.release.Groups())
	sa := w.release.Fragments[len(w.release.Fragments)-1]
	for g := range all {
		all[g] = &cohort{}
		var values []string
		for t := sa.GroupStart[g]; t < sa.GroupStart[g+1]; t++ {
			for range sa.Count[t] {
				values = append(values, sa.Columns[0].Dictionary[sa.Columns[0].Codes[t]].String())
			}
		}
		slices.Sort(values)
		all[g].versions = [][]string{values}
	}
	for i, g := range w.live.Group {
		if g != anonymize.Waiting {
			all[g].persons = append(all[g].persons, w.live.Key[i])
		}
	}
	return all
}

// tryWorlds counts the worlds by what each person has in them.
func (w *ward) tryWorlds(cohorts []*cohort) {
	w.t.Helper()
	for g, c := range cohorts {
		worlds, has := 0, make(map[string]int) // of the first person, the second, ... and the value
		world := make([]string, len(c.persons))
		var assign func(person int)
		assign = func(person int) {
			if person < len(world) {
				for v := range 3 {
					world[person] = fmt.Sprint("d", v)
					assign(person + 1)
				}
				return
			}
			values := slices.Sorted(slices.Values(world))
			for _, published := range c.versions {
				if !slices.Equal(values, published) {
					return
				}
			}
			worlds++
			for i, v := range world {
				has[fmt.Sprint(i, " ", v)]++
			}
		}
		assign(0)
		if worlds == 0 {
			w.t.Fatalf("%s: no world agrees with group %d in %d versions", w.method.Name, g, len(c.versions))
		}
		for what, n := range has {
			if 2*n > worlds {
				w.t.Fatalf("%s: %s is in %d of %d worlds, after %d versions of group %d", w.method.Name, what, n, worlds, len(c.versions), g)
			}
		}
	}
}
