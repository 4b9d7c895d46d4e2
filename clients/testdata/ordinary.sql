-- The ordinary tables that every client finds in a database of its own, a statement a paragraph. Values are those
-- that drivers get wrong: extremes, NULL, bytes that are no text, characters of four bytes.
CREATE TABLE things (
  id INT NOT NULL AUTO_INCREMENT,
  small SMALLINT,
  big BIGINT,
  huge BIGINT UNSIGNED,
  price DECIMAL(10,2),
  exact DECIMAL(30,10),
  ratio DOUBLE,
  flag TINYINT(1),
  day DATE,
  moment DATETIME,
  fine DATETIME(6),
  name VARCHAR(40) NOT NULL,
  note TEXT,
  bytes BLOB,
  PRIMARY KEY (id),
  UNIQUE KEY name (name),
  KEY day (day, small)
)

INSERT INTO things VALUES
  (1, 7, 70000000000, 1, 12.50, 0.1000000000, 0.5, 1, '2024-02-29', '2024-02-29 13:14:15', '2024-02-29 13:14:15.250000', 'plain', 'a note', X'414243'),
  (2, -32768, -9223372036854775808, 0, -0.01, -12345678901234567890.0123456789, -1234.25, 0, '1000-01-01', '1969-12-31 23:59:59', '1969-12-31 23:59:59.000001', 'Zoë 東京 😀', 'it''s "quoted" \\ and 100%', X'00FF27225C0A'),
  (3, 32767, 9223372036854775807, 18446744073709551615, 99999999.99, 12345678901234567890.0123456789, 0.1, 1, '9999-12-31', '9999-12-31 23:59:59', '9999-12-31 23:59:59.999999', 'extreme', '', X''),
  (4, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'nothing', NULL, NULL)

CREATE TABLE parts (
  thing INT NOT NULL,
  part INT NOT NULL,
  PRIMARY KEY (thing, part)
)

CREATE VIEW dear AS SELECT id, name, price FROM things WHERE price > 10

CREATE TABLE changes (id INT NOT NULL PRIMARY KEY, text VARCHAR(40))

CREATE TABLE many (n INT NOT NULL PRIMARY KEY, text VARCHAR(40) NOT NULL)

INSERT INTO many WITH RECURSIVE r (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < 140)
  SELECT 1 + a.n + 141 * b.n, CONCAT('row ', 1 + a.n + 141 * b.n) FROM r AS a, r AS b WHERE a.n + 141 * b.n < 19881

CREATE PROCEDURE double_it(IN x INT, OUT y INT) SET y = 2 * x

CREATE PROCEDURE cheaper(IN most DECIMAL(10,2)) SELECT id, name FROM things WHERE price < most ORDER BY id
