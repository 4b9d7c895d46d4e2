package acceptance

import (
	"context"
	dbsql "database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/anonsql/anonsql/server/servertest"
	"github.com/anonsql/anonsql/testsize"
)

// A session of an attacker. step is one round of it; the session continues after refusals.
type memoryAttack struct {
	name string
	step func(ctx context.Context, conn *dbsql.Conn, round int)
}

// told runs a statement and reads its rows, and ignores errors.
func told(ctx context.Context, conn *dbsql.Conn, statement string) {
	_ = servertest.Drain(conn.QueryContext(ctx, statement))
}

// asks returns an attack that runs statements in turn.
func asks(statements ...string) func(context.Context, *dbsql.Conn, int) {
	return func(ctx context.Context, conn *dbsql.Conn, round int) {
		told(ctx, conn, statements[round%len(statements)])
	}
}

const (
	crossed = "published.p_qi1 a CROSS JOIN published.p_qi1 b CROSS JOIN published.p_qi1 c"
	// nested is a document of 4 MB, which JSON_PRETTY expands to 40 GB.
	nested = "CONCAT(REPEAT('[',9900),REPEAT('0,',2000000),'1',REPEAT(']',9900))"
)

// memoryAttacks are the attacks of the first attackers (defects A5 and A6), and similar ones.
func memoryAttacks() []memoryAttack {
	return []memoryAttack{
		{"long data", sendLong},
		{"variables", func(ctx context.Context, conn *dbsql.Conn, round int) {
			told(ctx, conn, fmt.Sprintf("SET @v%d = REPEAT('x', 40000000)", round%60))
		}},
		{"prepared texts", prepareLong},
		{"JSON_PRETTY", asks("SELECT LENGTH(JSON_PRETTY("+nested+"))", "SELECT LENGTH(JSON_SEARCH("+nested+", 'all', '0'))")},
		{"JSON_ARRAYAGG", asks("SELECT LENGTH(JSON_ARRAYAGG(a.gid)) FROM "+crossed, "SELECT LENGTH(JSON_OBJECTAGG(CONCAT(a.a, b.a, c.a), 1)) FROM "+crossed)},
		{"GROUP_CONCAT", asks("SET SESSION group_concat_max_len = 67108864", "SELECT LENGTH(GROUP_CONCAT(a.gid, b.gid)) FROM "+crossed, "SELECT LENGTH(GROUP_CONCAT(DISTINCT a.a, b.a, c.a)) FROM "+crossed)},
		{"sorts", asks("SELECT a.a, b.a, c.gid FROM "+crossed+" ORDER BY c.a, b.a, a.gid", "SELECT a.a, b.a, c.a, COUNT(*) FROM "+crossed+" GROUP BY a.a, b.a, c.a",
			"SELECT DISTINCT a.a, b.a, c.a FROM "+crossed)},
		{"windows", asks("SELECT SUM(n) FROM (SELECT ROW_NUMBER() OVER (ORDER BY a.a) AS n FROM "+crossed+") q", "SELECT COUNT(DISTINCT a.a, b.a, c.a) FROM "+crossed,
			"SELECT LENGTH(JSON_ARRAYAGG(a) OVER ()) FROM published.p_qi1")},
		{"rows", asks("SELECT REPEAT('x', 60000000) FROM published.p", "SELECT REPEAT('x', 1000000), REPEAT('y', 1000000) FROM published.p")},
		{"rows that nobody reads", neverRead},
		{"recursion", asks("SET SESSION cte_max_recursion_depth = 1000000",
			"WITH RECURSIVE r AS (SELECT 1 AS n, CAST('xxxxxxxxxxxxxxxx' AS CHAR(100000000)) AS x UNION ALL SELECT n + 1, CONCAT(x, x) FROM r WHERE n < 30) SELECT LENGTH(x) FROM r",
			"WITH RECURSIVE r AS (SELECT 1 AS n, REPEAT('x', 1000000) AS x UNION ALL SELECT n + 1, REVERSE(x) FROM r WHERE n < 100000) SELECT COUNT(*), MAX(x) FROM r")},
		{"lists", func(ctx context.Context, conn *dbsql.Conn, round int) {
			told(ctx, conn, "SELECT COUNT(*) FROM published.p WHERE a IN ("+strings.Repeat("1,", 100_000<<(round%5))+"2)")
		}},
		{"documents", asks("SELECT LENGTH(CAST(CONCAT('[', REPEAT('[],', 20000000), '1]') AS JSON))", "SELECT JSON_LENGTH(CONCAT('[', REPEAT('{},', 20000000), '1]'))",
			"SELECT COUNT(*) FROM JSON_TABLE(CONCAT('[', REPEAT('[],', 20000000), '1]'), '$[*]' COLUMNS (x INT PATH '$')) t", "SET @t = '[1,2,3]'",
			"SET @j = JSON_ARRAY(1, 2, 3)")},
		{"documents in documents", func(ctx context.Context, conn *dbsql.Conn, round int) {
			if round%40 == 0 {
				told(ctx, conn, "SET @j = JSON_ARRAY('abc')")
			}
			told(ctx, conn, "SET @j = JSON_ARRAY(@j, @j)")
			told(ctx, conn, "SELECT LENGTH(@j)")
		}},
		{"texts of texts", asks("SELECT FIND_IN_SET('a', REPEAT(',', 60000000))", "SELECT LENGTH(REVERSE(REPEAT('x', 60000000)))", "SELECT LENGTH(SUBSTRING_INDEX(REPEAT('a,', 30000000), ',', 5))",
			"SELECT LENGTH(UNCOMPRESS(CONCAT(CHAR(0,0,0,4), COMPRESS('x'))))", "SELECT LENGTH(UPPER(CONCAT(REPEAT('x', 30000000), REPEAT('y', 30000000))))",
			"SELECT LENGTH(HEX(HEX(REPEAT('x', 15000000)))), LENGTH(TO_BASE64(REPEAT('y', 40000000))), LENGTH(QUOTE(REPEAT('''', 40000000)))")},
		{"variables of variables", func(ctx context.Context, conn *dbsql.Conn, round int) {
			if round%40 == 0 {
				told(ctx, conn, "SET @d = 'xxxxxxxxxxxxxxxx'")
			}
			told(ctx, conn, fmt.Sprintf("SET @d = COALESCE(CONCAT(@d, @d), REPEAT('x', 1000000)), @e%d = @d", round%7))
		}},
	}
}

// sendLong prepares a statement, and sends a parameter of 50 MB in parts of a megabyte.
func sendLong(ctx context.Context, conn *dbsql.Conn, round int) {
	statement, err := conn.PrepareContext(ctx, "SELECT LENGTH(?), LENGTH(?)")
	if err != nil {
		return
	}
	defer statement.Close()
	var n, m dbsql.NullInt64
	_ = statement.QueryRowContext(ctx, make([]byte, 50_000_000), make([]byte, round%60*1_000_000)).Scan(&n, &m)
}

// prepareLong prepares a hundred texts of 200 KB, and closes none.
func prepareLong(ctx context.Context, conn *dbsql.Conn, round int) {
	for i := range 100 {
		if _, err := conn.PrepareContext(ctx, fmt.Sprintf("SELECT %d, '%s'", round*100+i, strings.Repeat("x ", 100_000))); err != nil {
			return
		}
	}
}

// neverRead runs a query and leaves its rows unread for two seconds.
func neverRead(ctx context.Context, conn *dbsql.Conn, _ int) {
	rows, err := conn.QueryContext(ctx, "SELECT REPEAT('x', 500000), b.gid FROM published.p_qi1 a CROSS JOIN published.p_qi1 b")
	if err != nil {
		return
	}
	select {
	case <-time.After(2 * time.Second):
	case <-ctx.Done():
	}
	rows.Close()
}

// residentPeak returns VmHWM of a process, in bytes.
func residentPeak(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "VmHWM:" {
			kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kilobytes << 10
		}
	}
	testsize.Missing(t, "the system does not say what a process holds")
	return 0
}

// Twenty sessions of one analyst with default limits cannot make the server use 2 GB, or prevent answers to root.
func TestHostileSessionsHoldLittle(t *testing.T) {
	child := servertest.StartChild(t, t.TempDir())
	root, err := child.DB.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	fillAttacked(t, root)
	ctx, cancel := context.WithTimeout(context.Background(), testsize.Of(3*time.Second, 25*time.Second))
	defer cancel()
	attacks := chosenAttacks(t)
	var all sync.WaitGroup
	rounds := make([]int, 20)
	for i := range rounds {
		all.Go(func() { rounds[i] = attackMemory(ctx, child.Address, attacks, i) })
	}
	answers, slowest, err := answersMeanwhile(ctx, root)
	if err != nil {
		t.Fatalf("root: %v; %s", err, child.Said())
	}
	all.Wait()
	peak := residentPeak(t, child.Process.Process.Pid)
	t.Logf("peak %d MB, %d times SELECT 1, the slowest took %v, rounds %v", peak>>20, answers, slowest, rounds)
	if peak > 2e9 {
		t.Errorf("the server held %d MB, want less than 2000", peak/1e6)
	}
	if answers < 5 {
		t.Errorf("root was answered %d times", answers)
	}
	for i, n := range rounds {
		if n == 0 {
			t.Errorf("session %d did nothing", i)
		}
	}
}

// fillAttacked publishes p with 3,000 records, and creates the attacking analyst.
func fillAttacked(t *testing.T, root *dbsql.Conn) {
	t.Helper()
	values := make([]string, 3000)
	for i := range values {
		values[i] = fmt.Sprintf("(%d, '%c')", i, 'a'+i%7)
	}
	for _, statement := range []string{"CREATE DATABASE d", "CREATE TABLE d.t (a INT, s VARCHAR(10))", "INSERT INTO d.t VALUES " + strings.Join(values, ","),
		"CALL anonymize('d.t', 'slppa', 'qi=a', 'sa=s', 'beta=0.5', 'publish=p', 'calibrate=false', 'misfit=false')", "CALL create_analyst('bi', 'long and secret')"} {
		failsWith(t, root, 0, statement)
	}
}

var onlyAttack = flag.String("attack", "", "the one attack that TestHostileSessionsHoldLittle tries")

// chosenAttacks returns all attacks, or the one that -attack names.
func chosenAttacks(t *testing.T) []memoryAttack {
	attacks := memoryAttacks()
	if *onlyAttack == "" {
		return attacks
	}
	i := slices.IndexFunc(attacks, func(a memoryAttack) bool { return a.name == *onlyAttack })
	if i < 0 {
		t.Fatalf("-attack %s: there is no attack of that name", *onlyAttack)
	}
	return attacks[i : i+1]
}

// answersMeanwhile sends queries like an owner, a hundred times a second, until the context ends.
func answersMeanwhile(ctx context.Context, root *dbsql.Conn) (answers int, slowest time.Duration, err error) {
	for ctx.Err() == nil {
		began := time.Now()
		var one int
		if err := root.QueryRowContext(context.Background(), "SELECT 1").Scan(&one); err != nil {
			return answers, slowest, err
		}
		answers, slowest = answers+1, max(slowest, time.Since(began))
		time.Sleep(10 * time.Millisecond) // the pace of the owner's queries
	}
	return answers, slowest, nil
}

// attackMemory attacks until ctx ends: by the attack with its number, or in the second half of the sessions by a
// mixture. It returns the number of rounds.
func attackMemory(ctx context.Context, address string, attacks []memoryAttack, number int) (rounds int) {
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd = "tcp", address, "bi", "long and secret"
	config.MaxAllowedPacket = 1 << 20 // longer packets are sent in parts
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return 0
	}
	db := dbsql.OpenDB(connector)
	defer db.Close()
	chosen := rand.New(rand.NewPCG(18, uint64(number)))
	for ctx.Err() == nil {
		conn, err := db.Conn(ctx)
		if err != nil {
			continue
		}
		for round := 0; round < 50 && ctx.Err() == nil && conn.PingContext(ctx) == nil; round++ {
			attack := attacks[number%len(attacks)]
			if number >= len(attacks) {
				attack = attacks[chosen.IntN(len(attacks))]
			}
			attack.step(ctx, conn, round)
			rounds++
		}
		conn.Close()
	}
	return rounds
}
