CREATE DATABASE h;
CREATE TABLE h.people (id INT, name VARCHAR(10) COLLATE utf8mb4_0900_ai_ci, code VARCHAR(10) COLLATE utf8mb4_0900_bin, age INT, disease VARCHAR(10));
INSERT INTO h.people VALUES (1, 'bob', 'a', 30, 'flu'), (2, 'Bob', 'A', 40, 'cold'), (3, 'Ärger', 'b', 30, 'gout'), (4, 'arger', 'B', 40, 'flu'),
 (5, 'Zoe', 'b', 50, 'cold'), (6, 'BOB', 'a', 50, 'gout');
CALL anonymize('h.people', 'slppa', 'qi=name,code,age', 'sa=disease', 'beta=0.5', 'tables=1', 'seed=3')
