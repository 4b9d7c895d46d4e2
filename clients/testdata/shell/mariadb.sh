#!/usr/bin/env bash
# The command line client mariadb: what it prints, as lines.
set -euo pipefail

client() {
    MYSQL_PWD=$CLIENT_PASSWORD mariadb --no-defaults --protocol=tcp --host="$CLIENT_HOST" --port="$CLIENT_PORT" --user="$CLIENT_USER" \
        --default-character-set=utf8mb4 --batch --skip-column-names "$@" "$CLIENT_DATABASE"
}

# joined prints the lines of a result on one line.
joined() { printf '%s: %s\n' "$1" "$(client --raw --execute="$2" | paste -sd'\t' | sed 's/\t/ | /g')"; }

for column in id small big huge price exact flag day moment name note; do
    joined "values $column" "SELECT $column FROM things ORDER BY id"
done
joined "values ratio" "SELECT CAST(ratio AS DECIMAL(20,4)) FROM things ORDER BY id"
joined "values fine" "SELECT TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM fine)) FROM things ORDER BY id"
joined "values bytes" "SELECT CONCAT('X''', HEX(bytes), '''') FROM things ORDER BY id"

prepare() {
    joined "prepared $1" "SET @v = $3; PREPARE p FROM 'SELECT id FROM things WHERE $2 ORDER BY id'; EXECUTE p USING @v"
}
prepare decimal 'price > ?' 12.49
prepare text 'name = ?' "'Zoë 東京 😀'"
prepare quoted 'note = ?' "'it''s \"quoted\" \\\\ and 100%'"
prepare bytes 'bytes = ?' "X'00FF27225C0A'"
prepare day 'day = ?' "'2024-02-29'"
prepare moment 'moment < ?' "'1970-01-01 00:00:00'"
prepare double 'ratio = ?' 0.1e0
prepare big 'big = ?' 9223372036854775807
prepare null 'day <=> ?' NULL
joined "prepared estimate" "SET @a = 60, @d = 'HIV'; PREPARE p FROM 'SELECT ROUND(COUNT(*), 4) FROM published.people WHERE age >= ? AND disease = ?'; EXECUTE p USING @a, @d"

for disease in Asthma Cancer HIV; do
    joined "estimate $disease" "SELECT FORMAT(COUNT(*), 4), FORMAT(AVG(age), 4), FORMAT(ANON_INTERVAL_LOW(COUNT(*)), 4), FORMAT(ANON_INTERVAL_HIGH(COUNT(*)), 4)
        FROM published.people WHERE age >= 60 AND disease = '$disease'"
done
for sex in Female Male; do
    joined "exact $sex" "SELECT COUNT(*), SUM(age) FROM published.people WHERE sex = '$sex'"
done

joined "changes rolled back" "START TRANSACTION; INSERT INTO changes VALUES (1, 'undone'); ROLLBACK; SELECT COUNT(*) FROM changes"
joined "changes committed" "START TRANSACTION; INSERT INTO changes VALUES (1, 'one'), (2, 'two'), (3, NULL); COMMIT; SELECT COUNT(*) FROM changes"
joined "changes affected" "UPDATE changes SET text = 'both' WHERE id < 3; SELECT ROW_COUNT()"
joined "changes last id" "START TRANSACTION; INSERT INTO things (name) VALUES ('fifth'); SELECT LAST_INSERT_ID(); ROLLBACK"

refused() {
    local said
    said=$(client --execute="$2" 2>&1 || true)
    printf 'error %s: %s\n' "$1" "$(sed -nE 's/^ERROR ([0-9]+) .*/\1/p' <<<"$said")"
    printf 'state %s: %s\n' "$1" "$(sed -nE 's/^ERROR [0-9]+ \((.....)\).*/\1/p' <<<"$said")"
}
refused table "SELECT * FROM nowhere"
refused syntax "SELEC 1"
refused duplicate "INSERT INTO things (id, name) VALUES (1, 'again')"
refused raw "SELECT COUNT(*) FROM census.people"
refused estimate "SELECT RAND(), COUNT(*) FROM published.people GROUP BY RAND()"
client --show-warnings --execute="SELECT COUNT(*) FROM published.people WHERE age >= 60 AND disease = 'HIV'" | sed -nE 's/^(Note) \(Code ([0-9]+)\).*/warnings: \L\1\E | \2/p'
joined procedure "CALL double_it(21, @y); SELECT @y"
joined called "CALL cheaper(12.00)"
# --quick does not keep the result.
client --quick --execute="SELECT n, text FROM many ORDER BY n" | awk -F'\t' '{ n++; total += $1; length_ += length($2) } END { printf "large: %d | %d | %d\n", n, total, length_ }'
