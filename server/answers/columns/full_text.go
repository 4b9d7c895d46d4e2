package columns

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/anonsql/anonsql/server/answers/trees"
)

// RefuseFullText refuses full-text indexes, which the storage does not support, with MySQL's number.
func RefuseFullText(statement sqlparser.Statement) (err error) {
	trees.Walk(statement, func(node any) {
		index, inTable := node.(*sqlparser.IndexInfo)
		added, alone := node.(*sqlparser.IndexSpec)
		if inTable && index.Fulltext || alone && added.Type == sqlparser.FulltextStr {
			err = sql.ErrUnsupportedFeature.New("full-text indexes: look for words by LIKE or REGEXP")
		}
	})
	return err
}
