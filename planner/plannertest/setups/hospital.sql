CREATE DATABASE hospital;
CREATE TABLE hospital.patients (name VARCHAR(20), age INT, sex VARCHAR(6), zip VARCHAR(5), disease VARCHAR(20), charge DECIMAL(8,2));
INSERT INTO hospital.patients VALUES
 ('Ann', 30, 'F', '11100', 'flu', 10.5), ('Ben', 33, 'M', '12200', 'cold', 20), ('Cem', 45, 'M', '12200', 'gout', 30),
 ('Dan', 42, 'M', '11100', 'flu', 40), ('Eva', 32, 'F', '25300', 'asthma', 50), ('Fay', 44, 'F', '23200', 'cold', 60),
 ('Gus', 30, 'M', '11100', 'gout', 70), ('Hal', 33, 'M', NULL, 'asthma', 80);
CALL set_attributes('hospital.patients', 'qi=age,sex,zip', 'sa=disease', 'ei=name');
CALL anonymize('hospital.patients', 'slppa', 'beta=0.5', 'tables=2', 'seed=7', 'calibrate=true');
CREATE TABLE hospital.codes (code VARCHAR(20), title VARCHAR(20), price DECIMAL(6,3));
INSERT INTO hospital.codes VALUES ('flu', 'Influenza', 0.1), ('gout', 'Gout', 0.2), ('cold', 'Common cold', 0.7)
