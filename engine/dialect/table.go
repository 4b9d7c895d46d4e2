package dialect

import "strings"

// A Property is a property of a new table: a text, or a list of texts if Values is not nil.
type Property struct {
	Name, Value string
	Values      []string
}

// CreateTableAs creates a table from a query's rows. name is quoted as by Name; comment may be "". Properties keep their order.
func (d *Dialect) CreateTableAs(name, comment string, properties []Property, query string) string {
	var b strings.Builder
	b.WriteString("CREATE TABLE " + name)
	if d == Spark {
		b.WriteString(" USING iceberg")
	}
	if comment != "" {
		b.WriteString(" COMMENT " + d.Text(comment))
	}
	list := make([]string, 0, len(properties))
	for _, p := range properties {
		list = append(list, d.property(p))
	}
	switch {
	case len(list) == 0:
	case d == Spark:
		b.WriteString(" TBLPROPERTIES (" + strings.Join(list, ", ") + ")")
	default:
		b.WriteString(" WITH (" + strings.Join(list, ", ") + ")")
	}
	b.WriteString(" AS " + query)
	return b.String()
}

// property writes a list as Spark's tables take it, separated by commas.
func (d *Dialect) property(p Property) string {
	if d == Spark {
		if p.Values != nil {
			p.Value = strings.Join(p.Values, ",")
		}
		return d.Text(p.Name) + " = " + d.Text(p.Value)
	}
	if p.Values == nil {
		return p.Name + " = " + d.Text(p.Value)
	}
	texts := make([]string, len(p.Values))
	for i, v := range p.Values {
		texts[i] = d.Text(v)
	}
	return p.Name + " = ARRAY[" + strings.Join(texts, ", ") + "]"
}
