package completion

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/engine/estimates"
)

// A level of the statement is a query of more columns over the level below. Lambdas are no deeper than two: the engine looks at the
// inner one several times for every outer one.

// statement is the query of the result.
func (d *drawing) statement() (string, error) {
	text, err := d.start()
	if err != nil {
		return "", err
	}
	for round := range d.rounds() {
		text = d.round(round, text)
	}
	var arrays, names []string
	add := func(fragment, draw int, tuple string) {
		arrays = append(arrays, fmt.Sprintf("transform(%s, p -> v%d[%s + 1])", numbers("m", int(d.Largest)), fragment, tuple))
		for i := range d.Relations[fragment].Columns {
			names = append(names, estimates.CompletedColumn(fragment, i, draw))
		}
	}
	add(0, 0, "p")
	for fragment := 1; fragment < len(d.Relations); fragment++ {
		for draw := range d.draws() {
			add(fragment, draw+1, d.left(d.rounds()-1, "p", fmt.Sprint(draw), fragment))
		}
	}
	list := strings.Join(names, ", ")
	return fmt.Sprintf("SELECT gid, %s FROM (%s) AS drawn CROSS JOIN UNNEST(%s) AS listed(%s)", list, text, strings.Join(arrays, ", "), list), nil
}

// kept are the columns that go from round to round.
func (d *drawing) kept() []string {
	list := []string{"m", "n"}
	for f := range d.Relations {
		list = append(list, fmt.Sprintf("k%d", f), fmt.Sprintf("v%d", f))
	}
	return list
}

// Records of a group have places, which are the numbers of their tuples of fragment 0. In a round a group of m records is cut into n chunks: member i of chunk
// c has the place in*n + (c + round*i) mod n, so that two records are hardly ever in the same chunk again.

// place is the place of a member of chunk c.
func place(round int, member string) string {
	return fmt.Sprintf("(%s * n + mod(c + %d * %s, n))", member, round, member)
}

// members is how many chunk c has.
func members(round int) string {
	return fmt.Sprintf("m / n + IF(mod(c + %d * (m / n), n) < mod(m, n), 1, 0)", round)
}

// left is the number of the tuple of a fragment that the record at a place has in a draw, as a round has left it: chunks has an array for every chunk, by
// member, draw and fragment.
func (d *drawing) left(round int, place, draw string, fragment int) string {
	return fmt.Sprintf("chunks[mod(mod(%[1]s, n) + n - mod(%[2]d * (%[1]s / n), n), n) + 1][(%[1]s / n * %[3]d + %[4]s) * %[5]d + %[6]d]",
		place, round, d.draws(), draw, len(d.Relations)-1, fragment)
}

// round is a query of all groups after a round, over one of them before it.
func (d *drawing) round(round int, text string) string {
	from := fmt.Sprintf("(%s) AS groups%d", text, round)
	for second := range d.Relations {
		for first := range second {
			from += fmt.Sprintf(" CROSS JOIN (SELECT %s AS w%d_%d FROM (%s) AS weights) AS w%[2]d_%[3]d", d.pairWeights(first, second), first, second, d.weights(second))
		}
	}
	c := "BIGINT '0' AS c"
	if d.Largest > chunkRecords {
		c = "c"
		from += fmt.Sprintf(" CROSS JOIN UNNEST(%s) AS chunks(c)", numbers("n", int(d.Largest)/chunkRecords+1))
	}
	l := &levels{draws: d.draws(), text: fmt.Sprintf("SELECT *, %s FROM %s", c, from)}
	if c == "c" {
		l.text = "SELECT * FROM " + from
	}
	l.add(members(round) + " AS z")
	d.addTuples(l, round)
	d.addEnergies(l, round)
	states := d.addStates(l, round)
	var tuples, used []string
	for f, state := range states[1:] {
		tuples = append(tuples, fmt.Sprintf("%s[%s + 1]", d.drawn("y", f+1, round), placeOf(state+"[d + 1]", "CAST(3 * i AS INTEGER)")))
		used = append(used, state)
	}
	part := fmt.Sprintf("flatten(flatten(transform(sequence(0, z - 1), i -> transform(sequence(0, %d), d -> ARRAY[%s]))))", d.draws()-1, strings.Join(tuples, ", "))
	l.add(guarded(part, used...) + " AS part")
	if c != "c" {
		return fmt.Sprintf("SELECT gid, %s, ARRAY[part] AS chunks FROM (%s) AS parts", strings.Join(d.kept(), ", "), l.text)
	}
	var any []string
	for _, name := range d.kept() {
		any = append(any, fmt.Sprintf("any_value(%s) AS %[1]s", name))
	}
	return fmt.Sprintf("SELECT gid, %s, array_agg(part ORDER BY c) AS chunks FROM (%s) AS parts GROUP BY gid", strings.Join(any, ", "), l.text)
}

// levels are queries over each other.
type levels struct {
	draws int
	text  string
}

// add adds columns.
func (l *levels) add(columns ...string) {
	l.text = fmt.Sprintf("SELECT *, %s FROM (%s) AS below", strings.Join(columns, ", "), l.text)
}

// guarded is an expression that names arrays outside of its lambdas, too: the optimizer would put the expression of a column that is named
// once in the column's place, to be computed anew for every element.
func guarded(expression string, arrays ...string) string {
	for i, name := range arrays {
		arrays[i] = "cardinality(" + name + ") > 0"
	}
	return fmt.Sprintf("IF(%s, %s)", strings.Join(arrays, " AND "), expression)
}

// drawn is a fragment's array of a kind, y or x, in draw d of a round: before the first one all draws have the same.
func (d *drawing) drawn(kind string, fragment, round int) string {
	switch {
	case fragment > 0 && round > 0:
		return fmt.Sprintf("%s%d[d + 1]", kind, fragment)
	case kind == "y":
		return "y0"
	}
	return fmt.Sprintf("%s%d", kind, fragment)
}

// addTuples adds the numbers of the tuples that the members of a chunk have (y), and the combinations of their joints (x), one tuple's behind the other's.
func (d *drawing) addTuples(l *levels, round int) {
	l.add(fmt.Sprintf("transform(sequence(0, z - 1), i -> %s) AS y0", place(round, "i")))
	var tuples, combinations []string
	each := func(expression string) string {
		return fmt.Sprintf("transform(sequence(0, %d), d -> %s)", d.draws()-1, expression)
	}
	for f := range d.Relations {
		joints := len(d.joints[f])
		x := fmt.Sprintf("flatten(transform(%s, p -> slice(k%d, p * %d + 1, %[3]d)))", d.drawn("y", f, round), f, joints)
		if f > 0 && round > 0 {
			tuples = append(tuples, each(fmt.Sprintf("transform(y0, p -> %s)", d.left(round-1, "p", "d", f)))+fmt.Sprintf(" AS y%d", f))
			x = each(x)
		}
		combinations = append(combinations, fmt.Sprintf("%s AS x%d", x, f))
	}
	if tuples != nil {
		l.add(tuples...)
	}
	l.add(combinations...)
}

// addEnergies adds, of every two fragments, the energies of a member's tuple of one with a member's of the other: e0_1 and so on, of two fragments an array a
// draw, of more one draw's behind the other's.
func (d *drawing) addEnergies(l *levels, round int) {
	var list []string
	for second := range d.Relations {
		for first := range second {
			energies := fmt.Sprintf("transform(sequence(0, %d), d -> transform(%s[z + 1], i -> %s))", d.draws()-1, squares(), d.energy(first, second, round))
			if len(d.Relations) > 2 {
				energies = "flatten(" + energies + ")"
			}
			list = append(list, fmt.Sprintf("%s AS e%d_%d", guarded(energies, fmt.Sprintf("x%d", first), fmt.Sprintf("x%d", second)), first, second))
		}
	}
	l.add(list...)
}
