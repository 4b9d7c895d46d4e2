package releases

import (
	"context"
	"fmt"

	"github.com/anonsql/anonsql/anonymize"
	"github.com/anonsql/anonsql/anonymize/contingency"
	"github.com/anonsql/anonsql/engine/dialect"
	"github.com/anonsql/anonsql/engine/estimates"
)

// Model implements source.Attempt.
func (a *attempt) Model(ctx context.Context, o contingency.Options) (*anonymize.Model, error) {
	var margins []contingency.Margin
	for _, name := range a.plan.QuasiIdentifiers {
		margins = append(margins, a.margin(name))
	}
	return contingency.CountElsewhere(margins, a.margin(a.plan.Sensitive), o, func(row, column contingency.Binned) ([]int64, error) {
		return a.cells(ctx, row, column)
	})
}

func (a *attempt) margin(name string) contingency.Margin {
	c := a.columns[name]
	return contingency.Margin{Name: name, Dictionary: c.Dictionary, Records: c.counts}
}

// cells makes the engine count the groups' records by the categories of two columns.
func (a *attempt) cells(ctx context.Context, row, column contingency.Binned) ([]int64, error) {
	from, u, err := a.category(row)
	if err != nil {
		return nil, err
	}
	_, v, err := a.category(column)
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("SELECT u, v, count(*) FROM (SELECT %s AS u, %s AS v FROM %s) AS binned GROUP BY u, v", u, v, from)
	if len(text) > dialect.LongestStatement {
		longer := row.Name
		if len(v) > len(u) {
			longer = column.Name
		}
		return nil, &anonymize.DataError{
			Reason: fmt.Sprintf("the values of column %s are too long or too many for the statement that counts the model: leave the model out, or publish a view that shortens them",
				longer),
		}
	}
	weight := make([]int64, row.Number*column.Number)
	err = a.store.asker.Query(ctx, text, func(row []any) error {
		return addCell(weight, column.Number, row)
	})
	return weight, err
}

// addCell adds the number of records of a cell to weight, whose rows have columns entries.
func addCell(weight []int64, columns int, row []any) error {
	u, isRow := row[0].(int64)
	v, isColumn := row[1].(int64)
	n, counts := row[2].(int64)
	if !isRow || !isColumn || !counts || v < 0 || v >= int64(columns) || u < 0 || u >= int64(len(weight)/columns) {
		return fmt.Errorf("the engine returned %v records of the cell %v, %v", row[2], row[0], row[1])
	}
	weight[u*int64(columns)+v] += n
	return nil
}

// category returns an expression of the category of a record's value, over the table with every record's group.
func (a *attempt) category(of contingency.Binned) (from, expression string, err error) {
	c, err := a.plan.Column(of.Name)
	if err != nil {
		return "", "", err
	}
	from, name := a.made.Assigned(c)
	numbers := make([]uint32, len(of.Category))
	for code, category := range of.Category {
		numbers[code] = uint32(category)
	}
	expression, err = estimates.Chosen(a.store.dialect, estimates.Column{Name: name, Type: c.Type}, of.Dictionary, numbers)
	return from, a.store.dialect.Cast(expression, dialect.BigInt), err
}
