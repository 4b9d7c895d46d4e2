package acceptance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server"
	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// endlessBodies are bodies of routines that never end: loops with and without statements, handlers that continue
// after every error, and blocks that are entered again.
var endlessBodies = map[string]string{
	"a loop of jumps":            "BEGIN l: LOOP ITERATE l; END LOOP; END",
	"a loop of blocks":           "BEGIN l: LOOP BEGIN DECLARE x INT; END; END LOOP; END",
	"WHILE":                      "BEGIN DECLARE i INT DEFAULT 0; WHILE i >= 0 DO SET i = 1; END WHILE; END",
	"REPEAT":                     "BEGIN DECLARE i INT DEFAULT 0; REPEAT SET i = 1; UNTIL i > 1 END REPEAT; END",
	"WHILE of queries":           "BEGIN WHILE 1 = 1 DO SELECT 1; END WHILE; END",
	"WHILE of writes":            "BEGIN WHILE 1 = 1 DO UPDATE d.t SET a = a + 1; END WHILE; END",
	"a handler of nothing":       "BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; WHILE 1 = 1 DO SELECT 1; END WHILE; END",
	"a handler of SIGNAL":        "BEGIN DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END; l: LOOP SIGNAL SQLSTATE '45000'; END LOOP; END",
	"a handler that sets":        "BEGIN DECLARE n INT DEFAULT 0; DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET n = 1; l: LOOP SELECT * FROM d.none; END LOOP; END",
	"a handler of the last rows": "BEGIN DECLARE n INT; DECLARE c CURSOR FOR SELECT a FROM d.t; DECLARE CONTINUE HANDLER FOR NOT FOUND SET n = 1; OPEN c; l: LOOP FETCH c INTO n; END LOOP; END",
	"a handler that leaves":      "BEGIN DECLARE n INT; l: LOOP BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION SET n = 1; SIGNAL SQLSTATE '45000'; END; END LOOP; END",
	"a loop of cursors":          "BEGIN l: LOOP BEGIN DECLARE c CURSOR FOR SELECT a FROM d.t; OPEN c; END; END LOOP; END",
	"a loop of calls":            "BEGIN WHILE 1 = 1 DO CALL d.short(1); END WHILE; END",
	"calls in a handler's loop":  "BEGIN DECLARE n INT; DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET n = 1; l: LOOP CALL d.fails(); END LOOP; END",
}

// someEndlessBodies are tested with more than KILL; KILL is tested with all.
func someEndlessBodies() []string { return testsize.Some(4, slices.Sorted(maps.Keys(endlessBodies))) }

// startRoutines starts a server with a table d.t, and the routines that the tests call. Statements of root end after
// limit.
func startRoutines(t *testing.T, config server.Config, limit string) *servertest.Server {
	t.Helper()
	config.Extend = server.Product
	s := servertest.Start(t, config)
	servertest.Exec(t, s.Open(t, servertest.Root), "CREATE DATABASE d", "CREATE TABLE d.t (a INT)", "INSERT INTO d.t VALUES (1), (2)",
		"CREATE PROCEDURE d.short(n INT) BEGIN SET n = n + 1; END",
		"CREATE PROCEDURE d.fails() BEGIN SIGNAL SQLSTATE '45000'; END",
		"CALL set_limits('root', 'localhost', 'statement_timeout="+limit+"')")
	return s
}

// KILL ends every routine, whatever its handlers do.
func TestEndlessRoutinesAreKilled(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "600s")
	for name, body := range endlessBodies {
		t.Run(name, func(t *testing.T) {
			k := newKiller(t, s)
			run(t, k.other, "CREATE PROCEDURE d.p() "+body)
			defer run(t, k.other, "DROP PROCEDURE d.p")
			if !k.kill("CALL d.p()", 50*time.Millisecond) {
				t.Error("the routine had ended")
			}
		})
	}
}

// The time limit ends every routine.
func TestEndlessRoutinesEndInTime(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "1s")
	for number, name := range someEndlessBodies() {
		procedure, body := fmt.Sprintf("d.p%d", number), endlessBodies[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn := s.Connect(t, servertest.Root)
			failsWith(t, conn, 0, "CREATE PROCEDURE "+procedure+"() "+body)
			failsWith(t, conn, 3024, "CALL "+procedure+"()")
		})
	}
}

// A client that leaves ends every routine.
func TestEndlessRoutinesEndWithTheirClient(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "600s")
	other := s.Open(t, servertest.Root)
	for _, name := range someEndlessBodies() {
		t.Run(name, func(t *testing.T) {
			run(t, other, "CREATE PROCEDURE d.p() "+endlessBodies[name])
			defer run(t, other, "DROP PROCEDURE d.p")
			ctx, leave := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer leave()
			if _, err := s.Open(t, servertest.Root).ExecContext(ctx, "CALL d.p()"); err == nil {
				t.Fatal("the routine had ended")
			}
			servertest.Eventually(t, "the routine ends without its client", func() bool {
				return one[int](t, other, "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'CALL d.p%'") == 0
			})
		})
	}
}

// A routine runs each write exactly as often as its text says.
func TestRoutinesWriteInLoops(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "600s")
	conn := s.Connect(t, servertest.Root)
	writes := testsize.Levels(300, 1100, 1100)
	failsWith(t, conn, 0, fmt.Sprintf("CREATE PROCEDURE d.p() BEGIN DECLARE i INT DEFAULT 0; WHILE i < %d DO SET i = i + 1; UPDATE d.t SET a = a + 1; END WHILE; END", writes))
	failsWith(t, conn, 0, "CALL d.p()")
	if got := one[int](t, conn, "SELECT MIN(a) FROM d.t"); got != writes+1 {
		t.Errorf("the routine's writes end with %d", got)
	}
}

// SELECT ... INTO takes one row each time it runs. With none or two, the engine restarted the routine.
func TestSelectIntoTakesOneRow(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "600s")
	conn := s.Connect(t, servertest.Root)
	for _, c := range []struct {
		body   string
		number int
		x      any
	}{
		{"DECLARE v INT DEFAULT 5; SET @n = @n + 1; SELECT a INTO v FROM d.t WHERE a = 7; SET @x = 10 * @n + v;", 0, 15},
		{"DECLARE v, w INT DEFAULT 5; DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET w = 6; SELECT a INTO v FROM d.t WHERE a = 7; SET @x = w;", 0, 5},
		{"DECLARE v INT; SELECT a INTO v FROM d.t; SET @x = 1;", 1172, nil},
		{"DECLARE v INT DEFAULT 5; DECLARE CONTINUE HANDLER FOR NOT FOUND SET v = 6; SELECT a INTO v FROM d.t WHERE a = 7; SET @x = v;", 0, (6)},
		{"DECLARE v INT DEFAULT 5; DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SET v = 6; SELECT a INTO v FROM d.t; SET @x = v;", 0, (6)},
		{"DECLARE v, i INT DEFAULT 0; WHILE i < 3 DO SET i = i + 1; SELECT 10 * i INTO v; END WHILE; SET @x = v;", 0, (30)},
		{"DECLARE v INT DEFAULT 1; DECLARE CONTINUE HANDLER FOR SQLEXCEPTION SELECT 3 INTO v; SELECT * FROM d.none; SELECT * FROM d.none; SET @x = v;", 0, (3)},
	} {
		failsWith(t, conn, 0, "SET @x = NULL, @n = 0")
		failsWith(t, conn, 0, "CREATE PROCEDURE d.p() BEGIN "+c.body+" END")
		failsWith(t, conn, c.number, "CALL d.p()")
		failsWith(t, conn, 0, "DROP PROCEDURE d.p")
		if got := one[any](t, conn, "SELECT @x"); fmt.Sprint(got) != fmt.Sprint(c.x) {
			t.Errorf("%s\n@x is %v, want %v", c.body, got, c.x)
		}
	}
}

// Statements that the interpreter cannot run in a handler are refused at CREATE.
func TestHandlersThatAreRefused(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "600s")
	conn := s.Connect(t, servertest.Root)
	for _, does := range []string{"SELECT 1", "INSERT INTO d.t VALUES (3)", "SET @done = 1", "CALL d.fails()", "ROLLBACK",
		"BEGIN SET n = 1; SET n = 2; END", "BEGIN SELECT 1; END", "IF n = 1 THEN SET n = 2; END IF"} {
		for _, way := range []string{"EXIT HANDLER FOR SQLEXCEPTION", "CONTINUE HANDLER FOR NOT FOUND"} {
			_, err := conn.ExecContext(t.Context(), "CREATE PROCEDURE d.p() BEGIN DECLARE n INT; BEGIN DECLARE "+way+" "+does+"; SELECT * FROM d.none; END; END")
			if servertest.Number(err) != 1235 || !strings.Contains(fmt.Sprint(err), "SET done = 1") {
				t.Errorf("%s %s: %v", way, does, err)
			}
		}
	}
	for does, want := range map[string]int{"SET n = 2": 2, "BEGIN END": 1, "BEGIN SET n = 3; END": 3, "BEGIN BEGIN SET n = 4; END; END": 4} {
		failsWith(t, conn, 0, "CREATE PROCEDURE d.p() BEGIN DECLARE n INT DEFAULT 1; DECLARE CONTINUE HANDLER FOR SQLEXCEPTION "+does+"; SELECT * FROM d.none; SET @x = n; END")
		failsWith(t, conn, 0, "CALL d.p()")
		failsWith(t, conn, 0, "DROP PROCEDURE d.p")
		if got := one[int](t, conn, "SELECT @x"); got != want {
			t.Errorf("%s: n is %d, want %d", does, got, want)
		}
	}
}

// Routines may pass a parameter on, to each other and to themselves.
func TestParametersPassedRound(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "600s")
	conn := s.Connect(t, servertest.Root)
	for _, statement := range []string{
		"CREATE PROCEDURE d.p(INOUT x INT) BEGIN SET x = x + 1; IF x < 6 THEN CALL d.q(x); END IF; END",
		"CREATE PROCEDURE d.q(INOUT y INT) BEGIN SET y = y + 1; CALL d.p(y); END",
		"SET @n = 1", "CALL d.p(@n)", "SET @n = 1", "CALL d.q(@n)",
		"CREATE PROCEDURE d.endless(x INT) CALL d.other(x)", "CREATE PROCEDURE d.other(y INT) CALL d.endless(y)",
	} {
		failsWith(t, conn, 0, statement)
	}
	failsWith(t, conn, 1456, "CALL d.endless(1)")
}

// A parameter has the type from its own procedure, even if other procedures in the session have one with its name.
func TestParametersOfOneName(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "600s")
	conn := s.Connect(t, servertest.Root)
	for _, statement := range []string{
		"CREATE TABLE d.named (id INT PRIMARY KEY, s VARCHAR(10))", "INSERT INTO d.named VALUES (1, 'one'), (5, 'five')",
		"CREATE PROCEDURE d.bytext(v VARCHAR(10)) SELECT id FROM d.named WHERE s = v", "CREATE PROCEDURE d.bynumber(v INT) SELECT s FROM d.named WHERE id = v",
	} {
		failsWith(t, conn, 0, statement)
	}
	if id, text := one[int](t, conn, "CALL d.bytext('one')"), one[string](t, conn, "CALL d.bynumber(5)"); id != 1 || text != "five" {
		t.Errorf("found %d and %s, want 1 and five", id, text)
	}
}

// LEAVE with an unknown label is an error that says so.
func TestLeaveWithoutLabel(t *testing.T) {
	t.Parallel()
	s := startRoutines(t, server.Config{}, "600s")
	conn := s.Connect(t, servertest.Root)
	failsWith(t, conn, 0, "CREATE PROCEDURE d.p() BEGIN l: LOOP LEAVE m; END LOOP; END")
	failsWith(t, conn, 1308, "CALL d.p()")
	if strings.Contains(s.Log(), "panic") {
		t.Error(s.Log())
	}
}

// If a bound is lowered below a routine's size, CALL is an error with the routine's name and the bound. Lists show
// this, and it can be dropped. Other routines work.
func TestRoutinesThatCannotBeRead(t *testing.T) {
	s := startRoutines(t, server.Config{}, "600s")
	conn := s.Connect(t, servertest.Root)
	for _, statement := range []string{
		"CREATE PROCEDURE d.large(n INT) SELECT 1" + strings.Repeat(" + (SELECT 1)", 20),
		"CREATE PROCEDURE d.calls() CALL d.large(1)",
		"SET GLOBAL anon_max_subqueries = 10",
		"CALL d.short(1)",
		"USE d",
	} {
		failsWith(t, conn, 0, statement)
	}
	defer failsWith(t, conn, 0, "SET GLOBAL anon_max_subqueries = 1500")
	for _, call := range []string{"CALL d.large(1)", "CALL large(1)", "CALL d.large()", "CALL d.calls()"} {
		_, err := conn.ExecContext(t.Context(), call)
		known, _ := err.(*mysql.MySQLError)
		if known == nil || known.Number != 1457 || !strings.HasPrefix(known.Message, "Failed to load routine d.large: ") ||
			!strings.Contains(known.Message, "anon_max_subqueries") || !strings.Contains(known.Message, "DROP PROCEDURE d.large") {
			t.Errorf("%s: %v", call, err)
		}
	}
	if got := one[string](t, conn, "SELECT GROUP_CONCAT(routine_name ORDER BY routine_name) FROM information_schema.routines WHERE routine_schema = 'd'"); got != "calls,fails,large,short" {
		t.Errorf("listed are %s", got)
	}
	if got := one[string](t, conn, "SELECT routine_comment FROM information_schema.routines WHERE routine_name = 'large'"); !strings.HasPrefix(got, "Failed to load routine d.large: ") {
		t.Errorf("its comment is %s", got)
	}
	for _, statement := range []string{"SHOW PROCEDURE STATUS", "SELECT * FROM information_schema.parameters", "SHOW CREATE PROCEDURE d.large", "DROP PROCEDURE d.large"} {
		failsWith(t, conn, 0, statement)
	}
	failsWith(t, conn, 1305, "CALL d.large(1)")
	if strings.Contains(s.Log(), "panic") {
		t.Error(s.Log())
	}
}
