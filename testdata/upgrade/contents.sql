-- What the data directory of a version has, made by testdata/upgrade/make: each kind of object and of release, over people who do not exist.
CREATE TABLE census.kinds (id INT PRIMARY KEY AUTO_INCREMENT, small TINYINT UNSIGNED, amount DECIMAL(12,3), ratio DOUBLE, name VARCHAR(40) UNIQUE, note TEXT, raw BLOB,
  born DATE, seen DATETIME(6), stamped TIMESTAMP NULL, took TIME, made YEAR, state ENUM('new','old'), tags SET('a','b'), flags BIT(4), doc JSON, twice INT AS (small * 2) STORED,
  KEY by_born (born), CHECK (amount >= 0));
INSERT INTO census.kinds (small, amount, ratio, name, note, raw, born, seen, stamped, took, made, state, tags, flags, doc) VALUES
  (255, 1234567.891, 0.1, 'Ärger', 'two\nlines', X'00FF10', '1969-07-20', '2024-02-29 23:59:59.123456', '2024-01-02 03:04:05', '-12:30:00', 1999, 'old', 'a,b', b'1010', '{"a": [1, null]}'),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE TABLE census.parts (kind INT, part INT, PRIMARY KEY (kind, part));
INSERT INTO census.parts VALUES (1, 1), (1, 2);
CREATE INDEX by_age ON census.people (age, sex);
CREATE VIEW census.elders AS SELECT person_id, age FROM census.people WHERE age >= 80;
DELIMITER //
CREATE PROCEDURE census.add_part(k INT) BEGIN DECLARE n INT; SELECT COALESCE(MAX(part), 0) + 1 INTO n FROM census.parts WHERE kind = k; INSERT INTO census.parts VALUES (k, n); END//
DELIMITER ;

CALL set_attributes('census.people', 'qi=age,sex,education,region,hours_per_week', 'sa=disease', 'ei=person_id,name');
CALL set_taxonomy('census.people', 'age', 'intervals=5,10,20');
CALL set_attributes('clinic.visits', 'unit=patient', 'qi=birth_year,sex,ward', 'sa=diagnosis', 'ei=visit_id');
CALL set_attributes('census.fragments', 'qi=age,sex,education,region,hours_per_week', 'sa=disease', 'ei=person_id,name');
CALL set_attributes('census.classes', 'qi=age,sex,region', 'sa=disease', 'ei=person_id,name');
CALL set_attributes('census.noisy', 'qi=age,sex,region', 'sa=disease', 'ei=person_id,name');
CALL set_attributes('census.follows', 'qi=age,sex,region', 'sa=disease', 'ei=person_id,name');
ALTER TABLE census.survey ADD COLUMN pweight INT;
UPDATE census.survey SET pweight = 10 + age % 7;
CALL set_attributes('census.survey', 'qi=age,sex,region', 'sa=disease', 'weight=pweight', 'ei=person_id,name');
ALTER TABLE census.stays ADD COLUMN admitted DATE;
UPDATE census.stays SET admitted = DATE_ADD(DATE '2024-01-01', INTERVAL age * 3 DAY);
CALL set_attributes('census.stays', 'qi=age,sex,admitted', 'sa=disease', 'ei=person_id,name');

CALL anonymize('census.people', 'anatomy', 'l=5', 'size=50', 'model=counts', 'publish=people');
CALL anonymize('census.fragments', 'slppa', 'beta=1/3', 'tables=2', 'publish=fragments');
CALL anonymize('census.classes', 'mondrian', 'k=10', 'l=3', 'publish=classes');
CALL anonymize('census.noisy', 'modeled', 'model_epsilon=1', 'publish=noisy');
CALL anonymize('clinic.visits', 'anatomy', 'l=3', 'left_out=0.1', 'publish=visits');
CALL anonymize('census.follows', 'anatomy', 'l=3', 'updates=sealed', 'publish=follows');
DELETE FROM census.follows WHERE person_id <= 40;
CALL refresh_release('follows');
CALL anonymize('census.survey', 'anatomy', 'l=3', 'publish=survey');
CALL anonymize('census.stays', 'slicing', 'l=3', 'shift=30', 'publish=stays');
CALL anonymize('census.people', 'fulldomain', 'k=5', 'qi=age,sex', 'publish=domains', 'private=true');
CALL anonymize('census.people', 'anatomy', 'l=3', 'qi=age,sex,region', 'sa=disease,income', 'sa_mode=each', 'publish=several', 'private=true');
CALL evaluate('people', 'queries=100');

CALL create_analyst('ann', 'another-secret-9');
CALL set_limits('ann', 'statement_timeout=60');
CREATE USER olga IDENTIFIED BY 'long-secret-of-olga';
CREATE ROLE readers;
GRANT SELECT ON census.* TO readers;
GRANT readers TO olga;

CALL export_release('people', 'format=csv', 'dir=people');
CALL export_release('fragments', 'format=parquet', 'dir=fragments');
CALL export_release('classes', 'format=csv', 'dir=classes');
CALL export_release('noisy', 'format=csv', 'dir=noisy');
CALL export_release('visits', 'format=csv', 'dir=visits');
CALL export_release('survey', 'format=parquet', 'dir=survey');
CALL export_release('stays', 'format=csv', 'dir=stays');
