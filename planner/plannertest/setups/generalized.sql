CREATE DATABASE hospital;
CREATE TABLE hospital.patients (
  name VARCHAR(20), age INT, zip VARCHAR(5), stage VARCHAR(6), born DATE, weight DECIMAL(5,1), disease VARCHAR(20), charge INT);
INSERT INTO hospital.patients VALUES
 ('Ann', 30, '11100', 'early', '1990-02-03', 61.5, 'flu',    10), ('Ben', 33, '11200', 'late',  '1987-07-01', 80.0, 'cold',   20),
 ('Cem', 45, '12200', 'mid',   '1975-11-30', 70.2, 'gout',   30), ('Dan', 42, '11100', 'early', '1978-01-01', 66.6, 'flu',    40),
 ('Eva', 32, '25300', 'mid',   '1988-04-09', 59.9, 'asthma', 50), ('Fay', 44, '23200', 'late',  '1976-12-12', 55.0, 'cold',   60),
 ('Gus', 30, '11100', 'mid',   '1990-03-02', 91.0, 'gout',   70), ('Hal', NULL, NULL,  'early', '1987-08-08', 77.7, 'asthma', 80);
CALL set_attributes('hospital.patients', 'qi=age,zip,stage', 'sa=disease', 'ei=name');
CALL set_taxonomy('hospital.patients', 'zip', 'prefix=1,3');
CALL set_taxonomy('hospital.patients', 'stage', 'order=early,mid,late');
CALL anonymize('hospital.patients', 'mondrian', 'mode=strict', 'k=2', 'l=2', 'seed=1')
