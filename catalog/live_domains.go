package catalog

import (
	"slices"

	"github.com/anonsql/anonsql/anonymize"
)

// readDomains reads what the owner says of the released columns, whatever they
// are called today. Orders and taxonomies cover the values of the release and
// those of the touched rows.
func (p *Pending) readDomains(w *work, t *tableMeta, l lineage) error {
	p.Domains = make(map[string]*anonymize.Domain)
	for i, c := range p.Live.Columns {
		ordinal, err := l.ordinal(t, c)
		if err != nil {
			return err
		}
		both := &anonymize.Column{Name: c.Name, Type: c.Type, Dictionary: united(c.Dictionary, p.Changed.Columns[i].Dictionary)}
		d, err := w.domain(t, ordinal, both)
		if err != nil {
			return err
		}
		if d != nil {
			p.Domains[c.Name] = d
		}
	}
	return nil
}

// united returns the values of two dictionaries, ascending.
func united(a, b []anonymize.Value) []anonymize.Value {
	values := append(slices.Clone(a), b...)
	slices.SortFunc(values, anonymize.Compare)
	return slices.CompactFunc(values, func(x, y anonymize.Value) bool { return anonymize.Compare(x, y) == 0 })
}
