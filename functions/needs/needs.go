// Package needs lists the privileges that an account needs to call a procedure.
//
// The list holds for all procedures, and for tables of every home: the home of a table knows the privileges of the session's
// account there. The package reads no session and refuses nothing: package functions checks the privileges.
package needs

import "github.com/dolthub/go-mysql-server/sql"

// An Object is what a procedure needs privileges on.
type Object int

// The objects.
const (
	RawTable     Object = iota // the table that it names
	SourceTable                // the raw table of the release that it names; of an imported release, the files that it was made of
	Release                    // the release itself
	Server                     // global privileges
	OwnStatement               // what the SELECT that it is given reads
)

// A Need is what an account must hold at the moment of the call.
type Need struct {
	On         Object
	Privileges []sql.PrivilegeType
}

var (
	toRead = []sql.PrivilegeType{sql.PrivilegeType_Select}
	// toPublish are the privileges of who decides what others see of a table. Reading it is not enough for that: whoever reads has not
	// promised anything to the persons in it.
	toPublish = []sql.PrivilegeType{sql.PrivilegeType_Select, sql.PrivilegeType_Alter}
)

// list has every procedure. Accounts of this server need EXECUTE besides, which the server asks for before a procedure begins.
var list = map[string]Need{
	"set_attributes":  {RawTable, toPublish},
	"set_taxonomy":    {RawTable, toPublish},
	"anonymize":       {RawTable, toPublish},
	"tune":            {RawTable, toRead},
	"advise":          {RawTable, toRead},
	"refresh_release": {SourceTable, toPublish},
	"fit_release":     {SourceTable, toPublish},
	"drop_release":    {SourceTable, toPublish}, // when the table is gone, who published the release may, too
	"export_release":  {SourceTable, toPublish}, // or FILE, and SELECT on the release
	"evaluate":        {SourceTable, toPublish}, // what it measures is kept, for every owner's report
	"classify":        {SourceTable, toRead},
	"report":          {Release, toRead}, // comparing others: SELECT on the raw table
	"explain_sql":     {OwnStatement, toRead},
	"import_release":  {Server, []sql.PrivilegeType{sql.PrivilegeType_File}},
	"create_analyst":  {Server, []sql.PrivilegeType{sql.PrivilegeType_CreateUser}},
	"set_limits":      {Server, []sql.PrivilegeType{sql.PrivilegeType_CreateUser}},
	"set_defaults":    {Server, []sql.PrivilegeType{sql.PrivilegeType_CreateUser}},
}

// ForProcedure is what a procedure needs. It is false for one that is not listed.
func ForProcedure(procedure string) (Need, bool) {
	n, ok := list[procedure]
	return n, ok
}

// Procedures are the names in the list.
func Procedures() (names []string) {
	for name := range list {
		names = append(names, name)
	}
	return names
}
