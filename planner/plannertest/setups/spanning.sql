CREATE DATABASE shop;
CREATE TABLE shop.orders (id INT, price DECIMAL(8,2), weight DOUBLE, zone VARCHAR(5), disease VARCHAR(20));
INSERT INTO shop.orders VALUES
 (1, 19.95, 0.5, 'n', 'flu'), (2, 19.95, 1.75, 'n', 'cold'), (3, 19.95, 2.25, 's', 'gout'), (4, 19.95, 3.5, 's', 'flu'),
 (5, 17.20, 4.5, 'n', 'cold'), (6, 16.05, 5.25, 's', 'gout'), (7, 102.00, 6, 'n', 'flu'), (8, 104.99, 7.5, 's', 'cold'),
 (9, 0.00, 8, 'n', 'gout'), (10, 3.10, 9, 's', 'flu'), (11, 1999.99, 10, 'n', 'cold'), (12, 1996.00, 11.5, 's', 'gout');
CALL set_attributes('shop.orders', 'qi=price,zone', 'sa=disease', 'ei=id');
CALL set_taxonomy('shop.orders', 'price', 'intervals=5,25,100,500,2000');
CALL anonymize('shop.orders', 'mondrian', 'k=2', 'l=2', 'mode=strict', 'seed=1', 'publish=orders')
