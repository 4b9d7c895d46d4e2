<?php
// PDO with statements that are prepared on the server, and mysqli where PDO has no call.
const COLUMNS = ['id', 'small', 'big', 'huge', 'price', 'exact', 'ratio', 'flag', 'day', 'moment', 'fine', 'name', 'note', 'bytes'];
define('THINGS', 'SELECT ' . implode(', ', COLUMNS) . ' FROM things ORDER BY id');
const ESTIMATE = "SELECT disease, COUNT(*) AS n, AVG(age) AS mean, ANON_INTERVAL_LOW(COUNT(*)) AS low, ANON_INTERVAL_HIGH(COUNT(*)) AS high
FROM published.people WHERE age >= 60 AND disease IN ('Asthma', 'Cancer', 'HIV') GROUP BY disease ORDER BY disease";
const EXACT = 'SELECT sex, COUNT(*) AS n, SUM(age) AS years FROM published.people GROUP BY sex ORDER BY sex';
const BYTES = "\x00\xff'\"\\\n";

function cell($value, string $column = ''): string {
    if ($value === null) return 'NULL';
    if (is_float($value)) return sprintf('%.4f', $value);
    if ($column === 'bytes') return "X'" . strtoupper(bin2hex($value)) . "'";
    if ($column === 'fine') return preg_replace('/\.?0+$/', '', $value);
    return (string) $value;
}

function line(string $key, ...$values): void {
    echo $key, ': ', implode(' | ', array_map('cell', $values)), "\n";
}

function columns(string $section, array $rows): void {
    foreach (COLUMNS as $i => $name) line("$section $name", ...array_map(fn($row) => cell($row[$i], $name), $rows));
}

$e = getenv();
$options = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION, PDO::ATTR_EMULATE_PREPARES => false, PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_NUM];
$db = new PDO("mysql:host={$e['CLIENT_HOST']};port={$e['CLIENT_PORT']};dbname={$e['CLIENT_DATABASE']};charset=utf8mb4", $e['CLIENT_USER'], $e['CLIENT_PASSWORD'], $options);

$db->setAttribute(PDO::ATTR_EMULATE_PREPARES, true);
columns('values', $db->query(THINGS)->fetchAll());
$db->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
$s = $db->prepare(THINGS);
$s->execute();
columns('binary', $s->fetchAll());
foreach ([
    ['decimal', 'price > ?', '12.49'], ['text', 'name = ?', 'Zoë 東京 😀'], ['quoted', 'note = ?', "it's \"quoted\" \\ and 100%"], ['bytes', 'bytes = ?', BYTES],
    ['day', 'day = ?', '2024-02-29'], ['moment', 'moment < ?', '1970-01-01 00:00:00'], ['double', 'ratio = ?', 0.1], ['big', 'big = ?', PHP_INT_MAX], ['null', 'day <=> ?', null],
] as [$name, $condition, $argument]) {
    $s = $db->prepare("SELECT id FROM things WHERE $condition ORDER BY id");
    $s->bindValue(1, $argument, is_int($argument) ? PDO::PARAM_INT : ($argument === null ? PDO::PARAM_NULL : PDO::PARAM_STR));
    $s->execute();
    line("prepared $name", ...$s->fetchAll(PDO::FETCH_COLUMN));
}
$s = $db->prepare('SELECT COUNT(*) FROM published.people WHERE age >= ? AND disease = ?');
$s->execute([60, 'HIV']);
line('prepared estimate', $s->fetchColumn());
$types = ['TINY' => 'tinyint', 'SHORT' => 'smallint', 'LONG' => 'int', 'LONGLONG' => 'bigint', 'NEWDECIMAL' => 'decimal', 'VAR_STRING' => 'varchar'];
foreach (['things' => THINGS, 'estimate' => ESTIMATE, 'exact' => EXACT] as $name => $query) {
    $s = $db->query($query);
    $natives = [];
    for ($i = 0; $i < $s->columnCount(); $i++) {
        $native = $s->getColumnMeta($i)['native_type'];
        $natives[] = $types[$native] ?? strtolower($native);
    }
    line("types $name", ...$natives);
    $s->closeCursor();
}
foreach ($db->query(ESTIMATE)->fetchAll() as $row) line("estimate $row[0]", ...array_slice($row, 1));
foreach ($db->query(EXACT)->fetchAll() as $row) line("exact $row[0]", ...array_slice($row, 1));
$db->query(ESTIMATE)->fetchAll();
foreach ($db->query('SHOW WARNINGS')->fetchAll() as $row) line('warnings', strtolower($row[0]), $row[1]);

$db->beginTransaction();
$db->exec("INSERT INTO changes VALUES (1, 'undone')");
$db->rollBack();
line('changes rolled back', $db->query('SELECT COUNT(*) FROM changes')->fetchColumn());
$db->beginTransaction();
$s = $db->prepare('INSERT INTO changes VALUES (?, ?)');
foreach ([[1, 'one'], [2, 'two'], [3, null]] as $row) $s->execute($row);
$db->commit();
line('changes committed', $db->query('SELECT COUNT(*) FROM changes')->fetchColumn());
line('changes affected', $db->exec("UPDATE changes SET text = 'both' WHERE id < 3"));
$db->beginTransaction();
$db->exec("INSERT INTO things (name) VALUES ('fifth')");
line('changes last id', $db->lastInsertId());
$db->rollBack();

foreach ([
    'table' => 'SELECT * FROM nowhere', 'syntax' => 'SELEC 1', 'duplicate' => "INSERT INTO things (id, name) VALUES (1, 'again')",
    'raw' => 'SELECT COUNT(*) FROM census.people', 'estimate' => 'SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()',
] as $name => $statement) {
    try {
        $db->query($statement)->fetchAll();
        line("error $name", 'none');
    } catch (PDOException $wrong) {
        line("error $name", $wrong->errorInfo[1]);
        line("state $name", $wrong->errorInfo[0]);
    }
}
$mysqli = new mysqli($e['CLIENT_HOST'], $e['CLIENT_USER'], $e['CLIENT_PASSWORD'], $e['CLIENT_DATABASE'], (int) $e['CLIENT_PORT']);
$mysqli->set_charset('utf8mb4');
line('called', ...$mysqli->query('CALL cheaper(12)')->fetch_row());
while ($mysqli->more_results()) $mysqli->next_result();

$db->setAttribute(PDO::MYSQL_ATTR_USE_BUFFERED_QUERY, false);
[$rows, $total, $length] = [0, 0, 0];
foreach ($db->query('SELECT n, text FROM many ORDER BY n') as [$n, $text]) {
    $rows++;
    $total += $n;
    $length += strlen($text);
}
line('large', $rows, $total, $length);

// mysqli reads by a cursor on the server.
$s = $mysqli->prepare('SELECT n, text FROM many ORDER BY n');
$s->attr_set(MYSQLI_STMT_ATTR_CURSOR_TYPE, MYSQLI_CURSOR_TYPE_READ_ONLY);
$s->execute();
$s->bind_result($n, $text);
[$rows, $total, $length] = [0, 0, 0];
while ($s->fetch()) {
    $rows++;
    $total += $n;
    $length += strlen($text);
}
line('cursor', $rows, $total, $length);
