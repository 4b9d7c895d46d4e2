CREATE DATABASE hospital;
CREATE TABLE hospital.patients (
  name VARCHAR(20), age INT, tiny TINYINT UNSIGNED, big BIGINT, sex VARCHAR(6), disease VARCHAR(20), charge DECIMAL(8,2), weight DOUBLE);
INSERT INTO hospital.patients VALUES
 ('Ann', 30, 1, 1, 'F', 'flu', 10.5, 1.5), ('Ben', 33, 2, 2, 'M', 'cold', 20, 2.25), ('Cem', 45, 3, 3, 'M', 'gout', 30, 3), ('Dan', 42, 4, 4, 'M', 'flu', 40, 4),
 ('Eva', 32, 5, 5, 'F', 'asthma', 50, 5), ('Fay', 44, 6, 6, 'F', 'cold', 60, 6), ('Gus', 30, 7, 7, 'M', 'gout', 70, 7), ('Hal', 33, 8, NULL, NULL, 'asthma', 80, 8);
CALL set_attributes('hospital.patients', 'qi=age,tiny,big,sex,charge,weight', 'sa=disease', 'ei=name');
CALL anonymize('hospital.patients', 'anatomy', 'l=2', 'seed=7');
CREATE TABLE hospital.titles (code VARCHAR(20), title VARCHAR(20), price DECIMAL(6,3));
INSERT INTO hospital.titles VALUES ('flu', 'Influenza', 0.1), ('gout', 'Gout', 0.2), ('cold', 'Common cold', 0.7);
CREATE TABLE hospital.sexes (code VARCHAR(6), title VARCHAR(20), price DECIMAL(6,3));
INSERT INTO hospital.sexes VALUES ('F', 'female', 0.1), ('M', 'male', 0.3)
