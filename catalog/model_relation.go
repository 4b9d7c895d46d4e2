package catalog

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/catalog/coding"
)

// modelSuffix ends the name of the relation of a release's model.
const modelSuffix = "_model"

// modelRelation is the relation (attribute, value, sensitive, weight) of a release's model: a row a cell.
func modelRelation(record *ReleaseRecord) *Relation {
	name, rows := record.Name+modelSuffix, 0
	for _, t := range record.Model.Tables {
		rows += len(t.Weight)
	}
	text := func(column, comment string) *sql.Column {
		return &sql.Column{Name: column, Type: types.LongText, Nullable: true, Source: name, DatabaseSource: PublishedDatabaseName, Comment: comment}
	}
	weight := integerColumn("weight", name, "records with both, rounded or with noise; NULL: few, counted with the other NULLs of the value only")
	weight.Nullable = true
	return &Relation{
		database: PublishedDatabaseName,
		name:     name,
		schema: sql.Schema{text("attribute", "quasi-identifier"), text("value", "its value, or values from .. to"),
			text("sensitive", "the sensitive attribute's value, or values from .. to"), weight},
		comment: "model of a release: how its quasi-identifiers go with " + record.Model.Sensitive,
		rows:    rows,
		load:    func(*sql.Context) ([]relationColumn, error) { return modelColumns(record) },
	}
}

func modelColumns(record *ReleaseRecord) ([]relationColumn, error) {
	m := record.Model
	sensitive, err := record.categoryTexts(m.Sensitive)
	if err != nil {
		return nil, err
	}
	columns := []relationColumn{{}, {}, {boxed: sensitive}, {}}
	for i, t := range m.Tables {
		values, err := record.categoryTexts(t.Attribute)
		if err != nil {
			return nil, err
		}
		before := len(columns[1].boxed)
		columns[0].boxed, columns[1].boxed = append(columns[0].boxed, t.Attribute), append(columns[1].boxed, values...)
		for at, w := range t.Weight {
			columns[0].codes = append(columns[0].codes, uint32(i))
			columns[1].codes = append(columns[1].codes, uint32(before+at/len(m.Categories)))
			columns[2].codes = append(columns[2].codes, uint32(at%len(m.Categories)))
			columns[3].codes = append(columns[3].codes, uint32(len(columns[3].boxed)))
			columns[3].boxed = append(columns[3].boxed, weightOf(w))
		}
	}
	return columns, nil
}

// weightOf is what a relation shows of a weight.
func weightOf(weight int64) any {
	if weight == anonymize.Pooled {
		return nil
	}
	return weight
}

// categoryTexts are the categories of an attribute as the model's relation shows them.
func (r *ReleaseRecord) categoryTexts(attribute string) ([]any, error) {
	described, _ := r.column(attribute)
	typ, err := coding.ParseType(described.Type)
	if err != nil {
		return nil, err
	}
	var texts []any
	for _, c := range r.Model.CategoriesOf(attribute) {
		if c.Low.IsNull() {
			texts = append(texts, nil)
			continue
		}
		text, err := coding.ValueText(typ, c.Low)
		if err != nil {
			return nil, err
		}
		if c.Low != c.High {
			high, err := coding.ValueText(typ, c.High)
			if err != nil {
				return nil, err
			}
			text += " .. " + high
		}
		texts = append(texts, text)
	}
	return texts, nil
}
