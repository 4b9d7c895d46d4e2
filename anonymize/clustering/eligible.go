package clustering

import (
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
)

// CheckLinkFree is the exact condition for groups of at least K records without
// any link, that is, with at most one record of every class of synonyms:
//
//	K m <= n for the number m of records of the most frequent class.
//
// It is necessary: the m records are in m groups, which have K m records at
// least. It is sufficient: put the records, sorted by class, into floor(n/K) >= m
// groups by turns; then a class meets no group twice, and every group has
// floor(n / floor(n/K)) >= K records. The error is a *anonymize.InfeasibleError
// that names the class and the largest k.
func (t *Task) CheckLinkFree() error {
	left := t.classSizes()
	worst := 0
	for class, n := range left {
		if n > left[worst] {
			worst = class
		}
	}
	if n := t.records(); len(left) > 0 && left[worst]*t.K > n {
		return &anonymize.InfeasibleError{Parameter: "k", Given: anonymize.NewRatio(uint64(t.K), 1),
			Largest: anonymize.NewRatio(uint64(n/left[worst]), 1),
			Obstacle: fmt.Sprintf("with links = none a group has one record of a class of synonyms at most, and %s is %d of %d records",
				t.Catalogue.Names[worst], left[worst], n)}
	}
	return nil
}

// classSizes returns the number of records of every class.
func (t *Task) classSizes() []int {
	size := make([]int, t.Catalogue.Classes)
	for _, v := range t.Value {
		size[t.Catalogue.Class[v]]++
	}
	return size
}

// quota keeps a division into link-free groups possible. Of the records without
// a group a class has m_c; L groups are still to be made, of K classes each. They
// can be made if
//
//	S = sum over classes of min(m_c, L) >= K L,
//
// by turns as in [Task.CheckLinkFree]. A class with m_c >= L is critical, there
// are j of these. A group that takes K classes, x of them critical, leaves L-1
// groups and
//
//	S' = S - j - (K - x),
//
// since a critical class counts L-1 of them whether it was taken or not. S' >=
// K(L-1) if and only if x >= j - (S - K L): so many critical classes must be taken
// and no more than that. They can be: that number is at most j, and at most K, for
// S >= j L. And there are K classes to take, for S >= K L has at least K summands.
//
// At the start m_c <= L = floor(n/K) for all classes, so S = n. Records that are
// left when L is 0, fewer than K, join groups that lack their class: the groups
// made that lack c are at least m_c - L, at any time. A group that takes c lowers
// m_c and L, one that does not lowers L and lacks c, and so at the end m_c of them
// lack c.
type quota struct {
	k        int
	left     []int // by class: m_c
	alike    []int // by number: the classes with so many left
	rest     int   // L
	enough   int   // S
	critical int   // j
}

func newQuota(left []int, k, groups int) *quota {
	q := &quota{k: k, left: left, rest: groups, alike: make([]int, groups+1)}
	for _, n := range left {
		q.alike[n]++
		q.enough += n
		if n == groups {
			q.critical++
		}
	}
	return q
}

// criticalNeeded returns the number of critical classes that the next group must take.
func (q *quota) criticalNeeded() int { return max(0, q.critical-(q.enough-q.k*q.rest)) }

// isCritical reports whether a class that the current group lacks is critical.
func (q *quota) isCritical(class uint32) bool { return q.left[class] >= q.rest }

// take records that the current group takes a record of a class.
func (q *quota) take(class uint32) {
	n := q.left[class]
	q.alike[n]--
	q.alike[n-1]++
	q.left[class]--
	if n <= q.rest {
		q.enough--
	}
	if n == q.rest {
		q.critical--
	}
}

// finish records that the group is complete.
func (q *quota) finish() {
	q.enough -= q.critical
	q.rest--
	q.critical += q.alike[q.rest]
}
