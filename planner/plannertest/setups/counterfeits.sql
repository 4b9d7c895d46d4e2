CREATE DATABASE hospital;
CREATE TABLE hospital.patients (id INT PRIMARY KEY AUTO_INCREMENT, age INT, sex VARCHAR(6), disease VARCHAR(30));
INSERT INTO hospital.patients (age, sex, disease) VALUES
 (30,'F','Influenza'), (31,'F','Gastritis'), (33,'M','Bronchitis'), (35,'M','Hepatitis'),
 (50,'F','Influenza'), (51,'F','Gastritis'), (53,'M','Bronchitis'), (55,'M','Hepatitis');
CALL set_attributes('hospital.patients', 'qi=age,sex', 'sa=disease');
CALL anonymize('hospital.patients', 'drasl', 'k=4', 'seed=1');
INSERT INTO hospital.patients (age, sex, disease) VALUES (40,'F','Influenza'), (41,'M','Hepatitis'), (42,'M','Gastritis');
DELETE FROM hospital.patients WHERE id = 1;
CALL refresh_release('patients', 'seed=2')
