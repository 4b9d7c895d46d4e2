package misfit

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/anonsql/anonsql/anonymize"
)

// A condition puts the records into classes by one attribute.
type condition struct {
	attribute string
	// class of every code of the known column's dictionary; negative: not asked for.
	class []int
}

// each is GROUP BY an attribute.
func each(c *anonymize.Column) condition {
	class := anonymize.Ints(len(c.Dictionary))
	return condition{c.Name, class}
}

// atLeast is WHERE an attribute is at least the value that a share of the records has less
// than.
func atLeast(c *anonymize.Column, share float64) condition {
	class, before := make([]int, len(c.Dictionary)), 0
	for code, n := range c.Histogram() {
		if float64(before) < share*float64(len(c.Codes)) {
			class[code] = -1
		}
		before += n
	}
	return condition{c.Name, class}
}

// triples are COUNT grouped by the sensitive attribute and two others; ranges are COUNT by
// one attribute in a range of another.
func (s source) triples() (questions [][]condition) {
	sensitive := each(s.table.Column(s.roles.Sensitive[0]))
	for i, a := range s.roles.QuasiIdentifiers {
		for _, b := range s.roles.QuasiIdentifiers[:i] {
			questions = append(questions, []condition{sensitive, each(s.table.Column(a)), each(s.table.Column(b))})
		}
	}
	return questions
}

func (s source) ranges() (questions [][]condition) {
	all := append(slices.Clone(s.roles.QuasiIdentifiers), s.roles.Sensitive...)
	for _, a := range all {
		column := s.table.Column(a)
		if _, number := column.Dictionary[len(column.Dictionary)-1].Number(); !number {
			continue
		}
		for _, b := range all {
			for _, share := range []float64{0.25, 0.5, 0.8} {
				if a != b {
					questions = append(questions, []condition{atLeast(column, share), each(s.table.Column(b))})
				}
			}
		}
	}
	return questions
}

// An accuracy is what the answers to questions over several fragments are worth, over their
// cells of at least everyday records.
type accuracy struct {
	cells       int
	inside      float64 // the share inside the interval
	half, wrong float64 // mean half width by the number, and mean relative error
	least       float64 // the share of the question of manyCells that has least inside, 1 without any
	small       float64 // the share of all other questions together, 1 without any
	worst       string  // the attributes of the question that has least inside
}

// answered compares the answers to questions with the truth. Those that one fragment or
// Eq. 11 answers are left out.
func answered(t testing.TB, s source, r *anonymize.Release, c *anonymize.Completion, m *Misfit, questions [][]condition) accuracy {
	t.Helper()
	codes, at, err := (&subject{r, c, s.table, commonRecords, nil}).lay()
	if err != nil {
		t.Fatal(err)
	}
	places := make(map[string]place)
	for p := range codes {
		places[r.Fragments[p.fragment].Columns[p.column].Name] = p
	}
	result, few, inFew := accuracy{least: 1, small: 1}, 0, 0
	for _, q := range questions {
		var columns []string
		fragments := make(map[int]bool)
		for _, x := range q {
			columns = append(columns, x.attribute)
			fragments[places[x.attribute].fragment] = true
		}
		if len(fragments) == 1 || m.Independent(columns) {
			continue
		}
		covered, compared, ratio := 0, 0, m.Ratio(columns)
		for _, x := range cellsOf(s, r.Rows, q, c.Tables, func(x condition, d, record int) uint32 {
			p := places[x.attribute]
			return codes[p][at[d][p.fragment][record]]
		}) {
			if x.covers(ratio, 2.201, 1, c.Tables) {
				covered++
			}
			compared++
			result.wrong += math.Abs(x.mean-x.known) / x.known
			result.half += 2.201 * math.Sqrt((1+1/float64(c.Tables))*x.variance+ratio*ratio*x.mean*x.mean/4) / x.known
		}
		result.cells, result.inside = result.cells+compared, result.inside+float64(covered)
		switch share := float64(covered) / float64(max(1, compared)); {
		case compared < manyCells:
			few, inFew = few+compared, inFew+covered
		case share < result.least:
			result.least, result.worst = share, strings.Join(columns, " by ")
		}
	}
	if few > 0 {
		result.small = float64(inFew) / float64(few)
	}
	n := float64(max(1, result.cells))
	result.inside, result.half, result.wrong = result.inside/n, result.half/n, result.wrong/n
	return result
}

// cellsOf are the answers to a question of at least everyday records, sorted by its classes.
func cellsOf(s source, records int, q []condition, tables int, code func(x condition, d, record int) uint32) (cells []cell) {
	known := classified(q, records, func(x condition, record int) uint32 { return s.table.Column(x.attribute).Codes[record] })
	sums, squares := make(map[[3]int]float64), make(map[[3]int]float64)
	for d := range tables {
		for key, n := range classified(q, records, func(x condition, record int) uint32 { return code(x, d, record) }) {
			sums[key] += float64(n)
			squares[key] += float64(n * n)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(known), func(a, b [3]int) int { return slices.Compare(a[:], b[:]) }) {
		if known[key] >= commonRecords {
			n := float64(tables)
			x := cell{known: float64(known[key]), mean: sums[key] / n}
			x.variance = max(0, squares[key]-n*x.mean*x.mean) / (n - 1)
			cells = append(cells, x)
		}
	}
	return cells
}

// classified counts the records by the classes of the conditions, of which there are at most
// three.
func classified(q []condition, records int, code func(x condition, record int) uint32) map[[3]int]int {
	counted := make(map[[3]int]int)
	for record := range records {
		var key [3]int
		wanted := true
		for i, x := range q {
			key[i] = x.class[code(x, record)]
			wanted = wanted && key[i] >= 0
		}
		if wanted {
			counted[key]++
		}
	}
	return counted
}

// Tables that are the truth are covered without width, and others are not.
func TestAnswered(t *testing.T) {
	s := made(4000, 3)
	m, a := method(t, "anatomy", "l", "4")
	r := s.released(t, m, a)
	var places [][][]uint16
	for range 2 { // the records as they lie
		var table []uint16
		for _, size := range r.GroupSizes {
			for i := range size {
				table = append(table, uint16(i))
			}
		}
		places = append(places, [][]uint16{table})
	}
	none := &Misfit{Pairs: pairsOf(r)}
	same := source{(&measurer{release: r}).table(nil), s.roles}
	exact := answered(t, same, r, anonymize.NewCompletion(r, places), none, [][]condition{{atLeast(same.table.Column("age"), 0.5), each(same.table.Column("disease"))}})
	if exact.cells < 4 || exact.inside != 1 || exact.half != 0 || exact.wrong != 0 || exact.least != 1 || exact.small != 1 {
		t.Errorf("of tables that are the truth: %+v", exact)
	}
	ranges := answered(t, s, r, anonymize.NewCompletion(r, places), none, s.ranges())
	if ranges.cells < 4 || ranges.inside > 0.5 || ranges.wrong == 0 || ranges.small > 0.5 {
		t.Errorf("of tables that are not: %+v", ranges)
	}
	triples := answered(t, s, r, anonymize.NewCompletion(r, places), none, s.triples())
	if triples.worst == "" || triples.least > triples.inside {
		t.Errorf("no triple is covered least: %+v", triples)
	}
}
