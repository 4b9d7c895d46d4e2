-- What Gaussian noise spends beside epsilon, exact; 0 for Laplace noise.
ALTER TABLE epsilon_spent ADD COLUMN delta TEXT NOT NULL DEFAULT '0';
