package documents

import (
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"

	"github.com/anonsql/anonsql/server/answers/builtin"
)

// Functions returns all functions of this package.
func Functions() []sql.Function {
	list := []*builtin.Definition{
		{Name: "json_extract", Least: 2, Most: anyNumber, Type: isJSON, Value: extract},
		{Name: "json_value", Least: 1, Most: 3, Type: returned, Choose: value, OfDocuments: true},
		{Name: "json_length", Least: 1, Most: 2, Type: builtin.Constant(types.Int32), Value: ofPart(length)},
		{Name: "json_keys", Least: 1, Most: 2, Type: isJSON, Value: ofPart(keys)},
		{Name: "json_depth", Least: 1, Most: 1, Type: builtin.Constant(types.Int32), Value: ofPart(levels)},
		{Name: "json_type", Least: 1, Most: 1, Type: builtin.Constant(types.Text), Value: ofPart(typeName)},
		{Name: "json_unquote", Least: 1, Most: 1, Type: builtin.Constant(types.CreateLongText(sql.Collation_utf8mb4_bin)), Value: unquote, OfDocuments: true},
		{Name: "json_contains", Least: 2, Most: 3, Type: isTrue, Value: containsIn},
		{Name: "json_contains_path", Least: 3, Most: anyNumber, Type: isTrue, Value: containsPath},
		{Name: "json_overlaps", Least: 2, Most: 2, Type: isTrue, Value: overlaps},
		{Name: "json_pretty", Least: 1, Most: 1, Type: builtin.Constant(types.CreateLongText(sql.Collation_utf8mb4_bin)), Value: pretty, OfDocuments: true},
		{Name: "json_search", Least: 3, Most: anyNumber, Type: isJSON, Choose: searchTexts},

		{Name: "json_array", Most: anyNumber, Type: isJSON, Choose: array},
		{Name: "json_object", Most: anyNumber, Type: isJSON, Choose: object},
		{Name: "json_set", Least: 3, Most: anyNumber, Type: isJSON, Choose: changing(setting)},
		{Name: "json_insert", Least: 3, Most: anyNumber, Type: isJSON, Choose: changing(inserting)},
		{Name: "json_replace", Least: 3, Most: anyNumber, Type: isJSON, Choose: changing(replacing)},
		{Name: "json_array_append", Least: 3, Most: anyNumber, Type: isJSON, Choose: changing(appending)},
		{Name: "json_array_insert", Least: 3, Most: anyNumber, Type: isJSON, Choose: changing(insertingCell)},
		{Name: "json_remove", Least: 2, Most: anyNumber, Type: isJSON, Value: remove},
		{Name: "json_merge_preserve", Least: 2, Most: anyNumber, Type: isJSON, Choose: mergePreserve},
		{Name: "json_merge", Least: 2, Most: anyNumber, Type: isJSON, Choose: mergePreserve},
		{Name: "json_merge_patch", Least: 2, Most: anyNumber, Type: isJSON, Choose: mergePatch},
		cast,
	}
	functions := make([]sql.Function, len(list))
	for i, d := range list {
		functions[i] = d.Function()
	}
	return functions
}

const anyNumber = -1

var (
	isJSON = builtin.Constant(types.JSON)
	isTrue = builtin.Constant(types.Boolean)
)

// returned returns the type of JSON_VALUE.
func returned(arguments []sql.Expression) sql.Type {
	if len(arguments) > 2 {
		return arguments[2].Type()
	}
	return types.MustCreateString(sqltypes.VarChar, 512, sql.Collation_utf8mb4_bin)
}
