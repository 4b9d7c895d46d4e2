package risk

import (
	"encoding/binary"
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// A Table is an unpublished table, as seen by an attacker who sees its quasi-identifiers. Its
// classes are those of a release that publishes them all unchanged.
type Table struct {
	*Classes
	in    *anonymize.Input
	class []uint32 // by record
	// order has the records, with those of a unit side by side; unit returns the unit of a record, or the record itself.
	order []uint32
	unit  func(record uint32) uint32
	units int
	// profile is by unit; alike is the number of units by profile: see profiles.
	profile []uint32
	alike   []uint64
}

// OfTable classifies the records of a table, which must not be empty. If records belong to units,
// classes count units, and a unit is in a class for each of its tuples. O(records x attributes).
func OfTable(in *anonymize.Input) *Table {
	t := &Table{in: in, unit: func(record uint32) uint32 { return record }, units: in.Rows, order: anonymize.Indices(in.Rows)}
	if in.Units != nil {
		t.unit = func(record uint32) uint32 { return in.Units[record] }
		t.units = int(slices.Max(in.Units)) + 1
		slices.SortStableFunc(t.order, func(a, b uint32) int { return int(in.Units[a]) - int(in.Units[b]) })
	}
	t.Classes, t.class = t.divide(in.QuasiIdentifiers)
	t.profile, t.alike = t.profiles(t.Classes, t.class)
	return t
}

// Units returns the number of persons or households in the table; the number of records if each is one.
func (t *Table) Units() int { return t.units }

// divide counts the units of every combination of the columns' values.
func (t *Table) divide(columns []*anonymize.Column) (*Classes, []uint32) {
	f, codes := &anonymize.Fragment{}, make([][]uint32, len(columns))
	for i, c := range columns {
		codes[i] = c.Codes
		f.Columns = append(f.Columns, &anonymize.FragmentColumn{Name: c.Name, Type: c.Type, Dictionary: c.Dictionary, Codes: c.Codes})
	}
	class, distinct := anonymize.NumberRows(codes, t.in.Rows)
	classes := &Classes{Fragment: f, First: make([]uint32, distinct), Records: make([]uint64, distinct)}
	counted := newOnce(distinct)
	for _, record := range t.order {
		if j := class[record]; counted.first(j, t.unit(record)) {
			if classes.Records[j] == 0 {
				classes.First[j] = record
			}
			classes.Records[j]++
			classes.Rows++
		}
	}
	return classes, class
}

// once has, by class, the last unit; units come one after another.
type once []uint32

func newOnce(places int) once { return make(once, places) }

func (o once) first(place, unit uint32) bool {
	if o[place] == unit+1 {
		return false
	}
	o[place] = unit + 1
	return true
}

// profiles numbers units by the set of classes of their records, in which an attacker who knows the quasi-identifiers of all of a
// person's records looks for her. profile is by unit, alike by profile. If records are units, a profile is a class.
func (t *Table) profiles(classes *Classes, class []uint32) (profile []uint32, alike []uint64) {
	if t.in.Units == nil {
		return class, classes.Records
	}
	profile = make([]uint32, t.units)
	known := make(map[string]uint32)
	for records := range runs(t.order, t.unit) {
		var set []uint32
		for _, record := range records {
			set = append(set, class[record])
		}
		slices.Sort(set)
		var key []byte
		for _, j := range slices.Compact(set) {
			key = binary.LittleEndian.AppendUint32(key, j)
		}
		n, found := known[string(key)]
		if !found {
			n = uint32(len(alike))
			known[string(key)], alike = n, append(alike, 0)
		}
		profile[t.unit(records[0])] = n
		alike[n]++
	}
	return profile, alike
}

// Unique returns the number of units with quasi-identifiers, over all their records, that no other unit has.
func (t *Table) Unique() int { return ones(t.alike) }

func ones(sizes []uint64) (n int) {
	for _, size := range sizes {
		if size == 1 {
			n++
		}
	}
	return n
}

// FoundByAll is the risk from an attacker who knows that a person is in the table, and the quasi-identifiers of
// all her records; [Classes.Prosecutor] knows those of one record. It has no worst class.
func (t *Table) FoundByAll() Reidentification {
	r := (&Classes{Records: t.alike, Rows: t.units}).Prosecutor()
	r.Worst = -1
	return r
}

// UniqueBy is Unique for an attacker who knows only these quasi-identifiers, given by index. Without any, nobody is unique.
func (t *Table) UniqueBy(attributes ...int) int {
	if len(attributes) == 0 {
		return 0
	}
	_, alike := t.profiles(t.divide(anonymize.Gather(t.in.QuasiIdentifiers, attributes)))
	return ones(alike)
}

// A Disclosure is what classes reveal about a sensitive attribute.
type Disclosure struct {
	// Diversity is the greatest l such that no value belongs to more than 1/l of a class's
	// units; Worst is a class that bounds it, Value the code of the value there.
	Diversity, Worst int
	Value            uint32
	// Known is the number of units with a record whose value follows from the quasi-identifiers of all their records:
	// all units with these quasi-identifiers have the same single value in their records of that class.
	Known int
	// Closeness is the greatest distance of a class's values from the table's, 1/2 sum |q - p|: the
	// equal distance of t-closeness (Li, Li and Venkatasubramanian, ICDE 2007), over records.
	Closeness float64
}

// Discloses measures what the classes reveal about the sensitive attribute with that index. O(records log records).
func (t *Table) Discloses(sensitive int) Disclosure {
	values := t.in.Sensitive[sensitive]
	byValue := slices.Clone(t.order)
	slices.SortStableFunc(byValue, func(a, b uint32) int {
		if d := int(t.class[a]) - int(t.class[b]); d != 0 {
			return d
		}
		return int(values.Codes[a]) - int(values.Codes[b])
	})
	d := Disclosure{Diversity: t.units}
	total, counted := values.Histogram(), newOnce(1)
	for class := range runs(byValue, func(record uint32) uint32 { return t.class[record] }) {
		above, j := 0.0, t.class[class[0]]
		for run := range runs(class, func(record uint32) uint32 { return values.Codes[record] }) {
			v, units := values.Codes[run[0]], 0
			clear(counted)
			for _, record := range run {
				if counted.first(0, t.unit(record)) {
					units++
				}
			}
			if l := int(t.Records[j]) / units; l < d.Diversity {
				d.Diversity, d.Worst, d.Value = l, int(j), v
			}
			above += max(0, float64(len(run))/float64(len(class))-float64(total[v])/float64(t.in.Rows))
		}
		d.Closeness = max(d.Closeness, above)
	}
	d.Known = t.known(values)
	return d
}

// known counts the units of Disclosure.Known.
func (t *Table) known(values *anonymize.Column) (n int) {
	profile := make([]uint32, t.in.Rows)
	for record := range profile {
		profile[record] = t.profile[t.unit(uint32(record))]
	}
	place, distinct := anonymize.NumberRows([][]uint32{t.class, profile}, t.in.Rows)
	first, several := make([]uint32, distinct), make([]bool, distinct) // the first record's code, plus one
	for record, at := range place {
		code := values.Codes[record] + 1
		several[at] = several[at] || first[at] != 0 && first[at] != code
		first[at] = code
	}
	counted := newOnce(1)
	for _, record := range t.order {
		if !several[place[record]] && counted.first(0, t.unit(record)) {
			n++
		}
	}
	return n
}

// runs yields the maximal runs of consecutive records with the same key.
func runs(records []uint32, key func(record uint32) uint32) func(yield func([]uint32) bool) {
	return func(yield func([]uint32) bool) {
		for first := 0; first < len(records); {
			end := first + 1
			for end < len(records) && key(records[end]) == key(records[first]) {
				end++
			}
			if !yield(records[first:end]) {
				return
			}
			first = end
		}
	}
}

// Occurrences returns the mean and the greatest number of records per unit.
func (t *Table) Occurrences() (mean float64, most int) {
	for run := range runs(t.order, t.unit) {
		most = max(most, len(run))
	}
	return float64(t.in.Rows) / float64(t.units), most
}
