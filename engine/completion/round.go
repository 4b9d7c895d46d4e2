package completion

import (
	"fmt"
	"strings"

	"github.com/anonsql/anonsql/engine/estimates"
)

// Each level of the statement is a query that adds columns to the level below. Lambdas nest at
// most twice: the engine examines the inner one several times for every outer one.

// statement returns the query of the result.
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

// kept returns the columns that pass from round to round.
func (d *drawing) kept() []string {
	list := []string{"m", "n"}
	for f := range d.Relations {
		list = append(list, fmt.Sprintf("k%d", f), fmt.Sprintf("v%d", f))
	}
	return list
}

// The records of a group have places, the numbers of their tuples of fragment 0. A round cuts a group of m records into n chunks: member i of chunk c
// has the place i*n + (c + round*i) mod n, so two records rarely meet again. Chunk c in draw d is the task c*draws + d. Data of tasks and members are
// one array, with chunkRecords places per task, even if it has fewer members: so a group stays one row, and the statement a pipeline.

// isWhole reports whether every group is one chunk: then a task is a draw, and its members are the group's records.
func (d *drawing) isWhole() bool { return d.rounds() == 1 }

// tasks returns the numbers of a group's tasks with places places each.
func (d *drawing) tasks(places int) string {
	if places *= d.draws(); d.isWhole() {
		return numbers(fmt.Sprint(places), places)
	}
	return numbers(fmt.Sprintf("n * %d", places), (int(d.Largest)/chunkRecords+1)*places)
}

// chunkOf and drawOf return the chunk and the draw of a task.
func (d *drawing) chunkOf(task string) string {
	if d.isWhole() {
		return "0"
	}
	return fmt.Sprintf("(%s / %d)", task, d.draws())
}

func (d *drawing) drawOf() string {
	if d.isWhole() {
		return "task"
	}
	return fmt.Sprintf("mod(task, %d)", d.draws())
}

// members returns the number of a task's members.
func (d *drawing) members(round int, task string) string {
	if d.isWhole() {
		return "m"
	}
	return fmt.Sprintf("m / n + IF(mod(%s + %d * (m / n), n) < mod(m, n), 1, 0)", d.chunkOf(task), round)
}

// slot returns where a member's values begin in an array over chunks or tasks.
func slot(of, member string) string {
	if of == "0" {
		return member
	}
	return fmt.Sprintf("(%s * %d + %s)", of, chunkRecords, member)
}

// left is the number of the tuple of a fragment that the record at a place has in a draw, as a round has left it (t).
func (d *drawing) left(round int, place, draw string, fragment int) string {
	if d.isWhole() {
		return placeOf(fmt.Sprintf("t%d[%s + 1]", fragment, draw), fmt.Sprintf("CAST(3 * %s AS INTEGER)", place))
	}
	chunk := fmt.Sprintf("mod(mod(%[1]s, n) + n - mod(%[2]d * (%[1]s / n), n), n)", place, round)
	return fmt.Sprintf("t%d[%s + 1]", fragment, slot(fmt.Sprintf("(%s * %d + %s)", chunk, d.draws(), draw), place+" / n"))
}

// round writes a query of all groups after a round over the query before it.
func (d *drawing) round(round int, text string) string {
	from := fmt.Sprintf("(%s) AS groups%d", text, round)
	for second := range d.Relations {
		for first := range second {
			from += fmt.Sprintf(" CROSS JOIN (SELECT %s AS w%d_%d FROM (%s) AS weights) AS w%[2]d_%[3]d", d.pairWeights(first, second), first, second, d.weights(second))
		}
	}
	l := &levels{text: "SELECT * FROM " + from}
	if !d.isWhole() {
		d.addTuples(l, round)
	}
	d.addEnergies(l, round)
	list := d.kept()
	for f, state := range d.addStates(l, round) {
		switch {
		case f == 0: // fragment 0 does not change
		case d.isWhole():
			list = append(list, fmt.Sprintf("%s AS t%d", state, f))
		default:
			task := fmt.Sprintf("(q / %d)", chunkRecords)
			y, of := d.drawn("y", f, round, task)
			member := placeOf(fmt.Sprintf("%s[%s + 1]", state, task), fmt.Sprintf("CAST(3 * mod(q, %d) AS INTEGER)", chunkRecords))
			drawn := fmt.Sprintf("transform(%s, q -> %s[%s + 1])", d.tasks(chunkRecords), y, slot(of, member))
			list = append(list, fmt.Sprintf("%s AS t%d", guarded(drawn, state), f))
		}
	}
	return fmt.Sprintf("SELECT gid, %s FROM (%s) AS drawn%d", strings.Join(list, ", "), l.text, round)
}

// levels are nested queries.
type levels struct{ text string }

// add adds a level with more columns.
func (l *levels) add(columns ...string) {
	l.text = fmt.Sprintf("SELECT *, %s FROM (%s) AS below", strings.Join(columns, ", "), l.text)
}

// guarded returns an expression that also names arrays outside of its lambdas: the optimizer would
// inline the expression of a column that is named only once, and evaluate it for every element.
func guarded(expression string, arrays ...string) string {
	for i, name := range arrays {
		arrays[i] = "cardinality(" + name + ") > 0"
	}
	return fmt.Sprintf("IF(%s, %s)", strings.Join(arrays, " AND "), expression)
}

// drawn returns the name of a fragment's array of a kind, y or x, and its index in a task: draws differ only after the first round, except in fragment 0.
func (d *drawing) drawn(kind string, fragment, round int, task string) (name, of string) {
	switch {
	case fragment > 0 && round > 0:
		return fmt.Sprintf("%s%d", kind, fragment), task
	case kind == "y":
		fragment = 0
	case d.isWhole():
		kind = "k"
	}
	return fmt.Sprintf("%s%d", kind, fragment), d.chunkOf(task)
}

// addTuples adds the numbers of the members' tuples (y) and the combinations of their joints
// (x), tuple after tuple. Unused places of a chunk have another member's.
func (d *drawing) addTuples(l *levels, round int) {
	chunks := numbers(fmt.Sprintf("n * %d", chunkRecords), int(d.Largest)+chunkRecords)
	l.add(fmt.Sprintf("transform(%s, q -> least(mod(q, %[2]d) * n + mod(q / %[2]d + %[3]d * mod(q, %[2]d), n), m - 1)) AS y0", chunks, chunkRecords, round))
	var tuples, combinations []string
	for f := range d.Relations {
		y, _ := d.drawn("y", f, round, "")
		if f > 0 && round > 0 {
			tuples = append(tuples, fmt.Sprintf("flatten(transform(%s, task -> transform(slice(y0, %s * %d + 1, %[3]d), p -> %s))) AS %s",
				d.tasks(1), d.chunkOf("task"), chunkRecords, d.left(round-1, "p", d.drawOf(), f), y))
		}
		combination := fmt.Sprintf("transform(%s, p -> k%d[p + 1])", y, f)
		if joints := len(d.joints[f]); joints > 1 {
			combination = fmt.Sprintf("flatten(transform(%s, p -> slice(k%d, p * %d + 1, %[3]d)))", y, f, joints)
		}
		combinations = append(combinations, fmt.Sprintf("%s AS x%d", combination, f))
	}
	if tuples != nil {
		l.add(tuples...)
	}
	l.add(combinations...)
}

// addEnergies adds, for every two fragments, the energies of a member's tuple of one with a member's of the other: e0_1
// and so on, one array per task. For more than two fragments in whole groups, the draws' energies follow each other.
func (d *drawing) addEnergies(l *levels, round int) {
	var list []string
	for second := range d.Relations {
		for first := range second {
			one, _ := d.drawn("x", first, round, "")
			other, _ := d.drawn("x", second, round, "")
			energies := fmt.Sprintf("transform(%s, task -> transform(%s[%s + 1], i -> %s))", d.tasks(1), squares(), d.members(round, "task"), d.energy(first, second, round))
			if d.isWhole() && len(d.Relations) > 2 {
				energies = "flatten(" + energies + ")"
			}
			list = append(list, fmt.Sprintf("%s AS e%d_%d", guarded(energies, one, other), first, second))
		}
	}
	l.add(list...)
}
