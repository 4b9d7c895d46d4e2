package sample

// regionNames are invented, from the largest region to the smallest.
var regionNames = []string{
	"Nordmark", "Westerhaven", "Alderland", "Sudermoor", "Karvale", "Ostrand", "Millbruck", "Thornwick", "Vessin",
}

// regionWeights are percentages of the population.
var regionWeights = []float64{22, 18, 15, 12, 10, 8, 7, 5, 3}

var femaleNames = []string{
	"Ada", "Aisha", "Alma", "Amara", "Anna", "Beatrix", "Carla", "Chiara", "Clara", "Daniela", "Edith", "Elena",
	"Emma", "Fatima", "Frida", "Greta", "Hana", "Helene", "Ida", "Ines", "Ingrid", "Irina", "Johanna", "Julia",
	"Karin", "Katya", "Leila", "Lena", "Lucia", "Maria", "Marta", "Mina", "Nadia", "Nora", "Olga", "Paula", "Rosa",
	"Sara", "Sofia", "Vera",
}

var maleNames = []string{
	"Abel", "Adam", "Ali", "Anton", "Bruno", "Carlos", "Daniel", "David", "Emil", "Erik", "Felix", "Filip", "Georg",
	"Hassan", "Henrik", "Hugo", "Ivan", "Jakob", "Jan", "Jonas", "Josef", "Karim", "Karl", "Leon", "Luca", "Marco",
	"Martin", "Max", "Mikael", "Milan", "Noah", "Omar", "Oskar", "Otto", "Pavel", "Peter", "Rafael", "Samuel",
	"Tomas", "Viktor",
}

var lastNames = []string{
	"Acker", "Adler", "Amari", "Andersen", "Bakker", "Baran", "Becker", "Berg", "Bianchi", "Borg", "Brandt", "Carver",
	"Castro", "Conti", "Cooper", "Costa", "Dahl", "Demir", "Dietrich", "Duarte", "Ekberg", "Engel", "Faber", "Farkas",
	"Fischer", "Fuchs", "Gallo", "Garcia", "Greco", "Haas", "Hansen", "Hartmann", "Hoffer", "Holm", "Horvat", "Ibrahim",
	"Jansen", "Jensen", "Kaya", "Keller", "Klein", "Koch", "Kovac", "Kraus", "Lang", "Larsen", "Lind", "Lopez",
	"Lorenz", "Mancini", "Marek", "Marino", "Meyer", "Moreau", "Moser", "Nagy", "Nielsen", "Novak", "Nowak", "Olsen",
	"Pereira", "Petrov", "Popescu", "Richter", "Romano", "Rossi", "Roth", "Sander", "Santos", "Schmid", "Silva",
	"Simon", "Sommer", "Stein", "Svensson", "Toth", "Vogel", "Wagner", "Weber", "Winter",
}
