package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dolthub/vitess/go/mysql"
	"github.com/trinodb/trino-go-client/trino"
)

// An Error is the engine's error for a statement, or says that the engine could not be reached.
// errors.As finds a *mysql.SQLError in it, the error for the client.
type Error struct {
	// Name and Type are the engine's, such as TABLE_NOT_FOUND and USER_ERROR; "" if the engine could not be reached.
	Name, Type string

	asMySQL *mysql.SQLError
}

func (e *Error) Error() string { return e.asMySQL.Error() }

// Unwrap returns the error for the client.
func (e *Error) Unwrap() error { return e.asMySQL }

// numbers maps the engine's errors to MySQL's numbers; the default is 1105.
var numbers = map[string]struct {
	number int
	state  string
}{
	"TABLE_NOT_FOUND":            {1146, "42S02"},
	"SCHEMA_NOT_FOUND":           {1146, "42S02"},
	"CATALOG_NOT_FOUND":          {1146, "42S02"},
	"NOT_FOUND":                  {1146, "42S02"},
	"COLUMN_NOT_FOUND":           {1054, "42S22"},
	"PERMISSION_DENIED":          {1142, "42000"},
	"TABLE_ALREADY_EXISTS":       {1050, "42S01"},
	"EXCEEDED_TIME_LIMIT":        {3024, "HY000"},
	"SERVER_STARTING_UP":         {1429, "HY000"},
	"ADMINISTRATIVELY_KILLED":    {1317, "70100"},
	"ADMINISTRATIVELY_PREEMPTED": {1317, "70100"},
}

// isConversion recognises the client's error of a value that it cannot convert. The error shows the value.
func isConversion(err error) bool {
	if err == nil {
		return false
	}
	var moment *time.ParseError
	return errors.As(err, &moment) || strings.HasPrefix(err.Error(), "cannot convert ") || strings.HasPrefix(err.Error(), "cannot load timezone ")
}

// badData is the error number of unsuitable data.
const badData = 30001

// unreadable returns the error of a value that cannot be converted. It names the columns of dates and times, or all columns if there are none.
func (c *Client) unreadable(columns []*sql.ColumnType) error {
	var names, moments []string
	for _, column := range columns {
		names = append(names, column.Name())
		if kind := strings.ToUpper(column.DatabaseTypeName()); strings.HasPrefix(kind, "DATE") || strings.HasPrefix(kind, "TIME") {
			moments = append(moments, column.Name())
		}
	}
	if len(moments) > 0 {
		names = moments
	}
	return &Error{
		Name: "UNREADABLE_VALUE",
		Type: "USER_ERROR",
		asMySQL: mysql.NewSQLError(badData, "HY000", "column %s has a value in the engine at %s that anonsql cannot read, such as a date outside of the years 0 to 9999: "+
			"UPDATE it, or publish a view without it", strings.Join(names, " or "), c.target.Address()),
	}
}

// asClientError converts an error of Trino's client for the session. taken says that the engine has accepted the statement.
func (c *Client) asClientError(ctx context.Context, err error, taken bool) error {
	if err == nil {
		c.trouble.Store(nil)
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	address := c.target.Address()
	if e := (*trino.ErrTrino)(nil); errors.As(err, &e) {
		c.trouble.Store(nil)
		n, known := numbers[e.ErrorName]
		if !known {
			n.number, n.state = 1105, "HY000"
		}
		wayOut := ""
		if strings.HasPrefix(e.Message, "Schema ") && n.number == 1146 {
			wayOut = ". If a publication needs the schema, the engine's administrator creates it, or --engine-private-schema and --engine-published-schema name others"
		}
		return &Error{Name: e.ErrorName, Type: e.ErrorType,
			asMySQL: mysql.NewSQLError(n.number, n.state, "the engine at %s says: %s (%s, %s)%s", address, e.Message, e.ErrorName, e.ErrorType, wayOut)}
	}
	if errors.Is(err, trino.ErrQueryCancelled) {
		return &Error{
			Name:    "USER_CANCELED",
			Type:    "USER_ERROR",
			asMySQL: mysql.NewSQLError(1317, "70100", "the statement was cancelled in the engine at %s", address),
		}
	}
	status := 0
	if failed := (*trino.ErrQueryFailed)(nil); errors.As(err, &failed) {
		status = failed.StatusCode
		err = failed.Reason
	}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden: // do not repeat its body: it is about credentials
		refused := &Error{
			asMySQL: mysql.NewSQLError(1045, "28000", "the engine at %s refuses anonsql's account %s: HTTP status %d", address, c.target.User, status),
		}
		c.trouble.Store(refused)
		return refused
	case status != 0:
		err = fmt.Errorf("HTTP status %d", status)
	case errors.Is(err, http.ErrSchemeMismatch):
		err = errors.New("it has no TLS here: say ?tls=off behind the catalog in --engine, or give the port that has TLS")
	}
	e := &Error{asMySQL: mysql.NewSQLError(1429, "HY000", "Can't connect to the engine at %s (%v)", address, err)}
	if taken {
		e.asMySQL = mysql.NewSQLError(
			1430,
			"HY000",
			"Lost connection to the engine at %s during the statement; whether it was done is not known (%v)",
			address,
			err,
		)
	}
	c.trouble.Store(e)
	return e
}
