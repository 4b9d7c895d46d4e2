package differential

import (
	dbsql "database/sql"
	"fmt"
	"math"
)

// definedTypes are the types of a result's columns by their definitions on the wire: with decimals of DECIMALs and of
// seconds, UNSIGNED of whole numbers, and binary texts apart from others.
func definedTypes(rows *dbsql.Rows) ([]string, error) {
	columns, err := rows.ColumnTypes()
	if err != nil {
		return nil, err
	}
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.DatabaseTypeName()
		if _, scale, ok := c.DecimalSize(); ok && scale != math.MaxInt64 {
			list[i] += fmt.Sprintf("(%d)", scale)
		}
	}
	return list, nil
}
