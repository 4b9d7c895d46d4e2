package calendar

import (
	"slices"

	"github.com/dolthub/go-mysql-server/sql"
)

// Functions returns all functions of this package.
func Functions() []sql.Function {
	list := intervals()
	for _, d := range slices.Concat(dates(), weeks(), months(), clock(), parsing(), formats()) {
		list = append(list, d.Function())
	}
	return append(list, extract.Function())
}
